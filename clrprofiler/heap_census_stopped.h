// One object after the other, while the runtime is suspended: counted by class, with its size.
// Why not the API alone: GetClassFromObject and GetObjectSize2 take 30 to 45 ns an object, the object's own first words 15.
// Shape:  an object begins with its method table, which is its ClassID; a table's flags word says how large one component is (arrays,
//         strings: bit 31, the low half), the next its base size; a component count stands behind the object's first word.
//         For each class the API is asked twice, and what it says has to be what the words say, or it is asked for every object.
// Zone:   stopped (in the callback of EnumerateGCHeapObjects).
// Errors: none; an object whose class the runtime does not tell is counted as of unknown class.
// Source: method table and object layout as measured on .NET 8, 9 and 10; each class proves them again.
#pragma once

#include <span>

#include "clrprofiler/ages/class_age_sums.h"
#include "clrprofiler/com.h"
#include "clrprofiler/heap/class_table.h"

namespace holdfast::clr {

// How the size of an object follows from its header, once that has been proven for its class.
struct SizeRule {
  std::uint32_t base_bytes = 0;
  std::uint16_t component_bytes = 0;
  bool proven = false;
  bool examined = false;  // it was looked for
};

struct HeapCensus {
  ICorProfilerInfo* info = nullptr;
  ClassTable* classes = nullptr;
  std::span<SizeRule> rules;     // beside the rows of the table
  ClassAgeSums* ages = nullptr;  // nullptr: nobody wants them
  bool words_hold = true;        // false for good as soon as a class contradicts them
};

// An ObjectCallback; `census` is a HeapCensus.
BOOL HF_COM count_object_stopped(ObjectID object, void* census) noexcept;

}  // namespace holdfast::clr
