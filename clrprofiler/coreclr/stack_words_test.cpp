#include "clrprofiler/coreclr/stack_words.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/coreclr/fake_collector.h"
#include "platforms/pages.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// Four pages of a stack, and nothing to read around them.
class Stack {
 public:
  static constexpr std::size_t kPages = 8, kFirst = 2, kEnd = 6;

  Stack() {
    pages_ = platforms::reserve_pages(kPages * page());
    REQUIRE(pages_ != nullptr);
    REQUIRE(platforms::commit_pages(pages_ + kFirst * page(), (kEnd - kFirst) * page()));
    layout.thread_frame = 8;
    thread[1] = stack_words::kNoFrame;
  }
  ~Stack() { platforms::release_pages(pages_, kPages * page()); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  Address at(std::size_t page_index, std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(pages_) + page_index * page() + offset;
  }
  void put(Address where, std::uint64_t word) { *reinterpret_cast<std::uint64_t*>(where) = word; }
  using Seen = std::vector<std::pair<Address, std::uint32_t>>;
  Seen words(std::vector<std::uint64_t> pointers, bool cut = false) {
    Seen seen;
    for_each_stack_word(layout, {address_of(thread), pointers, cut},
                        [&](Address word, std::uint32_t frame) { seen.emplace_back(word, frame); });
    return seen;
  }

  RuntimeLayout layout;
  std::uint64_t thread[2]{};

 private:
  static std::size_t page() { return platforms::page_bytes(); }
  std::byte* pages_ = nullptr;
};

}  // namespace

TEST_CASE(
    "each word belongs to the frame whose stack pointer lies at or below it, to the stack's end") {
  Stack stack;
  const Address leaf = stack.at(3, 0x100), middle = stack.at(3, 0x200), last = stack.at(4, 0);
  stack.put(leaf - 8, 1);  // below the leaf: not in use
  stack.put(leaf, 2);
  stack.put(middle - 8, 3);
  stack.put(middle, 4);
  stack.put(last + 8, 5);
  stack.put(stack.at(Stack::kEnd, 0) - 8, 6);
  CHECK(stack.words({leaf, middle, last}) == Stack::Seen{{2, 0}, {3, 0}, {4, 1}, {5, 2}, {6, 2}});
}

TEST_CASE("where the runtime has a frame of its own it begins in front of that") {
  Stack stack;
  const Address frame = stack.at(3, 0x100);
  stack.put(stack.at(Stack::kFirst, 8), 1);  // within what registers may be saved in
  stack.put(frame + 8, 2);
  stack.thread[1] = frame;
  CHECK(stack.words({}) == Stack::Seen{{1, 0}, {2, 0}});
  CHECK(stack.words({stack.at(4, 0)}) == Stack::Seen{{1, 0}, {2, 0}});
  // In front of the stack's memory there is nothing, and that ends no walk.
  stack.thread[1] = stack.at(Stack::kFirst, 0x10);
  CHECK(stack.words({}).size() == 2);
}

TEST_CASE("a thread without frames has no words") {
  Stack stack;
  stack.put(stack.at(3, 0), 1);
  CHECK(stack.words({}).empty());
}
