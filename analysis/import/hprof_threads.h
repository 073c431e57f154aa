// Threads, stack frames and GC roots of an HPROF dump.
// Why apart: roots name threads by serial number, threads name stack traces, traces name frames, frames name methods.
// Shape:  one row per thread object, one RootRecord per root whose object the dump has; methods once each.
//         MAT's rules (9 and 10): what a thread's frames and JNI locals hold is referred to by the thread object instead, and
//         is a root only where the thread is unknown; without any sticky class all classes of the boot loader are roots.
//         Ours: locals are roots with thread, method and depth; classes of loaders that are never unloaded are roots.
// Zone:   offline.   Errors: ImportFailure (memory).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/import/hprof_classes.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

struct HprofThread {
  std::uint32_t serial = 0;
  std::uint32_t trace_serial = 0;
  std::uint32_t object = ObjectIndex::kNone;  // none: the dump lacks it
  std::string name;
};

struct HprofMethod {
  std::uint64_t frame_id = 0;
  std::string class_name, name;
};

// What a thread object refers to beyond its fields (MAT's rules).
struct ThreadLocalReference {
  std::uint32_t thread_object = 0;
  std::uint32_t object = 0;
};

struct HprofRoots {
  std::vector<HprofThread> threads;  // by serial
  std::vector<HprofMethod> methods;
  std::vector<RootRecord> roots;
  std::vector<ThreadLocalReference> locals;  // by thread object; empty but with MAT's rules
  std::uint64_t dropped =
      0;  // their object is not in the dump, or the thread that would refer to it
};

HprofRoots read_hprof_roots(const HprofSurvey& survey, const HprofClasses& classes,
                            const ObjectIndex& index, bool like_mat);

}  // namespace holdfast::analysis
