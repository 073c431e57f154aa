// What --help prints for the commands that talk to running processes.
#include "cli/help_text.h"
#include "cli/text/display_text.h"
#include "common/control/run_time_options.h"
#include "common/options.h"

namespace holdfast::cli {

const char* const kDemoHelp =
    R"(Starts a service that leaks, dumps it, and shows the report and its page.

Usage: holdfast demo [options]

Needs nothing but a Java runtime of 8 or later: of JAVA_HOME, PATH, or
/usr/lib/jvm. The service listens at the loopback address, has the agent from
its start, and ends with this command. Report and page stay in a new directory
of TMPDIR, or /tmp.

Options:
  --html FILE     where the page goes; else beside the report
  -o DIR          the directory of the report, instead of a new one
  --no-open       do not open the page in a browser
  --library FILE  libholdfast.so; else beside this command
  --help          this text

Where there is a screen (DISPLAY, WAYLAND_DISPLAY) the page is opened with
xdg-open, or with BROWSER. Its address is printed in any case.

Examples:
  holdfast demo
  holdfast demo -o shop --no-open
)";

const char* const kDoctorHelp =
    R"(Shows what works here, and why something does not.

Usage: holdfast doctor [PID] [options]

Without PID: the system, the permissions, the installation, and the runtimes of
this machine. With PID, a number or a part of the name of exactly one VM: can
it be dumped, by which capture method, and why not by a better one. Nothing is
changed, and no agent is loaded.

Options:
  --json          for programs: one JSON document (schema_version 1)
  --library FILE  libholdfast.so; else beside this command
  --color WHEN    auto (on a terminal, unless NO_COLOR is set), always, never
  --width N       columns, 40 to 500 (COLUMNS, else the terminal, else 80)
  --help          this text

Each line: 'ok'; 'limited', when something works less well; 'no'; or 'unknown',
when it cannot be read, with the reason.

Exit code 4 when something speaks against a dump, 0 otherwise.

Examples:
  holdfast doctor
  holdfast doctor 4242
  holdfast doctor shop.Main --json | jq '.findings[] | select(.verdict != "ok")'
)";

const char* const kDumpHelp =
    R"(Dumps a running process, says what that costs it, and prints the report's path.

Usage: holdfast dump PID [options]

PID is a number, or a part of the name of exactly one VM. Where the process has
no agent yet it gets one, which stays there idle (on=off) until 'holdfast
detach' or the end. stdout has the path of the report and nothing else.

What is dumped:
  --simple         classes, instances and bytes
  --extended       the object graph too: what holds what; its frozen capture
                   obeys --pause only, not the agent's pause= (without either:
                   extended where its pause is short enough)
  --capture HOW    frozen (a copy of the process, a pause of milliseconds),
                   walk (the VM's own way, slow; without --pause it has no
                   limit) or objects (a walk that asks for each object, in a
                   VM of JVMPI)
  --pause TIME     the longest pause allowed, such as 500ms (else pause=)
  --snapshot       keep the whole graph beside the report (.hfs)
  --analyses WHAT  what is worked out on the graph, as analyses= has it: all,
                   classes alone, or some of retained, suspects, objects, tree,
                   threads, loaders, packages, statistics, reachable, cuts,
                   holders joined with '+'

Where the report goes:
  -o FILE          copy it there: complete or not at all, and nothing is
                   replaced but an empty file or a report
  --file PATTERN   its name in the agent's directory, as file= has it
  --report         show the report instead of its path

For a new agent:
  --dir DIR        where it writes; else the process' current directory if it
                   may write there, else its /tmp
  --library FILE   libholdfast.so; else beside this command
  --options OPTS   more options, as -agentpath takes them

Else:
  --timeout TIME   give up waiting (10m); the dump itself goes on
  --quiet          only warnings and errors on stderr
  --json           what was done, as JSON
  --help           this text

The first Ctrl-C cancels the dump; the application does not notice.

Examples:
  holdfast report $(holdfast dump 4242)
  holdfast dump shop.Main --extended --pause 200ms -o shop.hfr
)";

