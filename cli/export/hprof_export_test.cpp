#include "cli/export/hprof_export.h"

#include <doctest/doctest.h>

#include <map>
#include <tuple>

#include "analysis/dominators.h"
#include "analysis/import/hprof_import.h"
#include "analysis/lab/hprof_writer.h"
#include "analysis/lab/random_hprof.h"
#include "analysis/lab/sample_hprof.h"
#include "cli/export/hprof_layout.h"

namespace holdfast::cli {
namespace {

using namespace analysis;

// A dump that was read, with its dominators.
struct Heap {
  explicit Heap(std::span<const std::byte> file) {
    ImportOptions options;
    options.keep_addresses = true;
    heap = import_hprof(file, options);
    REQUIRE(verify(heap->snapshot));
    const auto references = CountedReferences::make(heap->snapshot, heap->arena(), cancel);
    REQUIRE(references);
    const auto found =
        compute_dominators(*references, holding_strengths(kRetainStrong), heap->arena(), cancel);
    REQUIRE(found);
    dominators = *found;
  }
  const Snapshot& snapshot() const { return heap->snapshot; }

  std::unique_ptr<ImportedHeap> heap;
  CancelToken cancel;
  Dominators dominators;
};

std::vector<std::byte> exported(const Snapshot& snapshot) {
  std::string out;
  write_hprof(snapshot, DumpRecord{}, [&](std::string_view bytes) { out += bytes; });
  const auto* data = reinterpret_cast<const std::byte*>(out.data());
  return {data, data + out.size()};
}

// Every object is there again, of its class, and with its dominator.
void check_round_trip(const Heap& before, bool dominators = true) {
  const Snapshot& s = before.snapshot();
  const Heap after(exported(s));
  const HprofLayout layout(s);
  std::map<std::uint64_t, std::uint32_t> at;
  for (std::uint32_t v = 0; v < after.snapshot().object_count(); ++v)
    at[after.heap->addresses[v]] = v;
  REQUIRE(at.size() >= s.object_count());
  const auto same = [&](std::uint32_t v) { return at.at(layout.address(v)); };
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    CAPTURE(v);
    REQUIRE(at.contains(layout.address(v)));
    const std::uint32_t w = same(v);
    if (s.class_of[v].valid())
      CHECK(after.snapshot().catalog.class_name(after.snapshot().class_of[w]) ==
            s.catalog.class_name(s.class_of[v]));
    if (!dominators) continue;
    const std::uint32_t idom = before.dominators.idom[v], idom_after = after.dominators.idom[w];
    if (idom == Dominators::kRoot || idom == ObjectId::kNoneValue)
      CHECK(idom_after == idom);
    else
      CHECK(idom_after == same(idom));
  }
}

}  // namespace

TEST_CASE("hprof: class names as the VM writes them") {
  CHECK(binary_class_name("java.lang.String") == "java/lang/String");
  CHECK(binary_class_name("java.lang.String[][]") == "[[Ljava/lang/String;");
  CHECK(binary_class_name("int[]") == "[I");
  CHECK(binary_class_name("boolean[][]") == "[[Z");
  CHECK(binary_class_name("int") == "int");
  CHECK(binary_class_name("").empty());
}

TEST_CASE("hprof: what was written is read again, object by object") {
  check_round_trip(Heap(lab::sample_hprof(8, true)));
  check_round_trip(Heap(lab::sample_hprof(4, false)));
  check_round_trip(Heap(lab::large_hprof(5000, 1)));
}

// Their roots are not compared: without one system class a reader takes all of the boot loader's for roots.
TEST_CASE("hprof: odd heaps are written whole") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    check_round_trip(Heap(lab::random_hprof(seed)), false);
  }
}

}  // namespace holdfast::cli
