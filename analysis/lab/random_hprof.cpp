#include "analysis/lab/random_hprof.h"

#include <algorithm>
#include <set>
#include <string>

#include "analysis/lab/hprof_writer.h"
#include "analysis/lab/random.h"

namespace holdfast::analysis::lab {
namespace {

constexpr std::uint64_t kMissing = 0x7FFF0;  // no object has it
constexpr std::uint8_t kTypes[] = {kHprofRef,   kHprofRef,   kHprofRef,    kHprofBoolean,
                                   kHprofChar,  kHprofFloat, kHprofDouble, kHprofByte,
                                   kHprofShort, kHprofInt,   kHprofLong};
constexpr std::uint8_t kRootTags[] = {0xFF, 0x01, 0x02, 0x03, 0x04, 0x06, 0x07,
                                      0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x90};

struct Planned {
  enum Kind : std::uint8_t { kClass, kInstance, kObjectArray, kPrimitiveArray } kind = kInstance;
  std::uint64_t id = 0;
  std::size_t class_number = 0;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), out_(format()) {}

  std::vector<std::byte> make() {
    plan_classes();
    plan_objects();
    give_addresses();
    for (HprofClassSpec& spec : classes_) finish_class(spec);
    order();
    const bool roots_first = random_.chance(50);
    if (roots_first) write_roots();
    for (const Planned& one : planned_) write(one);
    if (!roots_first) write_roots();
    return out_.finish();
  }

 private:
  HprofFormat format() {
    HprofFormat made;
    made.id_bytes = random_.chance(50) ? 4 : 8;
    made.segments = random_.chance(70);
    constexpr std::uint32_t kSegmentBytes[] = {1, 40, 300, 1 << 20};
    made.segment_bytes = kSegmentBytes[random_.below(4)];
    made.names_last = random_.chance(15);
    return made;
  }

  void plan_classes() {
    std::vector<std::string> names{"java/lang/Object",
                                   "java/lang/Class",
                                   "java/lang/ClassLoader",
                                   "java/lang/ref/Reference",
                                   "java/lang/ref/WeakReference",
                                   "java/lang/Thread",
                                   "[I",
                                   "[Ljava/lang/Object;"};
    std::erase_if(names, [&](const std::string&) { return random_.chance(10); });
    for (std::uint32_t left = 1 + random_.below(7); left > 0; --left)
      names.push_back("shop/Class" + std::to_string(left));
    if (random_.chance(10)) names.emplace_back();  // no LOAD_CLASS
    for (const std::string& name : names) {
      HprofClassSpec spec;
      spec.name = name;
      const std::uint32_t fields = random_.below(4);
      for (std::uint32_t f = 0; f < fields; ++f)
        spec.fields.push_back({f == 0 ? "referent" : "field" + std::to_string(f), any_type()});
      classes_.push_back(spec);
    }
  }
  void plan_objects() {
    for (std::size_t c = 0; c < classes_.size(); ++c) planned_.push_back({Planned::kClass, 0, c});
    for (std::uint32_t left = random_.below(random_.chance(20) ? 130 : 30); left > 0; --left)
      planned_.push_back(
          {static_cast<Planned::Kind>(1 + random_.below(3)), 0, random_.below(classes_.size())});
    if (random_.chance(20)) planned_.push_back(planned_.front());  // a class dump twice
  }

  // Distances in units: close ones (narrow references) or wide enough for any array.
  void give_addresses() {
    constexpr std::uint64_t kUnits[] = {8, 8, 8, 16, 4, 12, 100, 32, 256, 512, 1};
    const std::uint64_t unit = kUnits[random_.below(std::size(kUnits))];
    const std::uint64_t widest = random_.chance(50) ? 4 : 200;
    std::uint64_t at = unit * (1 + random_.below(1000));
    for (Planned& one : planned_) {
      at += unit * (1 + random_.below(widest));
      one.id = random_.chance(3) ? (random_.chance(30) ? 0 : any_id()) : at;
      ids_.push_back(one.id);
      if (one.kind == Planned::kClass && classes_[one.class_number].id == 0)
        classes_[one.class_number].id = one.id;
    }
  }

