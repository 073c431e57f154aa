#include "cli/report/holder.h"

#include <doctest/doctest.h>

#include "cli/report/verdict.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

StepView step(std::string_view class_name, std::string_view loader, Via via = Via::kRoot,
              std::string_view field = {}) {
  StepView made;
  made.object.class_name = class_name;
  made.object.loader = loader;
  made.via = via;
  made.field = field;
  return made;
}

// A timer's loop has the cache that a task of the application keeps.
SuspectView in_a_timer() {
  SuspectView suspect;
  suspect.holder_class = "java.util.TimerThread";
  suspect.holder_field = "mainLoop";
  suspect.holder = ObjectView{7, "java.util.HashMap$Node[]", "boot", "", 64, 4096};
  suspect.path.root = Root::kStackLocal;
  suspect.path.thread = "cleaner";
  suspect.path.frame_class = "java.util.TimerThread";
  suspect.path.frame_method = "mainLoop";
  suspect.path.steps = {step("java.util.TaskQueue", "boot"),
                        step("shop.Task", "app", Via::kElement),
                        step("shop.Cache", "app", Via::kInstanceField, "cache"),
                        step("java.util.HashMap", "boot", Via::kInstanceField, "articles"),
                        step("java.util.HashMap$Node[]", "boot", Via::kInstanceField, "table")};
  return suspect;
}

std::string holder(SuspectView suspect) {
  choose_holder(suspect);
  return holder_text(suspect, kFullNames);
}

}  // namespace

TEST_CASE("holder: the last field of the application's own, where the path begins elsewhere") {
  CHECK(holder(in_a_timer()) ==
        "field shop.Cache.articles, from a local variable of java.util.TimerThread.mainLoop() in "
        "thread \"cleaner\"");
  SuspectView local = in_a_timer();
  local.path = {};
  local.holder_field = {};
  local.path.root = Root::kThread;
  local.path.thread = "worker";
  local.path.steps = {
      step("java.lang.Thread", "boot"),
      step("java.lang.ThreadLocal$ThreadLocalMap", "boot", Via::kInstanceField, "threadLocals"),
      step("shop.Context", "app", Via::kInstanceField, "value"),
      step("java.util.ArrayList", "boot", Via::kInstanceField, "orders")};
  CHECK(holder(local) ==
        "field shop.Context.orders, from a thread-local variable of thread \"worker\"");
}

TEST_CASE("holder: a possible stack slot is told as such, whatever it leads to") {
  SuspectView suspect = in_a_timer();
  suspect.path.root = Root::kPossibleStackSlot;
  CHECK(holder(suspect) ==
        "field shop.Cache.articles, from a stack slot that may hold it, of "
        "java.util.TimerThread.mainLoop() in thread \"cleaner\"");
  suspect.path.steps = {step("java.util.HashMap", "boot")};
  CHECK(holder(suspect) ==
        "a stack slot that may hold it, of java.util.TimerThread.mainLoop() in thread \"cleaner\"");
}

TEST_CASE(
    "holder: a static field of the application's own stays, a local variable of it only leads "
    "there") {
  SuspectView by_static = in_a_timer();
  by_static.path.steps[3].via = Via::kStaticField;
  by_static.holder_class = "shop.Cache";
  by_static.holder_field = "ARTICLES";
  by_static.path.steps[3].declaring_class = "shop.Cache";
  by_static.path.steps[3].field = "ARTICLES";
  CHECK(holder(by_static) == "static field shop.Cache.ARTICLES");
  SuspectView own = in_a_timer();
  own.path.steps.erase(own.path.steps.begin());
  CHECK(holder(own) ==
        "field shop.Cache.articles, from a local variable of java.util.TimerThread.mainLoop() in "
        "thread \"cleaner\"");
}

