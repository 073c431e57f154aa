// A connection to a HotSpot VM's attach socket: to the one that is there, or to the one that the VM opens when it is asked to.
// Shape:  at most two SIGQUITs (the VM's own tools repeat it too: one that arrives while a VM starts may be lost).
//         A socket of the VM's user at which no process listens any more is left alone; the VM replaces it. What another user's left is removed
//         by remove_abandoned_socket().
// Zone:   offline.
// Errors: as java_attach.h; `stream` is then not valid.
#pragma once

#include "cli/attach/attach_outcome.h"
#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

// What an ended process of another user left, whose number this process has now. The VM cannot put
// its own in its place: in /tmp only a file's owner may remove it. A socket at which a process listens
// is left alone. Before an identity is borrowed.
void remove_abandoned_socket(const Target& target, const TargetFiles& files);

struct ListeningVm {
  platforms::Descriptor stream;
  AttachOutcome refusal;
};
ListeningVm connect_to_vm(const Target& target, const TargetFiles& files, const Patience& patience);

}  // namespace holdfast::cli
