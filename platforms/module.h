// Symbols of a library that this process has loaded already, found without loading anything.
// Why: a VM exports tables about itself; we read them where they are there, and need nothing of them to link or to load.
// Zone:   load (event), capture.   Errors: nullptr when the library or the symbol is not there.
#pragma once

namespace holdfast::platforms {

// `library` is the file's base name, "libjvm.so".
const void* loaded_symbol(const char* library, const char* symbol) noexcept;

}  // namespace holdfast::platforms
