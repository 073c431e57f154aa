#include "jvmti/tracking/named_objects.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <vector>

#include "analysis/lab/random.h"
#include "jvmti/class_scan.h"
#include "jvmti/hotspot/fake_picture.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

// A GC root that holds a shelf, which holds a row, which holds a box; and a class whose static field holds a shelf.
class Shop {
 public:
  Shop() : fake((add_types(), heap)), reader(fake.picture, fake.memory) {
    root = heap.new_instance(shelf);
    row = heap.new_array(FakeHeap::kObjects, 5);
    box = heap.new_instance(heir);
    shared = heap.new_instance(shelf);
    heap.link(root, 16, row, RefLabel::instance_field(0));
    heap.link_element(row, 3, box);
    heap.link(box, 32, shared, RefLabel::instance_field(2));
    heap.link_static(heir, 0, shared, RefLabel::static_field(3));
    fake.add_root(root);
    fake.add_root(heap.mirror(heir));
    MethodNames methods;
    CancelToken never;
    REQUIRE(methods.collect(fake.picture.roots.span(), fake.memory.work_arena()));
    REQUIRE(reader.trace(never));
    REQUIRE(reader.fill(methods, capture));
    names =
        std::make_unique<NamedObjects>(reader, fake.picture.catalog, capture.snapshot, *mailbox);
  }

  ObjectId number(Address address) {
    for (std::uint32_t v = 0; v < capture.snapshot.object_count(); ++v)
      if (reader.address_of(ObjectId{v}) == address) return ObjectId{v};
    return {};
  }
  PathStep at(Address address, RefLabel label = {}) { return {number(address), label}; }
  void name(std::uint32_t of, const std::vector<PathStep>& steps, std::uint32_t gap = 0) {
    NamedObjects::name(names.get(), of, {0, steps, gap});
  }
  // What the parent reads of the last one.
  NamedHead last(std::vector<NamedStep>& steps) {
    NamedReader told({mailbox->text, mailbox->named_bytes});
    NamedNumbers numbers;
    REQUIRE(told.numbers(numbers));
    NamedHead head, next;
    NamedStep room[kMostNamedSteps];
    while (told.next(next, room)) {
      head = next;
      steps.assign(room, room + next.steps);
    }
    next_number = numbers.next_number;
    return head;
  }
  std::int64_t class_tag(std::uint32_t type) { return jvmti::tag_of(fake.class_id(type).value); }
  std::uint64_t place(Address address) { return place_tag(address, heap.layout.heap_start); }

  std::uint32_t next_number = 0;  // as last() read it
  FakeHeap heap{FakeHeapKind{.narrow_references = false}};
  std::uint32_t shelf = 0, heir = 0;
  FakePicture fake;
  PictureReader reader;
  Capture capture;
  std::unique_ptr<ChildMailbox> mailbox = std::make_unique<ChildMailbox>();
  std::unique_ptr<NamedObjects> names;
  Address root = 0, row = 0, box = 0, shared = 0;

 private:
  void add_types() {
    shelf = heap.add_type({.name = "shop.Shelf",
                           .bytes = 32,
                           .fields = {{"row", 16}, {"owner", 24}},
                           .maps = {{16, 2}}});
    heir = heap.add_type({.name = "shop.Heir",
                          .superclass = static_cast<int>(shelf),
                          .bytes = 40,
                          .fields = {{"extra", 32}, {"SHARED", 48, true}},
                          .maps = {{16, 2}, {32, 1}},
                          .statics = 1});
  }
};

}  // namespace

TEST_CASE(
    "a way from a root is told by fields and elements, with the place and the class at its end") {
  Shop shop;
  std::vector<NamedStep> steps;
  shop.name(4, {shop.at(shop.root), shop.at(shop.row, RefLabel::instance_field(0)),
                shop.at(shop.box, RefLabel::element(3)),
                shop.at(shop.shared, RefLabel::instance_field(2))});
  const NamedHead head = shop.last(steps);
  CHECK(head.number == 4);
  CHECK(head.anchor_tag == static_cast<std::int64_t>(shop.place(shop.root)));
  CHECK(head.class_tag == shop.class_tag(shop.shelf));
  CHECK(head.address == shop.shared);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].kind == NamedStepKind::kField);
  CHECK(instance_field_offset(steps[0].id) == 16);
  CHECK(steps[1].kind == NamedStepKind::kElement);
  CHECK(steps[1].id == 3);
  CHECK(instance_field_offset(steps[2].id) == 32);  // declared by the heir
}

