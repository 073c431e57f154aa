// The few rules of COM that the profiling API needs: identifiers, results, references.
// Zone:   any.   Errors: none.
// Source: "The Component Object Model Specification", section on IUnknown.
#pragma once

#include <cstring>
#include <string_view>
#include <utility>

#include "clrprofiler/abi/corprof.h"
#include "common/result.h"

namespace holdfast::clr {

// {D5B1C4E6-5B0E-4E0B-9C4C-7E1F0A6B7A11}: by this CORECLR_PROFILER names the agent.
inline constexpr GUID kAgentClass{
    0xD5B1C4E6, 0x5B0E, 0x4E0B, {0x9C, 0x4C, 0x7E, 0x1F, 0x0A, 0x6B, 0x7A, 0x11}};

inline constexpr std::string_view kAgentClassText = "{D5B1C4E6-5B0E-4E0B-9C4C-7E1F0A6B7A11}";

inline bool same(const GUID& a, const GUID& b) noexcept {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
constexpr bool succeeded(HRESULT result) noexcept { return result >= 0; }

inline Result<void> check(HRESULT result) noexcept {
  if (succeeded(result)) return {};
  return make_error(ErrorCode::kVm, static_cast<std::uint32_t>(result));
}

// A reference that is given back. `T` is an interface of corprof.h.
template <class T>
class ComRef {
 public:
  ComRef() = default;
  explicit ComRef(T* object) noexcept : object_(object) {}
  ComRef(ComRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ComRef& operator=(ComRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~ComRef() { reset(); }
  void reset() noexcept {
    if (object_ != nullptr) object_->Release();
    object_ = nullptr;
  }
  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  // For a call that hands out a reference.
  T** out() noexcept {
    reset();
    return &object_;
  }
  void** untyped_out() noexcept { return reinterpret_cast<void**>(out()); }

 private:
  T* object_ = nullptr;
};

}  // namespace holdfast::clr
