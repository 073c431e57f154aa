// A program that allocates, an open book for it, and what a report would say: what the tests of this room share.
// Zone:   offline.   Errors: aborts when there is no memory, or when a pattern is none.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

#include "clrprofiler/accounts/allocation_accounts.h"
#include "clrprofiler/accounts/fake_allocations.h"
#include "common/arena_for_test.h"

namespace holdfast::clr {

struct AccountsBench {
  static constexpr std::size_t kArena = std::size_t{32} << 20;

  FakeAllocations runtime;
  TestArena book_memory{kArena};
  TestArena own_memory{kArena};
  TestArena figures_memory{kArena};
  ProfilerInfo info;
  AccountBook book;

  explicit AccountsBench(std::string_view patterns, std::uint32_t dimensions = 0,
                         std::uint64_t interval_bytes = kSampledEveryBytes, bool steady = true) {
    PatternError error;
    const auto made = AccountPatterns::make(patterns, book_memory.arena(), error);
    if (!made || !info.open(runtime.unknown())) std::abort();
    AccountSettings settings;
    settings.mode = AccountMode::kSampled;
    settings.dimensions = dimensions;
    settings.sample_interval_bytes = interval_bytes;
    settings.steady = steady;
    if (!book.open(std::move(book_memory.arena()), *made, settings)) std::abort();
  }

  AccountFigures read() {
    figures_memory.arena().rewind(0);
    auto figures = book.read(figures_memory.arena());
    if (!figures) std::abort();
    return *figures;
  }
};

// The sum of an account's rows; of all classes, or one.
struct AccountSum {
  AccountAmount allocated;
  AccountAmount live;
  std::uint64_t samples = 0;

  AccountSum(const AccountFigures& figures, std::string_view account,
             std::string_view class_name = "") {
    for (const AccountRow& row : figures.rows) {
      if (figures.strings.view(figures.accounts[row.account]) != account) continue;
      if (!class_name.empty() && figures.strings.view(row.class_name) != class_name) continue;
      add(allocated, row.allocated);
      add(live, row.live);
      samples += row.samples;
    }
  }
  static void add(AccountAmount& to, const AccountAmount& more) {
    to.objects += more.objects;
    to.bytes += more.bytes;
    to.objects_variance += more.objects_variance;
    to.bytes_variance += more.bytes_variance;
  }
};

}  // namespace holdfast::clr
