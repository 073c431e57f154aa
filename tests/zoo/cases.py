"""Heaps that were not designed to suit us, and what is right to say of each. zoo.py keeps the promises that hold for all of them."""
from typing import NamedTuple


class Case(NamedTuple):
    name: str
    program: str          # java/PROGRAM.java or real/REAL/PROGRAM.java; "dotnet" for tests/dotnet/programs/ZooKinds, "dotnet-service" for ZooService
    words: tuple = ()
    heap: str = "512m"    # -Xmx
    vm: tuple = ()        # more of the VM's options
    trigger: str = "command"  # or "oom", "exit"
    pause_ms: int = 100   # the bound that is asked for
    says: tuple = ()      # regular expressions of the verdict and its first suspect, all of them
    never: tuple = ()     # and none of these
    oldest: int = 8       # the first JDK or .NET that can run it,
    newest: int = 99      # and the last
    env: tuple = ()       # pairs
    whole: bool = False   # too long for the short form
    open: str = ""        # what is wrong today; the short form leaves it out
    real: str = ""        # a folder of real/: a real program, of that package of Debian, with these jars of /usr/share/java
    package: str = ""
    jars: tuple = ()

    @property
    def on_clr(self):
        return self.program.startswith("dotnet")

    @property
    def under_load(self):
        return bool(self.real) or self.program == "dotnet-service"


def suspect(count, of, holder):
    """The first line of the verdict: `4,000 shop.Session retain ..., held by static field shop.Registry.SESSIONS`."""
    number = f"{count:,}" if isinstance(count, int) else f"({count})"
    return (rf"{number} (\S*\.)?{of} retain ", rf"static (field )?{holder}")


DEEP = [Case(f"deep-stacks-{threads}x{frames}", "DeepStacks", (threads, frames), says=(r"No leak suspect|Object\[\] retain .*stack slot",), whole=threads > 200)
        for threads, frames in ((200, 50), (1_000, 150), (1_000, 400), (2_000, 2_000))]

HANDLES = [Case(f"handles-{kind}", "Handles", ("LIBRARY", kind, count), pause_ms=20, says=says)
           for kind, count, says in (
               ("global", 1_000_000, (r"1,000,000 Handles\$Message retain ", "JNI global")),
               ("local", 100_000, (r"100,000 Handles\$Message retain ", r"(JNI local|local variable).* Handles\.keepLocals")),
               ("weak", 100_000, ("No leak suspect",)))]

BACKLOGS = [
    Case("finalizers", "Finalizers", (20_000, 10_000), heap="1g", says=(r"19,999 (\S*\.)?Finalizers\$Connection", r"wait for finalizers", r"Finalizers\$Connection\.finalize", r"19\d\.\d MB")),
    Case("cleaners", "Cleaners", (20_000, 2_000), oldest=9, says=(r"(20,000|19,999) Cleaners\$State retain", r"CLEANER|[Cc]leaner"))]

SHAPES = [
    Case("cross-references", "CrossReferences", (500_000,), says=(r"CrossReferences\.(PAYLOAD|GRAPH)",)),
    Case("cross-references-oom", "CrossReferences", (0,), heap="600m", trigger="oom", says=(r"CrossReferences\.(PAYLOAD|GRAPH)", "OutOfMemoryError"),
         pause_ms=0, whole=True),
    Case("long-list", "LongList", (5_000_000,), says=suspect(5_000_000, r"LongList\$Node", r"LongList\.head"), whole=True),
    Case("collisions", "Collisions", (14,), says=suspect(16_384, r"Collisions\$Value", r"Collisions\.ALL_ALIKE")),
    Case("big-arrays", "BigArrays", (4, 700), heap="4g", says=(r"4 byte\[\] retain 2\.\d GB", r"BigArrays\.FRAMES"), whole=True),
    Case("garbage", "Garbage", (20_000, 400_000), heap="1g", vm=("-XX:+UseSerialGC", "-Xmn700m"),
         says=(*suspect(20_000, r"Garbage\$Request", r"Garbage\.OPEN"), r"unreachable|garbage|not reached")),
    Case("deep-tree", "Trees", ("deep", 300_000), says=(r"Object\[\] retain", r"Trees\.top")),
    Case("grid", "Trees", ("grid", 400), says=suspect(160_000, r"Trees\$Cell", r"Trees\.corner")),
    Case("shared", "Shared", (20_000,), says=(r"20,000 Shared\$Message", r"Shared\.SERVER", r"Buffer", r"Analysis"), never=("hide nothing here",))]

CLASSES = [
    Case("hidden-classes", "ManyClasses", ("hidden", 50_000), says=(r"50,000 .*Plugin", r"ManyClasses\.PLUGINS"), never=(r"One Object\[\]",), whole=True,
         oldest=15),
    Case("loaders", "ManyClasses", ("loaders", 20_000), heap="1g", says=(r"20,000 .*Plugin", r"ManyClasses\.PLUGINS"), whole=True, oldest=15)]

