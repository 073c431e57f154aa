#include "clrprofiler/frozen/frozen_child.h"

#include <algorithm>

#include "clrprofiler/coreclr/background_collection.h"
#include "clrprofiler/counted_classes.h"
#include "clrprofiler/frozen/heap_picture.h"
#include "clrprofiler/frozen/picture_names.h"
#include "clrprofiler/heap/heap_graph.h"
#include "common/child_channel.h"
#include "platforms/clock.h"
#include "platforms/private_copy.h"
#include "platforms/thread.h"

namespace holdfast::clr {

namespace {

// With W^X the runtime's own data about classes lies in such memory, which a clone shares and does not copy.
constexpr std::string_view kSharedClassData = "/memfd:doublemapper";
constexpr std::size_t kMostSharedMappings = 16 * 1024;
constexpr std::uint64_t kNamesPatienceNs = 60'000'000'000;

const char* beside_collection(const RuntimeLayout& layout) noexcept {
  const BackgroundPhase phase = BackgroundCollection(layout.gc.background_state).phase();
  if (phase == BackgroundPhase::kSweeps) return "swept";
  return phase == BackgroundPhase::kMarks ? "marked" : "";
}

bool is_known_static(const RecordedRoot& root) noexcept {
  return root.kind == static_cast<std::uint32_t>(PictureRoot::kStaticVariable) &&
         root.id != kUnknownStatic;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) noexcept {
  return std::as_bytes(std::span(&value, 1));
}

class DumpChild {
 public:
  explicit DumpChild(Freeze& freeze) noexcept
      : freeze_(freeze),
        tools_(freeze.tools()),
        channel_(*tools_.work.mailbox, ChildChannel::Side::kChild, kNamesPatienceNs) {}

  int run() noexcept {
    tell(ChildPhase::kReading);
    const std::uint64_t began = platforms::monotonic_ns();
    Result<void> done = tools_.graph ? read_graph() : count_classes();
    if (done) done = make_capture();
    capture_.rung = CaptureRung::kFrozen;
    capture_.prepare_ns = freeze_.prepare_ns();
    capture_.seal_ns = platforms::monotonic_ns() - began;
    return tools_.work.run(tools_.work.context, done, capture_, nullptr);
  }

 private:
  Arena& arena() noexcept { return tools_.memory.work_arena(); }
  void tell(ChildPhase phase) noexcept {
    tools_.work.mailbox->phase.store(phase, std::memory_order_release);
  }

  Result<void> copy_class_data() noexcept;
  Result<void> read(HeapPicture& picture, HeapRecorder* recorder) noexcept;
  void give_heap_back(HeapPicture& picture) noexcept;
  Result<void> read_graph() noexcept;
  Result<void> count_classes() noexcept;
  Result<void> make_capture() noexcept;
  void keep_wanted_statics(const PictureStatics& statics) noexcept;
  Result<void> ask_names(std::span<const CountedType> rows) noexcept;
  Result<void> hear_names() noexcept;
  Result<void> make_graph() noexcept;
  void describe(const RecordedRoot& recorded, RootRecord& record) noexcept;
  MethodId method_after(MethodAfterStatics which) const noexcept;
  void describe_static(std::uint64_t number, RootRecord& record) noexcept;
  void describe_word(std::uint64_t id, RootRecord& record) noexcept;

