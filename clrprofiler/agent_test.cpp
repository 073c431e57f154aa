#include "clrprofiler/agent.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "clrprofiler/callback.h"
#include "clrprofiler/fake_clr.h"
#include "common/log.h"
#include "platforms/comes_true_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::clr;
using platforms::comes_true;

namespace {

struct Process {
  platforms::ScratchDirectory scratch;
  FakeClr runtime;

  std::string options(const std::string& more = "") const {
    return std::string("memory=64m,control=off,log=off,dir=") + scratch.path() +
           (more.empty() ? "" : "," + more);
  }
  std::vector<std::string> reports() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
      if (entry.path().extension() == ".hfr") found.push_back(entry.path());
    return found;
  }
};

}  // namespace

TEST_CASE("the door: one class, its factory, every version of the callback") {
  void* out = nullptr;
  GUID other = kAgentClass;
  other.Data1 ^= 1;
  const GUID& factory_id = kIClassFactoryVersions[0].iid;
  CHECK(DllGetClassObject(&other, &factory_id, &out) == CLASS_E_CLASSNOTAVAILABLE);
  CHECK(DllGetClassObject(&kAgentClass, &other, &out) == E_NOINTERFACE);
  CHECK(DllGetClassObject(nullptr, &factory_id, &out) == E_POINTER);
  CHECK(DllCanUnloadNow() == S_FALSE);
  REQUIRE(DllGetClassObject(&kAgentClass, &factory_id, &out) == S_OK);
  auto& factory = *static_cast<IClassFactory*>(out);
  CHECK(factory.CreateInstance(reinterpret_cast<IUnknown*>(&factory), &factory_id, &out) ==
        CLASS_E_NOAGGREGATION);
  for (const InterfaceVersion& version : kICorProfilerCallbackVersions) {
    REQUIRE(factory.CreateInstance(nullptr, &version.iid, &out) == S_OK);
    CHECK(out == &callback_object());
  }
  CHECK(factory.CreateInstance(nullptr, &other, &out) == E_NOINTERFACE);
  CHECK(out == nullptr);
}

TEST_CASE("at start-up it begins when the runtime has started, and hears nothing afterwards") {
  Process process;
  REQUIRE(process.runtime.load(process.options("on=start,dump=simple")) == S_OK);
  CHECK(process.runtime.callback_version() == 11);
  CHECK_FALSE(process.runtime.notification_only());
  CHECK(process.runtime.low_mask == COR_PRF_MONITOR_MODULE_LOADS);
  CHECK(process.reports().empty());
  process.runtime.start_up();
  REQUIRE(comes_true([&] { return process.reports().size() == 1; }));
  CHECK(process.runtime.low_mask == 0);
  CHECK(process.runtime.high_mask == 0);
  process.runtime.shut_down();
}

