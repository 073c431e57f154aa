#include "analysis/import/ibm_text.h"

#include <doctest/doctest.h>

#include <cinttypes>
#include <cstdio>
#include <optional>
#include <set>

#include "analysis/import/archives_for_test.h"
#include "analysis/import/ibm_text_classes.h"
#include "analysis/import/import_failure.h"
#include "analysis/import/object_index.h"
#include "analysis/lab/random.h"
#include "common/tries_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

// The graph that HeapRoots' documentation explains its words with.
constexpr const char* kDefinitions =
    "0x100 [8] A\n\t0x110\n"
    "0x110 [16] B\n\t0x120 0x180\n"
    "0x120 [24] C\n\t0x130\n"
    "0x130 [8] D\n\t0x130 0x140\n"
    "0x140 [8] E\n\t0x150\n\t0x170\n"
    "0x150 [8] F\n\t0x160 0x120\n"
    "0x160 [8] G\n"
    "0x170 [8] H\n"
    "0x180 [8] I\n\t0x190\n"
    "0x190 [8] J\n"
    "0x1a0 [32] K\n\t0x110 0x1b0\n"
    "0x1b0 [8] L\n\t0x1a0 0x110\n";

constexpr const char* kJ9 =
    "// Version: JRE 1.7.0 Linux amd64-64 build 20120817 (pxa6470sr3)\n"
    "\n0x00000000E0000100 [28] OBJ java/lang/String\n\t0x00000000E0000180 \n"
    "0x00000000E0000180 [44] OBJ [C\n\t\n"
    "0x00000000E0000200 [108] OBJ [Ljava/util/Hashtable$Entry;\n"
    "\t0x00000000 0x00000000E0000300 0x0000000000000000 \n"
    "0x00000000E0000300 [24] OBJ java/util/Hashtable$Entry [hashcode = 01AB]\n\t0x0000000012345678 "
    "\n"
    "0x00000000F0000000 [304] CLS java/lang/String\n\t0x00000000E0000200 \n"
    "\n// Breakdown - Classes: 1, Objects: 2, ObjectArrays: 1, PrimitiveArrays: 1\n"
    "// EOF:  Total 'Objects',Refs(null) : 5,6(2)\n";

std::unique_ptr<ImportedHeap> read(const std::string& text, const ImportOptions& options = {}) {
  auto heap = import_ibm_text(bytes_of(text), options);
  REQUIRE(verify(heap->snapshot).ok());
  return heap;
}

std::string name_of(const ImportedHeap& heap, std::uint32_t object) {
  return std::string(heap.snapshot.catalog.class_name(heap.snapshot.class_of[object]));
}

std::vector<std::uint32_t> row(const ImportedHeap& heap, std::uint32_t object) {
  std::vector<std::uint32_t> out;
  for (auto i = heap.snapshot.first_ref[object]; i < heap.snapshot.first_ref[object + 1]; ++i)
    out.push_back(heap.snapshot.target[i].value);
  return out;
}

std::vector<std::uint32_t> root_objects(const ImportedHeap& heap) {
  std::vector<std::uint32_t> out;
  for (const RootRecord& root : heap.snapshot.roots) {
    CHECK(root.kind == RootKind::kOther);
    out.push_back(root.object.value);
  }
  return out;
}

bool told(const ImportedHeap& heap, const std::string& part) {
  return std::ranges::any_of(
      heap.losses, [&](const std::string& loss) { return loss.find(part) != std::string::npos; });
}

std::optional<ImportFailure> failure_of(const std::string& text,
                                        const ImportOptions& options = {}) {
  try {
    import_ibm_text(bytes_of(text), options);
  } catch (const ImportFailure& failure) {
    return failure;
  }
  return {};
}

using Rows = std::vector<std::vector<std::uint32_t>>;

void reach_slowly(const Rows& rows, std::uint32_t root, std::set<std::uint32_t>& reached) {
  std::vector<std::uint32_t> stack{root};
  while (!stack.empty()) {
    const std::uint32_t v = stack.back();
    stack.pop_back();
    if (!reached.insert(v).second) continue;
    for (const std::uint32_t to : rows[v]) stack.push_back(to);
  }
}

