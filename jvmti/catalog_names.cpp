#include "jvmti/catalog_names.h"

#include <cstdio>
#include <string_view>

#include "common/java/class_names.h"
#include "jvmti/error_map.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

Result<void> name_class_fields(const VmAccess& vm, const ClassScan& scan, std::uint32_t c,
                               std::span<std::uint64_t> field_ids, Catalog& catalog,
                               java::KnownClasses& known) noexcept {
  const ClassRow& row = catalog.classes[c];
  jint count = 0;
  VmMemory<jfieldID> ids(vm.env);
  HF_CHECK_OK(check(vm.env.GetClassFields(scan.classes[c], &count, ids.out())));
  std::uint32_t ordinal = 0;
  for (jfieldID id : ids.items(count)) {
    if (ordinal == row.field_count) break;
    VmMemory<char> name(vm.env);
    HF_CHECK_OK(check(vm.env.GetFieldName(scan.classes[c], id, name.out(), nullptr, nullptr)));
    if (c == known.reference && name.text() == "referent") known.referent_ordinal = ordinal;
    if (!catalog.fields.empty())
      catalog.fields[row.first_field + ordinal] = catalog.strings.intern(name.text());
    if (!field_ids.empty())
      field_ids[row.first_field + ordinal] = reinterpret_cast<std::uintptr_t>(id);
    ++ordinal;
  }
  return {};
}

Result<StringId> loader_name(const VmAccess& vm, jobject loader, std::string_view class_name,
                             Catalog& catalog) noexcept {
  const JavaAccess::LoaderName own = vm.java.loader_name(vm.jni, loader);
  if (own.view().empty()) return catalog.strings.intern(class_name);
  char text[java::ClassName::kMaxNameBytes];
  const int written =
      std::snprintf(text, sizeof text, "%.*s \"%s\"", static_cast<int>(class_name.size()),
                    class_name.data(), own.text);
  if (written <= 0) return catalog.strings.intern(class_name);
  const auto bytes = static_cast<std::size_t>(written) < sizeof text
                         ? static_cast<std::size_t>(written)
                         : sizeof text - 1;
  return catalog.strings.intern({text, bytes});
}

Result<void> name_loader(const VmAccess& vm, const ClassScan& scan, std::uint32_t l,
                         Catalog& catalog) noexcept {
  LoaderRow& row = catalog.loaders[l];
  row.object = ObjectId{scan.first_loader() + l - 1};
  jclass type = vm.jni.GetObjectClass(scan.loaders[l]);
  HF_TRY(number, number_of(vm.env, type));
  vm.jni.DeleteLocalRef(type);
  const std::string_view class_name =
      number < scan.class_count() ? catalog.class_name(ClassId{number}) : "?";
  const std::string_view builtin = builtin_loader_name(class_name);
  row.builtin = !builtin.empty();
  if (row.builtin) {
    row.name = catalog.strings.intern(builtin);
    return {};
  }
  HF_TRY(name, loader_name(vm, scan.loaders[l], class_name, catalog));
  row.name = name;
  return {};
}

bool is_platform(const Catalog& catalog, LoaderId loader) noexcept {
  if (loader.value == 0) return true;
  const LoaderRow& row = catalog.loaders[loader.value];
  return row.builtin && catalog.strings.view(row.name) == kPlatformLoaderName;
}

}  // namespace

Result<void> name_classes(const VmAccess& vm, const ClassScan& scan, Catalog& catalog) noexcept {
  java::ClassName name;
  for (std::uint32_t c = 0; c < scan.class_count(); ++c) {
    VmMemory<char> signature(vm.env);
    HF_CHECK_OK(check(vm.env.GetClassSignature(scan.classes[c], signature.out(), nullptr)));
    java::name_from_signature(signature.text(), name);
    ClassRow& row = catalog.classes[c];
    row.name = catalog.strings.intern(name.view());
    if (java::is_array_signature(signature.text())) row.flags |= kClassArray;
    jboolean interface = JNI_FALSE;
    HF_CHECK_OK(check(vm.env.IsInterface(scan.classes[c], &interface)));
    if (interface != JNI_FALSE) row.flags |= kClassInterface;
  }
  return {};
}

Result<void> name_fields(const VmAccess& vm, const ClassScan& scan,
                         std::span<std::uint64_t> field_ids, Catalog& catalog,
                         java::KnownClasses& known) noexcept {
  for (std::uint32_t c = 0; c < scan.class_count(); ++c) {
    if (catalog.fields.empty() && c != known.reference) continue;
    if (scan.field_count[c] == 0) continue;
    HF_CHECK_OK(name_class_fields(vm, scan, c, field_ids, catalog, known));
  }
  return {};
}

Result<void> name_loaders(const VmAccess& vm, const ClassScan& scan, Catalog& catalog) noexcept {
  catalog.loaders[0].name = catalog.strings.intern("boot");
  catalog.loaders[0].builtin = true;
  for (std::uint32_t l = 1; l < scan.loader_count(); ++l)
    HF_CHECK_OK(name_loader(vm, scan, l, catalog));
  for (ClassRow& row : catalog.classes)
    if (is_platform(catalog, row.loader)) row.flags |= kClassPlatform;
  return {};
}

Result<void> name_threads(const VmAccess& vm, const ClassScan& scan, Catalog& catalog) noexcept {
  for (std::uint32_t t = 0; t < scan.thread_count(); ++t) {
    ThreadRow& row = catalog.threads[t];
    row.object = ObjectId{scan.first_thread() + t};
    row.vm_id = vm.java.thread_id(vm.jni, scan.threads[t]);
    jvmtiThreadInfo info{};
    if (vm.env.GetThreadInfo(scan.threads[t], &info) != JVMTI_ERROR_NONE) {  // it ended meanwhile
      row.name = catalog.strings.intern("(ended)");
      continue;
    }
    row.name = catalog.strings.intern(info.name != nullptr ? std::string_view(info.name)
                                                           : std::string_view());
    row.daemon = info.is_daemon != JNI_FALSE;
    vm.env.Deallocate(reinterpret_cast<unsigned char*>(info.name));
    if (info.thread_group != nullptr) vm.jni.DeleteLocalRef(info.thread_group);
    if (info.context_class_loader != nullptr) vm.jni.DeleteLocalRef(info.context_class_loader);
  }
  return {};
}

}  // namespace holdfast::jvmti