TEST_CASE("what is wrong at load leaves the process without the agent") {
  for (const char* options :
       {"nonsense=1", "dir=/no/such/place", "help", "only=another,dir=/no/such/place"}) {
    CAPTURE(options);
    Process process;
    CHECK(process.runtime.load(options) == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
    CHECK(process.runtime.callback().Shutdown() == S_OK);
  }
  Process old;
  old.runtime.newest = 1;
  CHECK(old.runtime.load(old.options()) == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
  Process deaf;
  deaf.runtime.answers["SetEventMask2"] = E_FAIL;
  CHECK(deaf.runtime.load(deaf.options()) == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
  Process empty;
  CHECK(empty.runtime.load(empty.options()) == S_OK);
  CHECK(empty.runtime.callback().Initialize(nullptr) == E_POINTER);
  CHECK(empty.runtime.load(empty.options()) == CORPROF_E_PROFILER_CANCEL_ACTIVATION);  // twice
}

TEST_CASE("exact accounts are for Java: one line, and they are sampled") {
  Process process;
  const std::string log = std::string(process.scratch.path()) + "/log";
  const std::string options = std::string("memory=64m,control=off,dir=") + process.scratch.path() +
                              ",accounts=Shop.*,accounts-mode=exact,log=error:" + log;
  REQUIRE(process.runtime.load(options) == S_OK);
  process.runtime.start_up();
  process.runtime.shut_down();
  std::ifstream file(log);
  std::string line;
  std::size_t said = 0;
  while (std::getline(file, line))
    if (line.find(
            "accounts-mode=exact and exact-live are for Java VMs alone: accounts are sampled") !=
        line.npos)
      ++said;
  CHECK(said == 1);
}

TEST_CASE("numbers of objects are for Java: one line") {
  Process process;
  const std::string log = std::string(process.scratch.path()) + "/log";
  const std::string options = std::string("memory=64m,control=off,dir=") + process.scratch.path() +
                              ",track=on,log=error:" + log;
  REQUIRE(process.runtime.load(options) == S_OK);
  process.runtime.start_up();
  process.runtime.shut_down();
  std::ifstream file(log);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(text ==
        "holdfast: track=on is for Java VMs alone: objects have no numbers in this process\n");
}

TEST_CASE("a trigger that needs the runtime's events gets them, and says so by its mask") {
  struct Case {
    const char* options;
    std::uint32_t low, high;
  };
  for (const Case& c : {Case{"on=off", 0, 0}, Case{"on=signal+exit", 0, 0},
                        Case{"on=oom", COR_PRF_MONITOR_EXCEPTIONS, 0},
                        Case{"on=gc", COR_PRF_MONITOR_SUSPENDS, COR_PRF_HIGH_BASIC_GC},
                        Case{"heap-above=80%", COR_PRF_MONITOR_SUSPENDS, COR_PRF_HIGH_BASIC_GC}}) {
    CAPTURE(c.options);
    Process process;
    REQUIRE(process.runtime.load(process.options(c.options)) == S_OK);
    process.runtime.start_up();
    CHECK(process.runtime.low_mask == c.low);
    CHECK(process.runtime.high_mask == c.high);
    process.runtime.shut_down();
  }
}

TEST_CASE("listed as one that only listens, it says that it is one") {
  struct Case {
    const char* listed;
    bool only;
  };
  for (const Case& c :
       {Case{"/a/apm.so={00000000-5B0E-4E0B-9C4C-7E1F0A6B7A11};"
             "/x/libholdfast.so={d5b1c4e6-5b0e-4e0b-9c4c-7e1f0a6b7a11};",
             true},
        Case{"/a/apm.so={00000000-5B0E-4E0B-9C4C-7E1F0A6B7A11};", false}, Case{"", false}}) {
    CAPTURE(c.listed);
    ::setenv("CORECLR_NOTIFICATION_PROFILERS", c.listed, 1);
    Process process;
    CHECK(process.runtime.load(process.options()) == S_OK);
    CHECK(process.runtime.notification_only() == c.only);
  }
  ::unsetenv("CORECLR_NOTIFICATION_PROFILERS");
}

TEST_CASE("attached, it begins at once; it leaves when the runtime lets go, and may come again") {
  Process process;
  for (int round = 0; round < 3; ++round) {
    REQUIRE(process.runtime.attach(process.options("on=start,dump=simple,cooldown=0s")) == S_OK);
    REQUIRE(comes_true([&] { return process.reports().size() == std::size_t(round) + 1; }));
    process.runtime.detach_requested = false;
    REQUIRE(begin_leaving());
    REQUIRE(comes_true([&] { return process.runtime.detach_requested.load(); }));
    CHECK_FALSE(begin_leaving());
    process.runtime.let_go();
  }
}

TEST_CASE("a runtime that does not let go keeps the agent, which answers as one that is closed") {
  Process process;
  process.runtime.answers["RequestProfilerDetach"] = CORPROF_E_IMMUTABLE_FLAGS_SET;
  REQUIRE(process.runtime.attach(process.options()) == S_OK);
  REQUIRE(begin_leaving());
  REQUIRE(comes_true([&] { return process.runtime.detach_requested.load(); }));
  CHECK(process.runtime.load(process.options()) == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
  process.runtime.shut_down();
}

TEST_CASE("an OutOfMemoryException makes a dump, other exceptions do not") {
  Process process;
  FakeTable& full = process.runtime.add_class(120);
  FakeTable& other = process.runtime.add_class(120);
  process.runtime.name_class(full, u"System.OutOfMemoryException");
  process.runtime.name_class(other, u"System.OutOfMemoryExceptions");
  const ObjectID exception = process.runtime.add_object(full);
  const ObjectID different = process.runtime.add_object(other);
  REQUIRE(process.runtime.load(process.options("on=oom,dump=simple,cooldown=0s")) == S_OK);
  process.runtime.callback().ExceptionThrown(exception);  // before the runtime has started
  process.runtime.start_up();
  for (int i = 0; i < 3; ++i) process.runtime.callback().ExceptionThrown(different);
  CHECK(process.runtime.names_asked == 1);  // of each class once
  process.runtime.callback().ExceptionThrown(exception);
  REQUIRE(comes_true([&] { return process.reports().size() == 1; }));
  process.runtime.answers["GetClassFromObject"] = E_FAIL;
  process.runtime.callback().ExceptionThrown(exception);
  process.runtime.shut_down();
  CHECK(process.reports().size() == 1);
}

TEST_CASE("what the runtime refuses becomes a histogram") {
  Process process;
  process.runtime.add_object(process.runtime.add_class(32));
  REQUIRE(process.runtime.load(process.options("on=start,dump=extended")) == S_OK);
  process.runtime.start_up();  // this runtime has no sessions
  REQUIRE(comes_true([&] { return process.reports().size() == 1; }));
  CHECK(process.runtime.suspended == 0);
  process.runtime.shut_down();
}
