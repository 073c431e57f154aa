#include "platforms/module.h"

#include <dlfcn.h>

namespace holdfast::platforms {

const void* loaded_symbol(const char* library, const char* symbol) noexcept {
  // RTLD_NOLOAD finds a library by its soname whichever scope it was opened with, and never loads it.
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  const void* address = dlsym(handle, symbol);
  dlclose(handle);  // the reference that dlopen counted; whoever loaded the library keeps it
  return address;
}

}  // namespace holdfast::platforms
