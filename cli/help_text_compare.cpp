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
  --sort ORDER      by change of retained, shallow or instances (default:
                    retained where both have it, else shallow)
  --section NAME    only classes, states, tree, objects, packages, loaders
                    or accounts
                    (repeatable)
  --top N           rows of each list (text: 15; else all)
  --json            for programs: one JSON document (schema_version 1)
  --html OUT        for a browser: one page that needs nothing else, under 3 MB
  --color WHEN      auto (on a terminal, unless NO_COLOR is set), always, never
  --width N         columns, 40 to 500 (COLUMNS, else the terminal, else 80)
  --help            this text

Examples:
  holdfast diff monday.hfr tuesday.hfr
  holdfast diff monday.hfr tuesday.hfr --html tuesday.html
  holdfast diff a.hfr b.hfr --class 'com.acme.*' --sort instances
  holdfast diff a.hfr b.hfr --json | jq -r '.classes[] | select(.status == "new").class'

A report lists its largest classes and sums up the others. A class that only one
report lists may be among the others in the other one: then it is shown with the
most that it can have there (≤), and is neither new nor gone.
)";

const char* const kTrendHelp =
    R"(Shows which classes grow over the reports of a process, how fast, and how sure
that is.

Usage: holdfast trend DIR [options]
       holdfast trend FILE FILE ... [options]

DIR: its reports (*.hfr). They are sorted by process and time; the process with
the most reports is shown. Damaged files are named and skipped.

Options:
  --process PID     the reports of this process
  --all-processes   every process, one after the other
  --class PATTERN   only classes of this name: com.acme.*, *Session (repeatable)
  --skip PATTERN    without these: 'java.*' (repeatable)
  --sort ORDER      what is judged: shallow (default), instances, or retained
                    (of extended dumps alone)
  --top N           rows (text: 15; else all)
  --json            for programs: one JSON document (schema_version 1)
  --html OUT        for a browser: one page with charts, under 3 MB
  --color WHEN      auto (on a terminal, unless NO_COLOR is set), always, never
  --width N         columns, 40 to 500 (COLUMNS, else the terminal, else 80)
  --help            this text

A class is said to grow only when the test of Mann and Kendall, corrected for
the number of classes, finds a rise that chance would show less than once in a
hundred times, when each quarter of the time adds to it, and when it has not
fallen again. With fewer reports than that needs (8 to 10) it says how many more
are wanted: 'holdfast set PID every=10m' makes them. Memory accounts are judged
alike, by what of each lives; reports of another accounting are named.

Examples:
  holdfast trend /var/dumps
  holdfast trend /var/dumps --all-processes --html trend.html
  holdfast trend /var/dumps --class 'com.acme.*' --sort instances
  holdfast trend /var/dumps --json | jq '.processes[0].classes[] | select(.course == "grows")'
)";

}  // namespace holdfast::cli