  Freeze& freeze_;
  const FreezeTools& tools_;
  ChildChannel channel_;
  Capture capture_;
  CancelToken never_;  // a child is cancelled by ending it
  HeapRecording recording_;
  ClassTable counted_;
  std::span<FieldSlot> wanted_statics_;  // by slot; roots have their numbers
  std::span<const std::uint64_t> functions_;
  ToldNames names_;
};

// -- the heap --

Result<void> DumpChild::copy_class_data() noexcept {
  const ArenaScope scratch(arena());
  HF_TRY(room, arena().make<platforms::MappedRange>(kMostSharedMappings));
  const platforms::PrivateCopies copied = platforms::make_private(kSharedClassData, room);
  if (copied.error != 0) return make_error(ErrorCode::kRefused, copied.error);
  return {};
}

Result<void> DumpChild::read(HeapPicture& picture, HeapRecorder* recorder) noexcept {
  const RecordingLimits limits = recording_limits(tools_.memory.ledger().limit_bytes());
  HF_CHECK_OK(picture.open(limits.classes));
  HF_CHECK_OK(picture.trace(recorder, never_));
  const TraceCounts& counts = picture.counts();
  capture_.beside = beside_collection(tools_.format.layout);
  capture_.heap_before = tools_.heap_before;
  capture_.heap_before.used_bytes = picture.used_bytes();
  capture_.heap_after = capture_.heap_before;
  capture_.doubtful_objects = counts.doubtful_objects;
  capture_.doubtful_bytes = counts.doubtful_bytes;
  capture_.dropped_references = counts.dropped_references;
  return {};
}

void DumpChild::give_heap_back(HeapPicture& picture) noexcept {
  picture.release();
  tell(ChildPhase::kReleased);
  platforms::lower_current_thread();
}

Result<void> DumpChild::read_graph() noexcept {
  HF_CHECK_OK(copy_class_data());
  const RecordingLimits limits = recording_limits(tools_.memory.ledger().limit_bytes());
  HF_CHECK_OK(recording_.prepare(tools_.memory, limits));
  HF_TRY(wanted, arena().make<FieldSlot>(limits.statics));
  wanted_statics_ = wanted;
  const ArenaScope scratch(arena());
  HeapRecorder recorder(recording_, HeapRecorder::Objects::kRead);
  HeapPicture picture(freeze_.source(), arena());
  HF_CHECK_OK(read(picture, &recorder));
  keep_wanted_statics(picture.statics());
  picture.record(recorder);
  give_heap_back(picture);
  return {};
}

Result<void> DumpChild::count_classes() noexcept {
  HF_CHECK_OK(copy_class_data());
  HF_TRY(table,
         ClassTable::make(arena(), recording_limits(tools_.memory.ledger().limit_bytes()).classes));
  counted_ = table;
  const ArenaScope scratch(arena());
  HeapPicture picture(freeze_.source(), arena());
  HF_CHECK_OK(read(picture, nullptr));
  picture.count(counted_);
  give_heap_back(picture);
  return {};
}

// -- names --

// Those fields that hold something; the roots get their new numbers. Those that find no room have no name.
void DumpChild::keep_wanted_statics(const PictureStatics& statics) noexcept {
  std::size_t count = 0;
  for (RecordedRoot& root : recording_.roots.span()) {
    if (!is_known_static(root)) continue;
    const auto number = static_cast<std::uint32_t>(root.id);
    root.id = count < wanted_statics_.size() ? count : kUnknownStatic;
    if (root.id != kUnknownStatic) wanted_statics_[count++] = statics[number];
  }
  wanted_statics_ = wanted_statics_.first(count);
}

Result<void> DumpChild::ask_names(std::span<const CountedType> rows) noexcept {
  const ArenaScope scratch(arena());
  HF_TRY(ids, class_ids(rows, arena()));
  const WantedNames wanted{ids.size(), wanted_statics_.size()};
  HF_CHECK_OK(channel_.send(bytes_of(wanted)));
  HF_CHECK_OK(channel_.send(std::as_bytes(ids)));
  return channel_.send(std::as_bytes(wanted_statics_));
}

// The catalog arena is as empty here as it was in the parent when it began, so its first array lies at the same address.
Result<void> DumpChild::hear_names() noexcept {
  HF_CHECK_OK(channel_.receive(std::as_writable_bytes(std::span(&names_, 1))));
  if (!names_.ok) return names_.error;
  HF_TRY(copy, tools_.memory.catalog_arena().make<std::byte>(names_.bytes));
  HF_CHECK_OK(channel_.receive(copy));
  capture_.pause_ns = names_.pause.pause_ns;
  capture_.clone_ns = names_.pause.clone_ns;
  return {};
}

// -- the graph --

MethodId DumpChild::method_after(MethodAfterStatics which) const noexcept {
  return MethodId{static_cast<std::uint32_t>(functions_.size() + wanted_statics_.size()) +
                  static_cast<std::uint32_t>(which)};
}

void DumpChild::describe_static(std::uint64_t number, RootRecord& record) noexcept {
  record.kind = RootKind::kStaticField;
  record.method = number < wanted_statics_.size()
                      ? MethodId{static_cast<std::uint32_t>(functions_.size() + number)}
                      : method_after(MethodAfterStatics::kUnknown);
}

void DumpChild::describe_word(std::uint64_t id, RootRecord& record) noexcept {
  const auto stack = static_cast<std::uint32_t>(id >> 32);
  const auto frame = static_cast<std::uint32_t>(id);
  const ThreadStacks& threads = freeze_.source().threads();
  record.kind = RootKind::kPossibleStackSlot;
  record.thread = ThreadId{stack};
  const StackOfThread& one = threads.threads()[stack];
  if (frame >= one.frames) return;
  record.depth = static_cast<std::uint16_t>(std::min<std::uint32_t>(frame, UINT16_MAX));
  const std::uint64_t function = threads.functions()[one.first + frame];
  const auto at = std::lower_bound(functions_.begin(), functions_.end(), function);
  record.method = MethodId{static_cast<std::uint32_t>(at - functions_.begin())};
}

void DumpChild::describe(const RecordedRoot& recorded, RootRecord& record) noexcept {
  switch (static_cast<PictureRoot>(recorded.kind)) {
    case PictureRoot::kStaticVariable:
      return describe_static(recorded.id, record);
    case PictureRoot::kStackWord:
      return describe_word(recorded.id, record);
    case PictureRoot::kThreadStatics:
      record.kind = RootKind::kStaticField;
      record.method = method_after(MethodAfterStatics::kOfThread);
      if (recorded.id < freeze_.source().stacks())
        record.thread = ThreadId{static_cast<std::uint32_t>(recorded.id)};
      return;
  }
}

Result<void> DumpChild::make_graph() noexcept {
  HF_TRY(graph, HeapGraph::read(recording_, {}, arena(), never_));
  HF_TRY(numbers, class_numbers(recording_.classes.rows(), arena()));
  std::uint64_t lost = 0;
  const std::span<RootRecord> roots = resolve_roots(
      recording_, graph, lost,
      [this](const RecordedRoot& root, RootRecord& record) { describe(root, record); });
  GraphNames names;
  names.class_of = numbers;
  names.edges = names_.edges;
  HF_CHECK_OK(graph.fill(names, tools_.memory, names_.catalog, roots, never_, capture_.snapshot));
  capture_.snapshot.losses.roots_dropped += lost;
  capture_.has_graph = true;
  return {};
}

Result<void> DumpChild::make_capture() noexcept {
  const auto rows = tools_.graph ? recording_.classes.rows() : counted_.rows();
  HF_CHECK_OK(ask_names(rows));
  HF_CHECK_OK(hear_names());
  const HeapFigures heap = capture_.heap_before;
  if (tools_.graph) {
    HF_TRY(functions, distinct_functions(freeze_.source(), arena()));
    functions_ = functions;
    return make_graph();
  }
  capture_.snapshot.catalog = names_.catalog;
  HF_CHECK_OK(make_histogram(rows, tools_.memory.catalog_arena(), capture_));
  capture_.heap_before = capture_.heap_after = heap;
  return {};
}

}  // namespace

int dump_in_child(Freeze& freeze) noexcept { return DumpChild(freeze).run(); }

}  // namespace holdfast::clr
