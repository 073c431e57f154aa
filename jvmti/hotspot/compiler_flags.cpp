#include "jvmti/hotspot/compiler_flags.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "jvmti/hotspot/vm_flags.h"

namespace holdfast::jvmti {

namespace {

constexpr char kStringBytesIntrinsic[] = "_toBytesStringU";
constexpr std::int64_t kUsualRecompilationLimit = 400;
constexpr std::int64_t kRaisedRecompilationLimit = 10'000;

// The table shows the VM's own variables, which are not constant.
template <class T>
void write_flag(const std::byte* value, T now) noexcept {
  std::memcpy(const_cast<std::byte*>(value), &now, sizeof now);
}

}  // namespace

OffShortcuts turn_off_shortcuts(VmSymbol symbol, bool strings_are_bytes) noexcept {
  OffShortcuts done{false, !strings_are_bytes};
  VmTables tables;
  if (!tables.open(symbol)) return done;
  if (const std::byte* concat = find_vm_flag(tables, "OptimizeStringConcat")) {
    if (read_at<std::uint8_t>(concat) != 0) write_flag(concat, std::uint8_t{0});
    done.string_concatenation = true;
  }
  const std::byte* list = strings_are_bytes ? find_vm_flag(tables, "DisableIntrinsic") : nullptr;
  if (list == nullptr) return done;
  const auto* named = read_at<const char*>(list);
  if (named == nullptr || *named == '\0') {
    write_flag(list, &kStringBytesIntrinsic[0]);
    done.string_bytes = true;
  }
  return done;
}

bool raise_recompilation_limit(VmSymbol symbol) noexcept {
  VmTables tables;
  if (!tables.open(symbol)) return false;
  const std::byte* const limit = find_vm_flag(tables, "PerMethodRecompilationCutoff");
  if (limit == nullptr || read_at<std::int64_t>(limit) != kUsualRecompilationLimit) return false;
  write_flag(limit, kRaisedRecompilationLimit);
  return true;
}

}  // namespace holdfast::jvmti