  void finish_class(HprofClassSpec& spec) {
    const std::size_t own = static_cast<std::size_t>(&spec - classes_.data());
    const std::uint32_t choice = random_.below(100);
    if (choice < 70 && own > 0)
      spec.super = classes_[random_.below(own)].id;
    else if (choice < 80)
      spec.super = classes_[random_.below(classes_.size())].id;  // itself, or a cycle, at times
    else if (choice < 87)
      spec.super = kMissing;
    else if (choice < 90)
      spec.super = any_id();
    if (random_.chance(60)) spec.loader = random_.chance(15) ? kMissing : any_id();
    spec.signers = any_reference();
    spec.domain = any_reference();
    for (std::uint32_t left = random_.below(4); left > 0; --left)
      spec.statics.push_back({"static" + std::to_string(left), any_value(any_type())});
    for (std::uint32_t left = random_.below(2); left > 0; --left)
      spec.constants.push_back(any_value(any_type()));
    if (random_.chance(30)) spec.instance_bytes = random_.below(60);
  }

  void order() {
    if (random_.chance(40)) return;
    for (std::size_t i = planned_.size() - 1; i > 0; --i)
      std::swap(planned_[i], planned_[random_.below(i + 1)]);
  }

  void write(const Planned& one) {
    if (random_.chance(3)) out_.heap_info(random_.below(3), "app");
    if (random_.chance(2)) out_.record(0x0D, "twelve bytes");
    if (random_.chance(2)) out_.record(0x2F, "of a later version");
    HprofClassSpec& spec = classes_[one.class_number];
    const std::uint64_t class_id = random_.chance(3) ? kMissing : spec.id;
    std::vector<std::uint64_t> elements;
    switch (one.kind) {
      case Planned::kClass: {
        HprofClassSpec written = spec;
        written.id = one.id;
        return out_.klass(written);
      }
      case Planned::kInstance:
        return out_.instance(one.id, class_id, values_of(spec));
      case Planned::kObjectArray:
        for (std::uint32_t left = random_.below(6); left > 0; --left)
          elements.push_back(any_reference());
        return out_.object_array(one.id, class_id, elements);
      default:
        break;
    }
    const std::uint8_t type = static_cast<std::uint8_t>(4 + random_.below(8));
    if (random_.chance(10))
      out_.primitive_array_without_data(one.id, type, random_.below(1000));
    else
      out_.primitive_array(one.id, type, random_.below(20));
  }

  // As the class and its superclasses say, more or less.
  std::vector<HprofValue> values_of(const HprofClassSpec& spec) {
    std::vector<HprofValue> values;
    std::set<std::uint64_t> met;
    const HprofClassSpec* at = &spec;
    while (at != nullptr && met.insert(at->id).second) {
      for (const HprofFieldSpec& field : at->fields) values.push_back(any_value(field.type));
      const auto above = std::ranges::find(classes_, at->super, &HprofClassSpec::id);
      at = above == classes_.end() ? nullptr : &*above;
    }
    if (random_.chance(10)) values.push_back(any_value(any_type()));
    if (random_.chance(10) && !values.empty()) values.pop_back();
    return values;
  }

  void write_roots() {
    const std::uint32_t threads = random_.below(4);
    for (std::uint32_t t = 1; t <= threads; ++t) {
      out_.trace(100 + t, t, {});
      out_.root(0x08, random_.chance(90) ? any_id() : kMissing, t, 100 + t);
    }
    const std::uint32_t count = 1 + random_.below(8);
    for (std::uint32_t left = count; left > 0; --left)
      out_.root(kRootTags[random_.below(std::size(kRootTags))],
                random_.chance(95) ? any_id() : kMissing, 1 + random_.below(threads + 2),
                random_.below(3));
    if (random_.chance(70))
      for (std::uint32_t left = 1 + random_.below(3); left > 0; --left)
        out_.root(0x05, classes_[random_.below(classes_.size())].id);
  }