const char* const kStatusHelp =
    R"(Shows the agent in a process: triggers, dumps, memory, CPU, options.

Usage: holdfast status PID [--json]

PID is a number, or a part of the name of exactly one VM.

Options:
  --json           for programs: one JSON document (schema_version 1)
  --help           this text

Examples:
  holdfast status 4242
  holdfast status 4242 --json | jq '.dumps[0].report_path'
)";

const char* const kWatchHelp =
    R"(Shows the classes of a running process and how they grow, like top.

Usage: holdfast watch PID [options]

PID is a number, or a part of the name of exactly one VM with an agent.

Options:
  --interval TIME  a sample so often (100ms to 24h); else as often as costs the
                   application at most 1 %
  --sort ORDER     growth since the start (default), bytes or instances
  --top N          so many classes, and so many memory accounts
  --filter PATTERN only classes such as com.acme.*; without * a part of the name
  --holders PATTERN
                   below them: who holds the instances of these classes, by the
                   last extended report of the process
  --count N        end after N samples
  --once           one histogram, by bytes
  --json           a JSON object a sample, each on a line; with --once just one
  --help           this text

Keys: q quits, s takes the next order, space pauses the screen. Where stdout is
no terminal each sample is a block of plain lines.

A sample that counts in place counts garbage too: bytes go up until the next
collection. Memory accounts of a process that counts them (accounts=) stand
below the classes: what of each lives, and what it allocated since the sample
before. Where ages are followed (ages=on), the classes that pile up stand there,
too. NO_COLOR is honored.

Examples:
  holdfast watch 4242
  holdfast watch 4242 --once --json | jq '.classes[:5]'
  holdfast watch 4242 --holders shop.Session
  holdfast watch 4242 --filter 'com.acme.*' --interval 30s --count 20 > growth.txt
)";

const char* const kCancelHelp =
    R"(Gives up the dump that runs in a process, and the one that waits.

Usage: holdfast cancel PID

PID is a number, or a part of the name of exactly one VM. The application does
not notice; no file is left.

Options:
  --help           this text
)";

const char* const kDetachHelp =
    R"(Has the agent leave a process: its triggers, threads, memory and socket go.

Usage: holdfast detach PID

PID is a number, or a part of the name of exactly one VM. A dump that runs is
given up. 'holdfast dump' brings the agent back.

Options:
  --help           this text
)";

const char* const kCompletionHelp =
    R"(Prints a script that completes commands, options, processes and files.

Usage: holdfast completion bash|zsh

Options:
  --help           this text

Examples:
  source <(holdfast completion bash)        in ~/.bashrc
  source <(holdfast completion zsh)         in ~/.zshrc
)";

namespace {

constexpr const char* kSetHelp =
    R"(Changes options of the agent in a running process, and prints those in force.

Usage: holdfast set PID KEY=VALUE[,KEY=VALUE...] [--library FILE]

PID is a number, or a part of the name of exactly one VM. Where the process has
no agent yet it gets one, so that triggers can be armed in any running VM.

Options:
  --library FILE   libholdfast.so for a new agent; else beside this command
  --help           this text

Examples:
  holdfast set 4242 on=oom+signal
  holdfast set 4242 every=5m,max-dumps=50

Keys (the others are fixed once an agent runs):
)";

constexpr std::size_t kKeyColumns = 17;
constexpr std::size_t kHelpColumns = 80;

}  // namespace

std::string set_help() {
  std::string text = kSetHelp;
  for (const OptionRow& row : option_table()) {
    if (!control::changes_at_run_time(row.key)) continue;
    std::string margin = "  " + std::string(row.key);
    margin.resize(kKeyColumns + 2, ' ');
    const std::string meaning = std::string(row.meaning) + ": " + std::string(row.allowed);
    for (const std::string& line : wrap_words(meaning, kHelpColumns - margin.size())) {
      text += margin + line + '\n';
      margin.assign(margin.size(), ' ');
    }
  }
  return text;
}

}  // namespace holdfast::cli
