#include "clrprofiler/names/platform_module.h"

#include <doctest/doctest.h>

using namespace holdfast::clr;

TEST_CASE("a shared framework: by path alone") {
  constexpr std::string_view kCore =
      "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll";
  const auto platform = [&](std::string_view path, std::string_view name) {
    return is_platform_module(kCore, path, name);
  };
  CHECK(platform(kCore, "System.Private.CoreLib"));
  CHECK(platform("/usr/share/dotnet/shared/Microsoft.AspNetCore.App/10.0.12/Any.dll", "Any"));
  CHECK_FALSE(platform("/app/System.Text.Json.dll", "System.Text.Json"));
  CHECK_FALSE(platform("/app/Microsoft.Data.SqlClient.dll", "Microsoft.Data.SqlClient"));
  CHECK_FALSE(platform("/usr/share/dotnet/shared/Acme.App/1.0/Acme.dll", "Acme"));
  CHECK_FALSE(platform("", "System.Runtime"));
  const std::string_view windows =
      R"(C:\Program Files\dotnet\shared\Microsoft.NETCore.App\8.0.1\System.Private.CoreLib.dll)";
  CHECK(is_platform_module(
      windows, R"(c:\program files\dotnet\shared\Microsoft.WindowsDesktop.App\8.0.1\WPF.dll)",
      "WPF"));
  CHECK_FALSE(is_platform_module(windows, R"(C:\app\shop.dll)", "shop"));
}

TEST_CASE("a self-contained application: by place and name") {
  constexpr std::string_view kCore = "/app/System.Private.CoreLib.dll";
  CHECK(is_platform_module(kCore, "/app/System.Linq.dll", "System.Linq"));
  CHECK_FALSE(is_platform_module(kCore, "/app/shop.dll", "shop"));
  CHECK_FALSE(is_platform_module(kCore, "/app/plugins/System.Linq.dll", "System.Linq"));
  CHECK(is_platform_module("System.Private.CoreLib.dll", "System.Linq.dll", "System.Linq"));
  CHECK_FALSE(is_platform_module("", "", "shop"));
}

TEST_CASE(".NET Framework: the cache of assemblies") {
  constexpr std::string_view kCore =
      R"(C:\Windows\Microsoft.NET\Framework64\v4.0.30319\mscorlib.dll)";
  CHECK(is_platform_module(
      kCore, R"(C:\WINDOWS\Microsoft.Net\assembly\GAC_MSIL\System.Core\v4.0\System.Core.dll)",
      "System.Core"));
  CHECK(
      is_platform_module(kCore, R"(C:\Windows\assembly\GAC_MSIL\System\2.0\System.dll)", "System"));
  CHECK_FALSE(is_platform_module(
      kCore, R"(C:\Windows\Microsoft.Net\assembly\GAC_MSIL\Acme\v4.0\Acme.dll)", "Acme"));
  CHECK_FALSE(is_platform_module(kCore, R"(C:\app\System.Net.Http.dll)", "System.Net.Http"));
}