TEST_CASE(
    "holder: a field of the application's own comes before the static field that leads there") {
  SuspectView suspect = in_a_timer();
  suspect.path = {};
  suspect.path.root = Root::kSystemClass;
  suspect.path.steps = {
      step("java.lang.Class", "boot"),
      step("System.Threading.TimerQueue", "platform", Via::kStaticField, "Instances"),
      step("Shop.Scope", "shop", Via::kInstanceField, "_state"),
      step("System.Collections.Generic.List<Object>", "platform", Via::kInstanceField,
           "_disposables")};
  suspect.path.steps[1].declaring_class = suspect.holder_class = "System.Threading.TimerQueue";
  suspect.holder_field = "Instances";
  CHECK(holder(suspect) ==
        "field Shop.Scope._disposables, from static field System.Threading.TimerQueue.Instances");
  // A framework's, where nothing of the application is on the path.
  suspect.path.steps[2].object.class_name = "Microsoft.Extensions.DependencyInjection.Scope";
  suspect.path.steps[2].object.loader = "platform";
  CHECK(holder(suspect) ==
        "field Microsoft.Extensions.DependencyInjection.Scope._disposables, from static field "
        "System.Threading.TimerQueue.Instances");
  suspect.path.steps[2].object.class_name = "System.Threading.Scope";
  CHECK(holder(suspect) == "static field System.Threading.TimerQueue.Instances");
}

TEST_CASE("holder: a container of the same package is named with what it belongs to") {
  SuspectView suspect = in_a_timer();
  suspect.class_name = "mq.cursors.PendingNode";
  suspect.path = {};
  suspect.path.root = Root::kThread;
  suspect.path.thread = "broker";
  suspect.path.steps = {step("mq.Broker", "app"),
                        step("mq.Queue", "app", Via::kInstanceField, "queue"),
                        step("mq.cursors.Cursor", "app", Via::kInstanceField, "messages"),
                        step("mq.cursors.PendingList", "app", Via::kInstanceField, "list"),
                        step("java.util.HashMap", "boot", Via::kInstanceField, "map")};
  CHECK(holder(suspect) ==
        "field mq.cursors.PendingList.map of mq.Queue.messages, from thread \"broker\"");
  suspect.class_name = "mq.Message";  // the list is of another package
  CHECK(holder(suspect) == "field mq.cursors.PendingList.map, from thread \"broker\"");
  suspect.class_name = "mq.cursors.PendingNode";
  suspect.path.steps.erase(suspect.path.steps.begin(), suspect.path.steps.begin() + 2);
  CHECK(holder(suspect) ==
        "field mq.cursors.PendingList.map of mq.cursors.Cursor.list, from thread \"broker\"");
}

TEST_CASE("holder: objects of the class that piles up hold each other, and are no owners") {
  SuspectView suspect = in_a_timer();
  suspect.class_name = "shop.Cache";
  CHECK(
      holder(suspect) ==
      "field shop.Task.cache, from a local variable of java.util.TimerThread.mainLoop() in thread "
      "\"cleaner\"");
}

TEST_CASE("holder: a static field that is the GC root itself") {
  SuspectView by_root = in_a_timer();
  by_root.path.frame_class = by_root.path.frame_method = by_root.path.thread = {};
  by_root.path.root = Root::kStaticField;
  by_root.path.steps.resize(1);
  by_root.path.steps.front().via = Via::kStaticField;
  by_root.path.steps.front().declaring_class = by_root.holder_class = "Shop.Timers";
  by_root.path.steps.front().field = by_root.holder_field = "s_queue";
  CHECK(holder(by_root) == "static field Shop.Timers.s_queue");
  by_root.path.steps.front().declaring_class = by_root.holder_class = {};
  CHECK(holder(by_root) == "static field s_queue");
}

