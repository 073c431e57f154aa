#include "cli/help_text.h"

#include "cli/demo/demo_service.h"

namespace holdfast::cli {

namespace {

constexpr const char* kMainHead =
    R"(holdfast shows what holds the objects of a Java or .NET program in memory.

Usage: holdfast COMMAND [options]

Commands:
  dump PID        a dump of a running process, now; prints where its report is
  report FILE     show a report (.hfr, .hfs): what leaks, what holds it
  diff A B        what grew between two reports, and by how much
  trend DIR       what grows over many reports of a process, and how sure
  analyze FILE    the same for a heap dump of something else (HPROF, PHD)
  assert FILE EX  check a report against limits: for builds
  export FILE     the same for other programs: pprof, flame graphs, CSV
  ps [PID]        which processes have a Java or .NET VM, which the agent
  watch PID       the classes of a running process, like top
  status PID      what its agent waits for, has done and costs
  set PID OPTS    change the agent's options while it runs: triggers, limits
  cancel PID      give up the dump that runs or waits
  detach PID      have the agent leave the process
  doctor [PID]    what works here or in a process, and why something does not
)";
constexpr const char* kMainDemo =
    "  demo            a service that leaks, dumped and shown; needs a Java alone\n";
constexpr const char* kMainTail =
    R"(  completion SH   a script that completes all this in bash or zsh

Options:
  --help          this text; 'holdfast COMMAND --help' says more
  --version       the version, its build, and the report format it reads

Examples:
  holdfast report $(holdfast dump 4242)
  holdfast report shop-web1-4242.hfr --json | jq .verdict
  holdfast analyze heap.hprof

PID is a number, or a part of the name of exactly one VM.

Exit codes: 0 done, 1 an assertion fails, 2 wrong usage, no such file or
process, 3 the file or the answer is damaged or not ours, 4 refused (a
permission, a limit, a full disk), 5 our own fault. Without a command the
first steps are shown, with exit code 2.
)";

constexpr const char* kStartHead =
    R"(holdfast shows what holds the objects of a Java or .NET program in memory.

Dump a process that runs, and see what holds its objects:
  holdfast ps                                 lists them
  holdfast report $(holdfast dump PID)
Read a report, also as a page for a browser:
  holdfast report shop.hfr --html shop.html
Load the agent at the start, for a report at an OutOfMemoryError:
  java -agentpath:/path/to/libholdfast.so=dir=/var/dumps -jar app.jar

)";
constexpr const char* kStartDemo =
    "  holdfast demo      the first two with a service that leaks; needs a Java alone\n";
constexpr const char* kStartTail =
    R"(  holdfast doctor    what works here, and why something does not
  holdfast --help    all commands
)";

}  // namespace

const char* const kNoPagesHelp =
    R"(
This holdfast was built without pages: --html is refused.
)";

std::string main_help() {
  return std::string(kMainHead) + (demo_is_built() ? kMainDemo : "") + kMainTail;
}

std::string start_page() {
  return std::string(kStartHead) + (demo_is_built() ? kStartDemo : "") + kStartTail;
}

const char* const kReportHelp =
    R"(Shows a report: the verdict first, then what it rests on, then everything else.

Usage: holdfast report FILE [options]

FILE is a report (.hfr), or a snapshot (.hfs) with a report inside; of that only
the head is read.

Options:
  --json          for programs: a JSON document with all rows (schema_version 1)
  --html OUT      for a browser: one file that needs no other, under 3 MB
  --json --brief  a summary of at most 64,000 bytes, with what to ask next
  --section NAMES only these, joined with commas: verdict, suspects, classes,
                  tree, objects, reachable, cuts, holders, accounts,
                  collections, aging, ages, threads, packages, loaders,
                  graph, cost, losses, origin
  --class PATTERN only classes, who holds them, suspects, objects, frames and
                  nodes of the dominator tree that match (repeatable)
  --account NAME  one memory account, whole: who called it, its classes,
                  methods and threads
  --skip PATTERN  without classes that match (repeatable)
  --under AT      of the dominator tree what is below a node: its number (#12)
                  or its class, or a pattern; --depth N: so many levels of the
                  tree
  --top N         rows of each list (text: 15; JSON and page: all)
  --sort ORDER    one class table by retained, shallow or instances; without it
                  text has two: by retained and by shallow size
  --color WHEN    auto (on a terminal, unless NO_COLOR is set), always, never
  --width N       columns, 40 to 500 (COLUMNS, else the terminal, else 80)
  --help          this text

Examples:
  holdfast report shop.hfr | less
  holdfast report shop.hfr --html shop.html
  holdfast report shop.hfr --color always --width 120 | less -R
  holdfast report shop.hfr --top 50 --sort instances
  holdfast report shop.hfr --account 'shop.cart.*'
  holdfast report shop.hfr --section tree --skip 'java.*' --depth 5
  holdfast report shop.hfr --json | jq '.suspects[0] | .class, .retained_bytes'

Sizes: 1 KB = 1,024 bytes. Retained size: what would be freed if the object, or
all objects of the set, were no longer held.
)";

