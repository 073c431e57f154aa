// Result<T>: a value or an Error, over tl::expected, that must be looked at.
// Why our own class: tl::expected's value() on an error is undefined when exceptions are off, so it is deleted here.
// Zone:   any.   Errors: carries them; dereferencing an error aborts.
#pragma once

#include <cstdlib>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#include "common/error.h"

namespace holdfast {

template <class T>
class [[nodiscard]] Result {
 public:
  using Value = T;
  // A function returns a value or an error as it is. NOLINTBEGIN(google-explicit-constructor)
  Result(T value) noexcept : inner_(std::move(value)) {}
  Result(Error error) noexcept : inner_(tl::unexpected<Error>(error)) {}
  // NOLINTEND(google-explicit-constructor)

  bool ok() const noexcept { return inner_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  T& operator*() & noexcept { return check(), *inner_; }
  const T& operator*() const& noexcept { return check(), *inner_; }
  T&& operator*() && noexcept { return check(), std::move(*inner_); }
  T* operator->() noexcept { return check(), &*inner_; }
  const T* operator->() const noexcept { return check(), &*inner_; }
  const Error& error() const noexcept { return inner_.error(); }
  void value() const = delete;

 private:
  void check() const noexcept {
    if (!inner_.has_value()) std::abort();
  }
  tl::expected<T, Error> inner_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) noexcept : inner_(tl::unexpected<Error>(error)) {}
  bool ok() const noexcept { return inner_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  const Error& error() const noexcept { return inner_.error(); }
  void value() const = delete;

 private:
  tl::expected<void, Error> inner_;
};

}  // namespace holdfast

// Leaves the function with the error of `expression`, else binds its value to `name`.
#define HF_TRY(name, expression)                    \
  auto name##_result = (expression);                \
  if (!name##_result) return name##_result.error(); \
  auto& name = *name##_result
#define HF_CHECK_OK(expression)                                              \
  do {                                                                       \
    if (auto hf_result = (expression); !hf_result) return hf_result.error(); \
  } while (false)
