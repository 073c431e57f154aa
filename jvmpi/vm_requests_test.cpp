#include "jvmpi/vm_requests.h"

#include <doctest/doctest.h>

using namespace holdfast::jvmpi;

namespace {

VmRequests* heard = nullptr;
jint answer = kSuccess;
int events = 1;
jint told_as = 0;  // another type than was asked for
jint requested = kRequested;

jint request(jint type, void*) {
  JVMPI_Event event{};
  event.event_type = (told_as != 0 ? told_as : type) | requested;
  for (int i = 0; i < events; ++i) heard->deliver(event);
  return answer;
}

struct Bench {
  JVMPI_Interface vm{};
  VmRequests requests;
  int visits = 0;
  Bench() {
    answer = kSuccess;
    events = 1;
    told_as = 0;
    requested = kRequested;
    heard = &requests;
    vm.RequestEvent = &request;
    requests.open(vm);
  }
  Asked ask(EventType type = kObjectAlloc) {
    return requests.ask(type, VmId{8}, [&](const JVMPI_Event&) { ++visits; });
  }
};

}  // namespace

TEST_CASE("a request is answered once, whatever the VM makes of it") {
  Bench bench;
  Asked expected = Asked::kAnswered;
  int visits = 1;
  SUBCASE("as it should be") {}
  SUBCASE("twice") { events = 2; }
  SUBCASE("refused") {
    answer = kFail;
    events = 0;
    expected = Asked::kRefused;
    visits = 0;
  }
  SUBCASE("told all the same") { answer = kNotAvailable; }
  SUBCASE("without a word") {
    events = 0;
    expected = Asked::kSilent;
    visits = 0;
  }
  SUBCASE("by an event that nobody asked for") {
    requested = 0;
    expected = Asked::kSilent;
    visits = 0;
  }
  SUBCASE("something else") {
    told_as = kClassLoad;
    expected = Asked::kSilent;
    visits = 0;
  }
  CHECK(bench.ask() == expected);
  CHECK(bench.visits == visits);
  CHECK(bench.requests.oddities().repeated == (events == 2 ? 1 : 0));
  CHECK(bench.requests.oddities().unasked == (told_as != 0 ? 1 : 0));
}

TEST_CASE("requests nest, and each hears its own event") {
  Bench bench;
  int inner = 0;
  CHECK(bench.requests.ask(kHeapDump, nullptr, [&](const JVMPI_Event&) {
    CHECK(bench.requests.ask(kClassLoad, VmId{8}, [&](const JVMPI_Event& event) {
      CHECK(event.event_type == (kClassLoad | kRequested));
      ++inner;
    }) == Asked::kAnswered);
  }) == Asked::kAnswered);
  CHECK(inner == 1);
}

TEST_CASE("an event that nobody asked for, and a VM that is gone") {
  Bench bench;
  JVMPI_Event event{};
  event.event_type = kClassLoad | kRequested;
  bench.requests.deliver(event);
  CHECK(bench.requests.oddities().unasked == 1);
  bench.requests.close();
  CHECK(bench.ask() == Asked::kRefused);
  CHECK(bench.visits == 0);
  const GcOff off(bench.requests);  // calls nothing: there is no function
}

TEST_CASE("which events are answers") {
  for (const jint event : {kObjectAlloc, kThreadStart, kHeapDump, kClassLoad, kObjectDump}) {
    CHECK(VmRequests::is_answer(event));
    CHECK(VmRequests::is_answer(event | kRequested));
  }
  for (const jint event : {kJvmInitDone, kJvmShutDown, kDataDumpRequest, kGcStart, kGcFinish})
    CHECK_FALSE(VmRequests::is_answer(event));
}
