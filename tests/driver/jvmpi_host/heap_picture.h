// The heap at one time: which objects there are, and what only a walk tells: roots, and what hangs on classes.
// Why a walk first: the references that hold the objects for an epoch are roots as well; the walk's roots are older than these.
// Why no garbage unless it is asked for: what floats behind a concurrent marking refers to memory that was reclaimed meanwhile. To hold
// it, as ids do, crashes HotSpot's next collection (G1 of JDK 11 and 17, measured). Serial's and Parallel's garbage is whole.
// Shape:  1. FollowReferences    what is reached; roots; of class objects constants, signers, protection domain
//         2. IterateThroughHeap  of each object its class, of each class its instances' size; garbage
//         3. GetObjectsWithTags  references to all of them
//         About 24 B an object, two tags, one global reference.
// Zone:   tests, under host_lock(); the callbacks run while the VM stands still.   Errors: broken().
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/driver/jvmpi_host/object_table.h"

namespace holdfast::jvmpi_host {

struct PictureRoot {
  jvmtiHeapReferenceKind kind;
  ObjectIndex object;
  ObjectIndex thread = 0;  // 0: none, or one that GetAllThreads did not tell
  jlong thread_number = 0;
  std::uint32_t depth = 0xffffffff;
  jmethodID method = nullptr;  // of a JNI local
};

struct ClassLinks {
  ObjectIndex signers = 0;
  ObjectIndex protection_domain = 0;
  std::vector<std::pair<std::uint16_t, ObjectIndex>> constants;
};

struct HeapPicture {
  std::vector<PictureRoot> roots;
  std::unordered_map<ObjectIndex, ClassLinks> links;
  std::unordered_map<ObjectIndex, jlong> instance_bytes;  // by class
  std::vector<ObjectIndex> order;                         // of what is listed: by id, as by address
};

HeapPicture take_picture(JNIEnv* env, ObjectTable& objects);

}  // namespace holdfast::jvmpi_host
