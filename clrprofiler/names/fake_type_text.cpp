// What a line of text says of a type (fake_type_system.h), made where it is not there yet.
#include <algorithm>
#include <cstdlib>

#include "clrprofiler/names/fake_type_system.h"

namespace holdfast::clr {

namespace {

std::u16string wide(std::string_view text) { return {text.begin(), text.end()}; }

class Description {
 public:
  Description(FakeTypeSystem& runtime, std::string_view text) : runtime_(runtime), text_(text) {}

  // As deep as the test's text. NOLINTNEXTLINE(misc-no-recursion)
  ClassID parse() {
    ClassID id = parse_named();
    while (!text_.empty() && (text_[0] == '[' || text_[0] == '*')) id = parse_suffix(id);
    return id;
  }
  bool at_end() const { return text_.empty(); }

 private:
  bool take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string take_name() {
    const bool quoted = take('\'');
    const std::size_t end = std::min(text_.find_first_of(quoted ? "'" : "+<>,[]*!"), text_.size());
    std::string name(text_.substr(0, end));
    text_.remove_prefix(end);
    if (quoted) take('\'');
    return name;
  }
  ModuleID module_of(const std::string& name) {
    const bool core = name.starts_with("System.");
    return runtime_.module_named(core ? "System.Private.CoreLib" : "shop");
  }
  mdTypeDef token_of(ModuleID module, const std::string& name, mdTypeDef outer) {
    const std::vector<FakeTypeDef>& types = runtime_.module_at(module).types;
    for (std::size_t i = 0; i < types.size(); ++i)
      if (types[i].name == wide(name) && types[i].outer == outer)
        return mdtTypeDef + static_cast<mdTypeDef>(i) + 1;
    return runtime_.add_type(module, wide(name), outer);
  }
  ClassID parse_named() {  // NOLINT(misc-no-recursion)
    std::string name = take_name();
    ModuleID module = module_of(name);
    if (take('!')) {
      module = runtime_.module_named(name);
      name = take_name();
    }
    FakeClass type;
    type.module = module;
    type.token = token_of(module, name, 0);
    while (take('+')) type.token = token_of(module, take_name(), type.token);
    if (take('<')) {
      do type.arguments.push_back(parse());
      while (take(','));
      if (!take('>')) std::abort();
    }
    return runtime_.add_class(type);
  }
  ClassID parse_suffix(ClassID element) {
    FakeClass type;
    type.element = element;
    if (take('*')) {
      type.answer = CORPROF_E_CLASSID_IS_COMPOSITE;
      return runtime_.add_class(type);
    }
    take('[');
    type.rank = 1;
    while (take(',')) ++type.rank;
    if (!take(']')) std::abort();
    const bool pointers = runtime_.class_at(element).answer == CORPROF_E_CLASSID_IS_COMPOSITE;
    type.element_type = pointers ? ELEMENT_TYPE_PTR : ELEMENT_TYPE_CLASS;
    return runtime_.add_class(type);
  }

  FakeTypeSystem& runtime_;
  std::string_view text_;
};

}  // namespace

ClassID FakeTypeSystem::get(std::string_view description) {
  Description parsed(*this, description);
  const ClassID id = parsed.parse();
  if (!parsed.at_end()) std::abort();
  return id;
}

}  // namespace holdfast::clr
