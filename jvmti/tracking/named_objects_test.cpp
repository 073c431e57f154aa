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
  Shop() : fake_((add_types(), heap_)), reader_(fake_.picture, fake_.memory) {
    root_ = heap_.new_instance(shelf_);
    row_ = heap_.new_array(FakeHeap::kObjects, 5);
    box_ = heap_.new_instance(heir_);
    shared_ = heap_.new_instance(shelf_);
    heap_.link(root_, 16, row_, RefLabel::instance_field(0));
    heap_.link_element(row_, 3, box_);
    heap_.link(box_, 32, shared_, RefLabel::instance_field(2));
    heap_.link_static(heir_, 0, shared_, RefLabel::static_field(3));
    fake_.add_root(root_);
    fake_.add_root(heap_.mirror(heir_));
    MethodNames methods;
    CancelToken never;
    REQUIRE(methods.collect(fake_.picture.roots.span(), fake_.memory.work_arena()));
    REQUIRE(reader_.trace(never));
    REQUIRE(reader_.fill(methods, capture_));
    names_ = std::make_unique<NamedObjects>(reader_, fake_.picture.catalog, capture_.snapshot,
                                            *mailbox_);
  }

  ObjectId number(Address address) {
    for (std::uint32_t v = 0; v < capture_.snapshot.object_count(); ++v)
      if (reader_.address_of(ObjectId{v}) == address) return ObjectId{v};
    return {};
  }
  PathStep at(Address address, RefLabel label = {}) { return {number(address), label}; }
  void name(std::uint32_t of, const std::vector<PathStep>& steps, std::uint32_t gap = 0) {
    NamedObjects::name(names_.get(), of, {0, steps, gap});
  }
  // What the parent reads of the last one.
  NamedHead last(std::vector<NamedStep>& steps) {
    NamedReader reader({mailbox_->text, mailbox_->named_bytes});
    NamedNumbers numbers;
    REQUIRE(reader.numbers(numbers));
    NamedHead head, next;
    NamedStep room[kMostNamedSteps];
    while (reader.next(next, room)) {
      head = next;
      steps.assign(room, room + next.steps);
    }
    next_number_ = numbers.next_number;
    return head;
  }
  std::int64_t class_tag(std::uint32_t type) { return jvmti::tag_of(fake_.class_id(type).value); }
  std::uint64_t place(Address address) { return place_tag(address, heap_.layout.heap_start); }

  std::uint32_t next_number_ = 0;  // as last() read it
  FakeHeap heap_{FakeHeapKind{.narrow_references = false}};
  std::uint32_t shelf_ = 0, heir_ = 0;
  FakePicture fake_;
  PictureReader reader_;
  Capture capture_;
  std::unique_ptr<ChildMailbox> mailbox_ = std::make_unique<ChildMailbox>();
  std::unique_ptr<NamedObjects> names_;
  Address root_ = 0, row_ = 0, box_ = 0, shared_ = 0;

 private:
  void add_types() {
    shelf_ = heap_.add_type({.name = "shop.Shelf",
                             .bytes = 32,
                             .fields = {{"row", 16}, {"owner", 24}},
                             .maps = {{16, 2}}});
    heir_ = heap_.add_type({.name = "shop.Heir",
                            .superclass = static_cast<int>(shelf_),
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
  shop.name(4, {shop.at(shop.root_), shop.at(shop.row_, RefLabel::instance_field(0)),
                shop.at(shop.box_, RefLabel::element(3)),
                shop.at(shop.shared_, RefLabel::instance_field(2))});
  const NamedHead head = shop.last(steps);
  CHECK(head.number == 4);
  CHECK(head.anchor_tag == static_cast<std::int64_t>(shop.place(shop.root_)));
  CHECK(head.class_tag == shop.class_tag(shop.shelf_));
  CHECK(head.address == shop.shared_);
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
  shop.name(1, {shop.at(shop.root_)});
  NamedHead head = shop.last(steps);
  CHECK(head.anchor_tag != 0);
  CHECK(head.address == shop.root_);
  CHECK(steps.empty());
  shop.name(2, {});
  head = shop.last(steps);
  CHECK(head.number == 2);
  CHECK(head.anchor_tag == 0);
}

TEST_CASE("a known object that is named again does not turn the numbers back") {
  Shop shop;
  std::vector<NamedStep> steps;
  shop.name(8, {shop.at(shop.root_)});
  shop.name(3, {});
  CHECK(shop.last(steps).number == 3);
  CHECK(shop.next_number_ == 9);
}

TEST_CASE("a way begins at the last static field, whatever stands before it, a gap too") {
  Shop shop;
  std::vector<NamedStep> steps;
  const std::vector<PathStep> way = {
      shop.at(shop.root_), shop.at(shop.heap_.mirror(shop.heir_), special(SpecialRef::kClass)),
      shop.at(shop.shared_, RefLabel::static_field(3))};
  for (const std::uint32_t gap : {0u, 1u}) {
    shop.name(9, way, gap);
    const NamedHead head = shop.last(steps);
    CHECK(head.anchor_tag == shop.class_tag(shop.heir_));
    CHECK(head.address == shop.shared_);
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
    shop.name(number, {shop.at(shop.box_), shop.at(shop.shared_, label)});
    const NamedHead head = shop.last(steps);
    CHECK(head.number == number++);
    CHECK(head.anchor_tag == 0);
    CHECK(steps.empty());
  }
}

TEST_CASE("names for which the mailbox has no room are not told, and those before them are whole") {
  Shop shop;
  std::vector<PathStep> way(kMostNamedSteps, shop.at(shop.row_, RefLabel::element(3)));
  for (std::uint32_t i = 1; i <= 1000; ++i) shop.name(i, way);
  std::vector<NamedStep> steps;
  const NamedHead head = shop.last(steps);
  CHECK(shop.next_number_ == 1001);
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
