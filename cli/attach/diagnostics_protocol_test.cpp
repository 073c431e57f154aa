#include "cli/attach/diagnostics_protocol.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using namespace std::string_literals;

// As the runtime of .NET 10 sent it.
const std::string kAttached = "DOTNET_IPC_V1\0\x18\0\xff\0\0\0\0\0\0\0"s;

std::string refusal_of(std::uint32_t code) {
  std::string reply = "DOTNET_IPC_V1\0\x18\0\xff\xff\0\0"s;
  for (unsigned shift = 0; shift < 32; shift += 8) reply += static_cast<char>(code >> shift);
  return reply;
}

AttachOutcome judged(std::string_view reply) { return judge_reply(parse_diagnostics_reply(reply)); }

void check_refused(std::string_view reply, const std::string& said) {
  const AttachOutcome outcome = judged(reply);
  CHECK(outcome.code == ExitCode::kRefused);
  CHECK_MESSAGE(outcome.text.find(said) != std::string::npos, outcome.text);
  CHECK(std::ranges::count(outcome.text, '\n') == 0);
}

}  // namespace

TEST_CASE("a request, byte for byte") {
  const std::string expected =
      "DOTNET_IPC_V1\0"
      "\x44\0"                                // 68 bytes in all
      "\x03\x01\0\0"                          // profiler, attach
      "\x88\x13\0\0"                          // 5,000 ms
      "\xe6\xc4\xb1\xd5\x0e\x5b\x0b\x4e"      // {D5B1C4E6-5B0E-4E0B-
      "\x9c\x4c\x7e\x1f\x0a\x6b\x7a\x11"      // 9C4C-7E1F0A6B7A11}
      "\x07\0\0\0/\0\xe4\0.\0s\0o\0\x20\x26"  // 7 UTF-16 units, the zero is one of them
      "\0\0"
      "\x06\0\0\0on=off"s;
  CHECK(encode_attach("/\u00e4.so\u2620", "on=off", 5000) == expected);
}

TEST_CASE("characters beyond 16 bits are two units; what is no UTF-8 is no path") {
  const std::string request = encode_attach("/\U0001F419", "", 1);
  CHECK(request.find("\x04\0\0\0/\0\x3d\xd8\x19\xdc\0\0"s) != std::string::npos);
  CHECK(encode_attach("/\xff.so", "", 1).empty());
  CHECK(encode_attach("/\xc3", "", 1).empty());
  CHECK(encode_attach("", "", 1).empty());
}

TEST_CASE("no longer than its size field can say") {
  const std::size_t frame = encode_attach("/a", "", 1).size();
  const std::string most(kMaxDiagnosticsMessage - frame, 'x');
  CHECK(encode_attach("/a", most, 1).size() == kMaxDiagnosticsMessage);
  CHECK(encode_attach("/a", most, 1).substr(14, 2) == "\xff\xff");
  CHECK(encode_attach("/a", most + 'x', 1).empty());
  CHECK(encode_attach("/" + std::string(40'000, 'a'), "", 1).empty());
}

TEST_CASE("attached: as the runtime says it, whole") {
  CHECK(judged(kAttached).good());
  CHECK(judged(kAttached).text.empty());
  CHECK(is_whole_reply(kAttached));
  CHECK(judged(kAttached + "more").good());
  for (std::size_t cut = 0; cut < kAttached.size(); ++cut) {
    CHECK_FALSE(is_whole_reply(kAttached.substr(0, cut)));
    CHECK_FALSE(judged(kAttached.substr(0, cut)).good());
  }
}

TEST_CASE("each refusal has its line, with its number") {
  check_refused(refusal_of(0x8013136A), "takes only one (0x8013136A)");
  check_refused(refusal_of(0x8013135B), "not started far enough yet; try again (0x8013135B)");
  check_refused(refusal_of(0x80131371), "not started far enough");
  check_refused(refusal_of(0x80131367), "just leaving");
  check_refused(refusal_of(0x80131375), "standard error of the process (0x80131375)");
  check_refused(refusal_of(0x80131379), "background collection");
  check_refused(refusal_of(0x8007007E), "could not load the library");
  check_refused(refusal_of(0x8007007F), "cannot be loaded into .NET");
  check_refused(refusal_of(0x80131368), "cannot be loaded into .NET");
  check_refused(refusal_of(0x8007000E), "no memory");
  check_refused(refusal_of(0x80131384), "another diagnostics protocol");
  check_refused(refusal_of(0x80131385), "native AOT");
  check_refused(refusal_of(0x80131386), "another diagnostics protocol");
  check_refused(refusal_of(0x80004005), "(0x80004005)");
}

TEST_CASE("what passes by itself is asked again, what does not is not") {
  const auto again = [](std::uint32_t code) {
    return ask_again(parse_diagnostics_reply(refusal_of(code)));
  };
  CHECK(again(0x8013135B));
  CHECK(again(0x80131371));
  CHECK(again(0x80131373));
  CHECK(again(0x80131367));
  CHECK_FALSE(again(0x8013136A));
  CHECK_FALSE(again(0x80131385));
  CHECK_FALSE(ask_again(parse_diagnostics_reply(kAttached)));
  CHECK_FALSE(ask_again(parse_diagnostics_reply("")));
  CHECK(already_profiled(parse_diagnostics_reply(refusal_of(0x8013136A))));
  CHECK_FALSE(already_profiled(parse_diagnostics_reply(kAttached)));
}

TEST_CASE("an answer of something else is known at once, and never a success") {
  for (const std::string& reply :
       {"HTTP/1.1 200 OK\r\n"s, "D0"s, "DOTNET_IPC_V2\0\x18\0\xff\0\0\0\0\0\0\0"s,
        "DOTNET_IPC_V1\0\x13\0\xff\0\0\0\0\0\0\0"s}) {  // 19 bytes: less than a header
    CHECK(is_whole_reply(reply));
    check_refused(reply, "without an answer");
  }
}

TEST_CASE("an answer that contradicts itself, or has no result") {
  check_refused("DOTNET_IPC_V1\0\x18\0\xff\0\0\0\x6a\x13\x13\x80"s, "makes no sense");
  check_refused("DOTNET_IPC_V1\0\x18\0\xff\xff\0\0\0\0\0\0"s, "makes no sense");
  check_refused("DOTNET_IPC_V1\0\x18\0\x03\0\0\0\0\0\0\0"s, "makes no sense");
  check_refused("DOTNET_IPC_V1\0\x18\0\xff\x01\0\0\0\0\0\0"s, "makes no sense");
  check_refused("DOTNET_IPC_V1\0\x14\0\xff\0\0\0"s, "makes no sense");
  check_refused("DOTNET_IPC_V1\0\x16\0\xff\0\0\0\0\0\0\0"s, "makes no sense");
}
