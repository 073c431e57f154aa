#include "clrprofiler/frozen/frozen_child.h"

#include <algorithm>
#include <optional>

#include "analysis/pipeline.h"
#include "clrprofiler/ages/class_age_sums.h"
#include "clrprofiler/coreclr/background_collection.h"
#include "clrprofiler/coreclr/loaded_types.h"
#include "clrprofiler/frozen/class_data.h"
#include "clrprofiler/frozen/picture_graph.h"
#include "clrprofiler/frozen/picture_names.h"
#include "clrprofiler/frozen/picture_roots.h"
#include "clrprofiler/heap/heap_recording.h"
#include "common/child_channel.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kNamesPatienceNs = 60'000'000'000;

const char* beside_collection(const RuntimeLayout& layout) noexcept {
  const BackgroundPhase phase = BackgroundCollection(layout.gc.background_state).phase();
  if (phase == BackgroundPhase::kSweeps) return "swept";
  return phase == BackgroundPhase::kMarks ? "marked" : "";
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
        limits_(recording_limits(tools_.memory.ledger().limit_bytes())),
        channel_(*tools_.work.mailbox, ChildChannel::Side::kChild, kNamesPatienceNs),
        picture_(freeze.source(), arena()) {}

  int run() noexcept {
    tell(ChildPhase::kReading);
    const std::uint64_t began = platforms::monotonic_ns();
    capture_.rung = CaptureRung::kFrozen;
    capture_.prepare_ns = freeze_.prepare_ns();
    const Arena::Mark scratch = arena().mark();
    Result<void> done = read_heap();
    if (done && tools_.use == PictureUse::kCounts) done = count_ages();
    if (done && tools_.use == PictureUse::kCounts) give_heap_back();
    if (done) done = hear_names();
    if (done && tools_.use == PictureUse::kCounts) done = make_counts();
    if (done && tools_.use == PictureUse::kGraph) done = make_graph();
    if (!done && graph_ && done.error().code == ErrorCode::kOutOfBudget) return write_only();
    if (done && tools_.use == PictureUse::kWrittenGraph) return write_only();
    if (tools_.use != PictureUse::kCounts) give_heap_back();
    arena().rewind(scratch);
    capture_.seal_ns = platforms::monotonic_ns() - began;
    if (tools_.notes != nullptr && wants_graph())
      freeze_.source().threads().note_cuts(*tools_.notes);
    return tools_.work.run(tools_.work.context, done, capture_, nullptr);
  }

 private:
  Arena& arena() noexcept { return tools_.memory.work_arena(); }
  bool wants_graph() const noexcept { return tools_.use != PictureUse::kCounts; }
  AgeView ages() const noexcept;
  void tell(ChildPhase phase) noexcept {
    tools_.work.mailbox->phase.store(phase, std::memory_order_release);
  }

  Result<void> read_heap() noexcept;
  Result<void> make_roots() noexcept;
  void note_figures() noexcept;
  void give_heap_back() noexcept;
  Result<void> keep_wanted_statics() noexcept;
  Result<std::span<const Address>> lasting_modules() noexcept;
  Result<void> hear_names() noexcept;
  Result<void> ask_names() noexcept;
  Result<void> count_ages() noexcept;
  Result<void> make_counts() noexcept;
  Result<void> make_graph() noexcept;
  Result<void> open_graph() noexcept;
  int write_only() noexcept;
  static Result<void> write_snapshot(void* context, AnalysisInput& input,
                                     AnalysisOutcome& outcome) noexcept;
  static Result<void> feed(void* graph, analysis::SnapshotStream& stream) noexcept {
    auto& self = *static_cast<DumpChild*>(graph);
    return self.graph_->stream(self.arena(), stream);
  }

  Freeze& freeze_;
  const FreezeTools& tools_;
  const RecordingLimits limits_;
  ChildChannel channel_;
  Capture capture_;
  CancelToken never_;  // a child is cancelled by ending it
  HeapPicture picture_;
  Column<PictureRoot> roots_;
  std::uint32_t objects_ = 0;
  MetClasses classes_;
  ClassAgeSums class_ages_;
  std::span<FieldSlot> wanted_statics_;  // by slot; roots have their numbers
  ToldNames told_;
  std::optional<PictureGraph> graph_;
  std::span<const RootRecord> records_;
};

