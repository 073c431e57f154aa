// Which account a frame belongs to: that of the class that declares its method, by the patterns of `accounts=`.
// Why the declaring class, without arguments: code of generic classes is shared, and all of `Shop.Cache<T>` is one account's anyway. What the
//      compiler makes of a class (closures, state machines, iterators, local functions) is nested in it, and so falls to its account.
// Shape:  asked for once and kept, 24 bytes a slot, 786 KB; 3 to 8 calls of the runtime the first time. Frames of DynamicMethods belong to
//         nobody: an emitted accessor is on account of whoever calls it, and its FunctionID may be another's by now.
// Zone:   one thread that the runtime does not know, application running. Functions must be alive: unloads wait (allocation_accounts.h).
// Errors: open(): kOutOfBudget. What the runtime does not tell is no account's.
// Source: ICorProfilerInfo2::GetFunctionInfo2; README.md of names/.
#pragma once

#include "clrprofiler/accounts/id_cache.h"
#include "clrprofiler/names/modules.h"
#include "common/accounts/account_book.h"

namespace holdfast::clr {

struct FrameAccount {
  AccountId account = kUnaccounted;
  StringId method{
      0};  // in the book's names; only where methods are told apart, and it has an account
};

class FunctionAccounts {
 public:
  // All outlive this object; what is made in `arena` afterwards does not touch it.
  Result<void> open(ProfilerInfo& info, Modules& modules, AccountBook& book, Arena& arena) noexcept;
  const FrameAccount& of(FunctionID function) noexcept;
  // Something was unloaded: what was known may be of another by now.
  void forget() noexcept { known_.forget(); }

 private:
  FrameAccount ask(FunctionID function) noexcept;
  bool is_dynamic(FunctionID function) noexcept;
  void name_class(const Module& module, mdTypeDef token) noexcept;
  StringId name_method(std::string_view method) noexcept;

  ProfilerInfo* info_ = nullptr;
  Modules* modules_ = nullptr;
  AccountBook* book_ = nullptr;
  IdCache<FrameAccount, 1u << 15> known_;
  NameText class_name_;  // "Shop.Cache`1+Node"
  NameText shown_;
};

}  // namespace holdfast::clr
