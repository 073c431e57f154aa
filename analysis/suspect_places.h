// One place with a part in each thread: the values that many threads have of one ThreadLocal, or of one static field of their own.
// Why:    thread -> map -> table -> entry -> value is a way of its own for each thread. Whoever adds to a ThreadLocal adds to all of
//         them, and changes one place in the program. Found thread by thread they would be as many suspects, or none where each is
//         small.
// How:    a part's key is the ThreadLocal that it is a value of, or the field. Parts of one key that retain the threshold together are
//         a place; the largest come first, and an object below a part of one place is of no other.
//           java.lang.ThreadLocal: entries of the threads' maps; the referent of an entry is its ThreadLocal
//           System.Threading.ThreadLocal<T>: the slots of its list, but for the first, which has no value
//           thread statics of a CLR: what GC roots with a thread and a field refer to
//         A CLR's tables of interned strings are such a place, too: arrays behind strong handles, each as large as all before it.
// Shape:  20 B a value of any variable, and 16 B of scratch; O(objects + roots + parts log parts),
//         and O(depth) a part to take it out of what is above it.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/class_sums.h"
#include "common/cancel.h"

namespace holdfast::analysis {

struct SuspectPlace {
  std::span<const std::uint32_t> parts;  // positions, rising; of one class row; none below another
  std::uint32_t row = 0;
  std::uint64_t bytes = 0;
  std::uint64_t largest_bytes = 0;
  ObjectId variable;       // the ThreadLocal; invalid for a static field
  bool of_threads = true;  // false: the tables of interned strings
};

struct SuspectPlaces {
  SuspectPlace place[kMaxPlaces];
  std::size_t count = 0;
};

// Parts of places count as nothing, here and in all that dominates them, as long as this lives: no byte is in two findings.
class TakenParts {
 public:
  TakenParts(const Dominators& dominators, Arena& arena) noexcept : d_(dominators), arena_(arena) {}
  ~TakenParts() { give_back(); }
  TakenParts(const TakenParts&) = delete;
  TakenParts& operator=(const TakenParts&) = delete;

  Result<void> prepare(std::size_t parts) noexcept;
  // What the part retained; 0 where it was taken with what is above it.
  std::uint64_t take(std::uint32_t position) noexcept;
  void give_back() noexcept;

 private:
  struct Taken {
    std::uint32_t object;
    std::uint64_t bytes;
  };
  void add_above(std::uint32_t object, std::uint64_t bytes) noexcept;

  const Dominators& d_;
  Arena& arena_;
  std::span<Taken> taken_;
  std::size_t count_ = 0;
  std::uint64_t steps_ = 0;
};

// The parts of what is found stay taken.
Result<SuspectPlaces> find_places(const Snapshot& snapshot, const Dominators& dominators,
                                  std::uint64_t threshold_bytes, const ClassSums& sums,
                                  TakenParts& taken, Arena& arena,
                                  const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