// -- the heap --

Result<void> DumpChild::make_roots() noexcept {
  CaptureMemory& memory = tools_.memory;
  HF_TRY(start, memory.commit_column(kRootColumn));
  roots_ =
      Column<PictureRoot>(reinterpret_cast<PictureRoot*>(start),
                          memory.column_bytes(kRootColumn) / sizeof(PictureRoot), memory.budget());
  return {};
}

Result<void> DumpChild::read_heap() noexcept {
  HF_CHECK_OK(own_class_data(arena()));
  if (wants_graph()) HF_CHECK_OK(make_roots());
  if (tools_.use != PictureUse::kGraph) tools_.memory.release_columns_but_roots();
  HF_CHECK_OK(picture_.open(limits_.classes));
  HF_CHECK_OK(picture_.trace(wants_graph() ? &roots_ : nullptr, never_));
  note_figures();
  HF_TRY(objects, picture_.number());
  objects_ = objects;
  HF_TRY(classes, met_classes(picture_.classes().rows(), arena()));
  classes_ = classes;
  return wants_graph() ? keep_wanted_statics() : Result<void>();
}

void DumpChild::note_figures() noexcept {
  const TraceCounts& counts = picture_.counts();
  capture_.beside = beside_collection(tools_.format.layout);
  capture_.heap_before = tools_.heap_before;
  capture_.heap_before.used_bytes = picture_.used_bytes();
  capture_.heap_after = capture_.heap_before;
  capture_.doubtful_objects = counts.doubtful_objects;
  capture_.doubtful_bytes = counts.doubtful_bytes;
  capture_.dropped_references = counts.dropped_references;
}

void DumpChild::give_heap_back() noexcept {
  picture_.release();
  tell(ChildPhase::kReleased);
  // Counts are nearly done: what is left are names.
  if (wants_graph()) platforms::lower_current_thread();
}

// -- names --

// Those fields that hold something; the roots get their new numbers. Those that find no room have no name.
Result<void> DumpChild::keep_wanted_statics() noexcept {
  HF_TRY(wanted, arena().make<FieldSlot>(limits_.statics));
  const auto of_threads = picture_.statics().of_threads();
  HF_TRY(number_of, arena().make_filled<std::uint32_t>(of_threads.size(), kUnknownHalf));
  std::uint32_t count = 0;
  for (PictureRoot& root : roots_.span()) {
    if (root.kind == PictureRootKind::kStaticVariable && root.id != kUnknownStatic) {
      const auto number = static_cast<std::uint32_t>(root.id);
      root.id = count < wanted.size() ? count : kUnknownStatic;
      if (root.id != kUnknownStatic) wanted[count++] = picture_.statics()[number];
    }
    if (root.kind != PictureRootKind::kThreadStatic) continue;
    const auto field = static_cast<std::uint32_t>(root.id);  // every thread has the same
    if (field >= of_threads.size()) continue;
    if (number_of[field] == kUnknownHalf && count < wanted.size()) {
      number_of[field] = count;
      wanted[count++] = of_threads[field];
    }
    root.id = root.id >> 32 << 32 | number_of[field];
  }
  wanted_statics_ = wanted.first(count);
  return {};
}

Result<std::span<const Address>> DumpChild::lasting_modules() noexcept {
  const auto all = freeze_.source().modules();
  HF_TRY(lasting, arena().make<Address>(all.size()));
  const auto end = std::copy_if(all.begin(), all.end(), lasting.begin(), [this](Address module) {
    return is_lasting(tools_.format.layout, module);
  });
  return std::span<const Address>(lasting.begin(), end);
}

Result<void> DumpChild::ask_names() noexcept {
  const ArenaScope scratch(arena());
  HF_TRY(ids, class_ids(classes_.rows, arena()));
  HF_TRY(modules, lasting_modules());
  const WantedNames wanted{ids.size(), wanted_statics_.size(), modules.size()};
  HF_CHECK_OK(channel_.send(bytes_of(wanted)));
  HF_CHECK_OK(channel_.send(std::as_bytes(ids)));
  HF_CHECK_OK(channel_.send(std::as_bytes(wanted_statics_)));
  return channel_.send(std::as_bytes(modules));
}