// The definition, as slow as it reads.
std::vector<std::uint32_t> roots_slowly(const Rows& rows,
                                        const std::vector<std::uint64_t>& addresses) {
  std::set<std::uint32_t> referred, reached;
  for (std::uint32_t v = 0; v < rows.size(); ++v)
    for (const std::uint32_t to : rows[v])
      if (to != v) referred.insert(to);
  std::vector<std::uint32_t> roots;
  for (std::uint32_t v = 0; v < rows.size(); ++v)
    if (!referred.contains(v)) roots.push_back(v);
  for (const std::uint32_t root : roots) reach_slowly(rows, root, reached);
  while (reached.size() < rows.size()) {
    std::uint32_t lowest = ObjectIndex::kNone;
    for (std::uint32_t v = 0; v < rows.size(); ++v)
      if (!reached.contains(v) &&
          (lowest == ObjectIndex::kNone || addresses[v] < addresses[lowest]))
        lowest = v;
    roots.push_back(lowest);
    reach_slowly(rows, lowest, reached);
  }
  return roots;
}

struct RandomDump {
  std::vector<std::uint64_t> addresses, sizes;
  Rows rows;
  std::string text;

  explicit RandomDump(std::uint64_t seed) {
    lab::Random random(seed);
    const std::uint32_t objects = 1 + random.below(60);
    const bool rising = random.chance(50);
    for (std::uint32_t v = 0; v < objects; ++v) {
      addresses.push_back(0x1000 + 8 * std::uint64_t{v});
      sizes.push_back(4 * random.below(50));
    }
    for (std::uint32_t v = objects; !rising && v > 1; --v)
      std::swap(addresses[v - 1], addresses[random.below(v)]);
    rows.resize(objects);
    for (std::uint32_t v = 0; v < objects; ++v)
      for (std::uint32_t i = random.below(4); i > 0; --i) rows[v].push_back(random.below(objects));
    for (std::uint32_t v = 0; v < objects; ++v) write(random, v);
  }

  void write(lab::Random& random, std::uint32_t v) {
    const char* const end = random.chance(30) ? "\r\n" : "\n";
    char line[128];
    std::snprintf(line, sizeof line, "0x%08" PRIX64 " [%" PRIu64 "] %sshop/Class%u", addresses[v],
                  sizes[v], random.chance(50) ? "OBJ " : "", v % 7);
    text += line;
    for (const std::uint32_t to : rows[v]) {
      std::snprintf(line, sizeof line, "%s0x%08" PRIx64, random.chance(40) ? " " : "\n\t",
                    addresses[to]);
      const bool on_the_first = text.substr(text.rfind('\n') + 1).find('[') != std::string::npos;
      text += on_the_first && line[0] == ' ' ? std::string(end) + line : std::string(line);
    }
    text += end;
  }
};

}  // namespace

TEST_CASE("HeapRoots' own example: sizes, references, one pure and one artificial root") {
  ImportOptions options;
  options.keep_addresses = true;
  const auto heap = read(kDefinitions, options);
  const Snapshot& s = heap->snapshot;
  REQUIRE(s.object_count() == 12);
  CHECK(s.shallow_unit_bytes == 8);
  CHECK(s.shallow_bytes(ObjectId{2}) == 24);
  CHECK(row(*heap, 3) == std::vector<std::uint32_t>{3, 4});
  CHECK(row(*heap, 4) == std::vector<std::uint32_t>{5, 7});
  CHECK(row(*heap, 6).empty());
  CHECK(root_objects(*heap) == std::vector<std::uint32_t>{0, 10});
  CHECK(heap->addresses.size() == 12);
  CHECK(heap->addresses[11] == 0x1b0);
  CHECK(heap->losses.empty());
  REQUIRE(heap->record.notes.all().size() == 2);
  CHECK(std::string(heap->record.notes.all()[0].text).find("1 objects without referrers and 1") !=
        std::string::npos);
}

TEST_CASE("J9's dialect: kinds, nulls, class objects, hash codes, the end line") {
  const auto heap = read(kJ9);
  const Snapshot& s = heap->snapshot;
  REQUIRE(s.object_count() == 5);
  CHECK(name_of(*heap, 0) == "java.lang.String");
  CHECK(name_of(*heap, 1) == "char[]");
  CHECK(name_of(*heap, 2) == "java.util.Hashtable$Entry[]");
  CHECK(name_of(*heap, 3) == "java.util.Hashtable$Entry");
  CHECK(name_of(*heap, 4) == "java.lang.Class");
  CHECK(s.shallow_unit_bytes == 4);
  CHECK(s.shallow_bytes(ObjectId{1}) == 44);
  CHECK(row(*heap, 2) == std::vector<std::uint32_t>{3});
  CHECK(row(*heap, 4) == std::vector<std::uint32_t>{2});
  CHECK(s.losses.references_to_unknown == 1);
  CHECK(root_objects(*heap) == std::vector<std::uint32_t>{0, 4});
  CHECK(std::string(heap->record.vm.vm_version).starts_with("JRE 1.7.0"));
  CHECK(heap->losses.empty());
  // A string does not hold its class object unless the dump says so.
  for (std::uint32_t v = 0; v < 5; ++v) CHECK_FALSE(s.implied_class_object(ObjectId{v}).valid());
  const ClassRow& string = s.catalog.classes[s.class_of[0].value];
  CHECK((string.flags & kClassPlatform) != 0);
}

