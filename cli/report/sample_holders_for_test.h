// Who holds what in the sample report (the sessions, byte arrays and cached entries), and what else fills its heap.
// Shape:  three classes, eight places; seven states, two of which have classes, one queue, and what was not reached.   Zone: tests.   Errors: none.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report_generated.h"

namespace holdfast::cli {

struct HolderSample {
  std::uint64_t sessions = 0, session_bytes = 0, array_bytes = 0;
  std::uint32_t session_class = 0;  // string
  bool static_roots = false;
};

// `id`: a string's index in the report.
template <class Id>
flatbuffers::Offset<report::HolderFacts> sample_holders(flatbuffers::FlatBufferBuilder& builder,
                                                        const HolderSample& sample, Id id) {
  using namespace report;
  struct PlaceSpec {
    StepKind kind;
    RootKind root_kind;
    Strength strength;
    const char *class_name, *field;
    std::uint64_t references, referrers, bytes;
  };
  const auto holders_of = [&](std::uint32_t name, std::uint32_t loader, std::uint64_t instances,
                              const std::vector<PlaceSpec>& specs, std::size_t more_places,
                              std::uint64_t rest) {
    std::vector<flatbuffers::Offset<HolderRow>> rows;
    rows.reserve(specs.size());
    for (const PlaceSpec& s : specs)
      rows.push_back(CreateHolderRow(builder, s.kind, s.root_kind, s.strength, id(s.class_name),
                                     id(s.field), static_cast<std::uint32_t>(s.references),
                                     static_cast<std::uint32_t>(s.referrers), s.bytes));
    const auto places = static_cast<std::uint32_t>(specs.size() + more_places);
    return CreateHolderClassRowDirect(builder, name, loader, instances, &rows, places, rest,
                                      32 * rest);
  };
  constexpr auto kClass = RootKind::SystemClass;
  constexpr auto kStrong = Strength::Strong;
  constexpr std::uint64_t kMega = 1024 * 1024;
  const auto of_static = sample.static_roots ? RootKind::StaticField : kClass;
  const std::vector<PlaceSpec> of_arrays = {
      {StepKind::InstanceField, kClass, kStrong, "java.lang.String", "value", 31'000, 31'000,
       sample.array_bytes},
      {StepKind::Element, kClass, kStrong, "byte[][]", "", 204, 3, 4 * kMega}};
  const std::vector<PlaceSpec> of_sessions = {
      {StepKind::InstanceField, kClass, kStrong, "java.util.concurrent.ConcurrentHashMap$Node",
       "val", sample.sessions, sample.sessions, sample.session_bytes},
      {StepKind::Referent, kClass, Strength::Weak, "java.lang.ref.WeakReference", "", 12, 12, 384},
      {StepKind::Root, RootKind::StackLocal, kStrong, "", "", 3, 0, 96},
      {StepKind::StaticField, of_static, kStrong, "shop.SessionRegistry", "last", 1, 1, 32}};
  const std::vector<PlaceSpec> of_entries = {
      {StepKind::Element, kClass, kStrong, "java.lang.Object[]", "", 20'000, 1, 640'000}};
  const std::uint32_t entry =
      id("com.acme.shop.catalogue.internal.cache.ProductRecommendationCache$SharedIndexEntry");
  const std::vector<flatbuffers::Offset<HolderClassRow>> rows{
      holders_of(id("byte[]"), 0, 31'204, of_arrays, 2, 41),
      holders_of(sample.session_class, 1, sample.sessions, of_sessions, 0, 0),
      holders_of(entry, 1, 20'000, of_entries, 0, 0)};
  return CreateHolderFactsDirect(builder, &rows);
}

// What fills the heap: much garbage, and connections that wait for a stuck finalizer.
template <class Id>
flatbuffers::Offset<report::StateFacts> sample_states(flatbuffers::FlatBufferBuilder& builder,
                                                      bool there, Id id) {
  if (!there) return {};
  using namespace report;
  constexpr std::uint64_t kMega = 1024 * 1024;
  const auto state = [&](HeapState of, bool held, std::uint64_t objects, std::uint64_t bytes,
                         const char* class_name) {
    std::vector<flatbuffers::Offset<StateClassRow>> classes;
    std::vector<flatbuffers::Offset<StateGroupRow>> groups;
    if (class_name != nullptr) {
      const std::vector<std::uint32_t> evidence{id("No object of this state holds them all.")};
      classes.push_back(CreateStateClassRow(builder, id(class_name), 1, objects / 2, bytes / 8,
                                            bytes / 8 * 7, false));
      groups.push_back(CreateStateGroupRowDirect(builder, SuspectKind::Group, id(class_name), 1,
                                                 objects / 2, bytes / 8, bytes / 8 * 7, 0,
                                                 &evidence));
    }
    const std::uint32_t total = class_name != nullptr ? 12 : 0;
    return CreateStateRowDirect(builder, of, held, objects, bytes, &classes, total, &groups);
  };
  const std::vector<flatbuffers::Offset<StateRow>> states{
      state(HeapState::Strong, true, 138'000, 84 * kMega, nullptr),
      state(HeapState::Soft, true, 700, 2 * kMega, nullptr),
      state(HeapState::Weak, false, 12, 384, nullptr),
      state(HeapState::Final, false, 1624, 8 * kMega, "shop.Connection"),
      state(HeapState::Phantom, false, 0, 0, nullptr),
      state(HeapState::Unreachable, false, 9000, 16 * kMega, "shop.Row"),
      state(HeapState::PossibleSlot, false, 0, 0, nullptr)};
  const std::vector<flatbuffers::Offset<FrameRow>> frames{
      CreateFrameRow(builder, id("shop.Connection"), id("finalize"), 1),
      CreateFrameRow(builder, id("java.lang.ref.Finalizer"), id("runFinalizer"), 3)};
  const std::vector<flatbuffers::Offset<BacklogRow>> backlogs{
      CreateBacklogRowDirect(builder, true, id("java.lang.ref.Finalizer"), id("queue"), true,
                             id("java.lang.ref.Finalizer"), 812, 32 * 1024, id("shop.Connection"),
                             812, true, id("Finalizer"), &frames)};
  const std::vector<flatbuffers::Offset<StateClassRow>> classes{
      CreateStateClassRow(builder, id("byte[]"), 0, 9'100, 7 * kMega, 0, true),
      CreateStateClassRow(builder, id("shop.Row"), 1, 8'800, 1 * kMega, 0, false)};
  const auto unreached =
      CreateUnreachedFactsDirect(builder, 21'000, 9 * kMega, kMega, kMega / 2, &classes, 71);
  return CreateStateFactsDirect(builder, &states, &backlogs, unreached);
}

}  // namespace holdfast::cli
