// Classes of an epoch: names, fields and what instances look like, asked once.
// Shape:  own fields in reverse order of the class file; the values of an instance are its class's own, then its superclass's, and so on.
// Zone:   tests, under host_lock().   Errors: broken(); a class that is not prepared has no fields.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "jvmpi/records/value_type.h"
#include "tests/driver/jvmpi_host/object_table.h"

namespace holdfast::jvmpi_host {

using jvmpi::ValueType;

struct FieldFacts {
  jfieldID id;
  ValueType type;
  std::string name;
  std::string signature;
};

struct ClassFacts {
  std::string signature;  // in internal form
  bool prepared = false;  // arrays are
  bool interface = false;
  ObjectIndex super = 0;
  ObjectIndex element = 0;  // of an array of references
  std::vector<ObjectIndex> interfaces;
  std::vector<FieldFacts> statics;
  std::vector<FieldFacts> instances;
  std::vector<const FieldFacts*> values;  // of an instance, in their order; read_order() fills it

  bool is_array() const { return signature[0] == '['; }
  // kUnknown: no array.
  ValueType element_type() const {
    return is_array() ? jvmpi::value_type_of_signature(signature[1]) : ValueType::kUnknown;
  }
  // "shop.Session", "[Ljava.lang.String;"
  std::string dotted_name() const;
};

class ClassCatalog {
 public:
  ClassFacts& of(JNIEnv* env, ObjectTable& objects, ObjectIndex index);
  const std::vector<const FieldFacts*>& read_order(JNIEnv* env, ObjectTable& objects,
                                                   ObjectIndex index);

 private:
  std::unordered_map<ObjectIndex, std::unique_ptr<ClassFacts>> known_;
};

}  // namespace holdfast::jvmpi_host