// The catalog arena is as empty here as it was in the parent when it began, so its first array lies at the same address.
Result<void> DumpChild::hear_names() noexcept {
  HF_CHECK_OK(ask_names());
  HF_CHECK_OK(channel_.receive(std::as_writable_bytes(std::span(&told_, 1))));
  if (!told_.ok) return told_.error;
  HF_TRY(copy, tools_.memory.catalog_arena().make<std::byte>(told_.bytes));
  HF_CHECK_OK(channel_.receive(copy));
  capture_.pause_ns = told_.pause.pause_ns;
  capture_.clone_ns = told_.pause.clone_ns;
  capture_.snapshot.catalog = told_.catalog;
  return {};
}

// -- what becomes of it --

// The table is the process' own, as it was when the child was made.
AgeView DumpChild::ages() const noexcept {
  AgeView view = tools_.ages != nullptr ? tools_.ages->view() : AgeView();
  view.set_lasting(freeze_.source().frozen());
  return view;
}

Result<void> DumpChild::count_ages() noexcept {
  const AgeView view = ages();
  if (!view.known()) return {};
  HF_CHECK_OK(class_ages_.make(classes_.rows.size(), arena()));
  class_ages_.look_with(view);
  picture_.heap().for_each_marked([&](Address object) {
    const std::uint32_t known = picture_.classes().find(picture_.type_of(object));
    class_ages_.add(classes_.row[known], object, room_of(picture_.bytes_of(object)));
    return true;
  });
  return {};
}

Result<void> DumpChild::make_counts() noexcept {
  const HeapFigures heap = capture_.heap_before;
  HF_CHECK_OK(make_histogram(classes_.rows, tools_.memory.catalog_arena(), capture_));
  HF_CHECK_OK(class_ages_.tell(classes_.rows.size(), tools_.memory.catalog_arena(), capture_));
  capture_.heap_before = capture_.heap_after = heap;
  capture_.rung = CaptureRung::kFrozen;
  return {};
}

// Roots with their records, and how objects are read.
Result<void> DumpChild::open_graph() noexcept {
  HF_TRY(records, resolve_roots(roots_.span(), picture_.heap(), freeze_.source(),
                                wanted_statics_.size(), arena()));
  records_ = records;
  PictureGraph graph(picture_, classes_, told_.edges, ages());
  HF_CHECK_OK(graph.make(arena()));
  graph_.emplace(graph);
  return {};
}

Result<void> DumpChild::make_graph() noexcept {
  HF_CHECK_OK(open_graph());
  HF_CHECK_OK(graph_->fill(objects_, tools_.memory, told_.catalog, records_, capture_.snapshot));
  capture_.has_graph = true;
  return {};
}

// The graph does not fit: it goes to a file as it is read, and somebody else analyses it.
int DumpChild::write_only() noexcept {
  if (tools_.use == PictureUse::kGraph) tools_.memory.release_columns_but_roots();
  Result<void> done = make_counts();
  if (done && !graph_) done = open_graph();
  capture_.rung = CaptureRung::kFrozenWritten;
  const AdapterAnalysis analysis{this, &DumpChild::write_snapshot};
  return tools_.work.run(tools_.work.context, done, capture_, &analysis);
}

Result<void> DumpChild::write_snapshot(void* context, AnalysisInput& input,
                                       AnalysisOutcome& outcome) noexcept {
  auto& self = *static_cast<DumpChild*>(context);
  const Snapshot& counted = self.capture_.snapshot;
  const analysis::SnapshotStreamFacts facts{counted.catalog,           self.records_,
                                            self.capture_.histogram,   self.objects_,
                                            self.graph_->references(), counted.losses};
  const analysis::GraphSource source{&self, &DumpChild::feed};
  HF_TRY(made, analysis::stream_and_report(input, facts, source));
  outcome = made;
  return {};
}

}  // namespace

int dump_in_child(Freeze& freeze) noexcept { return DumpChild(freeze).run(); }

}  // namespace holdfast::clr
