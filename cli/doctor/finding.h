// What `holdfast doctor` finds: a fact, what it means for a dump, and what to do.
// Shape:  one line each, in groups.   Zone: offline.   Errors: none; what cannot be read is kUnknown, with the reason as its fact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::cli {

enum class Verdict : std::uint8_t {
  kOk,
  kLimited,  // works less well
  kNo,       // speaks against a dump
  kUnknown,
};

struct Finding {
  Verdict verdict = Verdict::kOk;
  std::string subject;  // a word, the same in text and JSON
  std::string fact;
  std::string advice = {};  // empty: nothing to do
};

struct FindingGroup {
  std::string title;
  std::vector<Finding> findings;
};
using Findings = std::vector<FindingGroup>;

// "why (error 13)" becomes words.
std::string reason_text(int error);
Finding unknown(std::string subject, const std::string& what, int error);

}  // namespace holdfast::cli
