// Objects that have an id, from when GC goes off until it goes on again (an epoch).
// Why ids are made up: a real VM's are addresses, which HotSpot does not tell; these are as wide, aligned and in no order of birth.
// Shape:  index 1.. <-> JVMTI tag (epoch << 32 | index) <-> id (epoch's base + 8 * the index, scrambled over 28 bits); 0 <-> NULL.
//         One global reference an object: it outlives the thread that asked first, and what has an id is not collected. Those from before
//         the picture are roots in it that nobody is to see.
// Zone:   tests, under host_lock(); callbacks of a heap walk call at_tag() alone.   Errors: decode() says what an id is not.
#pragma once

#include <cstdint>
#include <vector>

#include "jvmpi/abi/jvmpi.h"
#include "tests/driver/jvmpi_host/vm.h"

namespace holdfast::jvmpi_host {

using jvmpi::jobjectID;
using ObjectIndex = std::uint32_t;  // 0: no object

struct ObjectEntry {
  jobject ref = nullptr;     // nullptr: seen in a walk, collected since
  ObjectIndex of_class = 0;  // 0: not known yet
  bool held_early = false;   // before the picture
  bool listed = false;       // in heap dumps
  bool garbage = false;      // reached by nobody
  bool reached =
      false;  // by JNI or as a loaded class: no class object of the CDS archive that nobody loaded
  bool primitive = false;  // int.class and its kind
  bool dormant = false;    // the VM's own: no program can see it
};

enum class IdIs : std::uint8_t { kCurrent, kUnknown, kStale, kForeign };
struct DecodedId {
  IdIs what;
  ObjectIndex index;
};

class ObjectTable {
 public:
  bool open() const { return open_; }
  void begin();
  void end(JNIEnv* env);
  std::uint32_t epoch() const { return epoch_; }

  // The object's; it gets one if it has none.
  ObjectIndex index_of(JNIEnv* env, jobject object);
  // The same, and nobody holds it.
  ObjectIndex tagged(jobject object);
  // The same as index_of, and the local reference is gone.
  ObjectIndex take(JNIEnv* env, jobject local);
  // Of a walk's callback, where a new tag is written.
  ObjectIndex at_tag(jlong& tag);
  ObjectIndex find_tag(jlong tag) const;
  // It has no record, and who refers to it refers to nothing.
  void leave_out(JNIEnv* env, ObjectIndex index);
  void picture_is_taken() { pictured_ = true; }

  ObjectEntry& operator[](ObjectIndex index) { return entries_[index]; }
  ObjectIndex size() const { return static_cast<ObjectIndex>(entries_.size()); }

  jobjectID id(ObjectIndex index) const;
  DecodedId decode(jobjectID id) const;

 private:
  ObjectIndex append();
  void hold(JNIEnv* env, ObjectIndex index, jobject object);
  jlong tag(ObjectIndex index) const;

  std::vector<ObjectEntry> entries_;
  std::uint32_t epoch_ = 0;
  bool open_ = false;
  bool pictured_ = false;
};

}  // namespace holdfast::jvmpi_host
