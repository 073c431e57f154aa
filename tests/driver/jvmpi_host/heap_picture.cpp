#include "tests/driver/jvmpi_host/heap_picture.h"

#include <algorithm>

#include "tests/driver/jvmpi_host/knobs.h"

namespace holdfast::jvmpi_host {

namespace {

struct Walk {
  ObjectTable& objects;
  HeapPicture& picture;
};

// -- what is known before the walk: a callback tells classes and threads by their tags --

template <class Ask>
void tag_all(JNIEnv* env, ObjectTable& objects, Ask ask) {
  jint count = 0;
  jobject* found = nullptr;
  must(ask(&count, &found), "classes and threads");
  const JvmtiPointer<jobject> owner(found);
  for (jint i = 0; i < count; ++i) objects[objects.tagged(found[i])].reached = true;
  for (jint i = 0; i < count; ++i) env->DeleteLocalRef(found[i]);
}

void tag_classes(JNIEnv* env, ObjectTable& objects) {
  const LocalFrame frame(env);
  tag_all(env, objects, [](jint* count, jobject** found) {
    return vm().jvmti->GetLoadedClasses(count, reinterpret_cast<jclass**>(found));
  });
}

void tag_threads(JNIEnv* env, ObjectTable& objects) {
  const LocalFrame frame(env);
  tag_all(env, objects, [](jint* count, jobject** found) {
    return vm().jvmti->GetAllThreads(count, reinterpret_cast<jthread**>(found));
  });
}

// -- roots and classes --

void add_root(Walk& walk, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo* info,
              ObjectIndex object) {
  bool& ours = walk.objects[object].held_early;
  if (kind == JVMTI_HEAP_REFERENCE_JNI_GLOBAL && ours) {
    ours = false;
    return;
  }
  PictureRoot root{kind, object};
  if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
    root.thread = walk.objects.find_tag(info->stack_local.thread_tag);
    root.thread_number = info->stack_local.thread_id;
    root.depth = static_cast<std::uint32_t>(info->stack_local.depth);
  } else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
    root.thread = walk.objects.find_tag(info->jni_local.thread_tag);
    root.thread_number = info->jni_local.thread_id;
    root.depth = static_cast<std::uint32_t>(info->jni_local.depth);
    root.method = info->jni_local.method;
  } else if (kind == JVMTI_HEAP_REFERENCE_THREAD) {
    root.thread = object;
  }
  walk.picture.roots.push_back(root);
}

void add_link(Walk& walk, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo* info,
              ObjectIndex from, ObjectIndex to) {
  if (kind == JVMTI_HEAP_REFERENCE_SIGNERS) {
    walk.picture.links[from].signers = to;
  } else if (kind == JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN) {
    walk.picture.links[from].protection_domain = to;
  } else if (kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL) {
    const auto place = static_cast<std::uint16_t>(info->constant_pool.index);
    walk.picture.links[from].constants.emplace_back(place, to);
  }
}

jint JNICALL note_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo* info, jlong,
                            jlong, jlong, jlong* tag, jlong* referrer_tag, jint, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const ObjectIndex object = walk.objects.at_tag(*tag);
  walk.objects[object].listed = true;
  if (referrer_tag == nullptr)
    add_root(walk, kind, info, object);
  else
    add_link(walk, kind, info, walk.objects.find_tag(*referrer_tag), object);
  return JVMTI_VISIT_OBJECTS;
}

// -- all objects --

jint JNICALL note_object(jlong class_tag, jlong size, jlong* tag, jint length, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const ObjectIndex of_class = walk.objects.find_tag(class_tag);
  const bool known = walk.objects.find_tag(*tag) != 0;
  if (!known && !knobs().garbage) return JVMTI_VISIT_OBJECTS;
  ObjectEntry& entry = walk.objects[walk.objects.at_tag(*tag)];
  entry.of_class = of_class;
  entry.garbage = knobs().garbage && !entry.listed;
  entry.listed = entry.listed || entry.garbage;
  if (of_class != 0 && length < 0) walk.picture.instance_bytes[of_class] = size;
  return JVMTI_VISIT_OBJECTS;
}

jint JNICALL mark_object(jlong, jlong, jlong* tag, jint, void* mark) {
  *tag = *static_cast<jlong*>(mark);
  return JVMTI_VISIT_OBJECTS;
}

jint JNICALL mark_target(jvmtiHeapReferenceKind, const jvmtiHeapReferenceInfo*, jlong, jlong, jlong,
                         jlong* tag, jlong*, jint, void* mark) {
  *tag = *static_cast<jlong*>(mark);
  return JVMTI_VISIT_OBJECTS;
}

void mark_all(jlong mark) {
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_iteration_callback = &mark_object;
  callbacks.heap_reference_callback = &mark_target;
  jvmtiEnv* const markers = vm().markers;
  must(knobs().garbage ? markers->IterateThroughHeap(0, nullptr, &callbacks, &mark)
                       : markers->FollowReferences(0, nullptr, nullptr, &callbacks, &mark),
       "marking");
}

void walk_heap(Walk walk) {
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = &note_reference;
  must(vm().jvmti->FollowReferences(0, nullptr, nullptr, &callbacks, &walk), "FollowReferences");
  callbacks = {};
  callbacks.heap_iteration_callback = &note_object;
  must(vm().jvmti->IterateThroughHeap(0, nullptr, &callbacks, &walk), "IterateThroughHeap");
}

// What the code of a compiled frame refers to is shown as a JNI local of it; no VM of JVMPI did that.
void name_code_constants(std::vector<PictureRoot>& roots) {
  for (PictureRoot& root : roots) {
    jboolean native = JNI_TRUE;
    if (root.method == nullptr ||
        vm().jvmti->IsMethodNative(root.method, &native) != JVMTI_ERROR_NONE || native == JNI_TRUE)
      continue;
    root.kind = JVMTI_HEAP_REFERENCE_OTHER;
  }
}

void hold_all(JNIEnv* env, ObjectTable& objects) {
  const jlong mark = objects.epoch();
  mark_all(mark);
  const LocalFrame frame(env);
  jint count = 0;
  jobject* found = nullptr;
  must(vm().markers->GetObjectsWithTags(1, &mark, &count, &found, nullptr), "GetObjectsWithTags");
  const JvmtiPointer<jobject> owner(found);
  objects.picture_is_taken();
  for (jint i = 0; i < count; ++i) objects.index_of(env, found[i]);
}

std::vector<ObjectIndex> listed_by_id(ObjectTable& objects) {
  std::vector<ObjectIndex> order;
  for (ObjectIndex i = 1; i < objects.size(); ++i)
    if (objects[i].listed && objects[i].ref != nullptr) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](ObjectIndex a, ObjectIndex b) { return objects.id(a) < objects.id(b); });
  return order;
}

}  // namespace

HeapPicture take_picture(JNIEnv* env, ObjectTable& objects) {
  HeapPicture picture;
  tag_classes(env, objects);
  tag_threads(env, objects);
  walk_heap({objects, picture});
  name_code_constants(picture.roots);
  hold_all(env, objects);
  tag_classes(env, objects);  // those that were loaded during the walk
  picture.order = listed_by_id(objects);
  return picture;
}

}  // namespace holdfast::jvmpi_host
