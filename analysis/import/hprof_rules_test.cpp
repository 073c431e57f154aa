// The 14 rules of Eclipse MAT, one by one: numbers computed by hand, and every object against the oracle.
#include <doctest/doctest.h>

#include "analysis/class_figures.h"
#include "analysis/import/import_fixture.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/test_arena.h"
#include "analysis/reachability.h"
#include "analysis/suspects.h"
#include "analysis/upper_tree.h"

using namespace holdfast;
using namespace holdfast::analysis;
using namespace holdfast::analysis::lab;

namespace {

constexpr std::uint64_t kRoot = MatRow::kVirtualRoot;
constexpr std::uint8_t kUnknown = 0xFF, kSticky = 0x05, kThread = 0x08, kJavaFrame = 0x03,
                       kJniLocal = 0x02, kNativeStack = 0x04, kThreadBlock = 0x06;

// One dump, read by the importer and by the oracle; both must say the same of every object.
class Judged {
 public:
  explicit Judged(HprofWriter& dump)
      : file_(dump.finish()), ours(file_, options_like_mat()), mat(mat_oracle(file_)) {
    CHECK(difference(ours.rows(), mat) == "");
  }
  void row(std::uint64_t address, std::uint64_t shallow, std::uint64_t retained,
           std::uint64_t dominator) const {
    CAPTURE(address);
    const MatRow* const theirs = mat.find(address);
    REQUIRE(theirs != nullptr);
    CHECK(theirs->shallow_bytes == shallow);
    CHECK(theirs->retained_bytes == retained);
    CHECK(theirs->dominator == dominator);
    REQUIRE(ours.held(address));
    CHECK(ours.shallow(address) == shallow);
    CHECK(ours.retained(address) == retained);
  }
  void shallow(std::uint64_t address, std::uint64_t bytes) const {
    CAPTURE(address);
    REQUIRE(mat.find(address) != nullptr);
    CHECK(mat.find(address)->shallow_bytes == bytes);
    CHECK(ours.shallow(address) == bytes);
  }
  void gone(std::uint64_t address) const {
    CAPTURE(address);
    CHECK(mat.find(address) == nullptr);
    CHECK_FALSE(ours.held(address));
  }

 private:
  std::vector<std::byte> file_;

 public:
  ImportedDump ours;
  MatHeap mat;
};

constexpr std::uint64_t kObject = HprofWriter::kObject, kClass = HprofWriter::kClass,
                        kLoaderClass = HprofWriter::kLoaderClass;
constexpr std::uint64_t kObjects = 0x180;  // class Object[]

// Object, Class and Object[] with a root each.
void begin(HprofWriter& dump) {
  dump.basics();
  dump.klass({.id = kObjects, .name = "[Ljava/lang/Object;", .super = kObject});
  dump.root(kSticky, kObjects);
}
// Two arrays that prove 4-byte references; both unreachable.
void prove_narrow(HprofWriter& dump) {
  dump.object_array(0x900, kObjects, {0, 0});
  dump.object_array(0x918, kObjects, {});
}

}  // namespace

TEST_CASE("rule 1: references have 4 bytes where arrays lie closer than 8 allow") {
  const auto array_bytes = [](std::uint64_t second, bool first_first, unsigned id_bytes) {
    HprofWriter dump({.id_bytes = id_bytes});
    begin(dump);
    if (!first_first) dump.object_array(second, kObjects, {});
    dump.object_array(0x1000, kObjects, {0, 0});
    if (first_first) dump.object_array(second, kObjects, {});
    dump.root(kUnknown, 0x1000);
    const Judged judged(dump);
    return judged.ours.shallow(0x1000);
  };
  CHECK(array_bytes(0x1018, true, 8) == 24);   // 8 + 4 + 4 + 2 * 4
  CHECK(array_bytes(0x1020, true, 8) == 40);   // 0x1000 + 16 + 2 * 8 is not passed: 8 + 8 + 4 + 16
  CHECK(array_bytes(0x1018, false, 8) == 40);  // in file order only
  CHECK(array_bytes(0x1000, true, 8) == 40);   // strictly between
  CHECK(array_bytes(0x1020, true, 4) == 24);   // 4 + 4 + 4 + 8 = 20
}

