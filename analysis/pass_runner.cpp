#include "analysis/pass_runner.h"

namespace holdfast::analysis {

PassRecord& PassRunner::begin(const char* name) noexcept {
  PassRecord& record =
      findings_.pass_count < kMaxPasses ? findings_.passes[findings_.pass_count++] : overflow_;
  record = PassRecord{};
  record.name = name;
  return record;
}

void PassRunner::leave_out(PassRecord& record, const Error& error) noexcept {
  record.left_out = error_text(error.code).data();  // a literal, so it ends in NUL
  cancelled_ = cancelled_ || error.code == ErrorCode::kCancelled;
}

}  // namespace holdfast::analysis
