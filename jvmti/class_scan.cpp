#include "jvmti/class_scan.h"

#include <string_view>

#include "common/java/class_names.h"
#include "jvmti/error_map.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

// A class may be prepared while we look. Rounds go on until one finds nothing new: from then on every class counted as prepared
// has only prepared superclasses and interfaces, because the VM prepares those first.
constexpr int kMaxPrepareRounds = 8;

Result<void> make_arrays(Arena& scratch, ClassScan& out) noexcept {
  const std::size_t classes = out.classes.size();
  HF_TRY(superclass, scratch.make_filled<std::uint32_t>(classes, java::kNoClass));
  HF_TRY(loader, scratch.make_filled<std::uint32_t>(classes, 0));
  HF_TRY(field_count, scratch.make_filled<std::uint32_t>(classes, 0));
  HF_TRY(first_interface, scratch.make_filled<std::uint32_t>(classes + 1, 0));
  HF_TRY(prepared, scratch.make_filled<std::uint8_t>(classes, 0));
  HF_TRY(loaders, scratch.make_filled<jobject>(classes + 1, nullptr));
  out.superclass = superclass;
  out.loader = loader;
  out.field_count = field_count;
  out.first_interface = first_interface;
  out.prepared = prepared;
  out.loaders = loaders;
  return {};
}

Result<void> tag_preassigned(jvmtiEnv& env, const ClassScan& scan) noexcept {
  for (std::uint32_t c = 0; c < scan.class_count(); ++c)
    HF_CHECK_OK(check(env.SetTag(scan.classes[c], tag_of(c))));
  for (std::uint32_t t = 0; t < scan.thread_count(); ++t)
    HF_CHECK_OK(check(env.SetTag(scan.threads[t], tag_of(scan.first_thread() + t))));
  return {};
}

// `loaders` is as long as there are classes; `used` of it are known.
Result<void> find_loader(const VmAccess& vm, std::uint32_t c, std::uint32_t& used,
                         ClassScan& scan) noexcept {
  jobject loader = nullptr;
  HF_CHECK_OK(check(vm.env.GetClassLoader(scan.classes[c], &loader)));
  if (loader == nullptr) return {};
  HF_TRY(number, number_of(vm.env, loader));
  if (number != java::kNoClass) {
    if (number >= scan.first_loader() && number - scan.first_loader() + 1 < used)
      scan.loader[c] = number - scan.first_loader() + 1;
    vm.jni.DeleteLocalRef(loader);
    return {};
  }
  HF_CHECK_OK(check(vm.env.SetTag(loader, tag_of(scan.first_loader() + used - 1))));
  scan.loaders[used] = loader;
  scan.loader[c] = used++;
  return {};
}

Result<void> find_superclass(const VmAccess& vm, std::uint32_t c, ClassScan& scan) noexcept {
  jclass superclass = vm.jni.GetSuperclass(scan.classes[c]);
  if (superclass == nullptr) return {};
  HF_TRY(number, number_of(vm.env, superclass));
  if (number < scan.class_count()) scan.superclass[c] = number;
  vm.jni.DeleteLocalRef(superclass);
  return {};
}

struct KnownName {
  std::string_view signature;
  std::uint32_t java::KnownClasses::*index;
};
constexpr KnownName kKnownNames[] = {
    {"Ljava/lang/Class;", &java::KnownClasses::class_class},
    {"Ljava/lang/ClassLoader;", &java::KnownClasses::class_loader},
    {"Ljava/lang/Thread;", &java::KnownClasses::thread},
    {"Ljava/lang/ref/Reference;", &java::KnownClasses::reference},
    {"Ljava/lang/ref/SoftReference;", &java::KnownClasses::soft},
    {"Ljava/lang/ref/WeakReference;", &java::KnownClasses::weak},
    {"Ljava/lang/ref/FinalReference;", &java::KnownClasses::final},
    {"Ljava/lang/ref/PhantomReference;", &java::KnownClasses::phantom},
    {"Ljava/security/ProtectionDomain;", &java::KnownClasses::protection_domain},
    {"[Ljava/lang/Object;", &java::KnownClasses::object_array},
    {"Ljdk/internal/vm/StackChunk;", &java::KnownClasses::stack_chunk},
};

