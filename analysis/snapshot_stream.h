// A snapshot file of a graph that is never in memory as a whole: objects are handed over in windows, in number order.
// Why: the rung "frozen, written" is for heaps whose graph does not fit into memory=; the analysis is done elsewhere.
// Shape:  memory_bytes(classes) from the input's arena, about 4.6 MiB + 24 B a class, whatever the heap's size and the windows';
//         O(objects + references). The file is that of snapshot_writer.h but for the order of its blocks (snapshot-format.md, "mixed").
//         What is known up front: catalog and roots with the numbers of their objects, both totals, and how many instances each
//         class has (so that frequent classes get short codes; wrong ones cost only space).
// Zone:   child, worker.
// Errors: kOutOfBudget, kIo (detail: errno), kExists, kCancelled, kInconsistent (detail: objects so far) for what does not fit the
//         totals or names a class or an object that there is none of. After an error there is no file, and every call is an error.
#pragma once

#include <cstdint>
#include <span>

#include "common/dump_engine.h"
#include "common/file_name.h"

namespace holdfast::analysis {

struct SnapshotStreamFacts {
  const Catalog& catalog;
  std::span<const RootRecord> roots;
  std::span<const ClassCount> instances;  // [classes + 1], the last for objects of unknown classes
  std::uint64_t objects = 0;
  std::uint64_t references = 0;
  CaptureLosses losses{};
  std::uint64_t shallow_unit_bytes = kShallowUnitBytes;
};

class SnapshotStream {
 public:
  SnapshotStream() = default;
  SnapshotStream(const SnapshotStream&) = delete;
  SnapshotStream& operator=(const SnapshotStream&) = delete;
  ~SnapshotStream() { abandon(); }

  static std::size_t memory_bytes(std::size_t class_count) noexcept;

  // Takes its memory from input.arena, which is the caller's to rewind. `report` is a finished image that the file shall hold.
  Result<void> open(AnalysisInput& input, const FileName& name, const SnapshotStreamFacts& facts,
                    std::span<const std::byte> report = {}) noexcept;
  // The next objects. Object i has the references rows[i] - rows[0] .. rows[i + 1] - rows[0] of targets and labels; so rows has one
  // element more than classes. Targets may be any object, also one that comes later.
  Result<void> append(std::span<const ClassId> classes, std::span<const std::uint32_t> units,
                      std::span<const std::uint32_t> rows, std::span<const ObjectId> targets,
                      std::span<const RefLabel> labels) noexcept;
  // Publishes the file, when all that was announced is there.
  Result<void> finish() noexcept;
  // Leaves no file behind. After finish(): nothing.
  void abandon() noexcept;

 private:
  struct State;
  Result<void> write_front(AnalysisInput& input, const FileName& name,
                           const SnapshotStreamFacts& facts,
                           std::span<const std::byte> report) noexcept;
  Result<void> kept(Result<void> done) noexcept;

  State* state_ = nullptr;  // in the arena
};

// Who hands over the graph, when it is asked to: every object once, through append(); finish() is not its business.
struct GraphSource {
  void* context = nullptr;
  Result<void> (*feed)(void* context, SnapshotStream& stream) noexcept = nullptr;
};

}  // namespace holdfast::analysis
