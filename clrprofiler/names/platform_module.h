// Whether a module is the runtime's own, told by where it was loaded from.
// Why by path: a name proves nothing ("Microsoft.Data.SqlClient" is a package of the application), and the profiling API has no flag.
// Shape:  pure, O(length). `core_path` is the path of the module that has System.Object.
//           …/shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll: everything below …/shared/Microsoft.*, so that
//             ASP.NET's and the desktop's frameworks are platform, too;
//           any other place (a self-contained application, .NET Framework): what lies beside it, or in the Framework's cache of
//             assemblies, and has a name of the platform. There the application's own files lie in the same folder.
//           a module without a path (from memory, emitted): never, unless the core library has none either (a single file).
// Zone:   any.   Errors: none.
#pragma once

#include <string_view>

namespace holdfast::clr {

bool is_core_library(std::string_view assembly_name) noexcept;
bool is_platform_module(std::string_view core_path, std::string_view path,
                        std::string_view assembly_name) noexcept;

}  // namespace holdfast::clr
