#include "tests/driver/jvmpi_host/heap_view.h"

#include "tests/driver/jvmpi_host/gc_switch.h"
#include "tests/driver/jvmpi_host/knobs.h"
#include "tests/driver/jvmpi_host/rules.h"

namespace holdfast::jvmpi_host {

namespace {

std::optional<HeapView>& current_view() {
  static auto& view = *new std::optional<HeapView>;  // threads outlive exit()
  return view;
}

void mark_primitive_classes(JNIEnv* env, ObjectTable& objects) {
  for (const char* const name : {"java/lang/Boolean", "java/lang/Character", "java/lang/Float",
                                 "java/lang/Double", "java/lang/Byte", "java/lang/Short",
                                 "java/lang/Integer", "java/lang/Long", "java/lang/Void"}) {
    const jclass box = env->FindClass(name);
    const jfieldID type = env->GetStaticFieldID(box, "TYPE", "Ljava/lang/Class;");
    objects[objects.index_of(env, env->GetStaticObjectField(box, type))].primitive = true;
  }
}

// What the VM fills gaps with. Where a thread is about to allocate, another object will be soon.
bool is_filler(const ObjectEntry& entry, const std::string& of_class) {
  const bool since_jdk_21 =
      of_class.find("Ljdk/internal/vm/Filler") < 2;  // ...Element[], ...Object
  return since_jdk_21 || (entry.garbage && (of_class == "[I" || of_class == "Ljava/lang/Object;"));
}

}  // namespace

HeapView::HeapView(JNIEnv* env) : objects(object_table()) {
  objects.begin();
  const LocalFrame frame(env);
  class_class_ = objects.index_of(env, env->FindClass("java/lang/Class"));
  mark_primitive_classes(env, objects);
}

const HeapPicture& HeapView::picture(JNIEnv* env) {
  if (picture_) return *picture_;
  picture_ = take_picture(env, objects);
  leave_out_dormant(env);
  return *picture_;
}

// Objects that lie ready in the CDS archive for a class that is not linked, and fillers: those of JDK 21 say that they are arrays of
// references, and have none.
void HeapView::leave_out_dormant(JNIEnv* env) {
  auto& order = picture_->order;
  for (const ObjectIndex index : order) {
    const ObjectIndex of_class = class_of(env, index);
    const ClassFacts& known = facts(env, of_class);
    if (!known.prepared || is_filler(objects[index], known.signature))
      objects.leave_out(env, index);
    else
      objects[of_class].reached = true;  // also where the loader is garbage
  }
  std::erase_if(order, [this](ObjectIndex index) { return !objects[index].listed; });
}

ObjectIndex HeapView::class_of(JNIEnv* env, ObjectIndex index) {
  const ObjectEntry& entry = objects[index];
  const bool known = entry.of_class != 0 && objects[entry.of_class].ref != nullptr;
  if (known || entry.ref == nullptr) return entry.of_class;
  const ObjectIndex found = objects.take(env, env->GetObjectClass(entry.ref));
  objects[index].of_class = found;
  return found;
}

ObjectKind HeapView::kind_of_class(JNIEnv* env, ObjectIndex index) {
  const ObjectEntry& entry = objects[index];
  if (entry.primitive) return ObjectKind::kPrimitiveClass;
  if (!entry.reached) return ObjectKind::kUnpreparedClass;
  return facts(env, index).prepared ? ObjectKind::kClass : ObjectKind::kUnpreparedClass;
}

ObjectKind HeapView::kind(JNIEnv* env, ObjectIndex index) {
  if (objects[index].ref == nullptr) return ObjectKind::kGone;
  const ObjectIndex of_class = class_of(env, index);
  if (of_class == class_class_) return kind_of_class(env, index);
  objects[of_class].reached = true;
  const ValueType element = facts(env, of_class).element_type();
  if (element == ValueType::kUnknown) return ObjectKind::kInstance;
  return element == ValueType::kReference ? ObjectKind::kReferenceArray
                                          : ObjectKind::kPrimitiveArray;
}

bool HeapView::is_shown(JNIEnv* env, ObjectIndex index) {
  const std::string& hidden = knobs().unlisted_class;
  if (hidden.empty()) return true;
  const ObjectIndex of_class = class_of(env, index);
  return of_class == 0 || facts(env, of_class).dotted_name() != hidden;
}

ObjectIndex HeapView::expect(const char* request, const void* id) {
  const DecodedId decoded = objects.decode(static_cast<jobjectID>(const_cast<void*>(id)));
  if (decoded.what == IdIs::kStale) forbidden("%s of %p: the id is stale", request, id);
  if (decoded.what != IdIs::kCurrent) forbidden("%s of %p: no such id", request, id);
  return decoded.index;
}

HeapView& heap_view(JNIEnv* env, const char* who) {
  if (!gc_is_off()) forbidden("%s with GC on: ids are addresses", who);
  auto& view = current_view();
  const Within work(&ThreadState::host_work);
  if (!view) view.emplace(env);
  return *view;
}

void end_heap_view() {
  auto& view = current_view();
  if (!view) return;
  const Within work(&ThreadState::host_work);
  view->end(current_env());
  view.reset();
}

ObjectTable& object_table() {
  static ObjectTable& table = *new ObjectTable;  // threads outlive exit()
  return table;
}

}  // namespace holdfast::jvmpi_host
