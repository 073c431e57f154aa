// What in the runtime's own structures has to fit what the API tells: threads, modules and classes, static fields.
// Why apart from objects (self_check.h): a wrong offset here would show in no object, and only in the roots and names of a dump.
// Shape:  pure reads. O(threads^2 + classes x modules).
// Zone:   child.   Errors: false: it does not fit.
#pragma once

#include "clrprofiler/coreclr/known_classes.h"
#include "clrprofiler/frozen/picture_source.h"

namespace holdfast::clr {

// Every thread that the API lists stands in the runtime's list, and its topmost frame on its stack.
bool threads_fit(const PictureSource& source) noexcept;
// Every class belongs to a module that the API lists, as does what it keeps apart, and its base classes end at one that has none.
bool classes_fit(const PictureSource& source, const KnownClasses& classes) noexcept;
// The core library's types and the instantiations of generic ones are there, and their static fields lie in the heap.
bool statics_fit(const PictureSource& source, std::span<const HeapSegment> segments) noexcept;

}  // namespace holdfast::clr
