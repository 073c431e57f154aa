#include "jvmti/exact/class_hook.h"

#include <algorithm>
#include <iterator>

#include "jvmti/exact/core_additions.h"
#include "jvmti/exact/counting_class.h"
#include "jvmti/rewriting/scratch.h"
#include "platforms/pages.h"

namespace holdfast::jvmti {

namespace {

constexpr std::size_t kMemoryBytes = kScratchBytes + 2 * ClassHook::kMostClassBytes;

// Code that counting itself runs on, or in which the current thread changes between a method's begin and its end: such methods
// enter no account, and what they allocate is their callers'.
constexpr std::string_view kInNoAccount[] = {
    "java/lang/Object",
    "java/util/Objects",
    "java/lang/Class",
    "jdk/internal/misc/Unsafe",
    "sun/misc/Unsafe",
    "java/lang/VirtualThread",
    "java/lang/BaseVirtualThread",
    "jdk/internal/vm/Continuation",
    "java/lang/ThreadBuilders$BoundVirtualThread",
};

bool in_no_account(std::string_view name) noexcept {
  return std::find(std::begin(kInNoAccount), std::end(kInNoAccount), name) !=
         std::end(kInNoAccount);
}

// "java/util/ArrayList" -> "java.util.ArrayList"; a longer name belongs to no account.
struct DottedName {
  static constexpr std::size_t kMaxBytes = 1024;
  explicit DottedName(std::string_view internal) noexcept {
    if (internal.size() > kMaxBytes) return;
    std::transform(internal.begin(), internal.end(), text,
                   [](char c) { return c == '/' ? '.' : c; });
    bytes = internal.size();
  }
  std::string_view view() const noexcept { return {text, bytes}; }
  char text[kMaxBytes];
  std::size_t bytes = 0;
};

}  // namespace

ClassHook::~ClassHook() {
  if (memory_ != nullptr) platforms::release_pages(memory_, kMemoryBytes);
}

Result<void> ClassHook::open(const AccountPatterns& patterns, Ledger& ledger,
                             MemoryCategory category) noexcept {
  patterns_ = &patterns;
  if (!ledger.charge(category, kMemoryBytes))
    return make_error(ErrorCode::kOutOfBudget, kMemoryBytes);
  memory_ = platforms::reserve_pages(kMemoryBytes);
  if (memory_ == nullptr || !platforms::commit_pages(memory_, kMemoryBytes)) {
    ledger.refund(category, kMemoryBytes);
    return make_error(ErrorCode::kOutOfMemory, kMemoryBytes);
  }
  return {};
}

void ClassHook::load(std::string_view internal_name, std::span<const std::byte> file,
                     const ClassOrigin& origin, Keep keep, void* context) noexcept {
  const platforms::MutexLock lock(working_);
  ++counts_.classes_seen;
  const std::span<const std::byte> made = rewritten(internal_name, file, origin);
  if (!made.empty() && !keep(context, made)) ++counts_.classes_left_alone;
}

AccountId ClassHook::account_of(std::string_view name, const ClassOrigin& origin) const noexcept {
  return in_no_account(name) ? kUnaccounted : patterns_->match(DottedName(name).view(), origin);
}

// The new class, or nothing.
std::span<const std::byte> ClassHook::rewritten(std::string_view name,
                                                std::span<const std::byte> file,
                                                const ClassOrigin& origin) noexcept {
  if (name == kCountingClass || file.size() > kMostClassBytes - kMostAddedBytes) return {};
  [[maybe_unused]] const AccountId account = account_of(name, origin);
  return with_additions(name, file);
}

std::span<const std::byte> ClassHook::with_additions(std::string_view name,
                                                     std::span<const std::byte> file) noexcept {
  const CoreClass which = core_class(name);
  if (which == CoreClass::kNone) return {};
  Scratch scratch({memory_, kScratchBytes});
  ClassFile read;
  if (read.read(file, scratch) != LeftAlone::kNo) {
    counts_.core_refused = true;
    return {};
  }
  std::byte* const room = memory_ + kScratchBytes + kMostClassBytes;
  const auto added = add_to_core(which, read, {room, kMostClassBytes});
  if (!added) {
    counts_.core_refused = true;
    return {};
  }
  ++counts_.core_classes;
  return *added;
}

ClassHook::Counts ClassHook::counts() const noexcept {
  const platforms::MutexLock lock(working_);
  return counts_;
}

}  // namespace holdfast::jvmti
