// The names in the catalog: classes, declared fields, loaders, threads; second look at what class_scan.h counted.
// Shape:  rows are there already and have their places; only names and flags are filled. One VM call or two for each name.
//         A loader is called "boot", "platform" or "app" where it is one of those, else by its class and, in quotes, its own name.
// Zone:   capture, application running.
// Errors: the VM's. A class that changed between the two looks keeps what the first one counted.
#pragma once

#include "common/snapshot/catalog.h"
#include "jvmti/class_scan.h"

namespace holdfast::jvmti {

Result<void> name_classes(const VmAccess& vm, const ClassScan& scan, Catalog& catalog) noexcept;
// Also finds the ordinal of Reference.referent. Does nothing else when the catalog has no room for fields. `field_ids`, unless
// empty, runs beside catalog.fields and gets the VM's own ids.
Result<void> name_fields(const VmAccess& vm, const ClassScan& scan,
                         std::span<std::uint64_t> field_ids, Catalog& catalog,
                         java::KnownClasses& known) noexcept;
// After name_classes(): also marks builtin loaders, and their classes as the runtime library's.
Result<void> name_loaders(const VmAccess& vm, const ClassScan& scan, Catalog& catalog) noexcept;
Result<void> name_threads(const VmAccess& vm, const ClassScan& scan, Catalog& catalog) noexcept;

}  // namespace holdfast::jvmti
