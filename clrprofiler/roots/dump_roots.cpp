#include "clrprofiler/roots/dump_roots.h"

#include <algorithm>

#include "clrprofiler/heap/heap_events.h"
#include "clrprofiler/names/function_names.h"
#include "clrprofiler/roots/static_tables.h"
#include "common/log.h"
#include "platforms/clock.h"

namespace holdfast::clr {
namespace {

// On average; a table that is full leaves names out, and says so.
constexpr std::uint64_t kBytesPerMethod = 200;
constexpr std::uint64_t kNsPerUs = 1000;
// In the place of a field's name. Events tell of all but those of generic types, a list leaves out others, too.
constexpr std::string_view kUntold = "(of a generic type)";
constexpr std::string_view kUnlisted = "(name not known)";

bool is_stack(const RecordedRoot& root) noexcept {
  return root.kind == static_cast<std::uint32_t>(EventRootKind::kStack);
}

void add_error(Notes& notes, const char* what, const Error& error) noexcept {
  const std::string_view why = error_text(error.code);
  notes.add("%s: %.*s (detail 0x%llx)", what, static_cast<int>(why.size()), why.data(),
            static_cast<unsigned long long>(error.detail));
}

}  // namespace

void DumpRoots::look(ProfilerInfo& info, std::uint64_t pause_limit_ns, Arena& arena,
                     Notes& notes) noexcept {
  const std::uint64_t most_ns = std::min(pause_limit_ns / 2, ThreadStacks::kMostPauseNs);
  const Result<void> taken = stacks_.take(info, arena, most_ns);
  if (!taken) add_error(notes, "GC roots on stacks have no threads", taken.error());
  if (const std::uint32_t left = stacks_.unwalked_threads() + stacks_.threads_left_out(); left != 0)
    notes.add("GC roots on the stacks of %u threads have no threads: there was no time for them",
              left);
}

Result<void> DumpRoots::match(HeapRecording& recording, Arena& arena) noexcept {
  HF_CHECK_OK(match_stacks(recording, arena));
  return add_statics(recording, arena);
}

// A stack root's flags, which nobody reads any more, become its number among the stack roots.
Result<void> DumpRoots::match_stacks(HeapRecording& recording, Arena& arena) noexcept {
  std::uint32_t count = 0;
  for (RecordedRoot& root : recording.roots.span())
    if (is_stack(root)) root.flags = count++;
  HF_TRY(frames, arena.make_filled<RootFrame>(count, RootFrame{}));
  HF_TRY(distinct, arena.make<std::uint64_t>(count));
  const ArenaScope scratch(arena);
  HF_TRY(functions, arena.make<std::uint64_t>(count));
  for (const RecordedRoot& root : recording.roots.span())
    if (is_stack(root)) functions[root.flags] = root.id;
  HF_TRY(stretches, arena.make<FrameStretch>(stacks_.threads().size()));
  for (std::size_t i = 0; i < stretches.size(); ++i)
    stretches[i] = {stacks_.threads()[i].first, stacks_.threads()[i].frames};
  HF_TRY(matched, match_root_frames(stacks_.functions(), stretches, functions, frames, arena));
  matched_ = matched;
  frames_ = frames;
  std::copy(functions.begin(), functions.end(), distinct.begin());
  std::sort(distinct.begin(), distinct.end());
  const auto end = std::unique(distinct.begin(), distinct.end());
  const auto first = std::upper_bound(distinct.begin(), end, std::uint64_t{0});  // 0: not known
  functions_ = {first, end};
  return {};
}

Result<void> DumpRoots::add_statics(HeapRecording& recording, Arena& arena) noexcept {
  const auto recorded = recording.statics.span();
  HF_TRY(statics, arena.make<StaticSlot>(recorded.size()));
  std::size_t count = 0;
  for (const RecordedStatic& one : recorded) {
    if (one.object == 0 || (one.flags & kStaticThreadLocal) != 0) continue;  // held by their thread
    const std::u16string_view name(recording.names.span().data() + one.name_at, one.name_units);
    if (!recording.roots.push({one.object, count, 0, kStaticVariable})) break;
    statics[count++] = {one.slot, one.object, name};
  }
  statics_ = statics.first(count);
  HF_TRY(owners, arena.make_filled<StaticOwner>(count, StaticOwner{}));
  owners_ = owners;
  return {};
}

NameRoom DumpRoots::room() const noexcept {
  std::uint64_t bytes = stacks_.threads().size() * 16;
  for (const StaticSlot& one : statics_) bytes += 3 * one.name.size();
  const std::uint64_t methods = method_rows();
  return {static_cast<std::uint32_t>(stacks_.threads().size() + 2 * methods),
          bytes + methods * kBytesPerMethod};
}

Result<void> DumpRoots::name(ClassReader& reader, const HeapRecording& recording,
                             CaptureMemory& memory, Catalog& catalog, Notes& notes) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  const Result<void> found = find_owners(reader.info(), recording, memory.work_arena());
  if (!found) add_error(notes, "static fields have no classes", found.error());
  log_line(LogLevel::kDebug,
           "GC roots: %u of %u on stacks have frames of %zu threads (pause %llu us); static "
           "fields: %u by address, "
           "%u by elimination, %u without a class; %u classes asked in %llu us",
           matched_, stack_roots(), stacks_.threads().size(),
           static_cast<unsigned long long>(pause_ns() / kNsPerUs), figures_.by_address,
           figures_.by_elimination, figures_.unknown, figures_.classes_asked,
           static_cast<unsigned long long>((platforms::monotonic_ns() - began) / kNsPerUs));
  HF_CHECK_OK(stacks_.fill_catalog(memory.catalog_arena(), catalog));
  HF_TRY(rows, memory.catalog_arena().make_filled<MethodRow>(method_rows(), MethodRow{}));
  name_functions(reader, rows.first(functions_.size()), catalog.strings);
  name_statics(reader, rows.subspan(functions_.size(), statics_.size()), catalog.strings);
  const bool listed = reader.info().tells_heap_by_calls();
  rows.back().name = catalog.strings.intern(listed ? kUnlisted : kUntold);
  catalog.methods = rows;
  named_ = true;
  return {};
}

