#include "clrprofiler/coreclr/contract_descriptor.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

using namespace holdfast::clr;

namespace {

constexpr std::string_view kText =
    R"({"version":0,"baseline":"empty","types":{"Thread":{"OSId":296,"LinkNext":[112,"pointer"]},)"
    R"("Array":{"!":16,"m_NumComponents":8}},"globals":{"ObjectToMethodTableUnmask":["0x7","uint8"],)"
    R"("DefaultADID":"0x1","FreeObjectMethodTable":[[1],"pointer"],"Lost":[[2],"pointer"],)"
    R"("RID":["1-x64","string"]},"contracts":{"Thread":1}})";
constexpr std::uint64_t kPointers[] = {0x7000, 0x7100};

// As libcoreclr lays it down.
struct Exported {
  char magic[8] = {'D', 'N', 'C', 'C', 'D', 'A', 'C', '\0'};
  std::uint32_t flags = 1;
  std::uint32_t text_bytes = kText.size();
  const char* text = kText.data();
  std::uint32_t pointer_count = 2;
  std::uint32_t padding = 0;
  const std::uint64_t* pointers = kPointers;
};

}  // namespace

TEST_CASE("offsets, sizes, numbers and addresses") {
  const Exported exported;
  const auto read = ContractDescriptor::read(&exported);
  REQUIRE(read.ok());
  CHECK(read->offset("Thread", "OSId") == 296);
  CHECK(read->offset("Thread", "LinkNext") == 112);
  CHECK(read->offset("Array", "m_NumComponents") == 8);
  CHECK(read->size("Array") == 16);
  CHECK_FALSE(read->size("Thread"));
  CHECK_FALSE(read->offset("Thread", "Frame"));
  CHECK_FALSE(read->offset("Object", "m_pMethTab"));
  CHECK(read->number("ObjectToMethodTableUnmask") == 7);
  CHECK(read->number("DefaultADID") == 1);
  CHECK_FALSE(read->number("RID"));
  CHECK_FALSE(read->number("FreeObjectMethodTable"));
  CHECK(read->pointer("FreeObjectMethodTable") == 0x7100);
  CHECK_FALSE(read->pointer("Lost"));  // behind the last one
  CHECK_FALSE(read->pointer("ObjectToMethodTableUnmask"));
  CHECK_FALSE(read->pointer("Missing"));
}

TEST_CASE("what is no descriptor is not read") {
  CHECK_FALSE(ContractDescriptor::read(nullptr).ok());
  Exported wrong;
  CHECK_FALSE(ContractDescriptor::read(reinterpret_cast<const void*>(16)).ok());
  wrong.magic[0] = 'X';
  CHECK_FALSE(ContractDescriptor::read(&wrong).ok());
  wrong = Exported{};
  wrong.text = reinterpret_cast<const char*>(16);
  CHECK_FALSE(ContractDescriptor::read(&wrong).ok());
  wrong = Exported{};
  wrong.pointers = reinterpret_cast<const std::uint64_t*>(16);
  CHECK_FALSE(ContractDescriptor::read(&wrong).ok());
  wrong = Exported{};
  wrong.text_bytes = 1u << 31;
  CHECK_FALSE(ContractDescriptor::read(&wrong).ok());
  wrong = Exported{};
  wrong.pointer_count = 1u << 31;
  CHECK_FALSE(ContractDescriptor::read(&wrong).ok());
}
