#include "common/accounts/account_patterns.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/accounts/pattern_source.h"
#include "common/accounts/plain_class_name.h"

namespace holdfast {

namespace {

constexpr char kWanted[] =
    "wanted is a.b (a package or class), a.b.* (all below it), * (everything), jar:NAME or "
    "module:NAME, joined with '+', or a file of such lines (a path that begins with / or .)";
constexpr char kTwice[] = "the same pattern came before";
constexpr std::string_view kBelowEnding = ".*";
constexpr std::string_view kEverything = "*";
constexpr std::string_view kJarPrefix = "jar:";
constexpr std::string_view kModulePrefix = "module:";

std::uint32_t hash_of(std::string_view key) noexcept {
  return static_cast<std::uint32_t>(XXH3_64bits(key.data(), key.size()));
}

bool starts_with(std::string_view text, std::string_view start) noexcept {
  return text.substr(0, start.size()) == start;
}

// What no class name has, and what would be a slip: a list with commas, a signature, a wildcard inside a name.
constexpr std::string_view kNotInNames = " */\\,;:()[]{}<>\"'=?";
constexpr std::string_view kNotInOrigins = "*/\\";

bool lacks(std::string_view text, std::string_view refused) noexcept {
  return std::none_of(text.begin(), text.end(), [refused](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7F ||
           refused.find(c) != std::string_view::npos;
  });
}

bool ends_with(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool has_empty_part(std::string_view name) noexcept {
  return name.empty() || name.front() == '.' || name.back() == '.' ||
         name.find("..") != std::string_view::npos;
}

// The prefix of `text` that ends where its last part but those behind `end` does; 0: there is none.
std::size_t shorter(std::string_view text, std::size_t end) noexcept {
  const std::size_t dot = text.substr(0, end).rfind('.');
  return dot == std::string_view::npos ? 0 : dot;
}

}  // namespace

// -- load --

Result<void> AccountPatterns::reserve(std::uint32_t patterns, std::size_t text_bytes,
                                      Arena& arena) noexcept {
  HF_TRY(names, arena.make_filled<std::string_view>(std::size_t{patterns} + 1, {}));
  HF_TRY(slots, arena.make_filled<Slot>(std::bit_ceil(std::size_t{patterns} * 2 + 2), Slot{}));
  HF_TRY(keys, arena.make<char>(text_bytes + 1));
  names[0] = kUnaccountedName;
  names_ = names.first(1);
  slots_ = slots;
  keys_ = keys;
  return {};
}

Result<AccountPatterns> AccountPatterns::make(std::string_view text, Arena& arena,
                                              PatternError& error) noexcept {
  AccountPatterns made;
  Source source;
  HF_CHECK_OK(source.open(text, arena, error));
  HF_CHECK_OK(made.reserve(source.most_patterns(), source.text_bytes(), arena));
  HF_CHECK_OK(made.add_all(source, error));
  return made;
}

Result<AccountPatterns> AccountPatterns::none(Arena& arena) noexcept {
  AccountPatterns made;
  HF_CHECK_OK(made.reserve(0, 0, arena));
  return made;
}

// False: this is no pattern. `*` has neither kind nor key.
bool AccountPatterns::read(std::string_view piece, Pattern& out) noexcept {
  out = {kName, piece};
  if (piece == kEverything) return true;
  if (starts_with(piece, kJarPrefix)) out = {kJar, piece.substr(kJarPrefix.size())};
  if (starts_with(piece, kModulePrefix)) out = {kModule, piece.substr(kModulePrefix.size())};
  if (out.kind != kName) return !out.key.empty() && lacks(out.key, kNotInOrigins);
  if (ends_with(piece, kBelowEnding))
    out = {kBelow, piece.substr(0, piece.size() - kBelowEnding.size())};
  return !has_empty_part(out.key) && lacks(out.key, kNotInNames) &&
         !PlainClassName(out.key).text().empty();
}

Result<void> AccountPatterns::add_all(Source& source, PatternError& error) noexcept {
  static_assert(kMaxAccounts == 10'000 && kMaxPatternBytes == 255);  // as the sentences say
  std::string_view piece;
  while (source.next(piece)) {
    Pattern pattern;
    if (count() > kMaxAccounts)
      return source.refuse(error, piece, "there are more than 10000 patterns");
    if (piece.size() > kMaxPatternBytes)
      return source.refuse(error, piece, "a pattern has at most 255 bytes");
    if (!read(piece, pattern)) return source.refuse(error, piece, kWanted);
    if (!add(piece, pattern)) return source.refuse(error, piece, kTwice);
  }
  if (count() == 1) return source.refuse_all(error, "there is no pattern in this file");
  return {};
}

// False: an equal one is there already.
bool AccountPatterns::add(std::string_view written, const Pattern& pattern) noexcept {
  const AccountId account = count();
  AccountId* place = &everything_;
  if (written != kEverything) {
    const bool is_name = pattern.kind == kName || pattern.kind == kBelow;
    const PlainClassName name(is_name ? pattern.key : std::string_view());
    place = &slot_of(is_name ? name.text() : pattern.key).accounts[pattern.kind];
  }
  if (*place != kUnaccounted) return false;
  *place = account;
  names_ = {names_.data(), names_.size() + 1};
  names_[account] = written;
  wants_jars_ = wants_jars_ || pattern.kind == kJar;
  wants_modules_ = wants_modules_ || pattern.kind == kModule;
  return true;
}

AccountPatterns::Slot& AccountPatterns::slot_of(std::string_view key) noexcept {
  if (const Slot* const found = find(key))
    return slots_[static_cast<std::size_t>(found - slots_.data())];
  const std::uint32_t hash = hash_of(key);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].text_bytes != 0) at = (at + 1) & mask;
  Slot& slot = slots_[at];
  slot.text_at = static_cast<std::uint32_t>(keys_used_);
  slot.text_bytes = static_cast<std::uint32_t>(key.size());
  slot.hash = hash;
  std::memcpy(keys_.data() + keys_used_, key.data(), key.size());
  keys_used_ += key.size();
  return slot;
}

// -- any --

const AccountPatterns::Slot* AccountPatterns::find(std::string_view key) const noexcept {
  const std::uint32_t hash = hash_of(key);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].text_bytes != 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && key == std::string_view(keys_.data() + slot.text_at, slot.text_bytes))
      return &slot;
  }
  return nullptr;
}

