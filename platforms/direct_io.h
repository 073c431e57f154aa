// Whether a copy of this process may harm transfers that go around the page cache (O_DIRECT).
// Why: such a transfer writes into the pages that it found when it began. After a clone the first write to a shared page moves the
//      writer, here the application, to a copy; what the device still delivers goes to the page that the child keeps.
// Shape:  two system calls, and one more for each open descriptor where the kernel is older than 6.5, which pins such pages.
// Zone:   capture.
// Errors: none; where the descriptors cannot be listed there is no risk that we could name.
// Source: open(2), notes on O_DIRECT and fork; Linux 6.5 changed fs/direct-io.c to pin the pages it transfers to.
#pragma once

#include <string_view>

namespace holdfast::platforms {

bool clone_endangers_direct_io() noexcept;

// -- its two parts, for tests --
// "6.1.0-18-amd64": does a clone leave pages of a running transfer to the parent?
bool kernel_pins_direct_io(std::string_view release) noexcept;
bool has_direct_io() noexcept;

}  // namespace holdfast::platforms
