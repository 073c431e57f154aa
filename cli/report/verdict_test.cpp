#include "cli/report/verdict.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;

SuspectView in_thread(std::string_view field) {
  SuspectView suspect;
  suspect.group = true;
  suspect.class_name = "shop.Order";
  suspect.instances = 11'000;
  suspect.retained_bytes = 6 * kMega;
  suspect.whole_bytes = 10 * kMega;
  suspect.holder_class = "java.util.HashMap$Node[]";
  suspect.holder = ObjectView{7, "java.util.HashMap$Node[]", "boot", "", 64, 6 * kMega};
  suspect.path.root = Root::kThread;
  suspect.path.thread = "worker-1";
  suspect.path.steps.resize(2);
  suspect.path.steps[1].field = field;
  suspect.path.steps[1].via = Via::kInstanceField;
  return suspect;
}

}  // namespace

TEST_CASE("verdict: what hangs at a thread's locals is told so") {
  CHECK(suspect_sentence(in_thread("threadLocals"), kFullNames) ==
        "11,000 shop.Order retain 6.0 MB (60 % of the heap), held by a thread-local variable of "
        "thread \"worker-1\"");
  CHECK(holder_text(in_thread("inheritableThreadLocals"), kFullNames) ==
        "a thread-local variable of thread \"worker-1\"");
  CHECK(holder_text(in_thread("queue"), kFullNames) ==
        "an object of class java.util.HashMap$Node[] (live thread \"worker-1\")");
}

TEST_CASE("verdict: a class that holds them itself has its name") {
  SuspectView suspect = in_thread("x");
  suspect.path.root = Root::kSystemClass;
  suspect.path.thread = {};
  suspect.holder_class = "java.lang.Class";
  suspect.holder->class_object_of = "shop.Registry";
  CHECK(holder_text(suspect, kFullNames) == "class shop.Registry");
}

TEST_CASE("verdict: the path to one of many is not what holds them all") {
  SuspectView suspect = in_thread("threadLocals");
  suspect.holder.reset();
  CHECK(holder_text(suspect, kFullNames) ==
        "no single object; the largest of them by a thread-local variable of thread \"worker-1\"");
}

TEST_CASE("verdict: where nobody has a name for the holder, it is the step before") {
  SuspectView suspect = in_thread("x");
  suspect.path.root = Root::kOther;
  suspect.path.thread = {};
  suspect.holder.reset();
  suspect.holder_class = {};
  suspect.path.steps[0].object.class_name = "java.lang.Object[]";
  CHECK(holder_text(suspect, kFullNames) ==
        "no single object; the largest of them by an object of class java.lang.Object[]");
  suspect.path.steps[0].object.class_object_of = "shop.Names";
  CHECK(holder_text(suspect, kFullNames) ==
        "no single object; the largest of them by class shop.Names");
  suspect.path.steps.resize(1);
  CHECK(holder_text(suspect, kFullNames) ==
        "no single object; the largest of them by a GC root (the VM itself)");
}

TEST_CASE("verdict: the share is rounded once") {
  SuspectView suspect = in_thread("threadLocals");
  suspect.retained_bytes = 8946;
  suspect.whole_bytes = 10'000;
  suspect.share_per_mille = 895;
  CHECK(suspect_sentence(suspect, kFullNames).find("(89 % of the heap)") != std::string::npos);
}
