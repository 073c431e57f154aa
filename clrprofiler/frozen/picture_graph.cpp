#include "clrprofiler/frozen/picture_graph.h"

#include <algorithm>

namespace holdfast::clr {

namespace {

// A snapshot in a file has no ages.
void begin(SnapshotFill& sink, ClassId class_id, std::uint64_t bytes, AgeView& ages,
           Address object) noexcept {
  sink.begin_object(class_id, bytes, ages.age_at(object));
}
void begin(analysis::GraphWindow& sink, ClassId class_id, std::uint64_t bytes, AgeView&,
           Address) noexcept {
  sink.begin_object(class_id, bytes);
}

}  // namespace

Result<void> PictureGraph::make(Arena& arena) noexcept {
  HF_TRY(fit,
         arena.make_filled<Fit>(classes_.rows.size(), edges_.empty() ? Fit::kNone : Fit::kUntold));
  fit_ = fit;
  return {};
}

// -- an object --

template <class Sink>
void PictureGraph::add_reference(Address target, RefLabel label, Sink& sink) noexcept {
  const ObjectId number = picture_.heap().number_of(target);
  if (number.valid()) sink.add_reference(number, label);
}

// The first object with slots tells for its class.
bool PictureGraph::names_fit(Address object, std::uint32_t row) noexcept {
  if (fit_[row] != Fit::kUntold) return fit_[row] == Fit::kFits;
  const std::uint64_t bytes = picture_.bytes_of(object);
  std::uint64_t slots = 0;
  for_each_slot(object, picture_.type_of(object), bytes, [&](Address) { ++slots; });
  if (slots == 0) return false;
  const bool fits = slots == reference_slots(edges_[row], shallow_units_of(bytes));
  fit_[row] = fits ? Fit::kFits : Fit::kNone;
  return fits;
}

template <class Sink>
void PictureGraph::add_slots(Address object, std::uint32_t row, Sink& sink) noexcept {
  static constexpr EdgeNames kUnnamed{};
  const EdgeNames& names = row < edges_.size() ? edges_[row] : kUnnamed;
  const bool fits = names_fit(object, row);
  std::uint32_t slot = 0;
  for_each_slot(object, picture_.type_of(object), picture_.bytes_of(object), [&](Address at) {
    const RefLabel label = fits ? slot_label(names, slot) : unknown_slot(names);
    ++slot;
    if (const auto target = load<Address>(at); target != 0) add_reference(target, label, sink);
  });
}

// Keys come in the order of addresses, and are all alive.
template <class Sink>
void PictureGraph::add_dependents(Address key, Sink& sink) noexcept {
  const auto pairs = picture_.dependents();
  for (; next_dependent_ < pairs.size() && pairs[next_dependent_].key == key; ++next_dependent_)
    add_reference(pairs[next_dependent_].value, special(SpecialRef::kDependent), sink);
}

template <class Sink>
void PictureGraph::add_object(Address object, Sink& sink) noexcept {
  const std::uint32_t known = picture_.classes().find(picture_.type_of(object));
  const std::uint32_t row = classes_.row[known];
  begin(sink, row != 0 ? ClassId{row - 1} : ClassId{}, picture_.bytes_of(object), ages_, object);
  if (const Address context = picture_.classes().context_of(known); context != 0)
    add_reference(context, special(SpecialRef::kClassLoader), sink);
  add_slots(object, row, sink);
  add_dependents(object, sink);
}

// -- all of them --

Result<void> PictureGraph::fill(std::uint32_t objects, CaptureMemory& memory,
                                const Catalog& catalog, std::span<const RootRecord> roots,
                                Snapshot& out) noexcept {
  SnapshotFill fill;
  HF_CHECK_OK(fill.prepare(memory, objects, references(), ages_.source()));
  next_dependent_ = 0;
  picture_.heap().for_each_marked([&](Address object) {
    add_object(object, fill);
    return true;
  });
  HF_CHECK_OK(fill.finish(catalog, roots, out));
  return verify(out);
}

std::uint64_t PictureGraph::most_of_one_object() const noexcept {
  const auto pairs = picture_.dependents();
  std::uint64_t most = 0;
  for (std::size_t first = 0, i = 0; i < pairs.size(); ++i) {
    if (pairs[i].key != pairs[first].key) first = i;
    most = std::max<std::uint64_t>(most, i + 1 - first);
  }
  return picture_.counts().largest_row + most;
}

Result<void> PictureGraph::stream(Arena& arena, analysis::SnapshotStream& out) noexcept {
  const ArenaScope scratch(arena);
  analysis::GraphWindow window;
  HF_CHECK_OK(window.make(arena, most_of_one_object()));
  Result<void> sent;
  next_dependent_ = 0;
  picture_.heap().for_each_marked([&](Address object) {
    if (window.full()) sent = window.send(out);
    if (sent) add_object(object, window);
    return sent.ok();
  });
  HF_CHECK_OK(sent);
  return window.send(out);
}

}  // namespace holdfast::clr
