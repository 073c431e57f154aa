// Takes a sample to the book: the account of its stack, the names of its class, method and thread, and whether its object is followed.
// Shape:  the account is that of the nearest frame to the top of the stack that has one; its principal that of the next frame further down
//         with another one. A stack that was cut, or not told, without one is counted (AccountLosses::stacks_cut).
//         Classes by ClassID once, 16 bytes a slot, 131 KB; about 30 KB for ClassReader, 56 to 150 B for each of kMoreModules modules.
// Zone:   one thread that the runtime does not know, application running. Classes and functions must be alive (allocation_accounts.h).
// Errors: open(): kOutOfBudget.
#pragma once

#include "clrprofiler/accounts/function_accounts.h"
#include "clrprofiler/accounts/live_objects.h"
#include "clrprofiler/accounts/sample_ring.h"
#include "clrprofiler/names/class_reader.h"

namespace holdfast::clr {

class SampleWriter {
 public:
  // A large service has some 400; what comes beyond these has no name until something is unloaded.
  static constexpr std::uint32_t kMoreModules = 4096;

  // All outlive this object; what is made in `arena` afterwards goes with forget().
  Result<void> open(ProfilerInfo& info, AccountBook& book, WeakHandles& handles, LiveObjects& live,
                    Arena& arena) noexcept;
  void write(const AllocationSample& sample) noexcept;
  // Something was unloaded: ids may be of others from now on. Classes and modules are asked for anew.
  void forget() noexcept;
  void close() noexcept { modules_.close(); }

 private:
  Result<void> open_names() noexcept;
  AllocationKey key_of(const AllocationSample& sample, StringId name) noexcept;
  bool passes_class(StringId name) noexcept;
  StringId class_name(ClassID id) noexcept;

  ProfilerInfo* info_ = nullptr;
  AccountBook* book_ = nullptr;
  WeakHandles* handles_ = nullptr;
  LiveObjects* live_ = nullptr;
  Arena* arena_ = nullptr;
  Arena::Mark before_names_ = 0;
  bool has_names_ = false;
  FunctionAccounts functions_;
  IdCache<StringId, 1u << 13> classes_;
  Modules modules_;
  ClassReader reader_;
};

}  // namespace holdfast::clr
