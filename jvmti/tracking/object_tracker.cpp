#include "jvmti/tracking/object_tracker.h"

#include <algorithm>
#include <utility>

#include "common/log.h"
#include "jvmti/tracking/named_record.h"
#include "jvmti/tracking/object_finder.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

// More than one report names (analysis/report/writer.h).
constexpr std::uint32_t kMostNamed = 100;

// The one object with this tag; nullptr: collected.
jobject tagged(jvmtiEnv& env, jlong tag) noexcept {
  jint count = 0;
  VmMemory<jobject> objects(env);
  if (env.GetObjectsWithTags(1, &tag, &count, objects.out(), nullptr) != JVMTI_ERROR_NONE)
    return nullptr;
  return count == 1 ? objects.data()[0] : nullptr;
}

}  // namespace

void ObjectTracker::begin_dump(JNIEnv& jni, std::uint64_t utc_ms) noexcept {
  if (began_utc_ms_ == 0) began_utc_ms_ = utc_ms;
  gone_ = book_.drop_collected(jni);
}

void ObjectTracker::keep_named(JNIEnv& jni, std::span<const char> told, std::uint32_t sequence,
                               std::uint64_t utc_ms) noexcept {
  const DumpEnvironment tags = std::move(tags_);
  NamedReader reader(told);
  NamedNumbers numbers;
  if (!reader.numbers(numbers)) {
    next_number_ += kMostNamed;  // a child that was ended may have published its report
    return;
  }
  // Numbers are used up whether or not their objects are found; a child that ran wild uses up no more than a report may.
  const std::uint32_t first_new = next_number_;
  next_number_ = std::clamp(numbers.next_number, first_new, first_new + kMostNamed);
  if (!tags.is_open()) return;
  ObjectFinder finder(tags.env(), jni);
  NamedHead head;
  NamedStep steps[kMostNamedSteps];
  unfollowed_ = 0;
  while (reader.next(head, steps)) {
    if (head.number < first_new) {
      book_.touch(head.number, sequence);
      continue;
    }
    const LocalFrame frame(jni);
    jobject anchor =
        head.anchor_tag != 0 && frame.open() ? tagged(tags.env(), head.anchor_tag) : nullptr;
    jobject found =
        anchor != nullptr ? finder.find(anchor, head, std::span(steps).first(head.steps)) : nullptr;
    const bool kept =
        found != nullptr && book_.add(jni, found, {0, head.number, sequence, sequence, utc_ms});
    if (!kept) ++unfollowed_;
  }
  log_line(LogLevel::kDebug, "objects with a number: %zu, %u of the last dump were not found again",
           book_.all().size(), unfollowed_);
}

void ObjectTracker::close(JNIEnv& jni) noexcept {
  book_.clear(jni);
  tags_ = DumpEnvironment();
  began_utc_ms_ = 0;
  next_number_ = 1;
  gone_ = unfollowed_ = 0;
}

}  // namespace holdfast::jvmti
