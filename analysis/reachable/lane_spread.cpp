#include "analysis/reachable/lane_spread.h"

#include <algorithm>
#include <bit>

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kNoWord = 0xFFFFFFFFu;
constexpr std::uint64_t kLookStride = 2048;  // visits between two looks at the token

constexpr std::uint64_t bit(std::uint32_t i) noexcept { return std::uint64_t{1} << (i & 63); }

bool has(std::span<const std::uint64_t> set, std::uint32_t i) noexcept {
  return (set[i >> 6] & bit(i)) != 0;
}

}  // namespace

Result<LaneSpread> LaneSpread::make(const SharingGraph& graph, const SharedLanes& lanes,
                                    std::uint32_t lines, Arena& arena) noexcept {
  LaneSpread made;
  const std::size_t members = graph.member_count(), words = members / 64 + 1;
  made.graph_ = &graph;
  made.lanes_ = &lanes;
  HF_TRY(full_of, arena.make_filled<std::uint32_t>(members, SharingGraph::kNone));
  HF_TRY(parts_of, arena.make_filled<std::uint32_t>(members, SharingGraph::kNone));
  HF_TRY(queued, arena.make_filled<std::uint64_t>(words, 0));
  HF_TRY(queued_any, arena.make_filled<std::uint64_t>(words / 64 + 1, 0));
  HF_TRY(groups, arena.make<Group>(kRoundLanes));
  HF_TRY(line, arena.make<Line>(lines));
  HF_TRY(free, arena.make<std::uint32_t>(lines));
  made.full_of_ = full_of;
  made.parts_of_ = parts_of;
  made.queued_ = queued;
  made.queued_any_ = queued_any;
  made.groups_ = groups;
  made.line_ = line;
  made.free_ = free;
  return made;
}

Result<void> LaneSpread::run(const SpreadRound& round, std::span<std::uint64_t> sums,
                             const CancelToken& cancel) noexcept {
  begin(round);
  while (true) {
    const std::uint32_t member = dequeue();
    if (member == SharingGraph::kNone) return {};
    reached_ = member;
    Result<void> fine;
    if (++visits_ % kLookStride == 0) fine = cancel.check();
    if (fine && !visit(member, sums)) {
      ++reached_;  // its own sum is complete
      fine = make_error(ErrorCode::kOutOfBudget);
    }
    if (fine) continue;
    give_back();
    return fine;
  }
}

void LaneSpread::begin(const SpreadRound& round) noexcept {
  round_ = round;
  word_ = kNoWord;
  list_groups();
  for (std::uint32_t lane = 0; lane < round.lanes; ++lane)
    for (const std::uint32_t member : lanes_->members(round.first_lane + lane)) enqueue(member);
}

void LaneSpread::list_groups() noexcept {
  group_ = group_count_ = 0;
  for (std::uint32_t lane = 0; lane < round_.lanes; ++lane) {
    const std::uint32_t dominator = lanes_->lanes[round_.first_lane + lane].dominator;
    if (dominator == SharingGraph::kNone) continue;
    if (group_count_ > 0 && groups_[group_count_ - 1].dominator == dominator)
      groups_[group_count_ - 1].end = lane + 1;
    else
      groups_[group_count_++] = {dominator, lane, lane + 1};
  }
}

void LaneSpread::enqueue(std::uint32_t member) noexcept {
  const std::uint32_t word = member >> 6;
  queued_[word] |= bit(member);
  queued_any_[word >> 6] |= bit(word);
  word_ = std::min(word_, word);
}

// Lowest first; what is enqueued meanwhile is higher than what was taken last.
std::uint32_t LaneSpread::dequeue() noexcept {
  if (word_ == kNoWord) return SharingGraph::kNone;
  if (queued_[word_] == 0) {
    std::size_t any = word_ >> 6;
    while (any < queued_any_.size() && queued_any_[any] == 0) ++any;
    if (any == queued_any_.size()) return SharingGraph::kNone;
    word_ = static_cast<std::uint32_t>(
        (any << 6) + static_cast<std::uint32_t>(std::countr_zero(queued_any_[any])));
  }
  const std::uint64_t members = queued_[word_];
  queued_[word_] = members & (members - 1);
  if (queued_[word_] == 0) queued_any_[word_ >> 6] &= ~bit(word_);
  return (word_ << 6) + static_cast<std::uint32_t>(std::countr_zero(members));
}

