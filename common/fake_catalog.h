// A catalog of a few classes and loaders, as an adapter would have read it: for tests.
// Zone:   offline.   Errors: aborts when there is no room.
#pragma once

#include <cstdlib>
#include <string_view>

#include "common/snapshot/catalog.h"
#include "platforms/pages.h"

namespace holdfast {

class FakeCatalog {
 public:
  static constexpr std::size_t kMost = 64;  // classes, and loaders
  FakeCatalog() {
    start_ = platforms::reserve_pages(kBytes);
    arena_ = Arena(start_, kBytes, ledger_, MemoryCategory::kCatalog);
    auto strings = StringTable::make(arena_, 2 * kMost, 64 * 1024);
    auto classes = arena_.make_filled<ClassRow>(kMost, ClassRow{});
    auto loaders = arena_.make_filled<LoaderRow>(kMost, LoaderRow{});
    if (!strings || !classes || !loaders) std::abort();
    catalog_.strings = *strings;
    classes_ = *classes;
    loaders_ = *loaders;
  }
  ~FakeCatalog() {
    arena_.reset();
    platforms::release_pages(start_, kBytes);
  }
  FakeCatalog(const FakeCatalog&) = delete;
  FakeCatalog& operator=(const FakeCatalog&) = delete;

  std::uint32_t loader(std::string_view name) {
    const std::size_t at = catalog_.loaders.size();
    loaders_[at].name = catalog_.strings.intern(name);
    catalog_.loaders = loaders_.first(at + 1);
    return static_cast<std::uint32_t>(at);
  }
  std::uint32_t add_class(std::string_view name, std::uint32_t loader) {
    const std::size_t at = catalog_.classes.size();
    classes_[at].name = catalog_.strings.intern(name);
    classes_[at].loader = LoaderId{loader};
    catalog_.classes = classes_.first(at + 1);
    return static_cast<std::uint32_t>(at);
  }
  const Catalog& catalog() const { return catalog_; }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  Ledger ledger_{kBytes};
  std::byte* start_ = nullptr;
  Arena arena_;
  std::span<ClassRow> classes_;
  std::span<LoaderRow> loaders_;
  Catalog catalog_;
};

}  // namespace holdfast