Result<void> read_signature(const VmAccess& vm, std::uint32_t c, ClassScan& scan) noexcept {
  VmMemory<char> signature(vm.env);
  HF_CHECK_OK(check(vm.env.GetClassSignature(scan.classes[c], signature.out(), nullptr)));
  scan.name_bytes +=
      signature.text().size() + 2;  // "[I" becomes "int[]", so a name may be a little longer
  if (java::is_array_signature(signature.text())) scan.name_bytes += 8;
  if (scan.loader[c] != 0) return {};  // the known ones all belong to the boot loader
  for (const KnownName& known : kKnownNames)
    if (signature.text() == known.signature) scan.known.*known.index = c;
  return {};
}

// Counts fields and interfaces of a class that is prepared; false when it is not yet.
Result<bool> count_members(const VmAccess& vm, std::uint32_t c, ClassScan& scan) noexcept {
  jint fields = 0;
  VmMemory<jfieldID> field_ids(vm.env);
  const jvmtiError answer = vm.env.GetClassFields(scan.classes[c], &fields, field_ids.out());
  if (answer == JVMTI_ERROR_CLASS_NOT_PREPARED) return false;
  HF_CHECK_OK(check(answer));
  jint interfaces = 0;
  VmMemory<jclass> interface_list(vm.env);
  HF_CHECK_OK(
      check(vm.env.GetImplementedInterfaces(scan.classes[c], &interfaces, interface_list.out())));
  for (jclass interface : interface_list.items(interfaces)) vm.jni.DeleteLocalRef(interface);
  scan.prepared[c] = 1;
  scan.field_count[c] = static_cast<std::uint32_t>(fields);
  scan.first_interface[c + 1] = static_cast<std::uint32_t>(interfaces);
  scan.field_total += static_cast<std::uint32_t>(fields);
  return true;
}

Result<void> count_all_members(const VmAccess& vm, ClassScan& scan) noexcept {
  bool found = true;
  for (int round = 0; found && round < kMaxPrepareRounds; ++round) {
    found = false;
    for (std::uint32_t c = 0; c < scan.class_count(); ++c) {
      if (scan.prepared[c] != 0) continue;
      HF_TRY(prepared, count_members(vm, c, scan));
      found = found || prepared;
    }
  }
  return {};
}

Result<void> list_interfaces(const VmAccess& vm, Arena& scratch, ClassScan& scan) noexcept {
  for (std::uint32_t c = 0; c < scan.class_count(); ++c)
    scan.first_interface[c + 1] += scan.first_interface[c];
  HF_TRY(interfaces, scratch.make_filled<std::uint32_t>(scan.first_interface[scan.class_count()],
                                                        java::kNoClass));
  scan.interfaces = interfaces;
  for (std::uint32_t c = 0; c < scan.class_count(); ++c) {
    std::uint32_t at = scan.first_interface[c];
    if (at == scan.first_interface[c + 1]) continue;
    jint count = 0;
    VmMemory<jclass> list(vm.env);
    HF_CHECK_OK(check(vm.env.GetImplementedInterfaces(scan.classes[c], &count, list.out())));
    for (jclass interface : list.items(count)) {
      HF_TRY(number, number_of(vm.env, interface));
      if (number < scan.class_count() && at < scan.first_interface[c + 1])
        scan.interfaces[at++] = number;
      vm.jni.DeleteLocalRef(interface);
    }
  }
  return {};
}

}  // namespace

Result<std::uint32_t> number_of(jvmtiEnv& env, jobject object) noexcept {
  jlong tag = 0;
  HF_CHECK_OK(check(env.GetTag(object, &tag)));
  return tag > 0 && tag <= jlong{java::kNoClass} ? static_cast<std::uint32_t>(tag - 1)
                                                 : java::kNoClass;
}

Result<void> scan_classes(const VmAccess& vm, Arena& scratch, ClassScan& out) noexcept {
  if (out.classes.size() > static_cast<std::size_t>(kMaxClasses))
    return make_error(ErrorCode::kTooMany, kMaxClasses);
  HF_CHECK_OK(make_arrays(scratch, out));
  HF_CHECK_OK(tag_preassigned(vm.env, out));
  std::uint32_t loaders = 1;
  for (std::uint32_t c = 0; c < out.class_count(); ++c) {
    HF_CHECK_OK(find_loader(vm, c, loaders, out));
    HF_CHECK_OK(find_superclass(vm, c, out));
    HF_CHECK_OK(read_signature(vm, c, out));
  }
  out.loaders = out.loaders.first(loaders);
  HF_CHECK_OK(count_all_members(vm, out));
  return list_interfaces(vm, scratch, out);
}

}  // namespace holdfast::jvmti
