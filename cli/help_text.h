// What --help prints.
// Why by hand: examples first, one screen, and only what is built; a test checks that every option is in it.
// Shape:  constant text of at most 80 columns.   Zone: offline.   Errors: none.
#pragma once

namespace holdfast::cli {

extern const char* const kMainHelp;
extern const char* const kReportHelp;
extern const char* const kAnalyzeHelp;
extern const char* const kPsHelp;
extern const char* const kQuestionsHelp;  // behind both of these

}  // namespace holdfast::cli
