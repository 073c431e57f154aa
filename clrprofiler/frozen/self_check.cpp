#include "clrprofiler/frozen/self_check.h"

#include <algorithm>
#include <cstring>

#include "clrprofiler/frozen/class_data.h"
#include "clrprofiler/frozen/format_checks.h"
#include "clrprofiler/frozen/heap_picture.h"
#include "clrprofiler/heap/heap_recording.h"
#include "common/child_mailbox.h"
#include "common/log.h"
#include "platforms/child.h"
#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

enum Step : int {
  kPassed,
  kSegments,
  kRuns,
  kObjectsTold,
  kThreads,
  kClasses,
  kStatics,
  kRoots,
  kStepCount
};
constexpr const char* kFailures[kStepCount] = {
    nullptr,
    "where objects lie is not as the runtime's tables say",
    "objects do not fill the heap as the runtime's tables say",
    "objects in memory are not as the runtime tells them",
    "threads are not where the runtime's descriptor says",
    "classes and modules are not as the runtime's descriptor says",
    "static fields are not where the runtime's descriptor says",
    "what holds objects is not as the runtime's tables say"};
constexpr std::uint64_t kPatienceNs = 5'000'000'000;
constexpr std::uint64_t kLookNs = 500'000;
constexpr int kMostTries = 3;
// Where load contexts come and go all the time, or threads do, several moments in a row may find one of them half made.
constexpr int kMostTriesInMotion = 10;
constexpr std::uint64_t kBetweenTriesNs = 20'000'000;
constexpr int kBeside = kStepCount;  // a collection: nothing is said

std::uint64_t add(std::uint64_t sum, Address target) noexcept {
  return (sum ^ target) * 0x9E3779B97F4A7C15u + 1;
}

BOOL HF_COM add_reference(ObjectID, ObjectID* target, void* sum) noexcept {
  auto& all = *static_cast<std::uint64_t*>(sum);
  all = add(all, *target);
  return 1;
}

// Its exit status, or negative.
int await(std::int64_t process) noexcept {
  const std::uint64_t until = platforms::monotonic_ns() + kPatienceNs;
  for (;;) {
    const platforms::ChildEnd end = platforms::poll_child(process);
    if (end.state == platforms::ChildState::kExited) return end.status;
    if (end.state != platforms::ChildState::kRunning) return -1;
    if (platforms::monotonic_ns() > until) platforms::kill_child(process);
    platforms::sleep_ns(kLookNs);
  }
}

}  // namespace

BOOL SelfCheck::note_object(ObjectID object, void* check) noexcept {
  auto& self = *static_cast<SelfCheck*>(check);
  Told& told = self.told_[self.count_++];
  ClassID type = 0;
  SIZE_T bytes = 0;
  self.info_->GetClassFromObject(object, &type);
  self.info_->GetObjectSize2(object, &bytes);
  told = {object, type, bytes, 0};
  self.info_->EnumerateObjectReferences(object, &add_reference, &told.references);
  return self.count_ < self.told_.size() ? 1 : 0;
}

void SelfCheck::note_stopped(void* check) noexcept {
  constexpr std::uint32_t kNone = 2;
  auto& self = *static_cast<SelfCheck*>(check);
  self.count_ = 0;
  self.beside_collection_ = load<std::uint32_t>(self.format_.layout.gc.background_state) != kNone;
  if (!self.beside_collection_) self.info_->EnumerateGCHeapObjects(&note_object, check);
}

int SelfCheck::check_in_child(Freeze& freeze) noexcept {
  return static_cast<SelfCheck*>(freeze.context())->compare(freeze);
}

// The error goes to the log.
int SelfCheck::fail(int step, const Error& error) noexcept {
  work_.mailbox->result.error = error;
  return step;
}

int SelfCheck::compare(Freeze& freeze) noexcept {
  if (beside_collection_) return kBeside;
  if (const auto owned = own_class_data(memory_.work_arena()); !owned)
    return fail(kClasses, owned.error());
  HeapPicture picture(freeze.source(), memory_.work_arena());
  const auto opened = picture.open(recording_limits(memory_.ledger().limit_bytes()).classes);
  if (!opened) return fail(kSegments, opened.error());
  if (const auto checked = picture.check_runs(); !checked) return fail(kRuns, checked.error());
  for (const Told& told : told_.first(count_)) {
    std::uint64_t sum = 0;
    picture.for_each_reference(told.object, [&](Address target) { sum = add(sum, target); });
    if (sum != told.references || picture.type_of(told.object) != told.type ||
        picture.bytes_of(told.object) != told.bytes)
      return fail(kObjectsTold,
                  make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(told.object)));
  }
  const Error misfit = make_error(ErrorCode::kInconsistent);
  if (!threads_fit(freeze.source())) return fail(kThreads, misfit);
  if (!classes_fit(freeze.source(), picture.classes())) return fail(kClasses, misfit);
  if (!statics_fit(freeze.source(), picture.segments())) return fail(kStatics, misfit);
  const auto traced = picture.trace(nullptr, CancelToken());
  return traced ? kPassed : fail(kRoots, traced.error());
}

Result<int> SelfCheck::run_child() noexcept {
  const ArenaScope scratch(memory_.work_arena());
  HF_TRY(told, memory_.work_arena().make_filled<Told>(kObjects, Told{}));
  told_ = told;
  const FreezeTools tools{info_, format_, memory_, work_, PictureUse::kCounts};
  Freeze freeze(tools);
  HF_CHECK_OK(freeze.prepare());
  FrozenChild child;
  work_.mailbox->result.error = {};
  HF_CHECK_OK(freeze.make_child(&check_in_child, &note_stopped, this, child));
  const int answer = await(child.process);
  const Error& error = work_.mailbox->result.error;
  const std::string_view why = error_text(error.code);
  if (answer != kPassed && answer != kBeside)
    log_line(LogLevel::kDebug, "frozen capture: self-check ended with %d: %.*s (0x%llx)", answer,
             static_cast<int>(why.size()), why.data(),
             static_cast<unsigned long long>(error.detail));
  return answer;
}

const char* SelfCheck::text_of(const Result<int>& answer) noexcept {
  if (!answer)
    return answer.error().code == ErrorCode::kRefused ? "the system gives no child process"
                                                      : "the runtime is not suspended for it";
  if (*answer == kBeside) return "a collection in the background did not end";
  return *answer >= 0 && *answer < kStepCount
             ? kFailures[*answer]
             : "the heap's memory is not where the runtime's tables say (a child crashed)";
}

// A wrong format fails each time; what threads were doing at one moment does not.
const char* SelfCheck::run() noexcept {
  const std::uint64_t until = platforms::monotonic_ns() + kPatienceNs;
  for (int tries = 1;;) {
    const Result<int> answer = run_child();
    if (answer && *answer == kPassed) return nullptr;
    const bool beside = answer && *answer == kBeside;
    const bool in_motion = answer && (*answer == kClasses || *answer == kThreads);
    if (!beside && tries++ >= (in_motion ? kMostTriesInMotion : kMostTries)) return text_of(answer);
    if (platforms::monotonic_ns() >= until) return text_of(answer);
    platforms::sleep_ns(kBetweenTriesNs);
  }
}

}  // namespace holdfast::clr