const char* const kAnalyzeHelp =
    R"(Analyses a heap dump that something else made, and shows or keeps the report.

Usage: holdfast analyze FILE [-o REPORT] [options]

FILE is an HPROF dump (of jcmd GC.heap_dump, jmap,
-XX:+HeapDumpOnOutOfMemoryError and others; 1.0.x), a holdfast snapshot (.hfs),
or an IBM heap dump (PHD, or text); plain, or compressed with gzip or zstd: then
it is first unpacked to TMPDIR or /tmp.

Options:
  -o REPORT       write the report (.hfr) instead of showing it
  --objects CSV   one row per held object: address, class, shallow, retained,
                  immediate dominator (0: the root), component, reachable, and
                  whether that is an estimate (1) or exact (0)
  --reachable-limit TIME
                  of --objects and --statistics: reachable sizes that are not
                  found in time (30s, 5m) are estimated; 0: all that need time
  --snapshot HFS  keep the whole graph, compact
  --retain WHAT   which references hold an object: strong, +soft, +weak, +final,
                  +phantom, +unreachable (default: strong+soft)
  --like mat      Eclipse MAT's rules: its shallow sizes, retained sizes and
                  immediate dominators for every object; all references hold
  --memory SIZE   refuse to take more (2g, 500m); the need is about 70 bytes an
                  object and 14 a reference
  --quiet         no progress
  --json, --html OUT, --section NAMES, --class PATTERN, --skip PATTERN,
  --under AT, --depth N, --top N, --sort ORDER, --color WHEN, --width N
                  how to show it, as for 'holdfast report'

An existing file is replaced only when it is empty or of the same kind. A
damaged dump is read as far as it makes sense, and the report says what is lost.

Examples:
  holdfast analyze heap.hprof
  holdfast analyze heap.hprof.gz -o heap.hfr --snapshot heap.hfs
  holdfast analyze heap.hprof --like mat --objects objects.csv -o heap.hfr
  holdfast analyze heap.hprof --dominators-of 'char[]' --skip 'java.*'
)";

const char* const kPsHelp =
    R"(Lists the processes that have a Java or .NET VM, and says which have the agent.

Usage: holdfast ps [PID] [options]

With PID, only this one; exit code 4 when it has no VM.

Options:
  --json          for programs: one JSON document (schema_version 1)
  --all           also the processes that may not be looked at (other users')
  --color WHEN    auto (on a terminal, unless NO_COLOR is set), always, never
  --width N       columns, 40 to 500 (COLUMNS, else the terminal, else 80)
  --help          this text

Agent: 'listens' means that 'holdfast dump', 'status' and the others reach it;
'loaded', that it is in the process without a control socket (control=off, or it
turned itself off). Containers are named by the first 12 digits of their id.

Examples:
  holdfast ps
  holdfast ps --json | jq -r '.processes[] | select(.agent == "none") | .pid'
)";

const char* const kQuestionsHelp =
    R"(
Questions to the whole graph of a dump or a snapshot, answered in place of the
report (SET: a class name or pattern such as com.acme.*, or
loader:NAME, package:NAME); --json gives rows, --top N limits them:
  --group-by KEY        the dominator tree by class, loader, package (--depth N)
  --retained-of SET     what a set retains: minimum (by dominators) and exact
  --reachable-of SET    what a set reaches together, beside what it retains
  --dominators-of SET   who holds it: immediate dominators, class by class;
                        --skip PATTERN (repeatable) looks past them: 'java.*'
  --paths-to SET        shortest paths from the GC roots, merged class by class;
                        --without soft+weak or --without Class.field leaves
                        references out
  --dominator-path AT   from the root down to the object at an address, or to
                        the largest object of a class
  --suspects mat        leak suspects by Eclipse MAT's rule
  --statistics          nodes, roots, leaves, components, (dominating)
                        articulation points, widths and heights of trees; and
                        how far reachable and retained sizes are apart, exact
                        unless --reachable-limit TIME says for how long
As HeapRoots has it, whether there are GC roots or not (AT: an address, #NUMBER
or a class name: its largest object):
  --from-roots          objects without referrers, one of each cycle that they
                        do not reach, and below each the tree of what it owns
                        (--depth N)
  --root-of AT          the root that owns an object, and the way from it
  --keeping-alive AT    what an object reaches, and what of it only through it
  --strong-only         of these: without soft, weak, final and phantom links
  --class-references    of these: with references to class objects
)";

}  // namespace holdfast::cli
