"""The programs of the accounts benchmark: one of each kind of DaCapo 2006 that a Debian package can do, driven by accounts/*.java."""
import pathlib
from typing import NamedTuple

import harness

HERE = pathlib.Path(__file__).resolve().parent / "accounts"
JARS = pathlib.Path("/usr/share/java")
SHARED = ("Rounds", "Digest", "Words", "TwoThreads")
LUCENE = {name: f"lucene-{name}-8.7.0.jar" for name in ("core", "analyzers-common", "queryparser", "queries", "sandbox")}
HEAP_MB = 256       # all of it touched beforehand, so that peak memory tells what comes on top


class Program(NamedTuple):
    name: str             # DaCapo 2006's
    driver: str           # the class with main()
    package: str          # Debian's
    jars: tuple
    accounts: str         # patterns whose accounts call each other all the time
    warmups: int          # rounds until the compiler has settled
    rounds: int           # timed: 5 to 10 s on the machine of tests/bench's tables
    more_sources: tuple = ()
    vm_args: tuple = ()

    def class_path(self):
        jars = [JARS / jar for jar in self.jars]
        harness.need_package(self.package, *jars)
        sources = [HERE / f"{name}.java" for name in (*SHARED, self.driver, *self.more_sources)]
        classes = harness.compile_java(f"accounts-{self.name}", sources, jars)
        return ":".join(map(str, (classes, *jars)))

    def words(self, warmups=None, rounds=None):
        """What comes after `java` and the variant's words."""
        return [f"-Xms{HEAP_MB}m", f"-Xmx{HEAP_MB}m", "-XX:+AlwaysPreTouch", *self.vm_args, "-cp", self.class_path(), self.driver,
                f"warmups={warmups or self.warmups}", f"rounds={rounds or self.rounds}"]


ALL = (
    Program("antlr", "ParserMaker", "libantlr-java", ("antlr.jar",), "antlr.*+java.util.*", 40, 45),
    Program("chart", "ChartPainter", "libjfreechart-java", ("jfreechart.jar", "jcommon.jar"),
            "org.jfree.*+java.awt.*+sun.java2d.*+java.util.*", 25, 30),
    Program("eclipse", "SourceCompiler", "libeclipse-jdt-core-java", ("eclipse-jdt-core.jar",),
            "org.eclipse.jdt.internal.compiler.*+java.util.*", 20, 20,
            ("MadeSource",), ("-Djdt.compiler.useSingleThread=true",)),
    Program("fop", "DocumentPrinter", "libfop-java", (
        "fop.jar", "xmlgraphics-commons.jar", "batik-all.jar", "fontbox2.jar", "commons-io.jar", "commons-logging.jar", "xml-apis-ext.jar"),
            "org.apache.fop.*+org.apache.xmlgraphics.*+java.util.*", 50, 35),
    Program("hsqldb", "BankTeller", "libhsqldb-java", ("hsqldb.jar",), "org.hsqldb.*+java.util.*", 30, 25),
    Program("jython", "ScriptRunner", "jython", ("jython.jar",), "org.python.*+java.util.*", 60, 100,
            vm_args=(f"-Dscript={HERE}/script_work.py", "--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
                     "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")),
    Program("luindex", "TextIndexer", "liblucene8-java", (LUCENE["core"], LUCENE["analyzers-common"]), "org.apache.lucene.*+java.util.*", 60, 40,
            ("TextLibrary",)),
    Program("lusearch", "TextSearcher", "liblucene8-java", tuple(LUCENE.values()), "org.apache.lucene.*+java.util.*", 60, 40,
            ("TextLibrary", "TextIndexer")),
    Program("xalan", "SheetTransformer", "libxalan2-java", ("xalan2.jar", "serializer.jar", "xercesImpl.jar"),
            "org.apache.xalan.*+org.apache.xml.*+org.apache.xerces.*+org.apache.xpath.*+java.util.*", 40, 60,
            vm_args=(f"-Dsheet={HERE}/orders.xsl",)),
)
BY_NAME = {program.name: program for program in ALL}
