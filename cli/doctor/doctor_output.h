// Findings as text for one screen, and as JSON.
// Shape:  everything goes through Page and json_text.   Zone: offline.   Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "cli/doctor/finding.h"

namespace holdfast::cli {

// What was looked at; pid 0: this machine.
struct DoctorSubject {
  std::uint32_t pid = 0;
  std::string name;
};

bool speaks_against_dump(const Findings& findings);
std::string doctor_text(const DoctorSubject& subject, const Findings& findings, std::size_t columns,
                        bool colour);
std::string doctor_json(const DoctorSubject& subject, const Findings& findings);

}  // namespace holdfast::cli
