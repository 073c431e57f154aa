// Where our own rules differ from MAT's: strengths, roots, true sizes, locals with their frames, names of threads and loaders.
#include <doctest/doctest.h>

#include "analysis/import/import_fixture.h"

using namespace holdfast;
using namespace holdfast::analysis;
using namespace holdfast::analysis::lab;

namespace {

constexpr std::uint8_t kUnknown = 0xFF, kSticky = 0x05, kThreadRoot = 0x08, kJavaFrame = 0x03,
                       kJniLocal = 0x02, kNativeStack = 0x04, kThreadBlock = 0x06;
constexpr std::uint64_t kObject = HprofWriter::kObject, kClass = HprofWriter::kClass,
                        kLoaderClass = HprofWriter::kLoaderClass;
constexpr std::uint64_t kString = 0x120, kThreadClass = 0x128;

ImportedDump read(HprofWriter& dump, std::uint32_t retain = kRetainStrong | kRetainSoft) {
  const std::vector<std::byte> file = dump.finish();
  return {file, own_options(), retain};
}

// Object, Class, String and Thread.
void begin_with_names(HprofWriter& dump) {
  dump.basics();
  dump.klass({.id = kString,
              .name = "java/lang/String",
              .super = kObject,
              .fields = {{"value"}, {"coder", kHprofByte}}});
  dump.klass(
      {.id = kThreadClass, .name = "java/lang/Thread", .super = kObject, .fields = {{"name"}}});
  dump.klass({.id = kLoaderClass,
              .name = "java/lang/ClassLoader",
              .super = kObject,
              .fields = {{"name"}}});
}
// A String at `id` and its bytes behind it.
void string(HprofWriter& dump, std::uint64_t id, std::string_view text) {
  dump.instance(id, kString, {reference(id + 0x18), number(kHprofByte, 0)});
  dump.text_array(id + 0x18, text);
}

std::string_view thread_name(const ImportedDump& dump, std::size_t thread) {
  const Catalog& catalog = dump.snapshot().catalog;
  return catalog.strings.view(catalog.threads[thread].name);
}
std::string_view loader_name(const ImportedDump& dump, std::string_view class_name) {
  const Catalog& catalog = dump.snapshot().catalog;
  for (std::uint32_t c = 0; c < catalog.classes.size(); ++c)
    if (catalog.class_name(ClassId{c}) == class_name)
      return catalog.strings.view(catalog.loaders[catalog.classes[c].loader.value].name);
  return "no such class";
}

}  // namespace

TEST_CASE("soft references hold; weak, final and phantom ones do not") {
  HprofWriter dump;
  dump.basics();
  dump.klass({.id = 0x200,
              .name = "java/lang/ref/Reference",
              .super = kObject,
              .fields = {{"referent"}, {"queue"}}});
  const char* const names[] = {"SoftReference", "WeakReference", "FinalReference",
                               "PhantomReference"};
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::uint64_t class_id = 0x208 + 8 * i, object = 0x1000 + 0x100 * i;
    dump.klass({.id = class_id, .name = std::string("java/lang/ref/") + names[i], .super = 0x200});
    dump.instance(object, class_id, {reference(object + 0x80), reference(object + 0xA0)});
    dump.instance(object + 0x80, kObject);
    dump.instance(object + 0xA0, kObject);
    dump.root(kUnknown, object);
  }
  const std::vector<std::byte> file = dump.finish();
  const auto held = [&](std::uint32_t retain) {
    const ImportedDump ours(file, own_options(), retain);
    std::string text;
    for (std::uint64_t i = 0; i < 4; ++i) {
      text += ours.held(0x1080 + 0x100 * i) ? 'x' : '-';
      CHECK(ours.held(0x10A0 + 0x100 * i));  // the queue
    }
    return text;
  };
  CHECK(held(kRetainStrong) == "----");
  CHECK(held(kRetainStrong | kRetainSoft) == "x---");
  CHECK(held(kRetainStrong | kRetainWeak) == "-x--");
}