// False: no line is left.
bool LaneSpread::visit(std::uint32_t member, std::span<std::uint64_t> sums) noexcept {
  std::uint32_t full = full_of_[member], parts = parts_of_[member];
  full_of_[member] = parts_of_[member] = SharingGraph::kNone;
  if (full == SharingGraph::kNone) {
    full = take_line();
    if (full == SharingGraph::kNone) return false;
    line_[full].full = Full{};
  } else {
    drop_dominated(member, line_[full].full, parts);
    const std::uint64_t bytes = line_[full].full.bytes + settle_parts(line_[full].full, parts);
    if (member >= round_.first_member) sums[member] += bytes;
  }
  return add_own(member, line_[full].full, parts) && pass_on(member, full, parts);
}

void LaneSpread::drop_dominated(std::uint32_t member, Full& full, std::uint32_t& parts) noexcept {
  while (group_ < group_count_ && groups_[group_].dominator < member) ++group_;
  if (group_ == group_count_ || groups_[group_].dominator != member) return;
  const Group& group = groups_[group_];
  for (std::uint32_t lane = group.first; lane < group.end; ++lane) {
    if (!has(full.set, lane)) continue;
    full.set[lane >> 6] &= ~bit(lane);
    full.bytes -= lanes_->lanes[round_.first_lane + lane].bytes;
  }
  std::uint32_t* link = &parts;
  while (*link != SharingGraph::kNone) {
    Part& part = line_[*link].part;
    if (part.lane < group.first || part.lane >= group.end) {
      link = &part.next;
      continue;
    }
    free_[free_count_++] = *link;
    *link = part.next;
  }
}

// Takes off the parts of lanes that have become full since; the bytes of the rest.
std::uint64_t LaneSpread::settle_parts(const Full& full, std::uint32_t& parts) noexcept {
  std::uint64_t bytes = 0;
  std::uint32_t* link = &parts;
  while (*link != SharingGraph::kNone) {
    Part& part = line_[*link].part;
    if (has(full.set, part.lane)) {
      free_[free_count_++] = *link;
      *link = part.next;
      continue;
    }
    bytes += part.bytes;
    ++parts_;
    link = &part.next;
  }
  return bytes;
}

bool LaneSpread::add_own(std::uint32_t member, Full& full, std::uint32_t& parts) noexcept {
  const std::uint32_t place = lanes_->place_of[member];
  if (place == SharingGraph::kNone) return true;
  const std::uint32_t lane = (place >> SharedLanes::kPlaceShift) - round_.first_lane;
  if (lane >= round_.lanes) return true;
  const std::uint32_t own = place & ((1u << SharedLanes::kPlaceShift) - 1);
  std::uint32_t* link = &parts;
  while (*link != SharingGraph::kNone && line_[*link].part.lane < lane)
    link = &line_[*link].part.next;
  if (*link == SharingGraph::kNone || line_[*link].part.lane != lane) {
    if (insert_part(link, lane) == SharingGraph::kNone) return false;
  }
  Part& part = line_[*link].part;
  part.set[own >> 6] |= bit(own);
  part.bytes += lanes_->bit_bytes[lanes_->lanes[round_.first_lane + lane].first_bit + own];
  if (is_complete(part)) complete(link, full);
  return true;
}

bool LaneSpread::pass_on(std::uint32_t member, std::uint32_t full, std::uint32_t parts) noexcept {
  std::uint32_t heir = SharingGraph::kNone;
  if (line_[full].full.bytes != 0 || parts != SharingGraph::kNone) {
    for (const std::uint32_t referrer : graph_->referrers(member)) {
      if (full_of_[referrer] != SharingGraph::kNone) {
        add_full(line_[full].full, line_[full_of_[referrer]].full);
        if (!add_parts(parts, referrer)) return false;
        continue;
      }
      enqueue(referrer);
      if (heir != SharingGraph::kNone && !copy_to(heir, full, parts)) return false;
      heir = referrer;
    }
  }
  if (heir != SharingGraph::kNone) {
    full_of_[heir] = full;
    parts_of_[heir] = parts;
  } else {
    free_[free_count_++] = full;
    free_parts(parts);
  }
  return true;
}

