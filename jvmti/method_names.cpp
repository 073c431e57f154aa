#include "jvmti/method_names.h"

#include <algorithm>

#include "common/java/class_names.h"
#include "jvmti/root_facts_stopped.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

StringId declaring_class(const VmAccess& vm, jmethodID method, Catalog& catalog) noexcept {
  jclass type = nullptr;
  if (vm.env.GetMethodDeclaringClass(method, &type) != JVMTI_ERROR_NONE || type == nullptr)
    return StringId{0};
  StringId name{0};
  const Result<std::uint32_t> number = number_of(vm.env, type);
  if (number && *number < catalog.class_count()) {
    name = catalog.classes[*number].name;
  } else {  // loaded after the catalog was read
    VmMemory<char> signature(vm.env);
    java::ClassName text;
    if (vm.env.GetClassSignature(type, signature.out(), nullptr) == JVMTI_ERROR_NONE) {
      java::name_from_signature(signature.text(), text);
      name = catalog.strings.intern(text.view());
    }
  }
  vm.jni.DeleteLocalRef(type);
  return name;
}

MethodRow name_method(const VmAccess& vm, std::uint64_t handle, Catalog& catalog) noexcept {
  auto* method = reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(handle));
  MethodRow row{StringId{0}, StringId{0}};
  VmMemory<char> name(vm.env);
  if (vm.env.GetMethodName(method, name.out(), nullptr, nullptr) != JVMTI_ERROR_NONE) return row;
  row.name = catalog.strings.intern(name.text());
  row.class_name = declaring_class(vm, method, catalog);
  return row;
}

bool has_bytecode(const VmAccess& vm, std::uint64_t handle) noexcept {
  jboolean native = JNI_TRUE;
  auto* method = reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(handle));
  return vm.env.IsMethodNative(method, &native) == JVMTI_ERROR_NONE && native == JNI_FALSE;
}

}  // namespace

Result<void> MethodNames::collect(std::span<const RawRoot> roots, Arena& scratch) noexcept {
  HF_TRY(handles, scratch.make<std::uint64_t>(roots.size()));
  std::size_t used = 0;
  for (const RawRoot& root : roots)
    if (root.method != 0) handles[used++] = root.method;
  handles = handles.first(used);
  std::sort(handles.begin(), handles.end());
  handles_ = handles.first(
      static_cast<std::size_t>(std::unique(handles.begin(), handles.end()) - handles.begin()));
  return {};
}

Result<void> MethodNames::read(const VmAccess& vm, Arena& arena, Catalog& catalog) noexcept {
  HF_TRY(rows, arena.make<MethodRow>(handles_.size()));
  HF_TRY(bytecode, arena.make_filled<bool>(handles_.size(), false));
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    rows[i] = name_method(vm, handles_[i], catalog);
    bytecode[i] = has_bytecode(vm, handles_[i]);
  }
  catalog.methods = rows;
  has_bytecode_ = bytecode;
  return {};
}

void MethodNames::sift(std::span<RawRoot> roots) const noexcept {
  for (RawRoot& root : roots) {
    if (!may_be_code_constant(root)) continue;
    const MethodId method = find(root.method);
    if (method.value < has_bytecode_.size() && has_bytecode_[method.value])
      make_code_constant(root);
  }
}

MethodId MethodNames::find(std::uint64_t handle) const noexcept {
  const auto at = std::lower_bound(handles_.begin(), handles_.end(), handle);
  if (at == handles_.end() || *at != handle) return MethodId{};
  return MethodId{static_cast<std::uint32_t>(at - handles_.begin())};
}

MethodId MethodNames::method_of(void* context, std::uint64_t handle) noexcept {
  return static_cast<const MethodNames*>(context)->find(handle);
}

}  // namespace holdfast::jvmti