TEST_CASE("only the referent of java.lang.ref.Reference is weak, in subclasses of subclasses too") {
  HprofWriter dump;
  dump.basics();
  dump.klass(
      {.id = 0x200, .name = "java/lang/ref/Reference", .super = kObject, .fields = {{"referent"}}});
  dump.klass({.id = 0x208, .name = "java/lang/ref/WeakReference", .super = 0x200});
  dump.klass(
      {.id = 0x210, .name = "shop/Entry", .super = 0x208, .fields = {{"value"}, {"referent"}}});
  dump.klass({.id = 0x218, .name = "shop/Other", .super = kObject, .fields = {{"referent"}}});
  for (const std::uint64_t id : {0x2000u, 0x2010u, 0x2020u, 0x2030u}) dump.instance(id, kObject);
  dump.instance(0x1000, 0x210, {reference(0x2000), reference(0x2010), reference(0x2020)});
  dump.instance(0x1040, 0x218, {reference(0x2030)});
  dump.root(kUnknown, 0x1000);
  dump.root(kUnknown, 0x1040);
  const ImportedDump ours = read(dump);
  CHECK(ours.held(0x2000));
  CHECK(ours.held(0x2010));
  CHECK_FALSE(ours.held(0x2020));
  CHECK(ours.held(0x2030));
}

TEST_CASE("classes of loaders that are never unloaded are roots, others are not") {
  HprofWriter dump;
  begin_with_names(dump);
  dump.klass({.id = 0x200,
              .name = "jdk/internal/loader/ClassLoaders$AppClassLoader",
              .super = kLoaderClass});
  dump.klass({.id = 0x208, .name = "shop/PluginLoader", .super = kLoaderClass});
  dump.instance(0x1000, 0x200, {reference(0)});
  dump.instance(0x1040, 0x208, {reference(0)});
  dump.klass({.id = 0x210, .name = "shop/Main", .super = kObject, .loader = 0x1000});
  dump.klass({.id = 0x218, .name = "shop/Plugin", .super = kObject, .loader = 0x1040});
  const ImportedDump ours = read(dump);
  CHECK(ours.held(0x210));
  CHECK_FALSE(ours.held(0x218));
  std::size_t roots = 0;
  for (const RootRecord& root : ours.snapshot().roots) {
    if (root.object.value != ours.find(0x210)) continue;
    ++roots;
    CHECK(root.kind == RootKind::kSystemClass);
  }
  CHECK(roots == 1);
}

TEST_CASE(
    "a class refers to its signers, protection domain and constants, and no loader stands at 0") {
  HprofWriter dump;
  begin_with_names(dump);
  for (const std::uint64_t id : {0x1000u, 0x1010u, 0x1020u}) dump.instance(id, kObject);
  dump.klass({.id = 0x200,
              .name = "shop/Main",
              .super = kObject,
              .signers = 0x1000,
              .domain = 0x1010,
              .constants = {number(kHprofInt, 7), reference(0x1020)}});
  dump.root(kSticky, 0x200);
  const ImportedDump ours = read(dump);
  for (const std::uint64_t id : {0x1000u, 0x1010u, 0x1020u}) CHECK(ours.held(id));
  CHECK(ours.find(0) == ObjectId::kNoneValue);
}

TEST_CASE("no instance is larger than the way to the next object") {
  HprofWriter dump;
  dump.basics();
  dump.klass({.id = 0x200, .name = "P", .super = kObject, .fields = {{"x", kHprofLong}}});
  dump.klass({.id = 0x208, .name = "Q", .super = kObject, .fields = {{"x", kHprofLong}}});
  dump.instance(0x1000, 0x200, {number(kHprofLong, 1)});
  dump.instance(0x1020, 0x208, {number(kHprofLong, 1)});  // 32 behind: proves nothing
  dump.instance(0x1040, 0x200, {number(kHprofLong, 1)});
  dump.instance(0x1050, kObject);  // 16 behind a P
  dump.instance(0x1030, kObject);  // before its neighbour in the file: says nothing
  for (const std::uint64_t id : {0x1000u, 0x1020u, 0x1040u, 0x1050u}) dump.root(kUnknown, id);
  const ImportedDump ours = read(dump);
  CHECK(ours.shallow(0x1000) == 16);
  CHECK(ours.shallow(0x1040) == 16);
  CHECK(ours.shallow(0x1020) == 24);
  CHECK(ours.shallow(0x1050) == 16);
}

