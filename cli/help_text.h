// What --help prints.
// Why by hand: examples first, one screen, and only what is built; a test checks that every option is in it.
// Shape:  constant text of at most 80 columns.   Zone: offline.   Errors: none.
#pragma once

#include <string>

namespace holdfast::cli {

std::string main_help();                // of the commands that are there
std::string start_page();               // without a command: at most 15 lines
extern const char* const kNoPagesHelp;  // behind those with --html, where there are no pages
extern const char* const kReportHelp;
extern const char* const kAnalyzeHelp;
extern const char* const kPsHelp;
extern const char* const kQuestionsHelp;  // behind both of these
// -- help_text_compare.cpp --
extern const char* const kDiffHelp;
extern const char* const kTrendHelp;
// -- help_text_gate.cpp --
extern const char* const kAssertHelp;
// -- help_text_export.cpp --
std::string export_help();  // with the formats that there are
// -- help_text_agent.cpp --
extern const char* const kDemoHelp;
extern const char* const kDoctorHelp;
extern const char* const kDumpHelp;
extern const char* const kStatusHelp;
extern const char* const kWatchHelp;
extern const char* const kCancelHelp;
extern const char* const kDetachHelp;
extern const char* const kCompletionHelp;
std::string set_help();  // with the keys that there are

}  // namespace holdfast::cli
