// How many bytes a message can need at most, so that its builder never has to grow.
// Why a bound and not a try: a FlatBufferBuilder that runs out of its block has no lawful way to say so (one_block_allocator.h).
// Shape:  per text its length + kTextBytes, per table kTableBytes + kFieldBytes a field, the builder's own scratch included; an entry
//         of a list is a table and kOffsetBytes. Generous: about 1.7 times what a message really takes.
// Zone:   worker, offline.   Errors: none.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/control/messages.h"

namespace holdfast::control {

inline constexpr std::size_t kTextBytes = 16;   // its length, the closing zero, alignment
inline constexpr std::size_t kTableBytes = 24;  // two references to each other, alignment
inline constexpr std::size_t kFieldBytes =
    18;  // value 8, place in the table of fields 2, scratch 8
inline constexpr std::size_t kOffsetBytes = 4;
inline constexpr std::size_t kFrameBytes = 64;  // size, identifier, root, alignment of the whole

constexpr std::size_t text_bound(std::string_view text) noexcept {
  return text.size() + kTextBytes;
}
constexpr std::size_t table_bound(std::size_t fields) noexcept {
  return kTableBytes + fields * kFieldBytes;
}

std::size_t request_bound(const Request& request) noexcept;
std::size_t answer_bound(const Answer& answer) noexcept;

// A whole histogram, its names as long as they may be, must fit into one answer.
inline constexpr std::size_t kRowFields = 4;
inline constexpr std::size_t kAnswerFields = 13, kHistogramFields = 10, kHeapFields = 3;
inline constexpr std::size_t kCollectionFields = 6;
inline constexpr std::size_t kAccountsFields = 6, kAccountTotalFields = 9;
inline constexpr std::size_t kAgesFields = 5, kAgeSuspectFields = 12;
static_assert(kFrameBytes + table_bound(kAnswerFields) + table_bound(kHistogramFields) +
                  table_bound(kHeapFields) + table_bound(kCollectionFields) + kTextBytes +
                  kMaxWatchedClasses *
                      (table_bound(kRowFields) + kOffsetBytes + kTextBytes + kMaxHistogramName) +
                  table_bound(kAccountsFields) + kTextBytes +
                  kMaxWatchedAccounts * (table_bound(kAccountTotalFields) + kOffsetBytes +
                                         kTextBytes + kMaxAccountName) +
                  table_bound(kAgesFields) + kTextBytes +
                  kMostAgeSuspects * (table_bound(kAgeSuspectFields) + kOffsetBytes + kTextBytes +
                                      kMaxHistogramName) <=
              kMaxAnswerBytes);

}  // namespace holdfast::control
