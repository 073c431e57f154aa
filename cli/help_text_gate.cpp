#include "cli/help_text.h"

namespace holdfast::cli {

const char* const kAssertHelp =
    R"(Checks what a report says against what you demand; for builds and scripts.

Usage: holdfast assert FILE 'EXPR' ['EXPR' ...] [options]

FILE is a report (.hfr), or a snapshot (.hfs) with a report inside. All
expressions are checked and shown, not only the first that fails.

Expressions: QUANTITY COMPARISON LIMIT, in quotes: shells read < and *.

  CLASS.instances  how many; also .shallow, .retained, .largest (the retained
                   size of the largest single one), .reachable (of the single
                   one that reaches most). CLASS may be a pattern: com.acme.*
  loader:NAME.retained, package:NAME.retained
                   the same of a class loader or a package; also .classes
  total.shallow    of all objects that are held; also .instances, .classes
  account("NAME").live
                   what code of a memory account holds, by samples; also
                   .allocated, .since (the last report), .in_heap (live, by what
                   the dump counted); with _objects behind: how many objects
  heap.used        heap in use; also .committed, .max
  state:unreachable.shallow
                   what is in a state of the heap: strong, soft, weak, final,
                   phantom, unreachable, possible_slot; also .instances
  suspects         leak suspects; suspects.loud: of 60 % confidence and more
  CLASS.old_instances, .old_shallow
                   those alone that have survived 8 collections or more, or are
                   tenured; sampled_old_...: 4 or more, estimated from samples
  piling_up        classes that piled up before the dump; piling_up(95%): those
                   that are so sure
  loitering        bytes of old objects of classes that are allocated no more;
                   also .instances, .classes (all of ages: with ages=on)
  growth(...)      any of these, less what the baseline says

Comparisons: <= < >= > == !=
Limits: counts 10, 5k, 1m (thousands, millions); sizes 512, 64KB, 50MB, 1.5GB,
or k, m, g, t (1 KB = 1,024 bytes); 80% of all objects or bytes, heap.used of
the maximum, growth of the baseline's figure.

Options:
  --baseline FILE the report that growth(...) compares with
  --junit OUT     also write JUnit XML: one testcase an expression
  --markdown      a table for a build's summary page, instead of the text
  --json          for programs: one JSON document (schema_version 1)
  --color WHEN    auto (on a terminal, unless NO_COLOR is set), always, never
  --width N       columns, 40 to 500 (COLUMNS, else the terminal, else 80)
  --help          this text

Exit codes: 0 all hold, 1 one fails, 4 none fails but one cannot be decided: a
report sums up classes that it has no room for, retained sizes of several
classes overlap, a simple dump has none. What cannot be decided never counts as
holding. 2 wrong usage, 3 a file is damaged or not ours.

Examples:
  holdfast assert app.hfr 'com.acme.Session.instances <= 10' 'suspects.loud == 0'
  holdfast assert app.hfr 'com.acme.*.retained < 50MB' 'heap.used < 80%'
  holdfast assert new.hfr --baseline old.hfr 'growth(com.acme.*.instances) <= 0'
  holdfast assert app.hfr 'account("com.acme.*").live < 200MB'
  holdfast assert app.hfr 'piling_up == 0' 'loitering <= 10MB'
  holdfast assert app.hfr 'total.shallow <= 1.5GB' --junit heap.xml
)";

}  // namespace holdfast::cli
