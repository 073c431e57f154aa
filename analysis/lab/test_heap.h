// A small language for test heaps: classes, objects, fields, threads and roots by name; the result is a verified snapshot.
//
//   TestHeap heap;
//   const ClassId session = heap.klass("shop.Session", {"user"});
//   const ObjectId list = heap.object(heap.klass("java.lang.Object[]"), 64);
//   heap.static_field(heap.klass("shop.Main", {"sessions"}), "sessions", list);
//   heap.element(list, 0, heap.object(session, 48));
//   const Snapshot snapshot = heap.snapshot();
//
// Shape:  object ids in order of creation, class objects included. Names of "java.", "jdk." and "sun." and arrays of primitives
//         belong to the boot loader and are platform classes; all others to the loader "app". Only classes that are asked for
//         their class object have one (static_field, class_object); it is a system-class root.
// Zone:   offline.   Errors: a name that is not there: the process ends.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/lab/lab_graph.h"
#include "analysis/lab/test_arena.h"

namespace holdfast::analysis::lab {

class TestHeap {
 public:
  TestHeap();

  ClassId klass(std::string_view name, std::vector<std::string> fields = {},
                ClassId superclass = {});
  // A class of references that hold their referent with the strength, e.g. ("java.lang.ref.SoftReference", Strength::kSoft).
  ClassId reference_class(std::string_view name, Strength referent);
  ObjectId class_object(ClassId id);
  LoaderId loader(std::string_view name);
  void set_loader(ClassId id, LoaderId loader) { row(id).loader = loader; }
  ClassRow& row(ClassId id) { return graph_.classes[id.value]; }

  ObjectId object(ClassId id, std::uint64_t shallow_bytes = 16);
  ObjectId array(ClassId id, std::initializer_list<ObjectId> elements,
                 std::uint64_t shallow_bytes = 32);
  void field(ObjectId from, std::string_view name, ObjectId to);
  void static_field(ClassId owner, std::string_view name, ObjectId to);
  void element(ObjectId from, std::uint32_t index, ObjectId to);
  void referent(ObjectId reference, ObjectId to);
  void refer(ObjectId from, ObjectId to, RefLabel label);

  ThreadId thread(std::string_view name);  // with a thread object, which is a root
  ObjectId thread_object(ThreadId id) const { return threads_[id.value].object; }
  void root(ObjectId object, RootKind kind);
  // A static field of a VM without class objects.
  void static_root(ObjectId object, std::string_view class_name, std::string_view field);
  // A thread's own value of a static field; of one field for all threads.
  void thread_static_root(ThreadId thread, ObjectId object, std::string_view class_name,
                          std::string_view field);
  void local(ThreadId thread, ObjectId object, std::string_view class_name, std::string_view method,
             std::uint16_t depth = 0, RootKind kind = RootKind::kStackLocal);

  // The heap as it is now; the spans stay valid until the heap is changed. Ends the process when verify() refuses it.
  Snapshot snapshot();

 private:
  StringId name(std::string_view text) { return strings_.intern(text); }
  std::uint32_t slot_of(ClassId id, std::string_view field) const;
  void lay_out_fields();

  std::unique_ptr<TestArena> memory_;
  StringTable strings_;
  LabGraph graph_;
  std::vector<LabEdge> edges_;
  std::vector<std::vector<std::string>> fields_of_;
  std::vector<StringId> fields_;
  std::vector<LoaderRow> loaders_;
  std::vector<ThreadRow> threads_;
  std::vector<MethodRow> methods_;
};

}  // namespace holdfast::analysis::lab
