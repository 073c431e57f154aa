#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string_view>
#include <thread>

#include "cli/command_run_for_test.h"
#include "cli/demo/demo_service.h"
#include "cli/demo/page_opener.h"
#include "cli/demo/shop_visitor.h"
#include "cli/output_file.h"
#include "platforms/clock.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string refusal_of(const std::vector<Runtime>& found) {
  try {
    choose_java(found);
  } catch (const Stop& stop) {
    return stop.text;
  }
  return {};
}

}  // namespace

TEST_CASE("demo: the first Java that fits runs it") {
  const Runtime seven{"/j7", "/j7/bin/java", "1.7.0", 7, false};
  const Runtime openj9{"/o", "/o/bin/java", "17.0.1", 17, true};
  const Runtime unknown{"/u", "/u/bin/java", "", 0, false};
  const Runtime eight{"/j8", "/j8/bin/java", "1.8.0", 8, false};
  CHECK(choose_java({seven, openj9, eight, unknown}).home == "/j8");
  CHECK(choose_java({unknown, eight}).home == "/u");
  CHECK(refusal_of({}).starts_with("no Java is found"));
  CHECK(refusal_of({seven, openj9}).find("8 or later") != std::string::npos);
}

TEST_CASE("demo: the classes beside the command, or above it") {
  if (!demo_is_built()) return;
  const platforms::ScratchDirectory scratch;
  std::filesystem::create_directories(scratch.file("share/holdfast/demo"));
  std::filesystem::create_directories(scratch.file("bin"));
  CHECK_THROWS_AS(find_demo_classes(scratch.file("bin")), Stop);
  scratch.write("share/holdfast/demo/LeakyService.class", "");
  CHECK(find_demo_classes(scratch.file("bin")) == scratch.file("share/holdfast/demo"));
  CHECK(find_demo_classes(scratch.path()) == scratch.file("share/holdfast/demo"));
}

TEST_CASE("demo: the port and the process that the service prints") {
  CHECK(service_ready("READY port=80 pid=7").port == 0);
  const ServiceReady ready = service_ready("hello\nREADY port=8080 pid=4711\nmore\n");
  CHECK(ready.port == 8080);
  CHECK(ready.pid == 4711);
  CHECK(service_ready("READY port=80 pid=self\n").pid == 0);
  CHECK(service_ready("READY port=80\npid=9\n").pid == 0);
  CHECK(service_ready("READY port=99999 pid=9\n").port == 0);
}

TEST_CASE("demo: why a Java did not start, from either stream") {
  const std::string no_vm = "Error occurred during initialization of VM";
  CHECK(reason_of_java(no_vm + "\nCould not find agent library /x.so\nmore\n", "advice\n") ==
        no_vm + ": Could not find agent library /x.so");
  CHECK(reason_of_java(no_vm, "") == no_vm);
  CHECK(reason_of_java("hello\n", "\nError: no modules\nadvice\n") == "Error: no modules");
  CHECK(reason_of_java("", "OpenJDK warning: x\nError: y\n") == "Error: y");
  CHECK(reason_of_java("", "OpenJDK warning: x\n") == "OpenJDK warning: x");
  CHECK(reason_of_java("\nUnrecognized option\n", "") == "Unrecognized option");
  CHECK(reason_of_java("READY port=1\n", "").empty());
}

TEST_CASE("demo: paths that Java would take for two are refused") {
  check_java_paths("/lib/a:b.so", "/share/a=b");
  CHECK_THROWS_AS(check_java_paths("/a=b/lib.so", "/share"), Stop);
  CHECK_THROWS_AS(check_java_paths("/lib.so", "/a:b/share"), Stop);
}

TEST_CASE("demo: an answer's length") {
  CHECK(content_length("HTTP/1.1 200 OK\r\nContent-length: 12\r\n\r\n") == 12);
  CHECK(content_length("HTTP/1.1 200 OK\r\nDate: x\r\nCONTENT-LENGTH:0\r\n\r\n") == 0);
  CHECK(content_length("HTTP/1.1 200 OK\r\n\r\n") == -1);
  CHECK(content_length("HTTP/1.1 200 OK\r\nContent-length: -1\r\n\r\n") == -1);
  CHECK(content_length("HTTP/1.1 200 OK\r\nContent-length:") == -1);
  CHECK(content_length("HTTP/1.1 200 OK\r\nContent-length: 99999999999\r\n\r\n") == -1);
}

