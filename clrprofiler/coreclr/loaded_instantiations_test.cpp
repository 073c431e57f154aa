#include "clrprofiler/coreclr/loaded_instantiations.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/coreclr/fake_collector.h"
#include "clrprofiler/coreclr/fake_method_table.h"

using namespace holdfast::clr;

namespace {

struct Entry {
  std::uint64_t type = 0;
  std::uint64_t next = 0;
};

// A module's table of two buckets, the first with three entries: a class, a pointer's type, a class whose entry is marked.
struct Table {
  RuntimeLayout layout;
  FakeMethodTable first{0, 24}, second{0, 24}, third{0, 24};
  std::uint64_t mark = 7;  // of a table that has grown three times
  Entry last{third.address(), 0}, marked{second.address() | 1, 0}, pointer{first.address() | 2, 0},
      head{first.address(), 0};
  std::vector<std::uint64_t> buckets;
  std::uint64_t table[3] = {};
  std::uint64_t module[2] = {};

  Table() {
    FakeMethodTable::lay_out(layout);
    layout.module_instances = 8;
    layout.instances_buckets = 16;
    layout.instance_class = 0;
    layout.instance_next = 8;
    head.next = address_of(pointer);
    pointer.next = address_of(marked);
    marked.next = last.next = mark;
    buckets = {2, 0, mark, address_of(head), address_of(last)};
    table[2] = reinterpret_cast<std::uintptr_t>(buckets.data());
    module[1] = address_of(table);
  }
  ChainCounts chains;
  std::vector<Address> types() {
    std::vector<Address> found;
    chains = for_each_instantiation(layout, address_of(module),
                                    [&](Address type) { found.push_back(type); });
    return found;
  }
};

}  // namespace

TEST_CASE("instantiations: every class of every chain, without the bits of its entry") {
  Table t;
  const std::vector<Address> all = {t.first.address(), t.second.address(), t.third.address()};
  CHECK(t.types() == all);
  CHECK(t.chains.walked == 2);
  CHECK(t.chains.cut == 0);
}

TEST_CASE("instantiations of a runtime whose chains end at zero") {
  Table t;
  t.marked.next = t.last.next = 0;
  t.buckets.erase(t.buckets.begin() + 2);
  t.table[2] = reinterpret_cast<std::uintptr_t>(t.buckets.data());
  CHECK(t.types().size() == 3);
  CHECK(t.chains.cut == 0);
}

TEST_CASE("instantiations that cannot be read end the list, and a chain in a circle ends") {
  Table t;
  t.pointer.next = 0x1000;
  CHECK(t.types() == std::vector<Address>{t.first.address(), t.third.address()});
  CHECK(t.chains.walked == 2);
  CHECK(t.chains.cut == 1);
  t.pointer.next = address_of(t.head);
  CHECK(!t.types().empty());
  t.buckets[0] = std::uint64_t{1} << 40;
  CHECK(t.types().empty());
  t.table[2] = 0x1000;
  CHECK(t.types().empty());
  t.module[1] = 0;
  CHECK(t.types().empty());
  CHECK(for_each_instantiation(t.layout, 0x1000, [](Address) {}).walked == 0);
}
