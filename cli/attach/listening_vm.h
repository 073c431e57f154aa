// A connection to a HotSpot VM's attach socket: to the one that is there, or to the one that the VM opens when it is asked to.
// Shape:  at most two SIGQUITs (the VM's own tools repeat it too: one that arrives while a VM starts may be lost).
//         A socket that nobody listens at any more is left alone; the VM replaces it.
// Zone:   offline.
// Errors: as java_attach.h; `stream` is then not valid.
#pragma once

#include "cli/attach/attach_outcome.h"
#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

struct ListeningVm {
  platforms::Descriptor stream;
  AttachOutcome refusal;
};
ListeningVm connect_to_vm(const Target& target, const TargetFiles& files, const Patience& patience);

}  // namespace holdfast::cli
