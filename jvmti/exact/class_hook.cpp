#include "jvmti/exact/class_hook.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "jvmti/exact/account_state.h"
#include "jvmti/exact/counting_class.h"
#include "jvmti/rewriting/class_rewriter.h"
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

// "shop.Cart.put", of which overloads are one; a longer name has no number.
struct MethodNumbers {
  static constexpr std::size_t kMaxBytes = 2 * DottedName::kMaxBytes;
  MethodNumbers(std::string_view class_name, AccountId of_class, AccountBook& book) noexcept
      : owner(class_name), account(of_class), names(book) {}

  static std::int32_t of(void* context, std::string_view method) noexcept {
    const auto& numbers = *static_cast<MethodNumbers*>(context);
    const std::string_view type = numbers.owner.view();
    if (type.empty() || type.size() + 1 + method.size() > kMaxBytes)
      return entered_by(numbers.account, StringId{0});
    char text[kMaxBytes];
    char* end = std::copy(type.begin(), type.end(), text);
    *end++ = '.';
    end = std::copy(method.begin(), method.end(), end);
    return entered_by(numbers.account,
                      numbers.names.name({text, static_cast<std::size_t>(end - text)}));
  }

  DottedName owner;
  AccountId account;
  AccountBook& names;
};

}  // namespace

ClassHook::~ClassHook() {
  if (memory_ != nullptr) platforms::release_pages(memory_, kMemoryBytes);
}

Result<void> ClassHook::open(const AccountPatterns& patterns, AccountBook* names, Ledger& ledger,
                             MemoryCategory category) noexcept {
  patterns_ = &patterns;
  names_ = names;
  if (!ledger.charge(category, kMemoryBytes))
    return make_error(ErrorCode::kOutOfBudget, kMemoryBytes);
  memory_ = platforms::reserve_pages(kMemoryBytes);
  if (memory_ == nullptr || !platforms::commit_pages(memory_, kMemoryBytes)) {
    ledger.refund(category, kMemoryBytes);
    return make_error(ErrorCode::kOutOfMemory, kMemoryBytes);
  }
  return {};
}

void ClassHook::stop() noexcept {
  const platforms::MutexLock lock(working_);
  patterns_ = nullptr;
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

// The new class, or nothing. What the JDK's four get comes last, so that nothing of it is rewritten. Unless Object has come by, as the first
// of all classes, and has what it needs, nobody knows that the doors will be there: then every class stays as it is.
std::span<const std::byte> ClassHook::rewritten(std::string_view name,
                                                std::span<const std::byte> file,
                                                const ClassOrigin& origin) noexcept {
  const CoreClass which = core_class(name);
  const bool first = which == CoreClass::kObject;
  if (name == kCountingClass || file.size() > kMostClassBytes - kMostAddedBytes) return {};
  if (patterns_ == nullptr || (!object_added_ && !first)) return {};
  RewritePlan plan;
  plan.account = static_cast<std::int32_t>(account_of(name, origin));
  plan.has_account = plan.account != static_cast<std::int32_t>(kUnaccounted);
  plan.callee_owner = kDoorClass;
  std::optional<MethodNumbers> numbers;
  if (names_ != nullptr && plan.has_account) {
    numbers.emplace(name, static_cast<AccountId>(plan.account), *names_);
    plan.number_of = &MethodNumbers::of;
    plan.context = &*numbers;
  }
  Scratch scratch({memory_, kScratchBytes});
  const RewriteResult result =
      rewrite_class(file, plan, scratch, {memory_ + kScratchBytes, kMostClassBytes});
  if (result.outcome == RewriteOutcome::kLeftAlone) ++counts_.classes_left_alone;
  for (std::size_t reason = 1; reason < kLeftAloneReasons; ++reason)  // 0: none
    counts_.methods_left_alone += result.methods_left_alone[reason];
  const std::span<const std::byte> made(memory_ + kScratchBytes, result.bytes);
  return which == CoreClass::kNone ? made : with_additions(which, made.empty() ? file : made);
}

std::span<const std::byte> ClassHook::with_additions(CoreClass which,
                                                     std::span<const std::byte> file) noexcept {
  Scratch scratch({memory_, kScratchBytes});
  std::byte* const room = memory_ + kScratchBytes + kMostClassBytes;
  ClassFile read;
  if (read.read(file, scratch) == LeftAlone::kNo) {
    if (const auto added = add_to_core(which, read, {room, kMostClassBytes})) {
      ++counts_.core_classes;
      object_added_ = object_added_ || which == CoreClass::kObject;
      return *added;
    }
  }
  return {};
}

ClassHook::Counts ClassHook::counts() const noexcept {
  const platforms::MutexLock lock(working_);
  return counts_;
}

}  // namespace holdfast::jvmti