CACHES = [
    Case("soft-cache", "Caches", ("soft", 50_000), says=(r"50,000 Caches\$Page", r"soft", r"Caches\.CACHE")),
    Case("weak-cache", "Caches", ("weak", 50_000), says=suspect(50_000, r"Caches\$Page", r"Caches\.ALSO")),
    Case("thread-local-cache", "Caches", ("thread", 48_000),
         says=(r"48,000 Caches\$Page retain", r"8 threads' values of the ThreadLocal in static field Caches\.OWN_PAGES", r"worker-")),
    Case("inherited-thread-local", "Caches", ("inherited", 48_000),
         says=(r"48,000 Caches\$Page retain", r"60 threads' values of the ThreadLocal in static field Caches\.INHERITED", r"worker-")),
    Case("static-final", "BusyCache", ("final", 40_000), says=suspect(r"39,999|40,\d\d\d", r"BusyCache\$Session", r"BusyCache\.CACHE"), never=(r"held by a local",)),
    Case("computed-cache", "BusyCache", ("computed", 40_000), says=suspect(r"39,999|40,\d\d\d", r"BusyCache\$Session", r"BusyCache\.COMPUTED"),
         never=(r"held by a local",))]

OTHERS = [
    Case("virtual-threads", "VirtualThreads", (100_000, 5), heap="1g", says=(r"100,000 VirtualThreads\$Request retain", r"virtual thread"), oldest=21,
         whole=True),
    Case("off-heap", "OffHeap", (2_000, 64), says=(r"2,000 OffHeap\$Channel", r"OffHeap\.CHANNELS", r"12\d(\.\d)? MB"),
         open="memory outside of the heap is not counted by its owners")]

# Real programs under load: what they keep is right, and so is what a developer of each would be shown.
# What a compiler works on is no leak: there is no suspect, or none that is loud (60 %).
NO_LEAK = (r"No leak suspect|confidence [1-5]?\d %",)
ACTIVEMQ_JARS = ("activemq-broker.jar", "activemq-client.jar", "activemq-openwire-legacy.jar", "geronimo-jms_1.1_spec.jar",
                 "geronimo-j2ee-management-1.1-spec.jar", "hawtbuf.jar", "slf4j-api.jar", "slf4j-nop.jar")
KOTLIN_JARS = tuple(f"/usr/share/kotlin/kotlinc/lib/{name}.jar" for name in ("kotlin-compiler", "kotlin-stdlib", "kotlin-reflect", "kotlin-script-runtime",
                                                                             "trove4j", "annotations-13.0"))
REAL = [
    Case("zookeeper", "ZooKeeperServer", (100_000,), real="zookeeper", package="libzookeeper-java", jars=("zookeeper.jar", "slf4j-nop.jar"),
         says=(r"100,\d\d\d (\S*\.)?DataNode retain", r"DataTree\.nodes"), never=(r"held by a local",), whole=True),
    Case("activemq", "Broker", (20_000,), real="activemq", package="libactivemq-java", jars=ACTIVEMQ_JARS, oldest=11,
         says=(r"20,000 (\S*\.)?PendingNode retain", r"Queue\.messages"), never=(r"TimerThread\.mainLoop",)),
    Case("javac", "Compilers", ("java", 1_000), real="compiler", says=NO_LEAK, whole=True),
    Case("kotlinc", "Compilers", ("kotlin", 100), real="compiler", package="kotlin", jars=KOTLIN_JARS, says=NO_LEAK, whole=True, newest=17)]


def dotnet(name, *words, program="dotnet", **more):
    return Case(f"dotnet-{name}", program, words, **more)


STATICS_TABLE = (r"also held by an object of class object\[\]",)  # where the runtime keeps static fields is no further holder
DOTNET = [
    dotnet("finalizer", "finalizer", 4_000, says=(r"3,999 \S*Finalizer\.Connection", r"finalizer queue", r"Finalize")),
    dotnet("oom-unhandled", "oom", env=(("DOTNET_GCHeapHardLimit", "0x6000000"),), trigger="oom", pause_ms=0, says=(r"OutOfMemory\.Kept",)),
    dotnet("queue", "queue", 4_000, says=suspect(4_000, r"ZooKinds\.Item", r"ZooKinds\.Holders\.Queue"), never=STATICS_TABLE),
    dotnet("two-holders", "two-holders", 4_000, says=(r"4,000 ZooKinds\.Item retain", r"Holders\.Items", r"Holders\._one")),
    dotnet("one-odd", "one-odd", 20_000, says=suspect(r"20,000|20,001", r"Holders\.Connection", r"ZooKinds\.Holders\.Connections"),
           never=STATICS_TABLE),
    dotnet("thread-static", "thread-static", 4_000, says=(r"4,000 ZooKinds\.Item retain", r"ThreadStatics\.t_items", r"4 threads|worker-")),
    dotnet("deep-stacks", "deep", 50, 2_000, says=(r"100,0\d\d object\[\] retain", r"ZooKinds\.Threads\.Down")),
    dotnet("slow-to-stop", "slow-to-stop", says=("No leak suspect",), pause_ms=0),
    dotnet("service", "serve", 10_000, says=(r"10,000 ZooService\.Report retain", r"ServiceProviderEngineScope\._disposables"), never=("TimerQueue", *STATICS_TABLE),
           program="dotnet-service"),
    dotnet("contexts", "contexts", 50, 30, says=suspect(1_500, r"ZooKinds\.Item", r"ZooKinds\.Contexts\.Plugins") + (r"50 classes of this name",)),
    dotnet("filled-contexts", "filled-contexts", 50, 200, says=(r"10,000 ZooKinds\.Item retain", r"held by 50 load contexts")),
    dotnet("interned", "interned", 40_000, says=(r"40,0\d\d string retain", r"interned strings")),
    dotnet("handles", "handles", 20_000, pause_ms=20, says=(r"20,000 ZooKinds\.Item retain", r"held by a strong handle each"))]

CASES = {case.name: case for case in [*DEEP, *HANDLES, *BACKLOGS, *SHAPES, *CLASSES, *CACHES, *OTHERS, *REAL, *DOTNET]}
