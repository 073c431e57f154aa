// track=on: objects that a report names keep a number, by which later reports know them.
// Why this way: who is worth a number is known only when a dump is analysed, in a child, from a picture. So GC roots get a tag where they are
//      gathered anyway, the child tells how each named object hangs on one, and the parent goes that way, object by object, while the
//      application runs: no walk, no pause, microseconds each. What has moved meanwhile, or is not there, has no number any more; it is named
//      anew by the next dump. Objects that are worth naming are large, and rarely young.
// Shape:  begin_dump(), the freeze tags roots, adopt() keeps its tags, the child asks for
//         objects(), keep_named() finds and lets the tags go.
// Zone:   capture; the child reads the book.   Errors: none; what is not found is counted.
#pragma once

#include <utility>

#include "jvmti/dump_environment.h"
#include "jvmti/tracking/object_book.h"

namespace holdfast::jvmti {

class ObjectTracker {
 public:
  // Before a dump that tracks; `utc_ms`: now.
  void begin_dump(JNIEnv& jni, std::uint64_t utc_ms) noexcept;
  void adopt(DumpEnvironment&& tags) noexcept { tags_ = std::move(tags); }
  void keep_named(JNIEnv& jni, std::span<const char> told, std::uint32_t sequence,
                  std::uint64_t utc_ms) noexcept;
  // Nothing is tracked any more.
  void close(JNIEnv& jni) noexcept;

  // -- for the child --
  std::span<const NumberedObject> objects() const noexcept { return book_.all(); }
  std::uint64_t began_utc_ms() const noexcept { return began_utc_ms_; }
  std::uint32_t next_number() const noexcept { return next_number_; }
  std::uint32_t gone() const noexcept { return gone_; }
  std::uint32_t unfollowed() const noexcept { return unfollowed_; }

 private:
  ObjectBook book_;
  DumpEnvironment tags_;
  std::uint64_t began_utc_ms_ = 0;  // 0: nothing is tracked
  std::uint32_t next_number_ = 1;
  std::uint32_t gone_ = 0;
  std::uint32_t unfollowed_ = 0;
};

}  // namespace holdfast::jvmti
