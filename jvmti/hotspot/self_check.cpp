#include "jvmti/hotspot/self_check.h"

#include "jvmti/error_map.h"
#include "jvmti/hotspot/object_references.h"
#include "platforms/mappings.h"

namespace holdfast::jvmti {

namespace {

enum Step : int {
  kPassed = 0,
  kClasses,
  kSizes,
  kArray,
  kWeak,
  kStatic,
  kFields,
  kClassObjects,
  kPools,
  kMethods,
  kStepCount,
};

struct Reader {
  HeapView view;
  ClassShapes shapes;
  ObjectReferences references;

  explicit Reader(Freeze& freeze) noexcept
      : view(*freeze.picture().layout),
        shapes(view, freeze.picture().catalog, freeze.tools().memory.work_arena()),
        references(view, freeze.picture().catalog, shapes) {}

  Address object(Address handle) const noexcept {
    const Address found = view.behind_handle(handle);
    return view.plausible(found) ? found : 0;
  }
  ClassShape* shape(Address object) noexcept {
    return object != 0 ? shapes.find(view.class_of(object)) : nullptr;
  }
  bool has_size(Address handle, jlong bytes) noexcept {
    const Address found = object(handle);
    const ClassShape* type = shape(found);
    return type != nullptr &&
           references.object_bytes(found, *type) == static_cast<std::uint64_t>(bytes);
  }
  // A class object without static fields is as large as its class says. (JDK 8 tells the size of something else.)
  bool has_size_of_class(Address handle) noexcept {
    const ClassShape* type = shape(object(handle));
    return type != nullptr &&
           has_size(handle, static_cast<jlong>(view.aligned(type->instance_bytes)));
  }
  // How many references lead from `from` to `to` with exactly this label, and how many there are in all.
  struct Found {
    int wanted = 0;
    int all = 0;
  };
  template <class IsLabel>
  Found count(Address from, Address to, IsLabel is_label) noexcept {
    Found found;
    const ClassShape* type = shape(from);
    if (type == nullptr) return found;
    references.for_each(from, *type, [&](Address referent, RefLabel label) {
      ++found.all;
      if (referent == to && is_label(label)) ++found.wanted;
    });
    return found;
  }
  bool holds_one_field(Address from) noexcept {
    int fields = 0, others = 0;
    if (const ClassShape* type = shape(from))
      references.for_each(from, *type, [&](Address, RefLabel label) {
        ++(label.is_instance_field() ? fields : others);
      });
    return fields == 1 && others == 0;
  }
  // Everything that a class object holds must look like an object.
  bool class_object_holds_objects(ClassShape& type) noexcept {
    bool sound = references.object_bytes(type.mirror, shapes.of(class_class)) != 0;
    references.for_each(type.mirror, shapes.of(class_class), [&](Address referent, RefLabel) {
      if (!view.plausible(referent)) {
        sound = false;
        return;
      }
      sound = sound && known(view.class_of(referent));
    });
    return sound;
  }
  bool sound_pool(const ClassShape& type) noexcept {
    return type.kind == ShapeKind::kPrimitiveArray || type.kind == ShapeKind::kReferenceArray ||
           references.sound_pool(type);
  }
  // The word behind a jmethodID is the method's address. Where it is not, nothing is read from methods either.
  bool has_flags(Address method_id, std::uint16_t flags) const noexcept {
    constexpr std::uint16_t kDeclared = 0x0fff;
    const std::uint32_t offset = view.layout().method_flags;
    if (offset == 0 || method_id % 8 != 0 || !platforms::is_readable(method_id)) return true;
    return (load<std::uint16_t>(load<Address>(method_id) + offset) & kDeclared) == flags;
  }
  bool known(Address class_address) noexcept {
    return shapes.find(class_address) != nullptr || shapes.learn(class_address).ok();
  }
  ClassId class_class;
};

bool failed(JNIEnv& jni) noexcept {
  if (jni.ExceptionCheck() == JNI_FALSE) return false;
  jni.ExceptionClear();
  return true;
}

Address address_of(jobject object) noexcept { return reinterpret_cast<std::uintptr_t>(object); }

}  // namespace

Result<void> SelfCheck::make(JNIEnv& jni, jvmtiEnv& env) noexcept {
  const Error refused = make_error(ErrorCode::kVm);
  jclass object_class = jni.FindClass("java/lang/Object");
  jclass weak_class = jni.FindClass("java/lang/ref/WeakReference");
  jclass system_class = jni.FindClass("java/lang/System");
  if (failed(jni)) return refused;
  const jmethodID weak_init = jni.GetMethodID(weak_class, "<init>", "(Ljava/lang/Object;)V");
  const jfieldID out_field = jni.GetStaticFieldID(system_class, "out", "Ljava/io/PrintStream;");
  constexpr std::uint16_t kPublic = 0x1, kStaticMethod = 0x8, kNative = 0x100;
  const auto id = [](jmethodID method) { return reinterpret_cast<std::uintptr_t>(method); };
  methods_[0] = {id(jni.GetMethodID(object_class, "hashCode", "()I")), kPublic | kNative};
  methods_[1] = {id(jni.GetMethodID(object_class, "toString", "()Ljava/lang/String;")), kPublic};
  methods_[2] = {id(jni.GetStaticMethodID(system_class, "nanoTime", "()J")),
                 kPublic | kStaticMethod | kNative};
  if (failed(jni)) return refused;
  jobject bytes = jni.NewByteArray(kBytes);
  if (failed(jni)) return refused;
  jobject text = jni.NewStringUTF("holdfast");
  if (failed(jni)) return refused;
  jobjectArray references = jni.NewObjectArray(3, object_class, nullptr);
  if (failed(jni)) return refused;
  jni.SetObjectArrayElement(references, 0, bytes);
  jni.SetObjectArrayElement(references, 2, text);
  jobject weak = jni.NewObject(weak_class, weak_init, bytes);
  if (failed(jni)) return refused;
  jobject system_out = jni.GetStaticObjectField(system_class, out_field);
  if (failed(jni) || system_out == nullptr) return refused;
  object_class_ = address_of(object_class);
  system_class_ = address_of(system_class);
  const auto sized = [&](jobject object, Sized& out) {
    out.handle = address_of(object);
    return env.GetObjectSize(object, &out.bytes) == JVMTI_ERROR_NONE;
  };
  const bool all = sized(bytes, bytes_) && sized(text, text_) && sized(references, references_) &&
                   sized(weak, weak_) && sized(system_out, system_out_);
  return all ? Result<void>{} : Result<void>{refused};
}

int SelfCheck::run(Freeze& freeze) const noexcept {
  Reader reader(freeze);
  reader.class_class = freeze.heap().class_class;
  if (!reader.shapes.read()) return kClasses;
  for (const Sized& known : {bytes_, references_, weak_, text_, system_out_})
    if (!reader.has_size(known.handle, known.bytes)) return kSizes;
  if (!reader.has_size_of_class(object_class_)) return kSizes;

  const Address bytes = reader.object(bytes_.handle);
  const Address text = reader.object(text_.handle);
  const Address references = reader.object(references_.handle);
  const auto element = [](std::uint32_t i) {
    return [i](RefLabel label) { return label == RefLabel::element(i); };
  };
  if (reader.count(references, bytes, element(0)).wanted != 1 ||
      reader.count(references, text, element(2)).wanted != 1 ||
      reader.count(references, 0, element(1)).all != 2 ||
      reader.count(bytes, 0, element(0)).all != 0)
    return kArray;
  const Address weak = reader.object(weak_.handle);
  const auto is_weak = [](RefLabel label) { return label == special(SpecialRef::kReferentWeak); };
  if (reader.count(weak, bytes, is_weak).wanted != 1) return kWeak;
  const auto is_static = [](RefLabel label) { return label.is_static_field(); };
  if (reader.count(reader.object(system_class_), reader.object(system_out_.handle), is_static)
          .wanted != 1)
    return kStatic;
  // A string refers to its characters, and to nothing else.
  if (!reader.holds_one_field(text)) return kFields;
  for (std::uint32_t c = 0; c < freeze.heap().catalog.class_count(); ++c)
    if (!reader.class_object_holds_objects(reader.shapes.of(ClassId{c}))) return kClassObjects;
  for (std::uint32_t c = 0; c < freeze.heap().catalog.class_count(); ++c)
    if (!reader.sound_pool(reader.shapes.of(ClassId{c}))) return kPools;
  for (const Method& method : methods_)
    if (!reader.has_flags(method.id, method.flags)) return kMethods;
  return kPassed;
}

const char* SelfCheck::step_text(int step) noexcept {
  constexpr const char* kTexts[kStepCount] = {"nothing",
                                              "classes and their objects",
                                              "sizes of objects",
                                              "elements of arrays",
                                              "the referent of a weak reference",
                                              "static fields",
                                              "fields of instances",
                                              "what class objects hold",
                                              "constant pools",
                                              "flags of methods"};
  return step >= 0 && step < kStepCount ? kTexts[step] : "the memory of the VM (it crashed)";
}

}  // namespace holdfast::jvmti
