// Text as it should be: golden/NAME.txt beside the sources.
// Why a file: a change of the text is read as a difference. HF_UPDATE_GOLDEN=1 writes what is instead of comparing.
// Shape:  one file a text.   Zone: tests.   Errors: a failed check.
#pragma once

#include <string>

namespace holdfast::cli {

void check_golden(const std::string& name, const std::string& text);

// What is another in every run (a directory, a process) has no place in a golden text.
std::string replaced(std::string text, const std::string& what, const std::string& by);

}  // namespace holdfast::cli