TEST_CASE("a root alone is a way without steps, and a known object is told without a way") {
  Shop shop;
  std::vector<NamedStep> steps;
  shop.name(1, {shop.at(shop.root)});
  NamedHead head = shop.last(steps);
  CHECK(head.anchor_tag != 0);
  CHECK(head.address == shop.root);
  CHECK(steps.empty());
  shop.name(2, {});
  head = shop.last(steps);
  CHECK(head.number == 2);
  CHECK(head.anchor_tag == 0);
}

TEST_CASE("a known object that is named again does not turn the numbers back") {
  Shop shop;
  std::vector<NamedStep> steps;
  shop.name(8, {shop.at(shop.root)});
  shop.name(3, {});
  CHECK(shop.last(steps).number == 3);
  CHECK(shop.next_number == 9);
}

TEST_CASE("a way begins at the last static field, whatever stands before it, a gap too") {
  Shop shop;
  std::vector<NamedStep> steps;
  const std::vector<PathStep> way = {
      shop.at(shop.root), shop.at(shop.heap.mirror(shop.heir), special(SpecialRef::kClass)),
      shop.at(shop.shared, RefLabel::static_field(3))};
  for (const std::uint32_t gap : {0u, 1u}) {
    shop.name(9, way, gap);
    const NamedHead head = shop.last(steps);
    CHECK(head.anchor_tag == shop.class_tag(shop.heir));
    CHECK(head.address == shop.shared);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].kind == NamedStepKind::kStaticField);
    CHECK_FALSE(is_instance_field(steps[0].id));
  }
  shop.name(10, way, 2);
  CHECK(shop.last(steps).anchor_tag == 0);
}

TEST_CASE("where the interface cannot go there is no way") {
  Shop shop;
  std::vector<NamedStep> steps;
  std::uint32_t number = 1;
  for (const RefLabel label : {special(SpecialRef::kReferentSoft), special(SpecialRef::kOther),
                               RefLabel::element(1u << 20), RefLabel::instance_field(77),
                               RefLabel::instance_field(3), RefLabel::static_field(0)}) {
    shop.name(number, {shop.at(shop.box), shop.at(shop.shared, label)});
    const NamedHead head = shop.last(steps);
    CHECK(head.number == number++);
    CHECK(head.anchor_tag == 0);
    CHECK(steps.empty());
  }
}

TEST_CASE("names for which the mailbox has no room are not told, and those before them are whole") {
  Shop shop;
  std::vector<PathStep> way(kMostNamedSteps, shop.at(shop.row, RefLabel::element(3)));
  for (std::uint32_t i = 1; i <= 1000; ++i) shop.name(i, way);
  std::vector<NamedStep> steps;
  const NamedHead head = shop.last(steps);
  CHECK(shop.next_number == 1001);
  CHECK(head.number > 300);
  CHECK(head.number < 1000);
  CHECK(steps.size() == kMostNamedSteps - 1);
}

TEST_CASE("a child that ran wild: the reader takes nothing beyond the end") {
  analysis::lab::Random random(3);
  std::vector<char> text(4096);
  for (int round = 0; round < 2000; ++round) {
    for (char& c : text) c = static_cast<char>(random.below(round % 2 == 0 ? 3 : 256));
    const std::vector<char> some(text.begin(), text.begin() + random.below(4096));
    NamedReader reader({some.data(), some.size()});
    NamedNumbers numbers;
    NamedHead head;
    NamedStep room[kMostNamedSteps];
    std::size_t heads = 0;
    if (reader.numbers(numbers))
      while (reader.next(head, room)) ++heads;
    CHECK(heads <= some.size() / sizeof head);
  }
}
