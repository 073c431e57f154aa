#include "cli/attach/java_command_line.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using Words = std::vector<std::string>;

void check_main(const Words& words, MainKind kind, const std::string& main,
                const std::string& short_form) {
  const JavaCommandLine found = parse_java_command_line(words);
  CHECK(found.kind == kind);
  CHECK(found.main == main);
  CHECK(short_main(found) == short_form);
}

}  // namespace

TEST_CASE("words between zeros, the last one perhaps cut") {
  CHECK(words_between_zeros(std::string_view("a\0b c\0\0d", 8)) == Words{"a", "b c", "", "d"});
  CHECK(words_between_zeros(std::string_view("a\0", 2)) == Words{"a"});
  CHECK(words_between_zeros("").empty());
}

TEST_CASE("main class, jar and module") {
  check_main({"/usr/bin/java", "-Xmx1g", "shop.Main", "-jar", "x"}, MainKind::kClass, "shop.Main",
             "shop.Main");
  check_main({"java", "-cp", "a.jar:b", "shop.Main"}, MainKind::kClass, "shop.Main", "shop.Main");
  check_main({"java", "-Da=b", "-jar", "/opt/my shop/shop.jar", "run"}, MainKind::kJar,
             "/opt/my shop/shop.jar", "shop.jar");
  check_main({"java", "--module-path", "mods", "-m", "shop/shop.Main"}, MainKind::kModule,
             "shop/shop.Main", "shop/shop.Main");
  check_main({"java", "--module=shop", "x"}, MainKind::kModule, "shop", "shop");
  check_main({"java", "--class-path=a", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "M"},
             MainKind::kClass, "M", "M");
}

TEST_CASE("what is no launcher, a loader called by name, and what cannot be known") {
  check_main({"/opt/jdk/bin/jcmd", "4242"}, MainKind::kProgram, "jcmd", "jcmd");
  check_main({"jsvc.exec", "-home", "/opt/jdk", "org.Boot"}, MainKind::kProgram, "jsvc.exec",
             "jsvc.exec");
  check_main({"/jdk/lib/ld-linux-x86-64.so.2", "--library-path", "/jdk/lib", "/jdk/bin/java", "-cp",
              "x", "Main"},
             MainKind::kClass, "Main", "Main");
  check_main({"/jdk/bin/ld.so", "--argv0", "/jdk/bin/java", "--inhibit-cache", "--library-path",
              "/jdk/lib", "/jdk/elf/java", "-jar", "shop.jar"},
             MainKind::kJar, "shop.jar", "shop.jar");
  check_main({"/lib/ld-linux.so.2", "--list"}, MainKind::kProgram, "ld-linux.so.2",
             "ld-linux.so.2");
  for (const Words& words : {Words{}, Words{"java"}, Words{"java", "@options"},
                             Words{"java", "-cp"}, Words{"java", "-version"}})
    check_main(words, MainKind::kUnknown, "", "");
  check_main({"java", "-jar"}, MainKind::kJar, "", "");
  check_main({""}, MainKind::kProgram, "", "");
}

TEST_CASE(".NET: the assembly of the launcher, or the program itself") {
  const JavaCommandLine launched =
      parse_dotnet_command_line({"/usr/bin/dotnet", "exec", "/app/shop.dll", "x.dll"});
  CHECK(launched.kind == MainKind::kAssembly);
  CHECK(short_main(launched) == "shop.dll");
  CHECK(parse_dotnet_command_line({"/app/shop", "x.dll"}).main == "shop");
  CHECK(parse_dotnet_command_line({}).kind == MainKind::kUnknown);
}

TEST_CASE("options in force: the program's own arguments are none, the last word counts") {
  const JavaCommandLine line =
      parse_java_command_line({"java", "-Xrs", "Main", "-XX:+DisableAttachMechanism"});
  CHECK(line.options == Words{"-Xrs"});
  const Words environment = {"PATH=/bin", "JAVA_TOOL_OPTIONS=-XX:+A -XX:+B\t-XX:-C",
                             "_JAVA_OPTIONS=-XX:-B", "NOT_JAVA_TOOL_OPTIONS=-XX:+D"};
  const Words options = effective_options(line, environment);
  CHECK(options == Words{"-XX:+A", "-XX:+B", "-XX:-C", "-Xrs", "-XX:-B"});
  CHECK(flag_is_on(options, "A", false));
  CHECK_FALSE(flag_is_on(options, "B", true));
  CHECK_FALSE(flag_is_on(options, "C", true));
  CHECK(flag_is_on(options, "D", true));
  CHECK_FALSE(flag_is_on(options, "D", false));
  CHECK(has_option(options, "-Xrs"));
  CHECK_FALSE(has_option(options, "-Xr"));
}

TEST_CASE("two spellings of one option, and words that name files of options") {
  CHECK(reduces_signals({"-Xrs"}));
  CHECK(reduces_signals({"-XX:+ReduceSignalUsage"}));
  CHECK_FALSE(reduces_signals({"-XX:+ReduceSignalUsage", "-XX:-ReduceSignalUsage"}));
  CHECK(names_option_file({"-Xmx1g", "@args"}));
  CHECK(names_option_file({"-XX:Flags=/etc/flags"}));
  CHECK(names_option_file({"-XX:VMOptionsFile=x"}));
  CHECK_FALSE(names_option_file({"-Xmx1g", "-Da=@b"}));
}
