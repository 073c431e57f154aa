// What a programmer knows a suspect's holder by.
// Why:    a path that begins in code of the platform (a worker of a pool, a timer's loop) ends in words that name nothing of the
//         application. The field of its own that is last on the path does.
// Shape:  a static field on the path, or a local variable that has an object of the application's own: as the report names them.
//         (A static field that is the GC root itself is the path's first step.) Otherwise the last instance field on the path of an object that is not the platform's; else the frame, else the object.
//         Where loaders are not told apart nothing is known to be the application's. O(steps).
// Zone:   offline.   Errors: none.
#pragma once

#include "cli/report/report_view.h"

namespace holdfast::cli {

// Sets holder_kind, and holder_class and holder_field where it is a field; the path is there.
void choose_holder(SuspectView& suspect);

}  // namespace holdfast::cli
