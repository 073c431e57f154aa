#include "clrprofiler/accounts/function_accounts.h"

namespace holdfast::clr {

namespace {

// How many bytes of an arity `text` begins with: "`2".
std::size_t arity_bytes(std::string_view text) noexcept {
  if (text.empty() || text[0] != '`') return 0;
  std::size_t bytes = 1;
  while (bytes < text.size() && text[bytes] >= '0' && text[bytes] <= '9') ++bytes;
  return bytes > 1 ? bytes : 0;
}

// As people write it: "Shop.Cache.Node" for "Shop.Cache`1+Node".
void append_plain(std::string_view class_name, NameText& out) noexcept {
  while (!class_name.empty()) {
    const std::size_t arity = arity_bytes(class_name);
    if (arity == 0) out.append(class_name[0] == '+' ? "." : class_name.substr(0, 1));
    class_name.remove_prefix(arity != 0 ? arity : 1);
  }
}

}  // namespace

Result<void> FunctionAccounts::open(ProfilerInfo& info, Modules& modules, AccountBook& book,
                                    Arena& arena) noexcept {
  info_ = &info;
  modules_ = &modules;
  book_ = &book;
  return known_.open(arena);
}

const FrameAccount& FunctionAccounts::of(FunctionID function) noexcept {
  const FrameAccount* const known = known_.find(function);
  return known != nullptr ? *known : known_.add(function, ask(function));
}

bool FunctionAccounts::is_dynamic(FunctionID function) noexcept {
  constexpr int kDynamicFunctions = 8;  // the version of ICorProfilerInfo that brought them
  BOOL dynamic = 0;
  return info_->version() >= kDynamicFunctions &&
         succeeded((*info_)->IsFunctionDynamic(function, &dynamic)) && dynamic != 0;
}

FrameAccount FunctionAccounts::ask(FunctionID function) noexcept {
  FrameAccount found;
  ClassID type = 0;
  ModuleID module_id = 0;
  mdToken token = 0;
  if (is_dynamic(function) || !succeeded((*info_)->GetFunctionInfo2(function, 0, &type, &module_id,
                                                                    &token, 0, nullptr, nullptr)))
    return found;
  const Module& module = modules_->of(module_id);
  NameText method;
  const Result<mdTypeDef> owner = module.metadata.method(token, method);
  if (!owner) return found;
  name_class(module, *owner);
  const ClassOrigin origin{{}, module.name};
  found.account = book_->patterns().match(class_name_.view(), origin);
  if (found.account != kUnaccounted) found.method = name_method(method.view());
  return found;
}

void FunctionAccounts::name_class(const Module& module, mdTypeDef token) noexcept {
  class_name_.clear();
  mdTypeDef room[Metadata::kMaxNesting];
  const auto chain = module.metadata.nesting(token, room);
  if (!chain) return;
  for (const mdTypeDef level : *chain) {
    if (level != chain->front()) class_name_.append("+");
    if (!module.metadata.type_def(level, class_name_)) class_name_.append("?");
  }
}

StringId FunctionAccounts::name_method(std::string_view method) noexcept {
  if ((book_->settings().dimensions & kByMethod) == 0) return StringId{0};
  shown_.clear();
  append_plain(class_name_.view(), shown_);
  shown_.append(".");
  shown_.append(method);
  return book_->name(shown_.view());
}

}  // namespace holdfast::clr