TEST_CASE(
    "headers of arrays shrink to what fits, those of primitives apart from those of objects") {
  constexpr std::uint64_t kObjects = 0x200;
  const auto sizes = [](std::uint64_t objects_gap, std::uint64_t bytes_gap) {
    HprofWriter dump;
    dump.basics();
    dump.klass({.id = kObjects, .name = "[Ljava/lang/Object;", .super = kObject});
    dump.object_array(0x1000, kObjects, {0, 0});
    dump.primitive_array(0x1000 + objects_gap, kHprofByte, 8);
    dump.instance(0x1000 + objects_gap + bytes_gap, kObject);
    dump.root(kUnknown, 0x1000);
    dump.root(kUnknown, 0x1000 + objects_gap);
    const ImportedDump ours = read(dump);
    return std::pair(ours.shallow(0x1000), ours.shallow(0x1000 + objects_gap));
  };
  using Bytes = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(sizes(40, 32) == Bytes(40, 32));  // 20 + 2 * 8 = 36; 24 + 8
  // Compressed class pointers with 8-byte references: both begin at 16.
  CHECK(sizes(32, 24) == Bytes(32, 24));
  // JDK 23 and later without compressed class pointers: bytes begin at 20, references at 24.
  HprofWriter dump;
  dump.basics();
  dump.klass({.id = kObjects, .name = "[Ljava/lang/Object;", .super = kObject});
  dump.object_array(0x1000, kObjects, {0, 0});
  dump.primitive_array(0x1028, kHprofByte, 12);
  dump.instance(0x1048, kObject);
  for (const std::uint64_t id : {0x1000u, 0x1028u, 0x1048u}) dump.root(kUnknown, id);
  const ImportedDump ours = read(dump);
  CHECK(ours.shallow(0x1000) == 40);
  CHECK(ours.shallow(0x1028) == 32);
}

TEST_CASE("a class object counts java.lang.Class's fields too") {
  HprofWriter dump;
  dump.klass({.id = kObject, .name = "java/lang/Object"});
  dump.klass({.id = kClass,
              .name = "java/lang/Class",
              .super = kObject,
              .fields = {{"loader"}, {"name"}, {"hash", kHprofInt}}});
  dump.klass({.id = 0x200,
              .name = "shop/Main",
              .super = kObject,
              .statics = {{"count", number(kHprofInt, 1)}, {"all", reference(0)}}});
  dump.root(kSticky, 0x200);
  const ImportedDump ours = read(dump);
  CHECK(ours.shallow(0x200) == 40 + 16);  // up(20 + 16, 8) and up(12, 8)
}

TEST_CASE("locals are roots with thread, method and depth") {
  HprofWriter dump;
  begin_with_names(dump);
  dump.klass({.id = 0x200, .name = "shop/Main", .super = kObject});
  dump.frame(0x70, "run", dump.class_serial(0x200));
  dump.frame(0x71, "main", dump.class_serial(0x200));
  dump.trace(5, 1, {0x70, 0x71});
  string(dump, 0x3000, "worker-1");
  dump.instance(0x2000, kThreadClass, {reference(0x3000)});
  for (std::uint64_t id = 0x4000; id < 0x4050; id += 0x10) dump.instance(id, kObject);
  dump.root(kJavaFrame, 0x4000, 1, 1);
  dump.root(kJniLocal, 0x4010, 1);  // in no frame
  dump.root(kNativeStack, 0x4020, 1);
  dump.root(kThreadBlock, 0x4030, 7);   // of nobody
  dump.root(kJavaFrame, 0x4040, 1, 2);  // deeper than the trace
  dump.root(kThreadRoot, 0x2000, 1, 5);
  const ImportedDump ours = read(dump);
  REQUIRE(ours.snapshot().catalog.threads.size() == 1);
  CHECK(thread_name(ours, 0) == "worker-1");
  const auto root_of = [&](std::uint64_t id) {
    for (const RootRecord& root : ours.snapshot().roots)
      if (root.object.value == ours.find(id)) return root;
    return RootRecord{};
  };
  const Catalog& catalog = ours.snapshot().catalog;
  const RootRecord local = root_of(0x4000);
  CHECK(local.kind == RootKind::kStackLocal);
  CHECK(local.thread.value == 0);
  CHECK(local.depth == 1);
  REQUIRE(local.method.valid());
  const MethodRow& method = catalog.methods[local.method.value];
  CHECK(catalog.strings.view(method.class_name) == "shop.Main");
  CHECK(catalog.strings.view(method.name) == "main");
  CHECK(root_of(0x4010).kind == RootKind::kJniLocal);
  CHECK(root_of(0x4010).thread.value == 0);
  CHECK_FALSE(root_of(0x4010).method.valid());
  CHECK(root_of(0x4020).kind == RootKind::kStackLocal);
  CHECK(root_of(0x4020).thread.value == 0);
  CHECK_FALSE(root_of(0x4030).thread.valid());
  CHECK_FALSE(root_of(0x4040).method.valid());
  CHECK(root_of(0x2000).kind == RootKind::kThread);
}