  std::uint8_t any_type() { return kTypes[random_.below(std::size(kTypes))]; }
  std::uint64_t any_id() { return ids_.empty() ? 0 : ids_[random_.below(ids_.size())]; }
  std::uint64_t any_reference() {
    const std::uint32_t choice = random_.below(100);
    return choice < 70 ? any_id() : choice < 95 ? 0 : kMissing;
  }
  HprofValue any_value(std::uint8_t type) {
    return {type, type == kHprofRef ? any_reference() : random_.next()};
  }

  Random random_;
  HprofWriter out_;
  std::vector<HprofClassSpec> classes_;
  std::vector<Planned> planned_;
  std::vector<std::uint64_t> ids_;
};

constexpr std::uint64_t kHeapStart = 0x7'0000'0000;
constexpr std::uint64_t kSpacing = 48;  // between two objects
constexpr std::uint64_t kNodeId = 0x200, kObjects = 0x208, kThreadClass = 0x210;

class LargeGenerator {
 public:
  LargeGenerator(std::uint32_t objects, std::uint64_t seed) : objects_(objects), random_(seed) {}

  std::vector<std::byte> make() {
    out_.basics();
    out_.klass({.id = kNodeId,
                .name = "shop/Node",
                .super = HprofWriter::kObject,
                .fields = {{"left"}, {"count", kHprofInt}, {"right"}}});
    out_.klass({.id = kObjects, .name = "[Ljava/lang/Object;", .super = HprofWriter::kObject});
    out_.klass({.id = kThreadClass, .name = "java/lang/Thread", .super = HprofWriter::kObject});
    for (std::uint32_t i = 0; i < objects_; ++i) write(i);
    for (std::uint32_t left = 1 + objects_ / 1000; left > 0; --left)
      out_.root(0x03, any(objects_ / 2), 1 + random_.below(20), random_.below(9));
    return out_.finish();
  }

 private:
  std::uint64_t id_of(std::uint32_t i) const { return kHeapStart + kSpacing * i; }
  // Mostly a neighbour behind, so that the graph is deep and wide.
  std::uint64_t any(std::uint32_t near) {
    if (random_.chance(15)) return 0;
    if (random_.chance(5)) return id_of(random_.below(objects_));
    return id_of(std::min(objects_ - 1, near + 1 + random_.below(50)));
  }

  void write(std::uint32_t i) {
    const std::uint64_t id = random_.chance(1) ? id_of(random_.below(i + 1)) : id_of(i);
    if (i % 5000 == 7)
      out_.klass({.id = 0x1000 + i,
                  .name = "shop/Late" + std::to_string(i),
                  .super = kNodeId,
                  .loader = id_of(i / 2),
                  .statics = {{"all", reference(any(i))}}});
    if (i % (objects_ / 16 + 1) == 3) {
      out_.instance(id, kThreadClass);
      return out_.root(0x08, id, ++threads_, 0);
    }
    switch (random_.below(4)) {
      case 0: {
        std::vector<std::uint64_t> elements(random_.below(7));
        for (std::uint64_t& element : elements) element = any(i);
        return out_.object_array(id, kObjects, elements);
      }
      case 1:
        return out_.primitive_array(id, kHprofByte, random_.below(24));
      default:
        return out_.instance(id, kNodeId,
                             {reference(any(i)), number(kHprofInt, i), reference(any(i))});
    }
  }

  const std::uint32_t objects_;
  std::uint32_t threads_ = 0;
  Random random_;
  HprofWriter out_{{.segment_bytes = 1 << 20}};
};

}  // namespace

std::vector<std::byte> large_hprof(std::uint32_t objects, std::uint64_t seed) {
  return LargeGenerator(objects, seed).make();
}

std::vector<std::byte> random_hprof(std::uint64_t seed) { return Generator(seed).make(); }

}  // namespace holdfast::analysis::lab