TEST_CASE("rule 2: sizes are multiples of what divides all distances, 8 to 256") {
  const auto object_bytes = [](std::uint64_t unit) {
    HprofWriter dump;
    dump.klass({.id = 3 * unit, .name = "java/lang/Object"});
    dump.klass({.id = 5 * unit, .name = "P", .super = 3 * unit, .fields = {{"x", kHprofInt}}});
    dump.root(kSticky, 3 * unit);
    dump.instance(10 * unit, 3 * unit);
    dump.instance(14 * unit, 5 * unit, {number(kHprofInt, 1)});
    dump.instance(17 * unit, 5 * unit, {number(kHprofInt, 1)});
    dump.instance(0, 5 * unit, {number(kHprofInt, 1)});  // has no address
    dump.root(kUnknown, 10 * unit);
    dump.root(kUnknown, 14 * unit);
    const Judged judged(dump);
    return std::pair(judged.ours.shallow(10 * unit), judged.ours.shallow(14 * unit));
  };
  using Bytes = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(object_bytes(1) == Bytes(16, 24));  // 8 at least
  CHECK(object_bytes(4) == Bytes(16, 24));
  CHECK(object_bytes(8) == Bytes(16, 24));
  CHECK(object_bytes(16) == Bytes(16, 32));
  CHECK(object_bytes(12) == Bytes(24, 24));
  CHECK(object_bytes(100) == Bytes(100, 100));
  CHECK(object_bytes(256) == Bytes(256, 256));
  CHECK(object_bytes(512) == Bytes(256, 256));  // 256 at most
}

TEST_CASE("rule 3: an instance is its superclass's and its own fields, rounded to references") {
  const auto sizes = [](unsigned id_bytes, bool narrow) {
    HprofWriter dump({.id_bytes = id_bytes});
    begin(dump);
    if (narrow) prove_narrow(dump);
    dump.klass({.id = 0x200, .name = "A", .super = kObject, .fields = {{"b", kHprofByte}}});
    dump.klass({.id = 0x208, .name = "B", .super = 0x200, .fields = {{"r"}, {"i", kHprofInt}}});
    dump.instance(0x1000, kObject);
    dump.instance(0x2000, 0x200, {number(kHprofByte, 1)});
    dump.instance(0x3000, 0x208, {reference(0), number(kHprofInt, 1), number(kHprofByte, 1)});
    for (const std::uint64_t id : {0x1000u, 0x2000u, 0x3000u}) dump.root(kUnknown, id);
    const Judged judged(dump);
    return std::vector{judged.ours.shallow(0x1000), judged.ours.shallow(0x2000),
                       judged.ours.shallow(0x3000)};
  };
  CHECK(sizes(8, false) == std::vector<std::uint64_t>{16, 24, 40});  // up(4 + 8 + 24, 8)
  CHECK(sizes(8, true) == std::vector<std::uint64_t>{16, 16, 24});   // 12; up(13, 4); 4 + 4 + 16
  CHECK(sizes(4, false) == std::vector<std::uint64_t>{8, 16, 24});   // 8; 12; 4 + 4 + 12 = 20
}

