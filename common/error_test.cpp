#include "common/error.h"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

#include "common/cancel.h"
#include "common/result.h"
#include "common/typed_index.h"

using namespace holdfast;

namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return make_error(ErrorCode::kInconsistent, number);
  return number / 2;
}
Result<int> quarter(int number) {
  HF_TRY(once, half(number));
  return half(once);
}
Result<void> checked(int number) {
  HF_CHECK_OK(half(number));
  return {};
}

}  // namespace

TEST_CASE("every code has a text of its own, and an unknown one has one too") {
  std::set<std::string_view> texts;
  const auto last = static_cast<int>(ErrorCode::kBadOption);
  for (int code = 0; code <= last; ++code) texts.insert(error_text(static_cast<ErrorCode>(code)));
  CHECK(texts.size() == static_cast<std::size_t>(last + 1));
  CHECK(error_text(static_cast<ErrorCode>(999)) == "an unknown error");
}

TEST_CASE("an error names its line and carries its detail through callers") {
  const Error error = make_error(ErrorCode::kIo, 28);
  CHECK(error.line == __LINE__ - 1);
  CHECK(error.detail == 28);
  CHECK(*quarter(8) == 2);
  CHECK(quarter(6).error().detail == 3);
  CHECK(checked(2).ok());
  CHECK(checked(5).error().code == ErrorCode::kInconsistent);
}

TEST_CASE("a cancel token answers until it is reset") {
  CancelToken cancel;
  CHECK(cancel.check().ok());
  cancel.cancel();
  CHECK(cancel.check().error().code == ErrorCode::kCancelled);
  cancel.reset();
  CHECK(cancel.check().ok());
}

TEST_CASE("an index is none until it is given a value") {
  CHECK_FALSE(ObjectId{}.valid());
  CHECK(ObjectId{0}.valid());
  CHECK(ObjectId{3} < ObjectId{4});
}
