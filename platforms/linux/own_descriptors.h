// Closes every descriptor of a process that was just made by raw clone.
// Why: sockets that a child inherits keep connections open and ports bound that the parent has closed (measured: the peer saw
//      the end 2 s late).
// Shape:  one system call where the kernel has it: the child shares the parent's table (CLONE_FILES) and gets an empty one of
//         its own, so that it never holds a file at all. Else the table was copied, and what /proc/self/fd lists is closed;
//         without /proc, every number below the limit.
// Zone:   child.
// Errors: false when a shared table could not be left: then nothing was closed, and the child must end.
#pragma once

namespace holdfast::platforms {

bool close_all_descriptors(bool shared_with_parent) noexcept;

}  // namespace holdfast::platforms
