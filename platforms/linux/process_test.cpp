#include "platforms/process.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace holdfast::platforms;

TEST_CASE("resident memory follows what is touched") {
  const std::uint64_t before = resident_bytes();
  REQUIRE(before != kUnknownBytes);
  std::vector<char> block(std::size_t{32} << 20, 'x');
  CHECK(resident_bytes() >= before + (std::uint64_t{24} << 20));
  CHECK(block.back() == 'x');
}

TEST_CASE("memory of the machine: what can be taken is less than what there is") {
  CHECK(physical_memory_bytes() > (std::uint64_t{64} << 20));
  CHECK(available_memory_bytes() <= physical_memory_bytes());
  CHECK(available_memory_bytes() <= cgroup_limit_bytes());
}

TEST_CASE("threads that spin want a CPU") {
  constexpr std::size_t kSpinning = 6;
  std::atomic<bool> stop{false};
  std::vector<std::thread> spinning;
  for (std::size_t i = 0; i < kSpinning; ++i)
    spinning.emplace_back([&stop] {
      while (!stop.load(std::memory_order_relaxed)) {
      }
    });
  const std::uint32_t demand = cpu_demand_percent();
  stop = true;
  for (std::thread& one : spinning) one.join();
  // Not all of them are seen at each look: one that has just ended its turn is moved.
  CHECK(demand * std::thread::hardware_concurrency() >= (kSpinning - 2) * 100);
}

TEST_CASE("variables of the environment are found by their whole name") {
  ::setenv("HF_TEST_VALUE", "a=b", 1);
  ::setenv("HF_TEST_EMPTY", "", 1);
  REQUIRE(environment_value("HF_TEST_VALUE") != nullptr);
  CHECK(std::string(environment_value("HF_TEST_VALUE")) == "a=b");
  CHECK(std::string(environment_value("HF_TEST_EMPTY")).empty());
  CHECK(environment_value("HF_TEST") == nullptr);
  ::unsetenv("HF_TEST_VALUE");
  CHECK(environment_value("HF_TEST_VALUE") == nullptr);
  ::unsetenv("HF_TEST_EMPTY");
}

TEST_CASE("names are cut to fit") {
  char name[256];
  host_name(name, sizeof name);
  CHECK(std::strlen(name) > 0);
  char start[2];
  host_name(start, sizeof start);
  CHECK(start[0] == name[0]);
  CHECK(start[1] == '\0');
  char id[64];
  container_id(id, sizeof id);
  CHECK((std::strlen(id) == 0 || std::strlen(id) == 12));
}

namespace {

// Leaves `)` in the part of the stack that the next calls use: what they read of it is not theirs.
[[gnu::noinline]] void litter_stack() {
  volatile char litter[32768];
  for (volatile char& byte : litter) byte = ')';
}

}  // namespace

TEST_CASE("processes: we live, an ended child does not, and group numbers are no processes") {
  CHECK(process_id() == static_cast<std::uint32_t>(::getpid()));
  CHECK(process_alive(process_id()));
  CHECK(process_alive(1));
  CHECK_FALSE(process_alive(0));
  CHECK_FALSE(process_alive(0xFFFFFFFFu));
  const pid_t child = ::fork();
  if (child == 0) end_process(42);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  litter_stack();
  CHECK_FALSE(process_alive(static_cast<std::uint32_t>(child)));  // and nobody has reaped it
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 42);
  CHECK_FALSE(process_alive(static_cast<std::uint32_t>(child)));
}

TEST_CASE("uptime runs from the start of the process") {
  const std::uint64_t first = process_uptime_ms();
  ::usleep(30'000);
  CHECK(process_uptime_ms() >= first + 20);
  CHECK(first < 3'600'000);
}
