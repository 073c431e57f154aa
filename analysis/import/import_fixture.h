// An imported dump with its dominators, and the comparison with the oracle, for the tests of this folder.
// Zone:   tests.   Errors: ImportFailure; a pass that fails is a failed requirement.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

#include "analysis/dominators.h"
#include "analysis/import/hprof_import.h"
#include "analysis/lab/hprof_writer.h"
#include "analysis/lab/mat_oracle.h"

namespace holdfast::analysis {

inline ImportOptions options_like_mat() {
  ImportOptions options;
  options.like_mat = true;
  options.keep_addresses = true;
  return options;
}
inline ImportOptions own_options() {
  ImportOptions options;
  options.keep_addresses = true;
  return options;
}

class ImportedDump {
 public:
  ImportedDump(std::span<const std::byte> file, const ImportOptions& options,
               std::uint32_t retain = kRetainStrong | kRetainSoft)
      : heap_(import_hprof(file, options)) {
    REQUIRE(verify(heap_->snapshot));
    auto made = CountedReferences::make(heap_->snapshot, heap_->arena(), cancel_);
    REQUIRE(made);
    references = *made;
    auto found = compute_dominators(references, holding_strengths(retain), heap_->arena(), cancel_);
    REQUIRE(found);
    dominators = *found;
  }

  ImportedHeap& heap() const { return *heap_; }
  const Snapshot& snapshot() const { return heap_->snapshot; }
  // The object of an address that is held, else the last of that address; kNone when there is none.
  std::uint32_t find(std::uint64_t address) const {
    std::uint32_t found = ObjectId::kNoneValue;
    for (std::uint32_t v = 0; v < snapshot().object_count(); ++v) {
      if (heap_->addresses[v] != address) continue;
      found = v;
      if (dominators.idom[v] != ObjectId::kNoneValue) break;
    }
    return found;
  }
  bool held(std::uint64_t address) const {
    const std::uint32_t v = find(address);
    return v != ObjectId::kNoneValue && dominators.idom[v] != ObjectId::kNoneValue;
  }
  std::uint64_t shallow(std::uint64_t address) const {
    const std::uint32_t v = find(address);
    return v == ObjectId::kNoneValue ? UINT64_MAX : snapshot().shallow_bytes(ObjectId{v});
  }
  std::uint64_t retained(std::uint64_t address) const {
    const std::uint32_t v = find(address);
    return v == ObjectId::kNoneValue ? UINT64_MAX : dominators.retained_bytes[v];
  }
  // The rows that `holdfast analyze --objects` would write, by address.
  std::vector<lab::MatRow> rows() const {
    std::vector<lab::MatRow> made;
    for (std::uint32_t v = 0; v < snapshot().object_count(); ++v) {
      if (dominators.idom[v] == ObjectId::kNoneValue) continue;
      lab::MatRow row;
      row.address = heap_->addresses[v];
      row.shallow_bytes = snapshot().shallow_bytes(ObjectId{v});
      row.retained_bytes = dominators.retained_bytes[v];
      if (dominators.idom[v] != Dominators::kRoot)
        row.dominator = heap_->addresses[dominators.idom[v]];
      made.push_back(row);
    }
    std::ranges::sort(made, {}, &lab::MatRow::address);
    return made;
  }

  CountedReferences references;
  Dominators dominators;

 private:
  std::unique_ptr<ImportedHeap> heap_;
  CancelToken cancel_;
};

inline std::string row_text(const lab::MatRow& row) {
  std::ostringstream text;
  text << std::hex << row.address << std::dec << ' ' << row.shallow_bytes << ' '
       << row.retained_bytes << ' ' << std::hex << row.dominator;
  return text.str();
}

// "" when every object has the same shallow size, retained size and immediate dominator; else the first that has not.
inline std::string difference(const std::vector<lab::MatRow>& ours, const lab::MatHeap& mat) {
  for (std::size_t i = 0; i < std::max(ours.size(), mat.rows.size()); ++i) {
    const std::string mine = i < ours.size() ? row_text(ours[i]) : "nothing";
    const std::string theirs = i < mat.rows.size() ? row_text(mat.rows[i]) : "nothing";
    if (mine != theirs) return "ours " + mine + ", oracle " + theirs;
  }
  return "";
}

}  // namespace holdfast::analysis
