// What a test makes the host do otherwise, from HF_JVMPI_HOST: a comma list.
// Shape:  array-class=element|array   class id of arrays of references, in OBJECT_ALLOC and in records: their elements' or their own
//         refuse-level=12             HEAP_DUMP of these levels answers FAIL
//         no-event-level=2            answers 0, and no event comes
//         twice                       requested events but THREAD_START come twice
//         fail-class=shop.Session     CLASS_LOAD of it answers FAIL
//         garbage-length              the length and the end of an OBJECT_DUMP are no such
//         unwritten-tails             the last value of an OBJECT_DUMP is rubbish, and an id that is rubbish is forbidden
//         primitive-classes           class objects of primitive types are shown as classes (0x20)
//         unlisted=shop.Session       instances of it are in no heap dump; OBJECT_DUMP has them
//         garbage                     dumps have unreachable objects, too: only with -XX:+UseSerialGC or -XX:+UseParallelGC (heap_picture.h)
//         trace                       each call and its answer to stderr
// Zone:   tests.   Errors: an unknown word ends the process: a test that means nothing is worse than none.
#pragma once

#include <string>

namespace holdfast::jvmpi_host {

struct Knobs {
  bool array_class_is_its_own = false;
  bool twice = false;
  bool garbage = false;
  bool garbage_length = false;
  bool unwritten_tails = false;
  bool primitive_classes = false;
  bool trace = false;
  std::string refused_levels;
  std::string levels_without_event;
  std::string failing_class;
  std::string unlisted_class;
};

// Read when first asked for.
const Knobs& knobs();

}  // namespace holdfast::jvmpi_host