TEST_CASE("rule 4: arrays") {
  const auto sizes = [](unsigned id_bytes, bool narrow) {
    HprofWriter dump({.id_bytes = id_bytes});
    begin(dump);
    if (narrow) prove_narrow(dump);
    dump.object_array(0x1000, kObjects, {0, 0, 0});
    dump.primitive_array(0x2000, kHprofByte, 5);
    dump.primitive_array(0x3000, kHprofLong, 2);
    dump.primitive_array_without_data(0x4000, kHprofChar, 100);
    for (const std::uint64_t id : {0x1000u, 0x2000u, 0x3000u, 0x4000u}) dump.root(kUnknown, id);
    const Judged judged(dump);
    return std::vector{judged.ours.shallow(0x1000), judged.ours.shallow(0x2000),
                       judged.ours.shallow(0x3000), judged.ours.shallow(0x4000)};
  };
  // Headers: 20 and 24 bytes; 16 and 16; 12 and 12.
  CHECK(sizes(8, false) == std::vector<std::uint64_t>{48, 32, 40, 224});
  CHECK(sizes(8, true) == std::vector<std::uint64_t>{32, 24, 32, 216});
  CHECK(sizes(4, false) == std::vector<std::uint64_t>{24, 24, 32, 216});
}

TEST_CASE("rule 5: a class object is its static fields, a primitive type's mirror an instance") {
  const auto sizes = [](unsigned id_bytes, bool narrow) {
    HprofWriter dump({.id_bytes = id_bytes});
    dump.klass({.id = kObject, .name = "java/lang/Object"});
    dump.klass({.id = kClass,
                .name = "java/lang/Class",
                .super = kObject,
                .fields = {{"loader"}, {"count", kHprofInt}}});
    dump.klass({.id = kObjects, .name = "[Ljava/lang/Object;", .super = kObject});
    if (narrow) prove_narrow(dump);
    dump.klass(
        {.id = 0x200,
         .name = "A",
         .super = kObject,
         .statics = {
             {"i", number(kHprofInt, 1)}, {"r", reference(0)}, {"b", number(kHprofByte, 1)}}});
    dump.instance(0x1000, kClass, {reference(0), number(kHprofInt, 1)});  // int.class
    for (const std::uint64_t id : {0x108u, 0x200u}) dump.root(kSticky, id);
    dump.root(kUnknown, 0x1000);
    const Judged judged(dump);
    return std::vector{judged.ours.shallow(kClass), judged.ours.shallow(0x200),
                       judged.ours.shallow(0x1000)};
  };
  CHECK(sizes(8, false) == std::vector<std::uint64_t>{0, 16, 32});  // 13; up(12 + 16, 8)
  CHECK(sizes(8, true) == std::vector<std::uint64_t>{0, 16, 24});   // 9; 8 + 12 = 20
  CHECK(sizes(4, false) == std::vector<std::uint64_t>{0, 16, 16});  // 9; 8 + 8
}

TEST_CASE("rule 6: what addresses disprove stays as it is") {
  HprofWriter dump;
  begin(dump);
  dump.klass({.id = 0x200, .name = "P", .super = kObject, .fields = {{"x", kHprofLong}}});
  dump.instance(0x1000, 0x200, {number(kHprofLong, 1)});
  dump.instance(0x1010, 0x200, {number(kHprofLong, 1)});  // 16 bytes behind the other
  dump.root(kUnknown, 0x1000);
  const Judged judged(dump);
  judged.row(0x1000, 24, 24, kRoot);
}

TEST_CASE("rule 7: what objects and classes refer to") {
  HprofWriter dump;
  dump.basics();
  dump.klass({.id = 0x200,
              .name = "Leaf",
              .super = 0x210,
              .loader = 0x5000,
              .signers = 0x3000,
              .domain = 0x3008,
              .statics = {{"s", reference(0x4000)}},
              .fields = {{"a"}, {"b"}, {"self"}, {"nowhere"}},
              .constants = {reference(0x3010)}});
  dump.klass({.id = 0x210, .name = "Mid", .super = kObject});
  for (const std::uint64_t id : {0x3000u, 0x3008u, 0x3010u, 0x4000u, 0x4008u, 0x5000u})
    dump.instance(id, kObject);
  dump.instance(0x1000, 0x200,
                {reference(0x4008), reference(0x4008), reference(0x1000), reference(0x7777)});
  dump.root(kUnknown, 0x1000);
  const Judged judged(dump);
  judged.row(0x1000, 48, 48 + 16 + 24 + 16, kRoot);  // 4 references; Leaf; two objects more
  judged.row(0x200, 8, 8 + 16 + 16, 0x1000);         // its superclass, loader and static
  judged.row(0x210, 0, 0, 0x200);
  judged.row(0x4000, 16, 16, 0x200);
  judged.row(0x5000, 16, 16, 0x200);
  judged.row(0x4008, 16, 16, 0x1000);
  judged.row(kClass, 0, 0, kRoot);
  for (const std::uint64_t id : {0x3000u, 0x3008u, 0x3010u}) judged.gone(id);
  CHECK(judged.ours.snapshot().losses.references_to_unknown == 1);
}