TEST_CASE("kinds become names as a person writes them") {
  CHECK(ibm_class_name("java/lang/String") == "java.lang.String");
  CHECK(ibm_class_name("array of java/lang/String") == "java.lang.String[]");
  CHECK(ibm_class_name("array of [Ljava/lang/String;") == "java.lang.String[][]");
  CHECK(ibm_class_name("[[I") == "int[][]");
  CHECK(ibm_class_name("char[]") == "char[]");
  CHECK(ibm_class_name("primitive array") == "primitive array");
  const auto heap = read(
      "0x10 [8] class shop/A\n0x20 [8] java/lang/Class\n0x30 [8] CLS [C\n"
      "0x40 [8] char[]\n0x50 [8] OBJ [C\n0x60 [8] shop/A\n");
  CHECK(name_of(*heap, 0) == "java.lang.Class");
  CHECK(heap->snapshot.class_of[0] == heap->snapshot.class_of[1]);
  CHECK(heap->snapshot.class_of[0] == heap->snapshot.class_of[2]);
  CHECK(heap->snapshot.class_of[3] == heap->snapshot.class_of[4]);
  CHECK(heap->snapshot.catalog.class_count() == 3);
  const Catalog& catalog = heap->snapshot.catalog;
  const auto flags = [&](std::uint32_t v) {
    return catalog.classes[heap->snapshot.class_of[v].value].flags;
  };
  CHECK(flags(0) == (kClassPlatform | kClassClass));
  CHECK(flags(3) == (kClassPlatform | kClassArray));
  CHECK(flags(5) == 0);
}

TEST_CASE("sizes are those of the dump, whatever divides them") {
  const auto odd = read("0x10 [7] A\n0x20 [12] B\n");
  CHECK(odd->snapshot.shallow_unit_bytes == 1);
  CHECK(odd->snapshot.shallow_bytes(ObjectId{1}) == 12);
  const auto none = read("0x10 [0] A\n0x20 [0] B\n");
  CHECK(none->snapshot.shallow_unit_bytes == 1);
  CHECK(none->snapshot.shallow_bytes(ObjectId{1}) == 0);
  const auto large = read("0x10 [17179869184] A\n0x20 [24] B\n");
  CHECK(large->snapshot.shallow_unit_bytes == 8);
  CHECK(large->snapshot.shallow_bytes(ObjectId{0}) == 17179869184u);
  const auto lowered = read("0x10 [18446744073709551615] A\n0x20 [2] B\n");
  CHECK(lowered->snapshot.shallow_bytes(ObjectId{0}) == UINT32_MAX);
  CHECK(told(*lowered, "1 objects are larger"));
}

TEST_CASE("what is wrong in a dump is counted and told") {
  const auto heap = read(
      "0x10 [8] A\n\t0x20 zzz 0x10\n"
      "0x20 [x] B\n\t0x10\n"  // not an object, so its references belong to nobody
      "0x30 [8] C\n\t0x99 0x00\n"
      "0x10 [8] Again\n\t0x30\n"
      "0x0 [8] Nowhere\n"
      "nonsense\n"
      "0x12345678123456789 [8] TooLong\n"
      "0x40 [99999999999999999999] TooLarge\n"
      "0x50 [8]\n");
  const Snapshot& s = heap->snapshot;
  REQUIRE(s.object_count() == 4);
  CHECK(row(*heap, 0).empty());  // 0x20 does not exist, and behind "zzz" nothing is trusted
  CHECK(s.losses.references_to_unknown == 2);
  CHECK_FALSE(s.class_of[2].valid());
  CHECK(s.shallow_bytes(ObjectId{2}) == 0);
  CHECK(row(*heap, 2).empty());
  CHECK(root_objects(*heap) == std::vector<std::uint32_t>{0, 1});
  CHECK(told(*heap, "7 lines cannot be read, the first at offset 11"));
  CHECK(told(*heap, "2 objects repeat"));
  CHECK(told(*read(std::string(kJ9) + "// EOF:  Total 'Objects',Refs(null) : 9,6(2)\n"),
             "counts 9 objects; 5 were found"));
  CHECK(failure_of("// Version: JRE\n")->code == ErrorCode::kDamaged);
  CHECK(failure_of("")->code == ErrorCode::kDamaged);
  ImportOptions options;
  options.like_mat = true;
  CHECK(failure_of(kJ9, options)->code == ErrorCode::kRefused);
}

