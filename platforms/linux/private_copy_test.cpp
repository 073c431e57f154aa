#include "platforms/private_copy.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/comes_true_for_test.h"
#include "platforms/fault_points.h"
#include "platforms/mappings.h"
#include "platforms/pages.h"
#include "platforms/process_for_tests.h"

using namespace holdfast::platforms;

namespace {

constexpr const char* kName = "hfdoublemapper";
constexpr std::string_view kPrefix = "/memfd:hfdoublemapper";
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::size_t kMostRanges = 512;

alignas(64) std::byte child_stack[256 * 1024];
// Of the child's own copy.
std::array<MappedRange, kMostRanges> child_room;

// What parent and child both see.
struct Shared {
  std::atomic<bool> copied{false};
  std::atomic<bool> changed{false};
  PrivateCopies copies;
};
Shared& shared() {
  static Shared* const kPage = new (shared_pages(sizeof(Shared))) Shared;
  return *kPage;
}

std::byte* map_at(std::byte* where, int file, std::size_t first_page, std::size_t pages, int access,
                  int flags = MAP_SHARED) {
  void* start =
      ::mmap(where, pages * page_bytes(), access, flags | (where != nullptr ? MAP_FIXED : 0), file,
             static_cast<off_t>(first_page * page_bytes()));
  REQUIRE(start != MAP_FAILED);
  return static_cast<std::byte*>(start);
}

constexpr int kReadWrite = PROT_READ | PROT_WRITE;

// A file in memory, all of it mapped once.
struct SharedFile {
  int file;
  std::size_t pages;
  std::byte* start;

