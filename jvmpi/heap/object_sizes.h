// How many bytes an object takes, header included, with as few questions as that takes.
// Why: no record tells it, and one call an object (OBJECT_ALLOC) is what a dump by this interface spends most of its time on.
// Shape:  instances of a class have one size, asked for the first of them; arrays follow array_sizes.h; class objects are asked for each.
// Zone:   capture, GC off; may ask inside the event of a heap dump, not of an object dump.
// Errors: where the VM does not tell, the least that its values can take; counted in the doubts.
#pragma once

#include "jvmpi/heap/array_sizes.h"
#include "jvmpi/heap/class_book.h"
#include "jvmpi/heap/reading_doubts.h"
#include "jvmpi/vm_requests.h"

namespace holdfast::jvmpi {

struct SizeQuestion {
  VmId object = 0;
  BookedClass* instance_of = nullptr;       // of an ordinary object
  ValueType element = ValueType::kUnknown;  // of an array
  std::uint32_t length = 0;
  std::uint64_t least_bytes = 0;  // that its values take
};

class ObjectSizes {
 public:
  ObjectSizes(VmRequests& vm, ReadingDoubts& doubts) noexcept : vm_(vm), doubts_(doubts) {}

  std::uint64_t bytes(const SizeQuestion& question) noexcept {
    if (question.instance_of != nullptr) return instance_bytes(question);
    if (question.element == ValueType::kUnknown) return told_or_least(question);
    if (const std::uint64_t known = arrays_.of(question.element, question.length)) return known;
    const std::uint64_t told = ask(question.object);
    if (told == 0) return least(question);
    arrays_.learn(question.element, question.length, told);
    return told;
  }
  // What the VM says; 0: nothing.
  std::uint64_t ask(VmId object) noexcept {
    std::uint64_t bytes = 0;
    vm_.ask(kObjectAlloc, object, [&](const JVMPI_Event& event) {
      if (event.u.obj_alloc.size > 0) bytes = static_cast<std::uint64_t>(event.u.obj_alloc.size);
    });
    return bytes;
  }

 private:
  static constexpr std::uint64_t kHeaderBytes = 8;

  std::uint64_t instance_bytes(const SizeQuestion& question) noexcept {
    BookedClass& of = *question.instance_of;
    if (of.instance_bytes == 0) of.instance_bytes = told_or_least(question);
    return of.instance_bytes;
  }
  std::uint64_t told_or_least(const SizeQuestion& question) noexcept {
    const std::uint64_t told = ask(question.object);
    return told != 0 ? told : least(question);
  }
  std::uint64_t least(const SizeQuestion& question) noexcept {
    ++doubts_.sizes_guessed;
    return kHeaderBytes + question.least_bytes;
  }

  VmRequests& vm_;
  ReadingDoubts& doubts_;
  ArraySizes arrays_;
};

}  // namespace holdfast::jvmpi
