#include "clrprofiler/runtime_facts.h"

#include <doctest/doctest.h>

#include <string>

#include "platforms/process.h"

using namespace holdfast;
using namespace holdfast::clr;
using namespace std::string_view_literals;

TEST_CASE("an application is called after its assembly, else after its executable") {
  CHECK(application_name_of("dotnet\0/srv/shop.dll\0--port\0"sv) == "shop");
  CHECK(application_name_of("/usr/bin/dotnet\0exec\0--depsfile\0x.json\0bin/shop.dll\0"sv) ==
        "shop");
  CHECK(application_name_of("/srv/shop\0--plugin\0other.dll\0"sv) == "shop");
  CHECK(application_name_of("C:\\srv\\shop.exe\0"sv) == "shop");
  CHECK(application_name_of("dotnet\0run\0"sv) == "dotnet");
  CHECK(application_name_of("dotnet\0.dll\0"sv) == "dotnet");
  CHECK(application_name_of("dotnet"sv) == "dotnet");
  CHECK(application_name_of(""sv) == "");
}

TEST_CASE("how large the heap may become") {
  constexpr std::uint64_t kGb = std::uint64_t{1} << 30;
  constexpr std::uint64_t kUnknown = platforms::kUnknownBytes;
  CHECK(heap_limit_bytes(nullptr, nullptr, 16 * kGb, kUnknown) == kUnknown);
  CHECK(heap_limit_bytes("C800000", nullptr, 16 * kGb, kUnknown) == 200u << 20);
  CHECK(heap_limit_bytes("0x10000000", "32", 16 * kGb, kGb) == 256u << 20);
  CHECK(heap_limit_bytes(nullptr, "32", 16 * kGb, kUnknown) == 16 * kGb / 100 * 50);
  CHECK(heap_limit_bytes(nullptr, nullptr, 16 * kGb, kGb) == kGb / 100 * 75);
  CHECK(heap_limit_bytes(nullptr, nullptr, 16 * kGb, 16u << 20) == 20u << 20);
  CHECK(heap_limit_bytes("nonsense", "FFF", 16 * kGb, kUnknown) == kUnknown);
}

namespace {

HRESULT tell_version(ICorProfilerInfo*, USHORT* instance, COR_PRF_RUNTIME_TYPE* type, USHORT* major,
                     USHORT* minor, USHORT* build, USHORT* fix, ULONG, ULONG*, WCHAR*) noexcept {
  *instance = 7;
  *type = COR_PRF_CORE_CLR;
  *major = 10;
  *minor = 0;
  *build = 12;
  *fix = 0;
  return S_OK;
}

}  // namespace

TEST_CASE("who the runtime is") {
  auto table = ICorProfilerInfo::Table::answering<S_OK>();
  table.GetRuntimeInformation = &tell_version;
  table.QueryInterface = [](ICorProfilerInfo* self, REFIID, void** out) noexcept -> HRESULT {
    *out = self;
    return S_OK;
  };
  ICorProfilerInfo fake{&table};
  ProfilerInfo info;
  REQUIRE(info.open(*reinterpret_cast<IUnknown*>(&fake)).ok());
  const VmFacts facts = read_runtime_facts(info);
  CHECK(std::string(facts.vm_name) == ".NET");
  CHECK(std::string(facts.vm_version) == "10.0.12");
  CHECK(std::string(facts.main_name) == "clrprofiler_test");
  CHECK(std::string(facts.collector) == "Workstation");
  CHECK(facts.command_line_hash != 0);
}