// The classes of all objects live, as the collection has just shown.
Result<void> DumpRoots::find_owners(ProfilerInfo& info, const HeapRecording& recording,
                                    Arena& scratch) noexcept {
  const ArenaScope scope(scratch);
  const auto types = recording.classes.rows().subspan(1);
  HF_TRY(classes, scratch.make<ClassID>(types.size()));
  for (std::size_t i = 0; i < types.size(); ++i) classes[i] = static_cast<ClassID>(types[i].type);
  HF_TRY(figures, find_static_owners(info, statics_, classes, owners_, scratch));
  figures_ = figures;
  return {};
}

void DumpRoots::name_functions(ClassReader& reader, std::span<MethodRow> rows,
                               StringTable& strings) noexcept {
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = name_function(reader, static_cast<FunctionID>(functions_[i]), strings);
}

void DumpRoots::name_statics(ClassReader& reader, std::span<MethodRow> rows,
                             StringTable& strings) noexcept {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    NameText field;
    field.append(statics_[i].name);
    rows[i].name = strings.intern(field.view());
    const StaticOwner& owner = owners_[i];
    if (owner.proof == OwnerProof::kNone) continue;
    const ClassFacts& type =
        owner.class_id != 0 ? reader.read(owner.class_id) : reader.read(owner.module, owner.type);
    rows[i].class_name = strings.intern(type.name);
  }
}

Result<void> DumpRoots::add_untold(HeapRecording& recording, Arena& scratch) const noexcept {
  HF_TRY(added, add_untold_statics(recording, statics_, {0, statics_.size(), 0, kStaticVariable},
                                   scratch));
  log_line(LogLevel::kDebug, "static variables without a name: %u", added);
  return {};
}

void DumpRoots::describe(const RecordedRoot& recorded, RootRecord& record) const noexcept {
  if (!named_) return;
  if (recorded.kind == kStaticVariable) {
    record.kind = RootKind::kStaticField;
    record.method = MethodId{static_cast<std::uint32_t>(functions_.size() + recorded.id)};
    return;
  }
  if (!is_stack(recorded)) return;
  const auto at = std::lower_bound(functions_.begin(), functions_.end(), recorded.id);
  if (at != functions_.end() && *at == recorded.id)
    record.method = MethodId{static_cast<std::uint32_t>(at - functions_.begin())};
  const RootFrame& frame = frames_[recorded.flags];
  if (!frame.found()) return;
  record.thread = ThreadId{frame.stack};
  record.depth = static_cast<std::uint16_t>(frame.depth);
}

}  // namespace holdfast::clr
