#include "cli/attach/attach_protocol.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

AttachOutcome judged(std::string_view reply) { return judge_reply(parse_reply(reply)); }

void check_refused(std::string_view reply, const std::string& said) {
  const AttachOutcome outcome = judged(reply);
  CHECK(outcome.code == ExitCode::kRefused);
  CHECK_MESSAGE(outcome.text.find(said) != std::string::npos, outcome.text);
  CHECK(std::ranges::count(outcome.text, '\n') == 0);
}

}  // namespace

TEST_CASE("a request is five words, each ended by a zero, and no longer than the VM takes") {
  CHECK(encode_load("/a b.so", "dir=/x,on=oom") ==
        std::string("1\0load\0/a b.so\0true\0dir=/x,on=oom\0", 34));
  CHECK(encode_load(std::string(kMaxAttachArgument, 'x'), "").size() == kMaxAttachArgument + 14);
  CHECK(encode_load(std::string(kMaxAttachArgument + 1, 'x'), "").empty());
  CHECK(encode_load("/a.so", std::string(kMaxAttachArgument + 1, 'x')).empty());
}

TEST_CASE("loaded: as JDK 8 and as later ones say it") {
  CHECK(judged("0\n0\n").good());
  CHECK(judged("0\nreturn code: 0\n").good());
  CHECK(judged("0\nreturn code: 0").good());
  CHECK(judged("0\r\n0\r\n").good());
}

TEST_CASE("the agent's own refusal keeps its code") {
  CHECK(judged("0\n-1\n").agent_code == -1);
  CHECK(judged("0\nreturn code: 2\n").agent_code == 2);
  check_refused("0\nreturn code: 2\n", "it answered 2");
}

TEST_CASE("what the VM refuses is said in its words, or in better ones") {
  check_refused("-1\n", "status -1");
  check_refused("0\n/tmp/x.so was not loaded.\n/tmp/x.so: wrong ELF class\n",
                "/tmp/x.so was not loaded. /tmp/x.so: wrong ELF class");
  check_refused(
      "-1\nDynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading "
      "to launch target VM.\n",
      "start it with -XX:+EnableDynamicAgentLoading");
  check_refused("101\n", "status 101");
  CHECK(judged("0\n" + std::string(100'000, 'x')).text.size() < 1000);
}

TEST_CASE("no answer, or none that makes sense") {
  for (const char* reply : {"", "\n", "hello\n", "0x\n", "99999999999999\n", " \n0\n", "\n0\n"})
    check_refused(reply, "without an answer");
  // A status alone is no success: the agent's own word is missing.
  CHECK_FALSE(judged("0\n").good());
  CHECK_FALSE(judged("0\nreturn code: \n").good());
  CHECK_FALSE(judged("0\nreturn code: 0x\n").good());
}

TEST_CASE("a VM that is not ready for agents is asked again") {
  CHECK(too_early(parse_reply("0\nDynamic agent loading is only permitted in the live phase\n")));
  CHECK_FALSE(too_early(parse_reply("0\nreturn code: 0\n")));
}

TEST_CASE("cut anywhere, an answer never becomes a success") {
  const std::string whole = "0\nreturn code: 12\n";
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    CHECK_FALSE(judged(whole.substr(0, cut)).good());
}