TEST_CASE("holder: where nothing is known to be the application's, the frame or the object") {
  SuspectView unknown = in_a_timer();
  for (StepView& each : unknown.path.steps) each.object.loader = "unknown";
  CHECK(holder(unknown) ==  // by its name no class of the platform's own packages
        "field shop.Cache.articles, from a local variable of java.util.TimerThread.mainLoop() in "
        "thread \"cleaner\"");
  for (StepView& each : unknown.path.steps) each.object.class_name = "java.util.Map";
  CHECK(holder(unknown) ==
        "a local variable of java.util.TimerThread.mainLoop() in thread \"cleaner\"");
  SuspectView object = in_a_timer();
  object.holder_class = "java.util.HashMap$Node[]";
  object.holder_field = {};
  object.path = {};
  object.path.root = Root::kJniGlobal;
  object.path.steps = {step("java.util.HashMap$Node[]", "boot")};
  CHECK(holder(object) == "an object of class java.util.HashMap$Node[] (JNI global reference)");
}

TEST_CASE("holder: values that threads have of one variable") {
  SuspectView suspect = in_a_timer();
  suspect.holder.reset();
  suspect.holder_class = suspect.holder_field = {};
  suspect.path = {};
  suspect.path.root = Root::kThread;
  suspect.path.thread = "worker";
  suspect.path.steps = {step("java.lang.Thread", "boot")};
  suspect.threads = 8;
  CHECK(holder(suspect) == "8 threads' values of one ThreadLocal");
  StepView in_static = step("java.lang.ThreadLocal", "boot", Via::kStaticField, "OWN");
  in_static.declaring_class = "shop.Pages";
  PathView variable;
  variable.root = Root::kSystemClass;
  variable.steps = {step("java.lang.Class", "boot"), in_static};
  suspect.variable = variable;
  CHECK(holder(suspect) == "8 threads' values of the ThreadLocal in static field shop.Pages.OWN");
  in_static.field = "CLIENT";
  suspect.variable->steps = {step("java.lang.Class", "boot"), in_static,
                             step("java.lang.ThreadLocal", "boot", Via::kInstanceField, "context")};
  suspect.variable->steps[1].object.class_name = "shop.Client";
  suspect.variable->steps[1].object.loader = "app";
  CHECK(holder(suspect) ==
        "8 threads' values of the ThreadLocal in field shop.Client.context, from static field "
        "shop.Pages.CLIENT");
  suspect.variable.reset();
  suspect.path.root = Root::kStaticField;
  suspect.path.steps[0].via = Via::kStaticField;
  suspect.holder_class = "shop.Pages";
  suspect.holder_field = "t_own";
  CHECK(holder(suspect) == "thread static field shop.Pages.t_own in 8 threads");
}

TEST_CASE("holder: a constant of compiled code names its method, and no thread") {
  SuspectView suspect = in_a_timer();
  suspect.path.root = Root::kOther;
  suspect.path.thread = {};
  suspect.path.steps = {step("shop.Registry", "boot")};
  suspect.holder = ObjectView{7, "shop.Registry", "boot", "", 64, 4096};
  CHECK(holder(suspect) == "a constant of the compiled code of java.util.TimerThread.mainLoop()");
}

TEST_CASE("holder: handles that each hold one, tables of strings, load contexts") {
  SuspectView suspect = in_a_timer();
  suspect.holder.reset();
  suspect.holder_class = suspect.holder_field = {};
  suspect.path = {};
  suspect.path.root = Root::kHandle;
  suspect.path.steps = {step("shop.Item", "app")};
  const auto of_levels = [&](std::string_view first, std::string_view second) {
    suspect.levels.clear();
    suspect.levels.push_back({first, 50});
    suspect.levels.push_back({second, 40'000});
    return holder(suspect);
  };
  CHECK(of_levels("shop.Item", "byte[]") == "a strong handle each");
  CHECK(of_levels("object[]", "string") == "the table of interned strings");
  CHECK(of_levels("object[]", "shop.Item") == "a strong handle each");
  CHECK(of_levels("System.Reflection.LoaderAllocator", "object[]") ==
        "50 load contexts, each held by a strong handle");
  suspect.path.root = Root::kJniGlobal;
  CHECK(of_levels("shop.Item", "byte[]") == "a JNI global reference each");
  suspect.path.root = Root::kStackLocal;
  CHECK(of_levels("shop.Item", "byte[]") ==
        "no single object; the largest of them by a GC root (local variable)");
}
