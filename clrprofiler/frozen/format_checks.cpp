#include "clrprofiler/frozen/format_checks.h"

#include <algorithm>

#include "clrprofiler/coreclr/class_statics.h"
#include "clrprofiler/coreclr/loaded_instantiations.h"
#include "clrprofiler/coreclr/loaded_types.h"
#include "clrprofiler/coreclr/managed_threads.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kMostStackBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t kMostBases = 1024;
// A runtime that has just started has about 190 types, 35 slots and 320 instantiations (9 and 10).
constexpr std::uint32_t kLeastTypes = 50, kLeastSlots = 5, kLeastInstances = 50;
// A quarter. Half of them are where entries are not read as they are.
constexpr std::uint64_t kMostCutChains = 4;

bool is_listed(const RuntimeLayout& layout, Address thread) noexcept {
  bool found = false;
  const auto walked = for_each_thread(layout, [&](Address one) { found = found || one == thread; });
  return walked && found;
}

bool frame_fits(const RuntimeLayout& layout, const ManagedStack& stack) noexcept {
  const auto frame = read_word(stack.thread + layout.thread_frame);
  if (!frame) return false;
  if (*frame == stack_words::kNoFrame || stack.pointers.empty()) return true;
  const std::uint64_t low = std::min(*frame, stack.pointers.front());
  return std::max(*frame, stack.pointers.front()) - low < kMostStackBytes;
}

// Who has values of thread statics has them in an array.
bool statics_array_fits(const RuntimeLayout& layout, Address thread) noexcept {
  constexpr std::uint32_t kHasComponents = 0x80000000u;
  const auto data = read_word(thread + layout.thread_statics);
  if (!data || *data == 0) return data.has_value();
  const auto values = read_number(*data);
  const auto array = read_word(*data + layout.statics_array);
  if (!values || !array) return false;
  if (*array == 0) return *values == 0;
  const auto type = read_word(*array);
  const auto flags = type ? read_checked<std::uint32_t>(*type & ~layout.mark_bits) : std::nullopt;
  return flags && (*flags & kHasComponents) != 0;
}

bool has_module(std::span<const Address> modules, std::optional<Address> module) noexcept {
  return module && std::find(modules.begin(), modules.end(), *module) != modules.end();
}

bool bases_fit(const RuntimeLayout& layout, Address type) noexcept {
  for (std::uint32_t i = 0; i < kMostBases; ++i) {
    const auto parent = read_word(type + layout.class_parent);
    if (!parent) return false;
    if (*parent == 0) return true;
    if (!is_class(layout, *parent)) return false;
    type = *parent;
  }
  return false;
}

bool class_fits(const PictureSource& source, Address type) noexcept {
  const RuntimeLayout& layout = source.format().layout;
  const auto apart = read_word(type + layout.class_auxiliary);
  if (!apart || !has_module(source.modules(), read_word(type + layout.class_module))) return false;
  const auto loader = read_word(*apart + layout.auxiliary_module);
  if (!has_module(source.modules(), loader) || !bases_fit(layout, type)) return false;
  return is_collectible(type) || is_lasting(layout, *loader);
}

}  // namespace

bool threads_fit(const PictureSource& source) noexcept {
  const RuntimeLayout& layout = source.format().layout;
  for (std::size_t i = 0; i < source.stacks(); ++i) {
    const ManagedStack stack = source.stack(i);
    if (!is_listed(layout, stack.thread) || !frame_fits(layout, stack) ||
        !statics_array_fits(layout, stack.thread))
      return false;
  }
  return source.stacks() != 0;
}

bool classes_fit(const PictureSource& source, const KnownClasses& classes) noexcept {
  bool fit = true;
  classes.for_each([&](Address type) {
    // What lies where no object is belongs to nothing.
    fit = fit && (type == source.format().layout.free_class || class_fits(source, type));
  });
  return fit;
}

bool statics_fit(const PictureSource& source, std::span<const HeapSegment> segments) noexcept {
  const RuntimeLayout& layout = source.format().layout;
  std::uint32_t types = 0, slots = 0, instances = 0;
  bool fit = true;
  const auto look_at_slots = [&](Address type) {
    for_each_static_slot(layout, type, [&](Address slot, std::uint32_t) {
      ++slots;
      fit = fit && find_segment(segments, slot) != nullptr;
    });
  };
  for (const Address module : source.modules()) {
    if (!is_lasting(layout, module)) continue;
    for_each_loaded_type(layout, module, [&](Address type) {
      ++types;
      look_at_slots(type);
    });
    const ChainCounts chains = for_each_instantiation(layout, module, [&](Address type) {
      ++instances;
      look_at_slots(type);
    });
    fit = fit && chains.cut * kMostCutChains <= chains.walked;
  }
  return fit && types >= kLeastTypes && slots >= kLeastSlots && instances >= kLeastInstances;
}

}  // namespace holdfast::clr
