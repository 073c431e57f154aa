// Help of the commands that compare reports.
#include "cli/help_text.h"

namespace holdfast::cli {

const char* const kDiffHelp =
    R"(Compares two reports: what grew most, what shrank, what is new, what is gone.

Usage: holdfast diff A B [options]

A is the earlier report, B the later one (.hfr, or .hfs with a report inside).
Simple dumps are compared by instances and shallow sizes, extended ones also by
retained sizes and along the paths of the dominator tree; one of each as far as
the simple one goes. What makes a comparison doubtful (other program, other
process, other rules, wrong order) is said in a warning.

Options:
  --class PATTERN   only classes of this name: com.acme.*, *Session (repeatable)
  --skip PATTERN    without these: 'java.*' (repeatable)
  --sort ORDER      by change of retained, shallow or instances (default: retained
                    where both have it, else shallow)
  --section NAME    only classes, tree, packages or loaders (repeatable)
  --top N           rows of each list (text: 15; JSON: all)
  --json            for programs: one JSON document (schema_version 1)
  --color WHEN      auto, always or never; auto: on a terminal, unless NO_COLOR is
                    set
  --width N         columns, 40 to 500 (COLUMNS, else the terminal's width, else 80)
  --help            this text

Examples:
  holdfast diff monday.hfr tuesday.hfr
  holdfast diff a.hfr b.hfr --class 'com.acme.*' --sort instances
  holdfast diff a.hfr b.hfr --json | jq -r '.classes[] | select(.status == "new").class'

A report lists its largest classes and sums up the others. A class that only one
report lists may be among the others in the other one: then it is shown with the
most that it can have there (≤), and is neither new nor gone.
)";

}  // namespace holdfast::cli
