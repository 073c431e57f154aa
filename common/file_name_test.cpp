#include "common/file_name.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "common/atomic_file.h"
#include "common/utf8.h"

using namespace holdfast;

namespace {

FileNameFacts facts() {
  FileNameFacts f;
  f.main_name = "com.acme.Shop";
  f.host = "web1";
  f.container = "0123456789ab";
  f.pid = 4242;
  f.utc_ms = 1'795'246'925'678;  // 2026-11-21T07:42:05.678Z
  f.sequence = 7;
  f.kind = "extended";
  return f;
}

std::string expanded(std::string_view pattern, const FileNameFacts& f = facts()) {
  const Result<FileName> name = expand_file_name(pattern, f);
  return name ? name->text : "refused";
}

std::string with_main(std::string_view main_name) {
  FileNameFacts f = facts();
  f.main_name = main_name;
  return expanded("%e", f);
}

}  // namespace

TEST_CASE("every letter has its meaning") {
  CHECK(expanded("%e-%h-%p-%t-%n.hfr") == "Shop-web1-4242-20261121T074205Z-7.hfr");
  CHECK(expanded("%c_%k%%.hfr") == "0123456789ab_extended%.hfr");
  CHECK(expanded("plain") == "plain");
  CHECK(expanded("\xC3\xA4%n") ==
        "\xC3\xA4"
        "7");
}

TEST_CASE("times are calendar dates in UTC") {
  const auto at = [](std::uint64_t seconds) {
    FileNameFacts f = facts();
    f.utc_ms = seconds * 1000 + 999;
    return expanded("%t", f);
  };
  CHECK(at(0) == "19700101T000000Z");
  CHECK(at(951'782'399) == "20000228T235959Z");
  CHECK(at(951'782'400) == "20000229T000000Z");
  CHECK(at(1'798'761'599) == "20261231T235959Z");
  CHECK(at(4'107'542'400) == "21000301T000000Z");  // 2100 has no leap day
}

TEST_CASE("the main name is what tells services apart") {
  CHECK(with_main("Main") == "Main");
  CHECK(with_main("mod/com.acme.Main") == "Main");
  CHECK(with_main("/opt/app/shop-1.2.jar") == "shop-1.2");
  CHECK(with_main("/opt/app/Acme.Shop.dll") == "Acme.Shop");
  CHECK(with_main("shop.exe") == "shop");
  CHECK(with_main("") == "unknown");
  CHECK(with_main(".jar") == "jar");
}

TEST_CASE("variables, and what must not be in a name") {
  ::setenv("HF_TEST_NAME", "a/b\n\x7F..\xFF", 1);
  CHECK(expanded("x%{HF_TEST_NAME}.hfr") == "xa_b__.._.hfr");
  ::setenv("HF_TEST_NAME", "../../etc/passwd", 1);
  CHECK(expanded("%{HF_TEST_NAME}") == "_._.._etc_passwd");
  ::setenv("HF_TEST_NAME", ".", 1);
  CHECK(expanded("%{HF_TEST_NAME}") == "_");
  ::unsetenv("HF_TEST_NAME");
  CHECK(expanded("a%{HF_TEST_NAME}b") == "ab");
  CHECK(expanded(".hidden") == "_hidden");
  CHECK(expanded("a/b") == "a_b");
}

TEST_CASE("a pattern is refused by name at load as it would be when a report is due") {
  for (const char* bad : {"%", "a%", "%q", "%{", "%{}", "%{X", "a%{Xb.hfr", "%E"}) {
    CHECK_FALSE(valid_file_pattern(bad));
    CHECK(expanded(bad) == "refused");
  }
  for (const char* good : {"%e%h%c%p%t%n%k%%%{X}", "a", "%%e", "x%{A}%{B}"}) {
    CHECK(valid_file_pattern(good));
    CHECK(expanded(good) != "refused");
  }
  const std::string variable(127, 'V'), too_long(128, 'V');
  CHECK(valid_file_pattern("x%{" + variable + "}"));
  CHECK(expanded("x%{" + variable + "}") == "x");
  CHECK_FALSE(valid_file_pattern("x%{" + too_long + "}"));
  CHECK(expanded("x%{" + too_long + "}") == "refused");
  CHECK(expanded("%{HF_TEST_UNSET}") == "refused");  // empty
  CHECK(expanded("") == "refused");
}

TEST_CASE("long values are cut between code points; only a long pattern is refused") {
  FileNameFacts f = facts();
  std::string snails;
  while (snails.size() < 1000) snails += "\xF0\x9F\x90\x8C";
  f.main_name = snails;
  f.host = snails;
  const std::string name = expanded("%e-%h-%p-%t-%n.hfr", f);
  CHECK(name.size() <= kMaxFileName);
  CHECK(name.substr(0, 100) == snails.substr(0, 100));
  CHECK(name[100] == '-');
  CHECK(expanded(std::string(kMaxFileName, 'x')) == std::string(kMaxFileName, 'x'));
  CHECK(expanded(std::string(kMaxFileName + 1, 'x')) == "refused");
  // The name under which a file is written must fit as well.
  CHECK(kMaxFileName + std::string(".4194304.tmp").size() <= 255);
}

TEST_CASE("what stays the same from run to run") {
  const auto prefix = [](std::string_view pattern) {
    return std::string(constant_prefix(pattern, facts())->text);
  };
  CHECK(prefix("%e-%h-%p-%t-%n.hfr") == "Shop-web1-");
  CHECK(prefix("%p.hfr").empty());
  CHECK(prefix("a%%%c-%k") == "a%0123456789ab-");
  CHECK(prefix("fixed.hfr") == "fixed.hfr");
}
