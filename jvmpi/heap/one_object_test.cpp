// Objects that are asked for alone, by VMs that show them in their own ways.
#include <doctest/doctest.h>

#include "jvmpi/fake_java.h"
#include "jvmpi/heap/shop_fixture.h"

using namespace holdfast;
using namespace holdfast::jvmpi;

TEST_CASE("a VM that leaves out the last value of what it shows is read for what it writes") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  bench.vm.add_object_array(shop.session, {});
  bench.vm.add_primitive_array(ValueType::kInt, 0);
  const Read truth = read(bench, false);
  CHECK(truth.lines == read(bench, true).lines);
  bench.vm.tails_unwritten = true;
  const Read found = read(bench, false);
  REQUIRE_FALSE(found.read.ok());
  CHECK(found.read.error().code == ErrorCode::kRefused);
  REQUIRE(found.tail == RecordTail::kUnwritten);
  const Read known = read(bench, false, true, found.tail);
  REQUIRE(known.read.ok());
  CHECK(bench.vm.strangers == 0);
  CHECK(known.doubts.objects_unreadable == 0);
  CHECK(known.doubts.fields_unread == 0);
  CHECK(lines_with(known, "class ") == lines_with(truth, "class "));
  // Two static fields, one of them null, a string's, two sessions', two arrays', a reference's, a thread's.
  CHECK(known.doubts.tails_unwritten == 9);
  std::vector<std::string> lost;
  const auto all = lines_with(truth, "ref "), some = lines_with(known, "ref ");
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(lost));
  CHECK(lost.size() == 8);
  CHECK(all.size() == some.size() + lost.size());
  // The array of sessions has a root of its own, and the array that held it, too.
  CHECK(lines_with(known, "root VM internal java.lang.Object[]").size() == 1);
  CHECK(lines_with(known, "root VM internal shop.Session[]").size() ==
        lines_with(truth, "root VM internal shop.Session[]").size() + 1);
}

TEST_CASE("a VM that leaves out last values shows it by any object that has none") {
  ReadHeap bench;
  const VmId object = bench.vm.add_class("java.lang.Object", 0).id;
  bench.vm.add_class("java.lang.Class", object);
  FakeClass& node = bench.vm.add_class("shop.Node", object);
  node.instances = {{"next", "Lshop/Node;"}};
  bench.vm.add_instance(node.id, {bench.vm.add_instance(node.id, {0}).id});
  bench.vm.tails_unwritten = true;
  bool one_buffer = false;
  SUBCASE("an ordinary one") { bench.vm.add_instance(object, {}); }
  SUBCASE("an empty array") { bench.vm.add_primitive_array(ValueType::kLong, 0); }
  SUBCASE("a class") { bench.vm.add_class("shop.Empty", object); }
  SUBCASE("one that is in no list") {
    const VmId only = bench.vm.add_instance(object, {}).id;
    bench.vm.unlisted = {only};
    bench.vm.add_object_array(object, {only, 0});
    one_buffer = true;
  }
  const Read found = read(bench, one_buffer);
  REQUIRE_FALSE(found.read.ok());
  CHECK(found.tail == RecordTail::kUnwritten);
  CHECK(read(bench, one_buffer, true, found.tail).read.ok());
  CHECK(bench.vm.strangers == 0);
}

TEST_CASE(
    "an array that a buffer tells shows how the VM ends, before a value that is none is followed") {
  ReadHeap bench;
  const VmId object = bench.vm.add_class("java.lang.Object", 0).id;
  bench.vm.add_class("java.lang.Class", object);
  FakeClass& node = bench.vm.add_class("shop.Node", object);
  node.instances = {{"next", "Lshop/Node;"}};
  const VmId hidden = bench.vm.add_instance(node.id, {0}).id;
  bench.vm.add_instance(node.id, {hidden});
  bench.vm.add_primitive_array(ValueType::kChar, 5);
  bench.vm.unlisted = {hidden};
  CHECK(read(bench, true).tail == RecordTail::kWritten);
  bench.vm.tails_unwritten = true;
  const Read some = read(bench, true);
  REQUIRE(some.read.ok());
  CHECK(some.tail == RecordTail::kUnwritten);
  CHECK(has(some, "class shop.Node boot 2 48"));
  CHECK(some.doubts.tails_unwritten == 1);
  CHECK(bench.vm.strangers == 0);
}

TEST_CASE("an empty array is of the class that the VM says, or of one that is known") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const VmId sessions = bench.vm.add_object_array(shop.session, {}).id;
  const VmId numbers = bench.vm.add_primitive_array(ValueType::kLong, 0).id;
  const Read whole = read(bench, true);
  CHECK(has(whole, "class shop.Session[] app 2 56"));
  CHECK(read(bench, false).lines == whole.lines);
  bench.vm.refused_sizes = {sessions, numbers};
  const Read single = read(bench, false);
  REQUIRE(single.read.ok());
  CHECK(has(single, "class shop.Session[] app 2 56"));  // as long as others that are as short
  CHECK(has(single, "class long[] boot 1 8"));
}

TEST_CASE("values that are not as long as their class says lead nowhere") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  const Read truth = read(bench, true);
  CHECK(has(truth, "ref shop.Vip.gift java.lang.Object"));
  bench.vm.hidden_fields = {shop.session};
  for (const bool one_buffer : {true, false}) {
    const Read some = read(bench, one_buffer);
    REQUIRE(some.read.ok());
    CHECK(some.doubts.fields_unread == 2);  // a session and a Vip
    CHECK(lines_with(some, "ref shop.Vip.").empty());
    CHECK(lines_with(some, "class ") == lines_with(truth, "class "));
  }
}

TEST_CASE(
    "a primitive type's class object is not asked for as a class, though it is shown as one") {
  ReadHeap bench;
  const Shop shop(bench.vm);
  FakeJava java(&bench.vm.interface);
  const VmId number = bench.vm.add_class("int", 0).id;
  FakeClass& integer = bench.vm.add_class("java.lang.Integer", shop.object);
  integer.statics = {{"TYPE", "Ljava/lang/Class;", number}};
  bench.vm.primitive_classes = {number};
  java.primitive_classes["java/lang/Integer"] = static_cast<std::uintptr_t>(number);
  bench.vm.tell_ids();
  bench.requests.primitives().open(java.jni, bench.vm.interface);
  CHECK(java.weak_references == 1);
  CHECK_FALSE(java.exception);
  const Read whole = read(bench, true);
  CHECK(has(whole, "class java.lang.Class boot 12 1152"));
  CHECK(has(whole, "ref java.lang.Class.static java.lang.Integer.TYPE java.lang.Class"));
  CHECK(lines_with(whole, "class int").empty());
  CHECK(whole.doubts.classes_refused == 0);
  CHECK(read(bench, false).lines == whole.lines);
  bench.vm.unlisted = {number};
  for (const bool one_buffer : {true, false}) CHECK(read(bench, one_buffer).lines == whole.lines);
  bench.requests.primitives().close(java.jni);
  CHECK(java.weak_references == 0);
}
