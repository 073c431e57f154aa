"""A Lisp on the VM: Clojure evaluates expressions to classes, each with a loader of its own, and holds persistent collections."""
import pathlib

import harness

NAME = "expressions"
OLDEST = 8
UNSEEN = {}
JARS = [pathlib.Path("/usr/share/java") / jar for jar in ("clojure.jar", "spec.alpha.jar", "core.specs.alpha.jar")]
PROGRAM = """
(def squares (into {} (map (fn [i] [(str "key " i) {:square (* i i) :root (Math/sqrt i)}]) (range 20000))))
(def steps (vec (map (fn [i] (eval (list 'fn ['x] (list '+ 'x i)))) (range 200))))
(def lazy (map inc (range 100000)))
(def sum (reduce + (take 50000 lazy)))
(def weak (vec (map (fn [i] (java.lang.ref.WeakReference. (str "weak " i))) (range 1000))))
(println "READY" sum (reduce (fn [x f] (f x)) 0 steps))
(flush)
(read-line)
"""


def start(jdk, vm_args, agent_options, directory):
    harness.need_package("libclojure-java", *JARS)
    class_path = ":".join(map(str, JARS))
    jvm = harness.Jvm(jdk, [*vm_args, "-cp", class_path, "clojure.main", "-e", PROGRAM], agent_options, cwd=directory)
    try:
        jvm.wait_line(r"^READY 1250025000 19900", 120)
    except BaseException:
        jvm.stop()
        raise
    return jvm
