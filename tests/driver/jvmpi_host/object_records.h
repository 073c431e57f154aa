// Objects and roots as records of a dump, read from the live heap by JNI.
// Shape:  one record a call; O(fields or elements). Little-endian hosts.
// Zone:   tests, under host_lock().   Errors: false: the object has no record (gone, or a class that is not prepared).
// Source: the Java Virtual Machine Profiler Interface as JDK 1.2 to 5 had it.
#pragma once

#include "tests/driver/jvmpi_host/heap_view.h"
#include "tests/driver/jvmpi_host/momentary.h"

namespace holdfast::jvmpi_host {

class RecordWriter {
 public:
  RecordWriter(JNIEnv* env, HeapView& view, DumpBuffer& out, bool values)
      : env_(env), view_(view), out_(out), values_(values) {}

  void root(const PictureRoot& root);
  bool object(ObjectIndex index);

 private:
  void head(std::uint8_t tag, ObjectIndex index);
  void id(ObjectIndex index) { out_.pointer(view_.objects.id(index)); }
  JNIEnv* root_thread(const PictureRoot& root);

  void of_class(ObjectIndex index);
  void links(ObjectIndex index, const ClassFacts& facts);
  void constants(ObjectIndex index);
  void instance(ObjectIndex index);
  void primitive_class(ObjectIndex index);
  void reference_array(ObjectIndex index);
  void primitive_array(ObjectIndex index);

  void field(jobject object, const FieldFacts& field);
  void static_field(jclass object, const FieldFacts& field);

  JNIEnv* env_;
  HeapView& view_;
  DumpBuffer& out_;
  bool values_;
};

// Of a class's record.
std::uint32_t instance_bytes(JNIEnv* env, HeapView& view, ObjectIndex of_class);
// The class id of an array of references: of its elements, or its own.
ObjectIndex class_told_of_array(JNIEnv* env, HeapView& view, ObjectIndex array_class);

}  // namespace holdfast::jvmpi_host