AccountId AccountPatterns::match_name(std::string_view class_name) const noexcept {
  const PlainClassName name(class_name);
  const std::string_view text = name.text();
  for (std::size_t end = text.size(); end != 0; end = shorter(text, end)) {
    const Slot* const slot = find(text.substr(0, end));
    if (slot == nullptr) continue;
    // The class, one that it is nested in, or its own package; not one above that.
    if (slot->accounts[kName] != kUnaccounted && end >= name.package_bytes())
      return slot->accounts[kName];
    const bool has_parts_behind = end < text.size() || name.has_more_parts();
    if (slot->accounts[kBelow] != kUnaccounted && has_parts_behind) return slot->accounts[kBelow];
  }
  return kUnaccounted;
}

AccountId AccountPatterns::match_origin(std::string_view origin, Kind kind) const noexcept {
  if (origin.empty()) return kUnaccounted;
  const Slot* const slot = find(origin);
  return slot == nullptr ? kUnaccounted : slot->accounts[kind];
}

AccountId AccountPatterns::match(std::string_view class_name,
                                 const ClassOrigin& origin) const noexcept {
  if (slots_.empty()) return kUnaccounted;
  if (const AccountId named = match_name(class_name); named != kUnaccounted) return named;
  if (wants_jars_)
    if (const AccountId jar = match_origin(origin.jar, kJar); jar != kUnaccounted) return jar;
  if (wants_modules_)
    if (const AccountId module = match_origin(origin.module, kModule); module != kUnaccounted)
      return module;
  return everything_;
}

}  // namespace holdfast
