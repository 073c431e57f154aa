// Does the format tell the truth? Objects that the API tells of are read as memory, in a child, at the same standstill.
// Why a child: a wrong offset reads wild memory, and only a child may crash.
// Shape:  the first kObjects objects: class, size and references, in order; every segment's objects end where it does; threads, classes and
//         static fields fit what the API tells (format_checks.h); handles, the finalizer's queue and thread statics hold objects of classes. Beside a collection in the background, which goes on meanwhile, nothing can be
//         compared: it is awaited.
// Zone:   run(): capture, on a thread that the runtime does not know.
// Errors: run(): nullptr, or what is not as it should be.
#pragma once

#include "clrprofiler/frozen/freeze.h"

namespace holdfast::clr {

class SelfCheck {
 public:
  static constexpr std::size_t kObjects = 10'000;

  SelfCheck(ProfilerInfo& info, const HeapFormat& format, CaptureMemory& memory,
            const FrozenWork& work) noexcept
      : info_(info), format_(format), memory_(memory), work_(work) {}

  const char* run() noexcept;

 private:
  struct Told {
    Address object = 0;
    Address type = 0;
    std::uint64_t bytes = 0;
    std::uint64_t references = 0;  // a sum over all of them, in order
  };

  Result<int> run_child() noexcept;
  static const char* text_of(const Result<int>& answer) noexcept;
  static void note_stopped(void* check) noexcept;
  static BOOL HF_COM note_object(ObjectID object, void* check) noexcept;
  static int check_in_child(Freeze& freeze) noexcept;
  int compare(Freeze& freeze) noexcept;
  int fail(int step, const Error& error) noexcept;

  ProfilerInfo& info_;
  const HeapFormat& format_;
  CaptureMemory& memory_;
  const FrozenWork& work_;
  std::span<Told> told_;
  std::size_t count_ = 0;
  bool beside_collection_ = false;
};

}  // namespace holdfast::clr