TEST_CASE("rule 7: a class refers to java.lang.Class") {
  HprofWriter dump;
  dump.klass({.id = kObject, .name = "java/lang/Object"});
  dump.klass({.id = kClass, .name = "java/lang/Class", .statics = {{"s", reference(0x1000)}}});
  dump.instance(0x1000, kObject);
  dump.root(kSticky, kObject);
  const Judged judged(dump);
  judged.row(kObject, 0, 24, kRoot);
  judged.row(kClass, 8, 24, kObject);
  judged.row(0x1000, 16, 16, kClass);
}

TEST_CASE("rule 8: the boot loader is an object at address 0") {
  HprofWriter dump;
  dump.klass({.id = kObject, .name = "java/lang/Object"});
  dump.klass({.id = kLoaderClass,
              .name = "java/lang/ClassLoader",
              .super = kObject,
              .fields = {{"parent"}}});
  dump.klass({.id = 0x200, .name = "Orphan", .super = kObject, .loader = 0x9998});
  dump.klass({.id = 0x208, .name = "Own", .super = kObject, .loader = 0x2000});
  dump.instance(0x2000, kLoaderClass, {reference(0)});
  dump.instance(0x3000, 0x200);
  dump.root(kSticky, 0x200);
  SUBCASE("all that have no loader refer to it") {
    const Judged judged(dump);
    judged.row(0x200, 0, 24, kRoot);
    judged.row(0, 24, 24, 0x200);
    judged.row(kLoaderClass, 0, 0, 0);
    judged.gone(0x208);
  }
  SUBCASE("a loader does not hold its classes") {
    dump.root(kUnknown, 0x2000);
    const Judged judged(dump);
    judged.row(0x2000, 24, 24, kRoot);
    judged.gone(0x208);
  }
  SUBCASE("a class holds its loader") {
    dump.root(kSticky, 0x208);
    const Judged judged(dump);
    judged.row(0x208, 0, 24, kRoot);
    judged.row(0x2000, 24, 24, 0x208);
  }
}

TEST_CASE("rule 9: every referent is held") {
  HprofWriter dump;
  begin(dump);
  dump.klass(
      {.id = 0x200, .name = "java/lang/ref/Reference", .super = kObject, .fields = {{"referent"}}});
  const char* const names[] = {"Soft", "Weak", "Phantom", "Final"};
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::uint64_t class_id = 0x208 + 8 * i, object = 0x1000 + 0x100 * i;
    dump.klass({.id = class_id,
                .name = std::string("java/lang/ref/") + names[i] + "Reference",
                .super = 0x200});
    dump.instance(object, class_id, {reference(object + 0x80)});
    dump.instance(object + 0x80, kObject);
    dump.root(kUnknown, object);
  }
  const Judged judged(dump);
  for (std::uint64_t object = 0x1000; object < 0x1400; object += 0x100) {
    judged.row(object, 24, 40, kRoot);
    judged.row(object + 0x80, 16, 16, object);
  }
}

