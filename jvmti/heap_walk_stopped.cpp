#include "jvmti/heap_walk_stopped.h"

#include <cstring>

#include "jvmti/root_facts_stopped.h"

namespace holdfast::jvmti {

namespace {

ClassId class_of_tag(jlong class_tag, std::uint32_t class_count) noexcept {
  return class_tag > 0 && class_tag <= jlong{class_count}
             ? ClassId{static_cast<std::uint32_t>(class_tag - 1)}
             : ClassId{};
}

// The number that the object's address stands for. False when the VM does not show it, or not any more.
bool prove_place(WalkState& walk, const jlong* tag, jlong shallow_bytes,
                 std::uint32_t& number) noexcept {
  const BesideTag found = beside(tag);
  const bool proved =
      found.shallow_bytes == shallow_bytes && walk.places->find(found.address, number);
  if (!proved && !walk.decided) walk.places = nullptr;
  if (!proved && walk.decided) walk.contradicted = true;
  walk.decided = true;
  return proved;
}

bool add_at_place(WalkState& walk, std::uint32_t number, jlong class_tag,
                  std::uint64_t bytes) noexcept {
  if (walk.places->knows(number)) return true;
  if (!walk.builder->add_object(class_of_tag(class_tag, walk.class_count), bytes).valid())
    return false;
  if (!walk.places->add(number)) walk.places_full = true;
  return !walk.places_full;
}

// Numbers an object on its first visit. False when the memory is used up or the VM contradicts itself.
bool visit_object(WalkState& walk, jlong class_tag, jlong shallow_bytes, jlong* tag,
                  ObjectId& out) noexcept {
  const auto bytes = static_cast<std::uint64_t>(shallow_bytes);
  std::uint32_t number = 0;
  if (walk.places != nullptr && !prove_place(walk, tag, shallow_bytes, number) && walk.contradicted)
    return false;
  if (*tag == 0 && walk.places != nullptr) {
    out = ObjectId{number};
    return add_at_place(walk, number, class_tag, bytes);
  }
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
  const RootKind told = root_kind_of(kind);
  return told == RootKind::kSystemClass ? system_root_kind(walk, object, class_id) : told;
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
    const java::ReferentRule& rule = walk.referents[referrer_class.value];
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

struct Referrer {
  const jlong* tag;
  bool itself;  // the object refers to itself: one tag for both
};

// Who refers was visited before; so an address that was not seen is no address. False then.
bool number_of_referrer(WalkState& walk, const Referrer& from, ObjectId object,
                        std::uint32_t& number) noexcept {
  if (from.itself || *from.tag > 0) {
    number = from.itself ? object.value : static_cast<std::uint32_t>(*from.tag - 1);
    return true;
  }
  if (walk.places == nullptr) return false;
  std::uint64_t address = 0;
  std::memcpy(&address, reinterpret_cast<const std::byte*>(from.tag) - sizeof address,
              sizeof address);
  const bool known = walk.places->find(address, number) && walk.places->knows(number);
  if (!known) walk.contradicted = true;
  return known;
}

bool add_reference(WalkState& walk, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo* info,
                   jlong referrer_class_tag, const Referrer& from, ObjectId object) noexcept {
  std::uint32_t referrer = 0;
  if (!number_of_referrer(walk, from, object, referrer)) {
    if (walk.contradicted) return false;
    ++walk.builder->losses().references_to_unknown;  // never seen on HotSpot
    return true;
  }
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
          : add_reference(walk, kind, info, referrer_class_tag, {referrer_tag, referrer_tag == tag},
                          object);
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
