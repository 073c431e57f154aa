#include "clrprofiler/accounts/sample_writer.h"

#include <doctest/doctest.h>

#include "clrprofiler/accounts/accounts_fixture.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

struct WriterBench : AccountsBench {
  WeakHandles handles;
  LiveObjects live;
  SampleWriter writer;

  explicit WriterBench(std::string_view patterns, std::uint32_t dimensions = 0)
      : AccountsBench(patterns, dimensions) {
    handles.open(info, 1'000);
    REQUIRE(live.open(handles, book, 1'000, own_memory.arena()));
    book.set_live_known(true);
  }
  ~WriterBench() { writer.close(); }

  // After the modules are there.
  void open() { REQUIRE(writer.open(info, book, handles, live, own_memory.arena())); }
  void write(ClassID type, std::vector<FunctionID> frames, std::string_view thread = "") {
    AllocationSample sample;
    sample.type = type;
    sample.bytes = 1'000;
    sample.frame_count = static_cast<std::uint32_t>(frames.size());
    std::copy(frames.begin(), frames.end(), sample.frames);
    thread.copy(sample.thread, sizeof sample.thread - 1);
    writer.write(sample);
  }
  // "account < principal: class, method, thread" of the only row.
  std::string row() {
    const AccountFigures figures = read();
    for (const AccountRow& row : figures.rows) {
      if (row.samples == 0) continue;
      const auto text = [&](StringId id) { return std::string(figures.strings.view(id)); };
      return text(figures.accounts[row.account]) + " < " + text(figures.accounts[row.principal]) +
             ": " + text(row.class_name) + ", " + text(row.method) + ", " + text(row.thread);
    }
    return "";
  }
  std::string row_of(std::vector<FunctionID> frames) {
    open();
    const bool by_thread = (book.settings().dimensions & kByThread) != 0;
    write(runtime.get("shop.Order"), std::move(frames), by_thread ? "worker" : "");
    return row();
  }
};

constexpr std::uint32_t kAllDimensions = kByMethod | kByThread;

}  // namespace

TEST_CASE(
    "the account is that of the nearest frame that has one, the principal the next other one") {
  WriterBench b("shop.Cart+shop.Desk");
  const auto frame = [&b](std::string_view type) { return b.runtime.method(type, "Work"); };
  CHECK(b.row_of({frame("System.Collections.List"), frame("shop.Cart"), frame("shop.Cart"),
                  frame("shop.Other"), frame("shop.Desk"), frame("shop.Cart")}) ==
        "shop.Cart < shop.Desk: shop.Order, , ");
}

TEST_CASE("a stack without an account is nobody's") {
  WriterBench b("shop.Cart");
  CHECK(b.row_of({b.runtime.method("shop.Other", "Work")}) ==
        "(unaccounted) < (unaccounted): shop.Order, , ");
  CHECK(b.read().losses.stacks_cut == 0);
}

TEST_CASE("methods and threads, where they are asked for") {
  WriterBench b("shop.Cart", kAllDimensions);
  CHECK(b.row_of({b.runtime.method("shop.Cart", "Add")}) ==
        "shop.Cart < (unaccounted): shop.Order, shop.Cart.Add, worker");
}

TEST_CASE("what the compiler makes of a class belongs to it: closures, state machines") {
  for (const char* type : {"shop.Cart+'<>c__DisplayClass3_0'", "shop.Cart+'<LoadAsync>d__5'",
                           "shop.Cart+Line", "shop.Cart"}) {
    WriterBench b("shop.Cart");
    CAPTURE(type);
    CHECK(b.row_of({b.runtime.method(type, "MoveNext")}) ==
          "shop.Cart < (unaccounted): shop.Order, , ");
  }
}

TEST_CASE("generic classes are matched and shown without arguments and arity") {
  WriterBench b("shop.Cache", kAllDimensions);
  CHECK(b.row_of({b.runtime.method("shop.Cache`1+Node<shop.Order>", "Add")}) ==
        "shop.Cache < (unaccounted): shop.Order, shop.Cache.Node.Add, worker");
}

TEST_CASE("a nested class is of its class's namespace, and not of one that is written like it") {
  WriterBench nested("shop");
  CHECK(nested.row_of({nested.runtime.method("shop.Cart+Line", "Add")}) ==
        "shop < (unaccounted): shop.Order, , ");
  WriterBench other("shop");
  CHECK(other.row_of({other.runtime.method("shop.Cart.Line", "Add")}) ==
        "(unaccounted) < (unaccounted): shop.Order, , ");
}

TEST_CASE("an assembly by its name") {
  WriterBench b("module:shop");
  CHECK(b.row_of({b.runtime.method("System.Text", "Add"), b.runtime.method("shop.Cart", "Add")}) ==
        "module:shop < (unaccounted): shop.Order, , ");
}

TEST_CASE("emitted methods are on account of whoever calls them") {
  WriterBench b("*");
  FakeFunction emitted;
  emitted.dynamic = true;
  CHECK(b.row_of({b.runtime.add_function(emitted)}) ==
        "(unaccounted) < (unaccounted): shop.Order, , ");
}

TEST_CASE("a stack that was not told, or was cut before an account came, is counted") {
  WriterBench b("shop.Cart");
  b.open();
  b.write(b.runtime.get("shop.Order"), {});
  AllocationSample cut;
  cut.type = b.runtime.get("shop.Order");
  cut.bytes = 100;
  cut.stack_cut = true;
  cut.frame_count = 1;
  cut.frames[0] = b.runtime.method("shop.Other", "Work");
  b.writer.write(cut);
  cut.frames[0] = b.runtime.method("shop.Cart", "Work");
  b.writer.write(cut);
  CHECK(b.read().losses.stacks_cut == 2);
}

TEST_CASE("names are asked for once") {
  WriterBench b("shop.Cart");
  b.open();
  const ClassID type = b.runtime.get("shop.Order");
  const FunctionID function = b.runtime.method("shop.Cart", "Add");
  b.write(type, {function});
  const auto asked = b.runtime.calls;
  for (int i = 0; i < 100; ++i) b.write(type, {function});
  CHECK(b.runtime.calls == asked);
  b.writer.forget();
  b.write(type, {function});
  CHECK(b.runtime.calls != asked);
}

TEST_CASE("a module's metadata is given back when something was unloaded, and at the end") {
  WriterBench b("shop.Cart");
  b.open();
  b.write(b.runtime.get("shop.Order"), {b.runtime.method("shop.Cart", "Add")});
  CHECK(b.runtime.open_handles() > 0);
  b.writer.forget();
  CHECK(b.runtime.open_handles() == 0);
}
