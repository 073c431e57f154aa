#include "jvmti/heap_walk_stopped.h"

#include "jvmti/root_facts_stopped.h"

namespace holdfast::jvmti {

namespace {

ClassId class_of_tag(jlong class_tag, std::uint32_t class_count) noexcept {
  return class_tag > 0 && class_tag <= jlong{class_count}
             ? ClassId{static_cast<std::uint32_t>(class_tag - 1)}
             : ClassId{};
}

// Numbers an object on its first visit. False when the memory is used up.
bool visit_object(WalkState& walk, jlong class_tag, jlong shallow_bytes, jlong* tag,
                  ObjectId& out) noexcept {
  const auto bytes = static_cast<std::uint64_t>(shallow_bytes);
  if (*tag == 0) {
    out = walk.builder->add_object(class_of_tag(class_tag, walk.class_count), bytes);
    if (!out.valid()) return false;
    *tag = jlong{out.value} + 1;
    return true;
  }
  out = ObjectId{static_cast<std::uint32_t>(*tag - 1)};
  if (out.value < walk.preassigned && !walk.builder->reached(out))
    walk.builder->reach_preassigned(out, class_of_tag(class_tag, walk.class_count), bytes);
  return true;
}

// HotSpot's "system class" roots include what the boot loader keeps besides classes (resolved constants, modules).
RootKind system_root_kind(WalkState& walk, ObjectId object, ClassId class_id) noexcept {
  if (object.value < walk.class_count) {
    walk.rooted[object.value] = 1;
    return RootKind::kSystemClass;
  }
  return class_id.valid() && class_id == walk.class_class ? RootKind::kSystemClass
                                                          : RootKind::kOther;
}

RootKind root_kind(WalkState& walk, jvmtiHeapReferenceKind kind, ObjectId object,
                   ClassId class_id) noexcept {
  switch (kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
      return RootKind::kJniGlobal;
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
      return system_root_kind(walk, object, class_id);
    case JVMTI_HEAP_REFERENCE_MONITOR:
      return RootKind::kMonitor;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
      return RootKind::kStackLocal;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
      return RootKind::kJniLocal;
    case JVMTI_HEAP_REFERENCE_THREAD:
      return RootKind::kThread;
    default:
      return RootKind::kOther;
  }
}

bool add_root(WalkState& walk, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo* info,
              ObjectId object, ClassId class_id) noexcept {
  RawRoot root;
  root.object = object;
  root.kind = root_kind(walk, kind, object, class_id);
  if (root.kind == RootKind::kThread)
    root.thread = thread_of_tag(walk.class_count, walk.thread_count, jlong{object.value} + 1);
  if (info != nullptr) describe_frame(walk.class_count, walk.thread_count, kind, *info, root);
  return walk.builder->add_root(root);
}

RefLabel field_label(const WalkState& walk, jlong referrer_class_tag, jint slot) noexcept {
  const ClassId referrer_class = class_of_tag(referrer_class_tag, walk.class_count);
  if (referrer_class.valid()) {
    const ReferentRule& rule = walk.referents[referrer_class.value];
    if (rule.slot == static_cast<std::uint32_t>(slot)) return rule.label;
  }
  return RefLabel::instance_field(static_cast<std::uint32_t>(slot));
}

RefLabel label_of(const WalkState& walk, jvmtiHeapReferenceKind kind,
                  const jvmtiHeapReferenceInfo* info, jlong referrer_class_tag) noexcept {
  switch (kind) {
    case JVMTI_HEAP_REFERENCE_FIELD:
      return field_label(walk, referrer_class_tag, info->field.index);
    case JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT:
      return RefLabel::element(static_cast<std::uint32_t>(info->array.index));
    case JVMTI_HEAP_REFERENCE_STATIC_FIELD:
      return RefLabel::static_field(static_cast<std::uint32_t>(info->field.index));
    case JVMTI_HEAP_REFERENCE_CLASS:
      return special(SpecialRef::kClass);
    case JVMTI_HEAP_REFERENCE_CLASS_LOADER:
      return special(SpecialRef::kClassLoader);
    case JVMTI_HEAP_REFERENCE_SIGNERS:
      return special(SpecialRef::kSigners);
    case JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN:
      return special(SpecialRef::kProtectionDomain);
    case JVMTI_HEAP_REFERENCE_INTERFACE:
      return special(SpecialRef::kInterface);
    case JVMTI_HEAP_REFERENCE_CONSTANT_POOL:
      return special(SpecialRef::kConstantPool);
    case JVMTI_HEAP_REFERENCE_SUPERCLASS:
      return special(SpecialRef::kSuperclass);
    default:
      return special(SpecialRef::kOther);
  }
}

bool add_reference(WalkState& walk, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo* info,
                   jlong referrer_class_tag, jlong referrer_tag, ObjectId object) noexcept {
  if (referrer_tag <= 0) {  // never seen on HotSpot: whoever refers was visited before
    ++walk.builder->losses().references_to_unknown;
    return true;
  }
  const auto referrer = static_cast<std::uint32_t>(referrer_tag - 1);
  if (referrer != walk.row) {
    walk.row = referrer;
    if (!walk.builder->begin_row(ObjectId{referrer})) return false;
  }
  // Implied by the object's class, unless that class is unknown to us.
  if (kind == JVMTI_HEAP_REFERENCE_CLASS &&
      class_of_tag(referrer_class_tag, walk.class_count).valid())
    return true;
  return walk.builder->add_reference(object, label_of(walk, kind, info, referrer_class_tag));
}

}  // namespace

jint JNICALL follow_reference_stopped(jvmtiHeapReferenceKind kind,
                                      const jvmtiHeapReferenceInfo* info, jlong class_tag,
                                      jlong referrer_class_tag, jlong shallow_bytes, jlong* tag,
                                      jlong* referrer_tag, jint /*length*/, void* state) noexcept {
  WalkState& walk = *static_cast<WalkState*>(state);
  ObjectId object;
  if (!visit_object(walk, class_tag, shallow_bytes, tag, object)) return JVMTI_VISIT_ABORT;
  const bool kept =
      referrer_tag == nullptr
          ? add_root(walk, kind, info, object, class_of_tag(class_tag, walk.class_count))
          : add_reference(walk, kind, info, referrer_class_tag, *referrer_tag, object);
  return kept ? JVMTI_VISIT_OBJECTS : JVMTI_VISIT_ABORT;
}

jint JNICALL count_object_stopped(jlong class_tag, jlong shallow_bytes, jlong* /*tag*/,
                                  jint /*length*/, void* state) noexcept {
  const CountState& count = *static_cast<CountState*>(state);
  const ClassId known = class_of_tag(class_tag, count.class_count);
  ClassCount& row = count.counts[known.valid() ? known.value : count.class_count];
  ++row.instances;
  row.shallow_bytes += static_cast<std::uint64_t>(shallow_bytes);
  return JVMTI_VISIT_OBJECTS;
}

}  // namespace holdfast::jvmti
