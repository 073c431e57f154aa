#include "analysis/lab/sample_hprof.h"

#include "analysis/lab/hprof_writer.h"

namespace holdfast::analysis::lab {
namespace {

constexpr std::uint64_t kObject = HprofWriter::kObject, kLoaderClass = HprofWriter::kLoaderClass;
constexpr std::uint64_t kString = 0x200, kThread = 0x208, kReference = 0x210, kWeak = 0x218,
                        kObjects = 0x220, kMain = 0x228;
constexpr std::uint64_t kLoader = 0x1000, kWorker = 0x1020, kName = 0x1040, kText = 0x1060,
                        kWeakOne = 0x1080, kArray = 0x10A0, kNumbers = 0x10E0, kHidden = 0x1100;

void write_classes(HprofWriter& dump) {
  dump.basics();
  dump.klass({.id = kLoaderClass,
              .name = "java/lang/ClassLoader",
              .super = kObject,
              .fields = {{"name"}}});
  dump.klass({.id = kString,
              .name = "java/lang/String",
              .super = kObject,
              .fields = {{"value"}, {"coder", kHprofByte}}});
  dump.klass({.id = kThread, .name = "java/lang/Thread", .super = kObject, .fields = {{"name"}}});
  dump.klass({.id = kReference,
              .name = "java/lang/ref/Reference",
              .super = kObject,
              .fields = {{"referent"}}});
  dump.klass({.id = kWeak, .name = "java/lang/ref/WeakReference", .super = kReference});
  dump.klass({.id = kObjects, .name = "[Ljava/lang/Object;", .super = kObject});
  dump.klass({.id = kMain,
              .name = "Main",
              .super = kObject,
              .loader = kLoader,
              .domain = kHidden,
              .statics = {{"all", reference(kArray)}, {"count", number(kHprofLong, 3)}},
              .constants = {reference(kName)}});
}

void write_objects(HprofWriter& dump) {
  dump.instance(kLoader, kLoaderClass, {reference(kName)});
  dump.instance(kWorker, kThread, {reference(kName)});
  dump.instance(kName, kString, {reference(kText), number(kHprofByte, 0)});
  dump.text_array(kText, "name");
  dump.instance(kWeakOne, kWeak, {reference(kHidden)});
  dump.object_array(kArray, kObjects, {kWeakOne, 0, kNumbers});
  dump.primitive_array(kNumbers, kHprofInt, 3);
  dump.primitive_array_without_data(kHidden, kHprofChar, 9);
}

}  // namespace

std::vector<std::byte> sample_hprof(unsigned id_bytes, bool segments) {
  HprofWriter dump({.id_bytes = id_bytes, .segments = segments, .segment_bytes = 200});
  write_classes(dump);
  dump.frame(0x70, "run", dump.class_serial(kMain));
  dump.trace(5, 1, {0x70});
  dump.root(0x08, kWorker, 1, 5);
  constexpr std::uint8_t kLocals[] = {0x02, 0x03, 0x04, 0x06};
  constexpr std::uint8_t kOthers[] = {0xFF, 0x01, 0x07, 0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x90};
  for (const std::uint8_t tag : kLocals) dump.root(tag, kArray, 1, 0);
  for (const std::uint8_t tag : kOthers) dump.root(tag, kName, 1, 0);
  dump.heap_info(1, "app");
  dump.record(0x0E, "settings");
  write_objects(dump);
  return dump.finish();
}

}  // namespace holdfast::analysis::lab
