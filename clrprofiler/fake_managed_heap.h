// A heap of real objects of made-up classes, for tests: in memory as the runtime lays them out, and as its walk tells of them.
// Shape:  an object begins with its ClassID; its references stand where its class's map says. Classes have references alone, in the
//         order of their fields; arrays have references as elements. told() is what a collection reports: null references left out.
// Zone:   offline; filled while no dump is taken.   Errors: aborts at a reference that the class does not have.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "clrprofiler/heap/fake_heap_events.h"
#include "clrprofiler/names/fake_type_system.h"

namespace holdfast::clr {

class FakeManagedHeap {
 public:
  explicit FakeManagedHeap(FakeTypeSystem& types) : types_(types) {}

  // As FakeTypeSystem::get() reads it, with a field for each name.
  ClassID add_class(std::string_view description, const std::vector<std::string_view>& fields = {});
  ClassID add_array(std::string_view description);
  ObjectID add(ClassID type, std::uint32_t length = 0);
  // The k-th field, or the k-th element.
  void set(ObjectID from, std::uint32_t k, ObjectID to);
  void hold_by_static(ClassID owner, std::string_view field, ObjectID object);
  void hold_by_stack(FunctionID function, ObjectID object);
  void hold_by_handle(ObjectID object);
  // Held by a dependent handle: `value` lives as long as `key` does.
  void depend(ObjectID key, ObjectID value) { heap_.dependents.push_back({key, value}); }

  FakeClrHeap told() const;
  std::size_t size() const { return objects_.size(); }
  ClassID class_of(ObjectID object) const { return words_of(object)[0]; }
  std::uint64_t bytes_of(ObjectID object) const;
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Object& each : objects_)
      if (!visit(each.id)) return;
  }

 private:
  struct Object {
    ObjectID id = 0;
    std::uint32_t references = 0;  // fields, or elements
  };

  static std::uint64_t* words_of(ObjectID object) {
    return reinterpret_cast<std::uint64_t*>(object);
  }
  // Behind the class, in an array also behind the length.
  std::uint32_t first_word(ObjectID object) const;
  std::uint64_t* take_words(std::size_t count);

  FakeTypeSystem& types_;
  FakeClrHeap heap_;  // all but the objects
  std::vector<Object> objects_;
  std::map<ClassID, std::uint32_t> fields_of_;  // of arrays none
  std::deque<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::size_t chunk_left_ = 0;
  std::uint64_t* next_ = nullptr;
  std::deque<std::uint64_t> slots_;  // of static variables
};

}  // namespace holdfast::clr
