#include "jvmti/vm_facts.h"

#include <algorithm>
#include <cstring>

#include "common/command_line.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

void copy_fact(std::string_view text, char (&out)[kMaxFactText]) noexcept {
  const std::size_t bytes = std::min(text.size(), kMaxFactText - 1);
  if (bytes != 0) std::memcpy(out, text.data(), bytes);
  out[bytes] = '\0';
}

template <class Use>
void with_property(jvmtiEnv& env, const char* key, Use use) noexcept {
  VmMemory<char> text(env);
  if (env.GetSystemProperty(key, text.out()) == JVMTI_ERROR_NONE) use(text.text());
}

}  // namespace

std::string_view main_name_of(std::string_view java_command) noexcept {
  // A jar's path may hold spaces; a class name holds none.
  const std::size_t jar = java_command.find(".jar");
  const bool is_jar = jar != std::string_view::npos &&
                      (jar + 4 == java_command.size() || java_command[jar + 4] == ' ') &&
                      (java_command.front() == '/' ||
                       java_command.substr(0, jar).find(' ') == std::string_view::npos);
  std::string_view name =
      is_jar ? java_command.substr(0, jar + 4) : java_command.substr(0, java_command.find(' '));
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

VmFacts read_vm_facts(jvmtiEnv& env, const VmFlags& flags) noexcept {
  VmFacts facts;
  with_property(env, "java.vm.name",
                [&](std::string_view text) { copy_fact(text, facts.vm_name); });
  with_property(env, "java.vm.version",
                [&](std::string_view text) { copy_fact(text, facts.vm_version); });
  with_property(env, "java.vm.vendor",
                [&](std::string_view text) { copy_fact(text, facts.vm_vendor); });
  with_property(env, "sun.java.command",
                [&](std::string_view text) { copy_fact(main_name_of(text), facts.main_name); });
  copy_fact(flags.collector, facts.collector);
  facts.command_line_hash = command_line_hash();
  return facts;
}

}  // namespace holdfast::jvmti
