"""The program accounts_load: it allocates as it is told and knows what it has allocated, and what reports say of it."""
import collections
import json
import pathlib

import harness
from talk import ask

HERE = pathlib.Path(__file__).resolve().parent
SAMPLING_SINCE = 11
PATTERNS = "accounts=load.orders+load.billing.*+load.library.Shelf+load.plugin"
FEW = 2_000  # objects of each kind, where every one is looked at


def classes():
    return harness.compile_java("accounts-load", sorted((HERE / "accounts_load").rglob("*.java")))


def start(jdk, options, *vm_args, classpath=None):
    # With the collector that is Java 11's own, sampling stops behind a large array until the next buffer (docs/decisions/040-allocation-sampling-java.md).
    collector = ["-XX:+UseSerialGC"] if jdk.version == 11 and "-XX:-UseTLAB" not in vm_args else []
    jvm = harness.Jvm(jdk, ["-Xmx600m", *collector, *vm_args, "-cp", classpath or classes(), "load.AccountsLoad"], options)
    try:
        jvm.wait_line("^READY", 120)
        return jvm
    except BaseException:
        jvm.stop()
        raise


def tell(jvm, *words, timeout_s=300):
    jvm.ask(" ".join(map(str, words)), f"^DONE {words[0]}$", timeout_s)


def truth(jvm):
    """{(account, class): (objects, bytes)} and {(account, principal): bytes}, by the program's own count."""
    jvm.send("truth")
    rows, pairs = collections.defaultdict(lambda: (0, 0)), collections.Counter()
    while True:
        line = jvm.wait_line(r"^(TRUTH|TOLD)(.*)").group(0).split("\t")
        if line[0] == "TOLD":
            jvm.wait_line("^DONE truth")
            return {key: value for key, value in rows.items() if value[0]}, pairs
        account, principal, name, objects, size = line[1:]
        before = rows[account, name]
        rows[account, name] = (before[0] + int(objects), before[1] + int(size))
        pairs[account, principal.replace("-", "(unaccounted)")] += int(size)


def read_accounts(path):
    return json.loads(harness.run_command("report", "--json", "--section", "accounts", path).stdout)["accounts"]


def accounts(jvm, *words):
    return read_accounts(ask("dump", jvm.pid, "--quiet", *(words or ["--simple"])).stdout.rstrip("\n"))


def by_class(found):
    return {(row["account"], row["class"]): row for row in found["classes"]}
