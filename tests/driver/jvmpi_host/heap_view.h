// What is known of the heap while GC is off: ids, the picture, classes.
// Shape:  begun with the first id of a time with GC off, over when GC goes on again.
// Zone:   tests, under host_lock().   Errors: an id that is none is forbidden.
#pragma once

#include <optional>

#include "tests/driver/jvmpi_host/class_catalog.h"
#include "tests/driver/jvmpi_host/heap_picture.h"

namespace holdfast::jvmpi_host {

enum class ObjectKind : std::uint8_t {
  kGone,
  kClass,
  kUnpreparedClass,  // has no record and no CLASS_LOAD
  kPrimitiveClass,   // int.class
  kInstance,
  kReferenceArray,
  kPrimitiveArray,
};

class HeapView {
 public:
  explicit HeapView(JNIEnv* env);
  void end(JNIEnv* env) { objects.end(env); }

  const HeapPicture& picture(JNIEnv* env);

  ObjectIndex class_of(JNIEnv* env, ObjectIndex index);
  ClassFacts& facts(JNIEnv* env, ObjectIndex of_class) {
    return classes_.of(env, objects, of_class);
  }
  const std::vector<const FieldFacts*>& values_of(JNIEnv* env, ObjectIndex of_class) {
    return classes_.read_order(env, objects, of_class);
  }
  ObjectKind kind(JNIEnv* env, ObjectIndex index);
  // In a heap dump.
  bool is_shown(JNIEnv* env, ObjectIndex index);
  ObjectIndex class_of_classes() const { return class_class_; }

  // Of what a request has for its argument.
  ObjectIndex expect(const char* request, const void* id);

  ObjectTable& objects;

 private:
  ObjectKind kind_of_class(JNIEnv* env, ObjectIndex index);
  void leave_out_dormant(JNIEnv* env);

  ClassCatalog classes_;
  std::optional<HeapPicture> picture_;
  ObjectIndex class_class_ = 0;
};

// Of this time with GC off; begins it. With GC on: forbidden.
HeapView& heap_view(JNIEnv* env, const char* who);
void end_heap_view();

// Outlives the views: it knows which ids are stale.
ObjectTable& object_table();

}  // namespace holdfast::jvmpi_host
