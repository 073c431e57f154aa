// The dump's own child: from the frozen heap to a report. Quick while it holds the application's pages, polite afterwards.
// Shape:  class data copied, heap read, heap given back, names heard, graph made, and then the engine's work.
// Zone:   child.
// Errors: into the engine's work; the answer is the child's exit status.
#pragma once

#include "clrprofiler/frozen/freeze.h"

namespace holdfast::clr {

int dump_in_child(Freeze& freeze) noexcept;

}  // namespace holdfast::clr