bool LaneSpread::copy_to(std::uint32_t member, std::uint32_t full, std::uint32_t parts) noexcept {
  full_of_[member] = take_line();
  if (full_of_[member] == SharingGraph::kNone) return false;
  line_[full_of_[member]] = line_[full];
  std::uint32_t* link = &parts_of_[member];
  for (; parts != SharingGraph::kNone; parts = line_[parts].part.next) {
    *link = take_line();
    if (*link == SharingGraph::kNone) return false;
    line_[*link] = line_[parts];
    link = &line_[*link].part.next;
    *link = SharingGraph::kNone;
  }
  return true;
}

void LaneSpread::add_full(const Full& from, Full& to) const noexcept {
  for (std::uint32_t w = 0; w < kFullWords; ++w) {
    std::uint64_t fresh = from.set[w] & ~to.set[w];
    to.set[w] |= fresh;
    for (; fresh != 0; fresh &= fresh - 1) {
      const std::uint32_t lane = w * 64 + static_cast<std::uint32_t>(std::countr_zero(fresh));
      to.bytes += lanes_->lanes[round_.first_lane + lane].bytes;
    }
  }
}

// Both lists are in the order of lanes.
bool LaneSpread::add_parts(std::uint32_t from, std::uint32_t member) noexcept {
  Full& full = line_[full_of_[member]].full;
  std::uint32_t* link = &parts_of_[member];
  for (; from != SharingGraph::kNone; from = line_[from].part.next) {
    const std::uint32_t lane = line_[from].part.lane;
    if (has(full.set, lane)) continue;
    while (*link != SharingGraph::kNone && line_[*link].part.lane < lane)
      link = &line_[*link].part.next;
    if (*link == SharingGraph::kNone || line_[*link].part.lane != lane) {
      if (insert_part(link, lane) == SharingGraph::kNone) return false;
    }
    Part& part = line_[*link].part;
    add_bits(line_[from].part, part);
    if (is_complete(part)) complete(link, full);
  }
  return true;
}

std::uint32_t LaneSpread::insert_part(std::uint32_t* link, std::uint32_t lane) noexcept {
  const std::uint32_t made = take_line();
  if (made == SharingGraph::kNone) return SharingGraph::kNone;
  line_[made].part = Part{{}, 0, lane, *link};
  *link = made;
  return made;
}

void LaneSpread::add_bits(const Part& from, Part& to) const noexcept {
  const std::uint32_t first = lanes_->lanes[round_.first_lane + from.lane].first_bit;
  for (std::uint32_t w = 0; w < kPartWords; ++w) {
    std::uint64_t fresh = from.set[w] & ~to.set[w];
    to.set[w] |= fresh;
    for (; fresh != 0; fresh &= fresh - 1)
      to.bytes +=
          lanes_->bit_bytes[first + w * 64 + static_cast<std::uint32_t>(std::countr_zero(fresh))];
  }
}

bool LaneSpread::is_complete(const Part& part) const noexcept {
  std::uint32_t bits = 0;
  for (const std::uint64_t word : part.set) bits += static_cast<std::uint32_t>(std::popcount(word));
  return bits == lanes_->bits_in(round_.first_lane + part.lane);
}

// The part at `link` has all bits of its lane.
void LaneSpread::complete(std::uint32_t* link, Full& full) noexcept {
  const Part part = line_[*link].part;
  free_[free_count_++] = *link;
  *link = part.next;
  full.set[part.lane >> 6] |= bit(part.lane);
  full.bytes += part.bytes;
}

void LaneSpread::free_parts(std::uint32_t parts) noexcept {
  for (; parts != SharingGraph::kNone; parts = line_[parts].part.next) free_[free_count_++] = parts;
}

std::uint32_t LaneSpread::take_line() noexcept {
  if (free_count_ > 0) return free_[--free_count_];
  if (used_lines_ == line_.size()) return SharingGraph::kNone;
  most_lines_ = std::max(most_lines_, used_lines_ + 1);
  return used_lines_++;
}

// After an error: everything as it was before the round.
void LaneSpread::give_back() noexcept {
  std::fill(full_of_.begin(), full_of_.end(), SharingGraph::kNone);
  std::fill(parts_of_.begin(), parts_of_.end(), SharingGraph::kNone);
  std::fill(queued_.begin(), queued_.end(), 0);
  std::fill(queued_any_.begin(), queued_any_.end(), 0);
  free_count_ = used_lines_ = 0;
}

}  // namespace holdfast::analysis