TEST_CASE("rule 10: a thread refers to its locals, which are roots only without a known thread") {
  HprofWriter dump;
  begin(dump);
  dump.instance(0x2000, kObject);  // the thread
  const std::uint8_t locals[] = {kJavaFrame, kJniLocal, kNativeStack, kThreadBlock};
  for (std::uint64_t i = 0; i < 4; ++i) {
    dump.instance(0x3000 + 8 * i, kObject);
    dump.instance(0x4000 + 8 * i, kObject);
    dump.root(locals[i], 0x3000 + 8 * i, 1);
    dump.root(locals[i], 0x4000 + 8 * i, 9);
  }
  dump.root(kThread, 0x2000, 1);
  const Judged judged(dump);
  judged.row(0x2000, 16, 16 + 4 * 16, kRoot);
  for (std::uint64_t i = 0; i < 4; ++i) {
    judged.row(0x3000 + 8 * i, 16, 16, 0x2000);
    judged.row(0x4000 + 8 * i, 16, 16, kRoot);
  }
}

TEST_CASE("rule 10: these hold for themselves: unknown, JNI global, sticky, monitor, thread") {
  HprofWriter dump;
  begin(dump);
  const std::uint8_t tags[] = {kUnknown, 0x01, kSticky, 0x07, kThread};
  for (std::uint64_t i = 0; i < std::size(tags); ++i) {
    dump.instance(0x3000 + 8 * i, kObject);
    dump.root(tags[i], 0x3000 + 8 * i, 1);
  }
  const Judged judged(dump);
  for (std::uint64_t i = 0; i < std::size(tags); ++i) judged.row(0x3000 + 8 * i, 16, 16, kRoot);
}

TEST_CASE("rule 10: without a sticky root the boot loader's classes are roots") {
  const auto make = [](bool sticky) {
    HprofWriter dump;
    dump.klass({.id = kObject, .name = "java/lang/Object"});
    dump.klass({.id = 0x200, .name = "Boot", .super = kObject});
    dump.klass({.id = 0x208, .name = "App", .super = kObject, .loader = 0x1000});
    dump.klass({.id = 0x210, .name = "[LBoot;", .super = kObject});
    dump.instance(0x1000, kObject);
    dump.root(sticky ? kSticky : kUnknown, 0x1000);
    return Judged(dump);
  };
  const Judged none = make(false);
  none.row(0x200, 0, 0, kRoot);
  none.gone(0x208);
  none.gone(0x210);
  make(true).gone(0x200);
}

TEST_CASE("rule 11: what nothing holds does not count, classes neither") {
  HprofWriter dump;
  begin(dump);
  dump.klass(
      {.id = 0x200, .name = "Idle", .super = kObject, .statics = {{"s", reference(0x2000)}}});
  for (const std::uint64_t id : {0x1000u, 0x2000u}) dump.instance(id, kObject);
  dump.instance(0x3000, 0x200);
  dump.root(kUnknown, 0x1000);
  const Judged judged(dump);
  judged.row(0x1000, 16, 16, kRoot);
  for (const std::uint64_t id : {0x200u, 0x2000u, 0x3000u}) judged.gone(id);
  CHECK(judged.mat.held_bytes == 16);
  CHECK(judged.ours.dominators.held_bytes == 16);
}

TEST_CASE("rule 12: a root's other referrers do not count, the largest child comes first") {
  HprofWriter dump;
  begin(dump);
  dump.object_array(0x1000, kObjects, {0x2000, 0x3000});
  dump.object_array(0x2000, kObjects, {0x3000, 0x4000});
  dump.primitive_array(0x3000, kHprofByte, 100);
  dump.primitive_array(0x4000, kHprofByte, 1000);
  dump.root(kUnknown, 0x1000);
  dump.root(kUnknown, 0x2000);
  const Judged judged(dump);
  judged.row(0x1000, 40, 40, kRoot);
  judged.row(0x2000, 40, 40 + 1024, kRoot);
  judged.row(0x3000, 128, 128, kRoot);  // from two roots
  judged.row(0x4000, 1024, 1024, 0x2000);

  TestArena memory;
  const CancelToken cancel;
  const auto tree = upper_tree(judged.ours.snapshot(), judged.ours.dominators, TreeLimits{},
                               memory.arena(), cancel);
  REQUIRE(tree);
  std::uint64_t before = UINT64_MAX;
  for (const TreeNodeResult& node : *tree) {
    if (node.parent != 0xFFFFFFFFu) continue;
    CHECK(node.retained_bytes <= before);
    before = node.retained_bytes;
  }
  CHECK(before != UINT64_MAX);
}