  SharedFile(const char* name, std::size_t page_count)
      : file(::memfd_create(name, 0)), pages(page_count) {
    REQUIRE(::ftruncate(file, static_cast<off_t>(bytes())) == 0);
    start = map_at(nullptr, file, 0, pages, kReadWrite);
    for (std::size_t page = 0; page < pages; ++page) word(page) = page + 1;
  }
  ~SharedFile() {
    ::munmap(start, bytes());
    ::close(file);
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  std::size_t bytes() const { return pages * page_bytes(); }
  // Of each page the last one: that is also its end.
  volatile std::uint64_t& word(std::size_t page) const {
    return reinterpret_cast<volatile std::uint64_t*>(start + (page + 1) * page_bytes())[-1];
  }
  void clear() const { std::fill_n(start, bytes(), std::byte{}); }
};

std::uint64_t last_word(const std::byte* page) {
  return reinterpret_cast<const volatile std::uint64_t*>(page + page_bytes())[-1];
}

// What the child does. `look` answers 0 when it sees what it shall, after the parent has changed everything.
struct Plan {
  std::size_t room = kMostRanges;
  std::uint64_t most_bytes = UINT64_MAX;
  bool no_descriptors = false;
  int (*look)(void* context) = nullptr;
  void* context = nullptr;
};

int copy_and_look(void* raw) noexcept {
  const auto& plan = *static_cast<const Plan*>(raw);
  if (plan.no_descriptors) limit_descriptors_for_test(0);
  shared().copies = make_private(kPrefix, std::span(child_room).first(plan.room), plan.most_bytes);
  shared().copied = true;
  while (!shared().changed) sleep_ns(kMillisecond);
  return plan.look(plan.context);
}

// What `look` answers in a child that made its copies before `change()`, in the parent.
template <class Change, class Look>
int child_sees(Plan plan, Change change, Look look) {
  shared().copied = false;
  shared().changed = false;
  plan.look = [](void* context) { return (*static_cast<Look*>(context))(); };
  plan.context = &look;
  ChildPlan child;
  child.name = "hf copies";
  child.stack = child_stack;
  child.stack_bytes = sizeof child_stack;
  child.watchdog_seconds = 30;
  child.body = &copy_and_look;
  child.argument = &plan;
  const std::int64_t process = spawn_child(child);
  if (process <= 0) return 100;
  if (comes_true([] { return shared().copied.load(); })) change();
  shared().changed = true;
  ChildEnd end{ChildState::kRunning, 0};
  comes_true([&] {
    if (end.state == ChildState::kRunning) end = poll_child(process);
    return end.state != ChildState::kRunning;
  });
  return end.state == ChildState::kExited ? end.status : 200 + end.status;
}

// 0: the child still sees what stood there. 1: it sees the parent's zeros. 2: neither.
int state_of(const SharedFile& file) {
  std::size_t kept = 0;
  std::size_t cleared = 0;
  for (std::size_t page = 0; page < file.pages; ++page) {
    const std::uint64_t seen = file.word(page);
    kept += seen == page + 1 ? 1 : 0;
    cleared += seen == 0 ? 1 : 0;
  }
  if (kept == file.pages) return 0;
  return cleared == file.pages ? 1 : 2;
}

// Nothing was replaced, and the reason is told.
void check_refused(const SharedFile& file, const Plan& plan, int error) {
  CHECK(child_sees(
            plan, [&] { file.clear(); }, [&] { return state_of(file); }) == 1);
  CHECK(shared().copies.error == error);
  CHECK(shared().copies.mappings == 0);
  CHECK(shared().copies.bytes == 0);
}

// Views of every second page of a file, none beside another: more lines than are read at once.
struct ScatteredViews {
  static constexpr std::size_t kViews = 400;
  std::byte* area = reserve_pages(2 * kViews * page_bytes());
  explicit ScatteredViews(const SharedFile& file) {
    for (std::size_t view = 0; view < kViews; ++view)
      map_at(at(view), file.file, view, 1, kReadWrite);
  }
  ~ScatteredViews() { release_pages(area, 2 * kViews * page_bytes()); }
  ScatteredViews(const ScatteredViews&) = delete;
  ScatteredViews& operator=(const ScatteredViews&) = delete;
  std::byte* at(std::size_t view) const { return area + 2 * view * page_bytes(); }
  int state() const {
    for (std::size_t view = 0; view < kViews; ++view)
      if (last_word(at(view)) != view + 1) return 2;
    return 0;
  }
};

}  // namespace

TEST_CASE("what the parent writes afterwards the child does not see, nor the other way round") {
  const SharedFile file(kName, 3);
  const int seen = child_sees(
      Plan{}, [&] { file.clear(); },
      [&] {
        if (state_of(file) != 0) return state_of(file);
        file.word(1) = 77;
        return mappings_are_private(file.start, file.bytes()) ? 0 : 3;
      });
  CHECK(seen == 0);
  CHECK(state_of(file) == 1);  // the parent's own
  CHECK_FALSE(mappings_are_private(file.start, file.bytes()));
  CHECK(shared().copies.error == 0);
  CHECK(shared().copies.mappings == 1);
  CHECK(shared().copies.bytes == file.bytes());
}

TEST_CASE("another name, a private view and one that cannot be written stay what they were") {
  const SharedFile file(kName, 2);
  const SharedFile longer("hfdoublemapper of mine", 1);
  const SharedFile other("hfdoublemappe", 2);
  std::byte* read_only = map_at(nullptr, file.file, 0, 2, PROT_READ);
  std::byte* own = map_at(nullptr, file.file, 0, 2, kReadWrite, MAP_PRIVATE);
  const int seen = child_sees(
      Plan{},
      [&] {
        file.clear();
        other.clear();
        longer.clear();
      },
      [&] {
        if (state_of(file) != 0 || state_of(longer) != 0) return 1;
        if (state_of(other) != 1) return 2;
        if (last_word(read_only) != 0) return 3;
        return last_word(own) == 0 ? 0 : 4;  // never written here, so it follows the file
      });
  CHECK(seen == 0);
  CHECK(shared().copies.mappings == 2);
  ::munmap(read_only, file.bytes());
  ::munmap(own, file.bytes());
}

TEST_CASE("without such a mapping nothing is done, and that is well") {
  CHECK(child_sees(
            Plan{.room = 0}, [] {}, [] { return 0; }) == 0);
  CHECK(shared().copies.error == 0);
  CHECK(shared().copies.mappings == 0);
}

TEST_CASE("neighbours are one range, others are not; room that is too small changes nothing") {
  const SharedFile file(kName, 4);
  // Against the file's order, or the system would make one mapping of them; and beside nothing else.
  std::byte* alone = reserve_pages(6 * page_bytes());
  std::byte* area = alone + page_bytes();
  for (std::size_t page = 0; page < 4; ++page)
    map_at(area + (3 - page) * page_bytes(), file.file, page, 1, kReadWrite);
  check_refused(file, Plan{.room = 0}, ENOSPC);
  for (std::size_t page = 0; page < 4; ++page) file.word(page) = page + 1;
  const auto own = [&] {
    for (std::size_t page = 0; page < 4; ++page)
      if (last_word(area + (3 - page) * page_bytes()) != page + 1) return 2;
    return state_of(file);
  };
  CHECK(child_sees(
            Plan{.room = 2}, [&] { file.clear(); }, own) == 0);
  CHECK(shared().copies.mappings == 5);
  CHECK(shared().copies.bytes == 2 * file.bytes());
  // A hole between them, and one room less than ranges.
  for (std::size_t page = 0; page < 4; ++page) file.word(page) = page + 1;
  release_pages(area + page_bytes(), page_bytes());
  check_refused(file, Plan{.room = 2}, ENOSPC);
  release_pages(alone, 6 * page_bytes());
}

TEST_CASE("more bytes than are allowed are not begun with") {
  const SharedFile file(kName, 5);
  check_refused(file, Plan{.most_bytes = file.bytes() - 1}, ENOMEM);
  for (std::size_t page = 0; page < 5; ++page) file.word(page) = page + 1;
  CHECK(child_sees(
            Plan{.most_bytes = file.bytes()}, [&] { file.clear(); },
            [&] { return state_of(file); }) == 0);
  CHECK(shared().copies.error == 0);
}

TEST_CASE("mappings whose lines do not fit into one read are all found") {
  const SharedFile file(kName, ScatteredViews::kViews);
  const ScatteredViews views(file);
  const auto own = [&] { return std::max(views.state(), state_of(file)); };
  CHECK(child_sees(
            Plan{}, [&] { file.clear(); }, own) == 0);
  CHECK(shared().copies.error == 0);
  CHECK(shared().copies.mappings == ScatteredViews::kViews + 1);
  CHECK(shared().copies.bytes == 2 * file.bytes());
}

TEST_CASE("a page behind the end of its file ends nobody") {
  const SharedFile file(kName, 3);
  REQUIRE(::ftruncate(file.file, static_cast<off_t>(page_bytes())) == 0);
  const auto own = [&] {
    return file.word(0) == 1 && file.word(1) == 0 && file.word(2) == 0 ? 0 : 1;
  };
  CHECK(child_sees(
            Plan{}, [] {}, own) == 0);
  CHECK(shared().copies.error == 0);
}

TEST_CASE("mappings that cannot be read are told") {
  const SharedFile file(kName, 1);
  check_refused(file, Plan{.no_descriptors = true}, EMFILE);
}

TEST_CASE("a child that may not be dumped reads its mappings all the same, whoever it belongs to") {
  const auto as_somebody = [] {
    if (!become_other_user_for_test()) return 0;
    const SharedFile file(kName, 2);
    return child_sees(
        Plan{}, [&] { file.clear(); }, [&] { return state_of(file); });
  };
  CHECK(run_in_child(as_somebody) == 0);
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("a system without memory: what was replaced is counted, the rest is the parent's still") {
  const SharedFile file(kName, 2);
  std::byte* alone = reserve_pages(3 * page_bytes());
  const std::byte* view = map_at(alone + page_bytes(), file.file, 0, 1, kReadWrite);
  for (const FaultPoint point : {FaultPoint::kReserve, FaultPoint::kCommit}) {
    for (std::size_t page = 0; page < 2; ++page) file.word(page) = page + 1;
    const auto either = [&] {
      const bool file_kept = state_of(file) == 0;
      const bool view_kept = last_word(view) == 1;
      return file_kept != view_kept ? 0 : 1;
    };
    const FaultScope fault(point, {.after = 1, .times = 1, .error = ENOMEM});
    CHECK(child_sees(
              Plan{}, [&] { file.clear(); }, either) == 0);
    CHECK(shared().copies.error == ENOMEM);
    const std::uint64_t bytes = shared().copies.bytes;
    CHECK((bytes == page_bytes() || bytes == 2 * page_bytes()));
  }
  release_pages(alone, 3 * page_bytes());
}
#endif