TEST_CASE("a local of a thread that the dump lacks is not lost without a word") {
  for (const bool like_mat : {false, true}) {
    HprofWriter dump;
    dump.basics();
    dump.instance(0x4000, kObject);
    dump.root(kJavaFrame, 0x4000, 1, 0);
    dump.root(kThreadRoot, 0x9998, 1, 5);
    const std::vector<std::byte> file = dump.finish();
    const ImportedDump ours(file, like_mat ? options_like_mat() : own_options());
    CHECK(ours.held(0x4000) != like_mat);
    CHECK(ours.snapshot().losses.roots_dropped == (like_mat ? 2 : 1));
  }
}

TEST_CASE(
    "names of threads: Latin-1, UTF-16, characters, and a field of the same name in a subclass") {
  HprofWriter dump;
  begin_with_names(dump);
  dump.klass({.id = 0x200, .name = "shop/Worker", .super = kThreadClass, .fields = {{"name"}}});
  string(dump, 0x3000, "caf\xE9");
  dump.instance(0x3100, kString, {reference(0x3180), number(kHprofByte, 1)});
  dump.text_array(0x3180, std::string_view("\x3D\xD8\x00\xDE\x41\x00", 6));  // U+1F600 A
  dump.instance(0x3200, kString, {reference(0x3280), number(kHprofByte, 0)});
  dump.text_array(0x3280, std::u16string_view(u"alt\u20AC\xD800"));  // the last is half a pair
  string(dump, 0x3300, "own field");
  string(dump, 0x3400, "thread's name");
  dump.instance(0x2000, kThreadClass, {reference(0x3000)});
  dump.instance(0x2020, kThreadClass, {reference(0x3100)});
  dump.instance(0x2040, kThreadClass, {reference(0x3200)});
  dump.instance(0x2060, 0x200, {reference(0x3300), reference(0x3400)});
  dump.instance(0x2080, kThreadClass, {reference(0x7778)});
  for (std::uint32_t t = 0; t < 5; ++t) dump.root(kThreadRoot, 0x2000 + 0x20 * t, t + 1, 0);
  const ImportedDump ours = read(dump);
  CHECK(thread_name(ours, 0) == "caf\xC3\xA9");
  CHECK(thread_name(ours, 1) ==
        "\xF0\x9F\x98\x80"
        "A");
  CHECK(thread_name(ours, 2) == "alt\xE2\x82\xAC\xEF\xBF\xBD");
  CHECK(thread_name(ours, 3) == "thread's name");
  CHECK(thread_name(ours, 4) == "");
}

TEST_CASE("names of loaders: built in ones in short, others by class and name") {
  HprofWriter dump;
  begin_with_names(dump);
  dump.klass({.id = 0x200,
              .name = "jdk/internal/loader/ClassLoaders$PlatformClassLoader",
              .super = kLoaderClass});
  dump.klass(
      {.id = 0x208, .name = "shop/PluginLoader", .super = kLoaderClass, .fields = {{"name"}}});
  string(dump, 0x3000, "plugins");
  string(dump, 0x3100, "own field");
  dump.instance(0x1000, 0x200, {reference(0)});
  dump.instance(0x1040, 0x208, {reference(0x3100), reference(0x3000)});
  dump.instance(0x1080, 0x208, {reference(0), reference(0)});
  dump.klass({.id = 0x210, .name = "java/sql/Driver", .super = kObject, .loader = 0x1000});
  dump.klass({.id = 0x218, .name = "shop/Plugin", .super = kObject, .loader = 0x1040});
  dump.klass({.id = 0x220, .name = "shop/Nameless", .super = kObject, .loader = 0x1080});
  dump.klass({.id = 0x228, .name = "shop/Lost", .super = kObject, .loader = 0x9998});
  const ImportedDump ours = read(dump);
  CHECK(loader_name(ours, "java.lang.Object") == "boot");
  CHECK(loader_name(ours, "java.sql.Driver") == "platform");
  CHECK(loader_name(ours, "shop.Plugin") == "shop.PluginLoader \"plugins\"");
  CHECK(loader_name(ours, "shop.Nameless") == "shop.PluginLoader");
  CHECK(loader_name(ours, "shop.Lost") == "boot");
}
