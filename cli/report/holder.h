// What a developer can change to let a suspect go: the last field on its path that is outside of
// the platform's own packages.
// Why:    a path that begins in code of the platform (a worker of a pool, a timer's loop) or passes
//         its collections ends in words that name nothing of the application.
// Shape:  a static field, or an instance field with the class that declares it as the object's, and
//         then where the path begins. Fields of objects of the class that piles up, or of the
//         levels below, are left out: those hold each other. A field of the objects' own package is
//         likely their container's: the field that this is a part of is named, too. Where no field
//         is the application's: one of a framework that the platform brings along, then the
//         platform's static field, the frame, the object. A static field that is the GC root itself
//         is the path's first step. O(steps).
// Zone:   offline.   Errors: none.
#pragma once

#include "cli/report/report_view.h"

namespace holdfast::cli {

// Sets holder_kind and the names that go with it; class, levels and path are there.
void choose_holder(SuspectView& suspect);

}  // namespace holdfast::cli