TEST_CASE("rule 13: the minimum retained size of a class, and the exact one") {
  HprofWriter dump;
  begin(dump);
  dump.klass({.id = 0x200, .name = "Node", .super = kObject, .fields = {{"next"}, {"data"}}});
  dump.instance(0x1000, 0x200, {reference(0x1100), reference(0x3000)});
  dump.instance(0x1100, 0x200, {reference(0), reference(0x2000)});
  dump.instance(0x1200, 0x200, {reference(0), reference(0x3000)});
  dump.instance(0x2000, kObject);
  dump.instance(0x3000, kObject);  // held by two nodes that are roots: by none of them alone
  dump.root(kUnknown, 0x1000);
  dump.root(kUnknown, 0x1200);
  dump.root(kSticky, 0x200);
  const Judged judged(dump);
  judged.row(0x1000, 32, 32 + 32 + 16, kRoot);
  judged.row(0x3000, 16, 16, kRoot);
  CHECK(judged.mat.minimum_retained_bytes("Node") == 80 + 32);

  const Snapshot& s = judged.ours.snapshot();
  TestArena memory;
  const CancelToken cancel;
  const auto figures = class_figures(s, judged.ours.dominators, memory.arena(), cancel);
  REQUIRE(figures);
  const std::uint32_t node = s.class_of[judged.ours.find(0x1000)].value;
  CHECK((*figures)[node].retained_bytes == 80 + 32);
  CHECK((*figures)[node].instances == 3);
  std::vector<bool> members(s.object_count(), false);
  for (const std::uint64_t id : {0x1000u, 0x1100u, 0x1200u}) members[judged.ours.find(id)] = true;
  CHECK(naive_retained(s, kStrongOnly, members) == 80 + 32 + 16);
}

TEST_CASE("rule 14: a large child of the root, and where it piles up") {
  HprofWriter dump;
  begin(dump);
  dump.klass({.id = 0x200, .name = "shop/Store", .super = kObject, .fields = {{"items"}}});
  dump.instance(0x1000, 0x200, {reference(0x2000)});
  std::vector<std::uint64_t> items;
  for (std::uint64_t i = 0; i < 20; ++i) items.push_back(0x10000 + 0x1000 * i);
  dump.object_array(0x2000, kObjects, items);
  for (const std::uint64_t item : items) dump.primitive_array(item, kHprofByte, 3000);
  dump.primitive_array(0x3000, kHprofByte, 9000);  // 13 % of the heap
  dump.root(kUnknown, 0x1000);
  dump.root(kUnknown, 0x3000);
  const Judged judged(dump);
  judged.row(0x2000, 184, 184 + 20 * 3024, 0x1000);
  CHECK(judged.mat.large_children(0.2) == std::vector<std::uint64_t>{0x1000});
  CHECK(judged.mat.accumulation_point(0x1000) == 0x2000);

  // Our own suspects are another search; of such a plain case they must say the same.
  TestArena memory;
  const CancelToken cancel;
  const ImportedDump& ours = judged.ours;
  const auto reach = find_reachability(ours.references, memory.arena(), cancel);
  const auto figures = class_figures(ours.snapshot(), ours.dominators, memory.arena(), cancel);
  REQUIRE(reach);
  REQUIRE(figures);
  const auto suspects =
      find_suspects({ours.references, *reach, ours.dominators, *figures}, memory.arena(), cancel,
                    SuspectLimits{.share_divisor = 5, .smallest_bytes = 1});
  REQUIRE(suspects);
  REQUIRE(suspects->size() == 1);
  CHECK((*suspects)[0].holder.value == ours.find(0x2000));
}