TEST_CASE("a dump that is cut anywhere gives its front, and one with a version line says so") {
  const std::string text = kJ9;
  const auto whole = read(text);
  const std::size_t end_line = text.find("// EOF");
  std::uint32_t most = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    if (const auto failed = failure_of(text.substr(0, size))) {
      CHECK(failed->code == ErrorCode::kDamaged);
      CHECK(most == 0);
      continue;
    }
    const auto heap = read(text.substr(0, size));
    CHECK(heap->snapshot.object_count() >= most);
    most = heap->snapshot.object_count();
    for (std::uint32_t v = 0; v < most; ++v) CHECK(name_of(*heap, v) == name_of(*whole, v));
    if (size <= end_line) CHECK(told(*heap, "no end line: it is cut at offset"));
  }
  CHECK(most == 5);
}

TEST_CASE("random dumps: every reference, size and root, against the definition") {
  for (std::uint64_t seed = 1; seed <= tries(400); ++seed) {
    CAPTURE(seed);
    const RandomDump dump(seed);
    ImportOptions options;
    options.keep_addresses = true;
    const auto heap = read(dump.text, options);
    const Snapshot& s = heap->snapshot;
    REQUIRE(s.object_count() == dump.rows.size());
    CHECK(heap->losses.empty());
    CHECK(std::ranges::equal(heap->addresses, dump.addresses));
    for (std::uint32_t v = 0; v < s.object_count(); ++v) {
      CHECK(row(*heap, v) == dump.rows[v]);
      CHECK(s.shallow_bytes(ObjectId{v}) == dump.sizes[v]);
      CHECK(name_of(*heap, v) == "shop.Class" + std::to_string(v % 7));
    }
    CHECK(root_objects(*heap) == roots_slowly(dump.rows, dump.addresses));
  }
}

TEST_CASE("a million-long cycle has one root and needs no deep stack") {
  constexpr std::uint32_t kObjects = 1'000'000;
  std::string text;
  char line[64];
  for (std::uint32_t v = 0; v < kObjects; ++v) {
    std::snprintf(line, sizeof line, "0x%x [16] N\n 0x%x\n", 0x1000 + 16 * v,
                  0x1000 + 16 * ((v + 1) % kObjects));
    text += line;
  }
  const auto heap = read(text);
  CHECK(heap->snapshot.object_count() == kObjects);
  CHECK(root_objects(*heap) == std::vector<std::uint32_t>{0});
}

TEST_CASE("the memory limit holds") {
  std::string text;
  for (int v = 1; v < 20'000; ++v)
    text += "0x" + std::to_string(100'000 + v) + " [8] C" + std::to_string(v) + "\n";
  std::size_t refused = 0, read_whole = 0;
  for (std::uint64_t limit = 0; limit < (std::uint64_t{64} << 20); limit += 4 << 20) {
    ImportOptions options;
    options.memory_limit_bytes = limit;
    if (const auto failed = failure_of(text, options)) {
      CHECK(failed->code == ErrorCode::kOutOfBudget);
      CHECK(read_whole == 0);
      ++refused;
    } else {
      CHECK(read(text, options)->ledger().peak_bytes() <= limit);
      ++read_whole;
    }
  }
  CHECK(refused > 0);
  CHECK(read_whole > 0);
}

TEST_CASE("reading can be cancelled in either pass") {
  for (const std::string pass : {"finding objects", "reading references"}) {
    ImportOptions options;
    options.progress = [&](const char* now, std::uint64_t, std::uint64_t) { return now != pass; };
    CHECK(failure_of(kJ9, options)->code == ErrorCode::kCancelled);
  }
}

TEST_CASE("text is recognised by its content, also packed") {
  CHECK(looks_like_ibm_text(bytes_of(kDefinitions)));
  CHECK(looks_like_ibm_text(bytes_of(kJ9)));
  CHECK(looks_like_ibm_text(bytes_of("\r\n0x1 [0] A\r\n")));
  for (const char* const other :
       {"", "\n\n", "// a program\nint main() {}\n", "0x10 0x20\n", "0x10 [8]\n", "[8] A\n", "x"})
    CHECK_FALSE(looks_like_ibm_text(bytes_of(other)));
  const platforms::ScratchDirectory scratch;
  write_bytes(scratch.file("dump.txt.gz"), gzip_member(bytes_of(kJ9)));
  const auto heap = import_heap(scratch.file("dump.txt.gz"), {});
  CHECK(heap->snapshot.object_count() == 5);
  CHECK(heap->format == "IBM heap dump (text), packed with gzip");
}