namespace {

// One connection of the loopback address that answers after a while, or never.
class SlowShop {
 public:
  explicit SlowShop(bool answers)
      : answers_(answers), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::socklen_t bytes = sizeof address_;
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address_), bytes) == 0);
    REQUIRE(::listen(listener_, 1) == 0);
    REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &bytes) == 0);
    person_ = ::pthread_self();
    thread_ = std::thread([this] { serve(); });
  }
  ~SlowShop() {
    thread_.join();
    ::close(connection_);
    ::close(listener_);
  }
  SlowShop(const SlowShop&) = delete;
  SlowShop& operator=(const SlowShop&) = delete;
  std::uint16_t port() const { return ntohs(address_.sin_port); }

 private:
  void serve() {
    constexpr std::uint64_t kPauseNs = 20'000'000;
    constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-length: 2\r\n\r\nok";
    connection_ = ::accept(listener_, nullptr, nullptr);
    for (int i = 0; i < 5; ++i) {
      platforms::sleep_ns(kPauseNs);
      ::pthread_kill(person_, SIGWINCH);
    }
    if (!answers_) ::pthread_kill(person_, SIGINT);
    if (answers_) ::send(connection_, kAnswer.data(), kAnswer.size(), 0);
  }
  const bool answers_;
  const int listener_;
  int connection_ = -1;
  sockaddr_in address_{};
  ::pthread_t person_{};
  std::thread thread_;
};

}  // namespace

TEST_CASE("demo: a signal is no missing answer, and Ctrl-C does not wait for one") {
  constexpr std::uint64_t kPromptNs = 10'000'000'000;
  platforms::Interrupts interrupts;
  REQUIRE(interrupts.open() == 0);
  {
    const SlowShop shop(true);
    ShopVisitor visitor(interrupts);
    REQUIRE(visitor.open(shop.port()));
    CHECK(visitor.get("/login/user-1"));
    CHECK_FALSE(visitor.interrupted());
  }
  const SlowShop shop(false);
  ShopVisitor visitor(interrupts);
  REQUIRE(visitor.open(shop.port()));
  const std::uint64_t began = platforms::monotonic_ns();
  CHECK_FALSE(visitor.get("/login/user-1"));
  CHECK(visitor.interrupted());
  CHECK(platforms::monotonic_ns() - began < kPromptNs);
}

TEST_CASE("demo: a page is opened where there is a screen and a program for it") {
  const platforms::ScratchDirectory scratch;
  scratch.write("firefox", "#!/bin/sh\necho \"$1\" >'" + scratch.file("opened") + "'\n");
  scratch.write("dead", "");
  ::chmod(scratch.file("firefox").c_str(), 0755);
  const std::string path = "::/no/such:" + std::string(scratch.path());
  CHECK(browser_of({false, "firefox", path}).empty());
  CHECK(browser_of({true, "", path}).empty());
  CHECK(browser_of({true, "open %s:dead:firefox", path}) == scratch.file("firefox"));
  CHECK(browser_of({true, scratch.file("firefox"), ""}) == scratch.file("firefox"));
  scratch.write("xdg-open", "");
  ::chmod(scratch.file("xdg-open").c_str(), 0755);
  CHECK(browser_of({true, "firefox", path}) == scratch.file("xdg-open"));
  CHECK_FALSE(open_in_browser({false, "firefox", path}, "/tmp/page.html"));
  CHECK(file_url("/tmp/a b/\xc3\xa4#1.html") == "file:///tmp/a%20b/%C3%A4%231.html");
}

TEST_CASE("demo: bad input is one line, and leaves nothing") {
  if (!demo_is_built()) {
    check_refusal(run_command({"demo"}), ExitCode::kWrongUsage, {"built without javac"});
    return;
  }
  check_refusal(run_command({"demo", "x"}), ExitCode::kWrongUsage, {"x"});
  check_refusal(run_command({"demo", "--html", ""}), ExitCode::kWrongUsage, {"--html"});
  check_refusal(run_command({"demo", "-o", "-"}), ExitCode::kWrongUsage, {"--output"});
  check_refusal(run_command({"demo", "--no-open=maybe"}), ExitCode::kWrongUsage, {"--no-open"});
}
