#include "cli/export/hprof_layout.h"

#include <algorithm>

#include "analysis/import/hprof_format.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kUnitBytes = 8;
constexpr std::uint64_t kPointerBytes = 8;
constexpr std::uint64_t kLengthBytes = 4;
// Lengths of segments have 32 bits, of which a sub-record's head needs some; no VM counts elements with more than 31.
constexpr std::uint64_t kMostArrayBytes = 0xFFFFFFFF - 64;
constexpr std::uint64_t kMostElements = 0x7FFFFFFF;
constexpr std::uint32_t kMostFields = 60'000;  // HPROF counts them with 16 bits
constexpr std::uint64_t kMostOfAllKinds = 0xFFFF;
constexpr std::uint32_t kMostStaticLongs = 5'000;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t references_of(const HprofClassShape& shape) {
  return shape.fields.size() + shape.extra_references + (shape.referent ? 1 : 0);
}

// Beside the references and one int.
std::uint64_t most_longs(const HprofClassShape& shape) {
  return std::min<std::uint64_t>(kMostFields / 2, kMostOfAllKinds - 1 - references_of(shape));
}

}  // namespace

HprofLayout::HprofLayout(const Snapshot& snapshot) : s_(snapshot) {
  shapes_.resize(s_.catalog.class_count() + std::size_t{1});
  for (std::uint32_t c = 0; c < s_.catalog.class_count(); ++c) {
    const std::string_view name = s_.catalog.class_name(ClassId{c});
    if (name == "java.lang.ref.Reference") reference_class_ = c;
    if (name == "java.lang.Class") class_class_ = c;
  }
  place_objects();
  find_reference_bytes();
  find_fields();
  fill_classes();
  fill_statics();
  add_up_values();
  find_dumped();
}

std::uint64_t HprofLayout::shallow(std::uint32_t object) const {
  return rounded(s_.shallow_bytes(ObjectId{object}), kUnitBytes);
}

std::uint32_t HprofLayout::class_index(std::uint32_t object) const {
  const ClassId c = s_.class_of[object];
  return c.valid() ? c.value : s_.catalog.class_count();
}

std::uint32_t HprofLayout::superclass(std::uint32_t c) const {
  if (c >= s_.catalog.class_count()) return kNone;
  const ClassId super = s_.catalog.classes[c].superclass;
  return super.valid() ? super.value : kNone;
}

std::uint8_t HprofLayout::element_type(std::uint32_t c) const {
  if (c >= s_.catalog.class_count()) return 0;
  const std::string_view name = s_.catalog.class_name(ClassId{c});
  for (const auto& [element, type] :
       {std::pair("boolean[]", 4), std::pair("char[]", 5), std::pair("float[]", 6),
        std::pair("double[]", 7), std::pair("byte[]", 8), std::pair("short[]", 9),
        std::pair("int[]", 10), std::pair("long[]", 11)})
    if (name == element) return static_cast<std::uint8_t>(type);
  return 0;
}

void HprofLayout::place_objects() {
  const std::uint32_t n = s_.object_count();
  addresses_.resize(n);
  mirror_of_.assign(n, kNone);
  for (std::uint32_t c = 0; c < s_.catalog.class_count(); ++c) {
    const ObjectId mirror = s_.catalog.classes[c].mirror;
    if (!mirror.valid() || mirror_of_[mirror.value] != kNone) continue;
    mirror_of_[mirror.value] = c;
    shapes_[c].object = mirror.value;
  }
  std::uint64_t next = kFirstAddress;
  const auto place_one = [&](std::uint32_t v) {
    addresses_[v] = next;
    next += std::max(shallow(v), kUnitBytes);
  };
  for (const HprofClassShape& shape : shapes_)
    if (shape.object != kNone) place_one(shape.object);
  for (std::uint32_t v = 0; v < n; ++v)
    if (mirror_of_[v] == kNone) place_one(v);
  for (HprofClassShape& shape : shapes_) {
    shape.id = shape.object != kNone ? addresses_[shape.object] : next;
    if (shape.object == kNone) next += kUnitBytes;
  }
}

// More references than fit with 8 bytes each: they have 4.
void HprofLayout::find_reference_bytes() {
  for (std::uint32_t v = 0; v < s_.object_count() && reference_bytes_ == 8; ++v) {
    if (mirror_of_[v] != kNone) continue;
    std::uint64_t least = 0;  // references that the object has room for
    for (std::uint32_t r = s_.first_ref[v]; r < s_.first_ref[v + 1]; ++r) {
      const RefLabel label = s_.label[r];
      if (label.is_instance_field()) ++least;
      if (label.is_element() && !label.saturated())
        least = std::max<std::uint64_t>(least, std::uint64_t{label.index()} + 1);
    }
    if (least > 0 && 2 * kPointerBytes + least * kPointerBytes > shallow(v)) reference_bytes_ = 4;
  }
}

HprofLayout::Place HprofLayout::place(std::uint32_t c, RefLabel label) const {
  if (label.is_special() && strength_of(label) != Strength::kStrong && reference_class_ != kNone) {
    std::uint32_t at = c;
    for (std::uint32_t step = 0; at != kNone && step < kMostSteps; ++step) {
      if (at == reference_class_) return {at, kReferent};
      at = superclass(at);
    }
  }
  if (!label.is_instance_field() || label.saturated() || c >= s_.catalog.class_count()) return {};
  const std::uint32_t interface_fields = s_.catalog.classes[c].interface_field_count;
  if (label.index() < interface_fields) return {};
  const std::uint32_t in_chain = label.index() - interface_fields;
  std::uint32_t at = c;
  for (std::uint32_t step = 0; at != kNone && step < kMostSteps; ++step) {
    const ClassRow& row = s_.catalog.classes[at];
    if (in_chain >= row.chain_offset) {
      const std::uint32_t ordinal = in_chain - row.chain_offset;
      return ordinal < row.field_count ? Place{at, ordinal} : Place{};
    }
    at = superclass(at);
  }
  return {};
}

void HprofLayout::find_fields() {
  holds_reference_.assign(s_.catalog.fields.size(), false);
  least_shallow_.assign(shapes_.size(), UINT64_MAX);
  if (reference_class_ != kNone) shapes_[reference_class_].referent = true;
  for (std::uint32_t v = 0; v < s_.object_count(); ++v) {
    if (mirror_of_[v] != kNone) continue;
    const std::uint32_t c = class_index(v);
    least_shallow_[c] = std::min(least_shallow_[c], shallow(v));
    if (c == class_class_) ++other_class_objects_;
    const bool array =
        c < s_.catalog.class_count() && (s_.catalog.classes[c].flags & kClassArray) != 0;
    if (!array) find_instance_fields(v);
  }
  for (std::uint32_t c = 0; c < s_.catalog.class_count(); ++c) {
    const ClassRow& row = s_.catalog.classes[c];
    for (std::uint32_t f = 0; f < row.field_count && shapes_[c].fields.size() < kMostFields; ++f)
      if (holds_reference_[row.first_field + f]) shapes_[c].fields.push_back(f);
    const std::size_t room = kMostFields - shapes_[c].fields.size();
    shapes_[c].extra_references =
        static_cast<std::uint32_t>(std::min<std::size_t>(shapes_[c].extra_references, room));
  }
}

// A second reference in the same field has no place there; no capture makes one, a damaged import might.
void HprofLayout::find_instance_fields(std::uint32_t v) {
  const std::uint32_t c = class_index(v);
  std::uint32_t extra = 0;
  std::vector<Place> taken;
  for (std::uint32_t r = s_.first_ref[v]; r < s_.first_ref[v + 1]; ++r) {
    const Place where = place(c, s_.label[r]);
    const bool again = std::ranges::find(taken, where) != taken.end();
    if (where.ordinal == kNone || again) {
      ++extra;
      continue;
    }
    taken.push_back(where);
    if (where.ordinal != kReferent)
      holds_reference_[s_.catalog.classes[where.declared_in].first_field + where.ordinal] = true;
  }
  shapes_[c].extra_references = std::min(std::max(shapes_[c].extra_references, extra), kMostFields);
}

// Superclasses first, each by following its chain up to what is done.
void HprofLayout::fill_classes() {
  std::vector<std::uint64_t> ends(shapes_.size(), 0);  // where the last field ends; 0: not done
  std::vector<std::uint32_t> chain;
  for (std::uint32_t start = 0; start < shapes_.size(); ++start) {
    for (std::uint32_t c = start; c != kNone && ends[c] == 0 && chain.size() < kMostSteps;
         c = superclass(c))
      chain.push_back(c);
    for (; !chain.empty(); chain.pop_back())
      if (ends[chain.back()] == 0) fill_class(chain.back(), ends);
  }
}

// As many bytes without meaning as make the size right, and no more: a subclass may use what rounding leaves.
void HprofLayout::fill_class(std::uint32_t c, std::vector<std::uint64_t>& ends) {
  HprofClassShape& shape = shapes_[c];
  const std::uint32_t super = superclass(c);
  const bool below = super != kNone && super != c && ends[super] != 0;
  std::uint64_t end = below ? ends[super] : kPointerBytes + reference_bytes_;
  const std::uint64_t references = references_of(shape);
  // The topmost class has no fields in any reader's reckoning.
  if (below) end = rounded(end + references * reference_bytes_, reference_bytes_);
  const bool array =
      c < s_.catalog.class_count() && (s_.catalog.classes[c].flags & kClassArray) != 0;
  const std::uint64_t size = least_shallow_[c];
  if (below && !array && size != UINT64_MAX && c != class_class_ &&
      rounded(end, kUnitBytes) < size) {
    const std::uint64_t missing = rounded(size - kUnitBytes + 1 - end, kLengthBytes);
    shape.longs = static_cast<std::uint32_t>(std::min(missing / kUnitBytes, most_longs(shape)));
    shape.ints = missing % kUnitBytes == 0 ? 0 : 1;
    end += std::uint64_t{shape.longs} * kUnitBytes + std::uint64_t{shape.ints} * kLengthBytes;
    end = rounded(end, reference_bytes_);
  }
  ends[c] = end;
  if (c == class_class_) class_class_end_ = end;
}

// A class that nothing is an instance of, without class object, would come back with one.
void HprofLayout::find_dumped() {
  for (std::uint32_t c = 0; c < shapes_.size(); ++c) {
    if (shapes_[c].object == kNone && least_shallow_[c] == UINT64_MAX) continue;
    std::uint32_t at = c;
    for (std::uint32_t step = 0; at != kNone && !shapes_[at].dumped && step < kMostSteps; ++step) {
      shapes_[at].dumped = true;
      at = superclass(at);
    }
  }
}

// Along the chain as it is written, whatever it is.
void HprofLayout::add_up_values() {
  for (std::uint32_t c = 0; c < shapes_.size(); ++c) {
    std::uint32_t at = c;
    for (std::uint32_t step = 0; at != kNone && step < kMostSteps; ++step) {
      const HprofClassShape& own = shapes_[at];
      shapes_[c].dump_bytes += references_of(own) * kPointerBytes +
                               std::uint64_t{own.longs} * kUnitBytes +
                               std::uint64_t{own.ints} * kLengthBytes;
      at = superclass(at);
    }
  }
}

ObjectId HprofLayout::loader(std::uint32_t c) const {
  if (c >= s_.catalog.class_count()) return {};
  const LoaderId loader = s_.catalog.classes[c].loader;
  return loader.valid() && loader.value < s_.catalog.loaders.size()
             ? s_.catalog.loaders[loader.value].object
             : ObjectId{};
}

std::vector<std::uint32_t> HprofLayout::statics(std::uint32_t c) const {
  std::vector<std::uint32_t> found;
  const std::uint32_t object = shapes_[c].object, super = superclass(c);
  if (object == kNone) return found;
  const ObjectId above{super == kNone ? kNone : shapes_[super].object};
  for (std::uint32_t r = s_.first_ref[object]; r < s_.first_ref[object + 1]; ++r) {
    const ObjectId target = s_.target[r];
    if (target != above && target != loader(c) && found.size() < kMostFields) found.push_back(r);
  }
  return found;
}

std::uint64_t HprofLayout::statics_bytes(std::uint32_t c) const {
  return rounded(statics(c).size() * reference_bytes_, kUnitBytes);
}

// By how much class objects and other instances of java.lang.Class would be off, together.
std::uint64_t HprofLayout::base_error(std::uint64_t base) const {
  std::uint64_t bytes = 0;
  for (std::uint32_t c = 0; c < shapes_.size(); ++c) {
    if (shapes_[c].object == kNone) continue;
    const std::uint64_t least = base + statics_bytes(c), size = shallow(shapes_[c].object);
    bytes += least > size ? least - size : 0;
  }
  const std::uint64_t other = least_shallow_[class_class_];
  return other == UINT64_MAX
             ? bytes
             : bytes + other_class_objects_ * (std::max(base, other) - std::min(base, other));
}

// A class object is as large as an instance of java.lang.Class and its static fields, which all its references are. Where
// these do not fit, either the one or the other is not as large as in the VM: the lesser error is taken.
std::uint64_t HprofLayout::class_base() const {
  const std::uint64_t header = rounded(class_class_end_, kUnitBytes);
  std::uint64_t fits = UINT64_MAX;
  for (std::uint32_t c = 0; c < shapes_.size(); ++c) {
    if (shapes_[c].object == kNone) continue;
    const std::uint64_t own = statics_bytes(c), size = shallow(shapes_[c].object);
    fits = std::min(fits, size > own ? size - own : 0);
  }
  fits = fits == UINT64_MAX ? header : std::max(fits, header);
  const std::uint64_t other = least_shallow_[class_class_];
  if (other == UINT64_MAX) return fits;
  const std::uint64_t as_others = std::max(other, header);
  return base_error(as_others) < base_error(fits) ? as_others : fits;
}

void HprofLayout::fill_statics() {
  if (class_class_ == kNone) return;
  const std::uint64_t base = class_base();
  HprofClassShape& of_classes = shapes_[class_class_];
  of_classes.longs = static_cast<std::uint32_t>(std::min(
      (base - rounded(class_class_end_, kUnitBytes)) / kUnitBytes, most_longs(of_classes)));
  for (std::uint32_t c = 0; c < shapes_.size(); ++c) {
    HprofClassShape& shape = shapes_[c];
    if (shape.object == kNone) continue;
    const std::uint64_t known = base + statics_bytes(c), size = shallow(shape.object);
    if (size > known)
      shape.static_longs = static_cast<std::uint32_t>(
          std::min<std::uint64_t>((size - known) / kUnitBytes, kMostStaticLongs));
  }
}

std::uint64_t HprofLayout::whole_length(std::uint32_t v) const {
  const std::uint8_t type = element_type(class_index(v));
  const std::uint64_t element =
      type == 0 ? reference_bytes_ : std::max(analysis::hprof_type_bytes(type, kPointerBytes), 1u);
  std::uint64_t header = kPointerBytes + reference_bytes_ + kLengthBytes;
  if (type != 0) header = rounded(header, reference_bytes_);
  const std::uint64_t size = shallow(v);
  std::uint64_t length = size > header ? (size - header) / element : 0;
  if (type == 0) {
    length = std::max<std::uint64_t>(length, s_.first_ref[v + 1] - s_.first_ref[v]);
    for (std::uint32_t r = s_.first_ref[v]; r < s_.first_ref[v + 1]; ++r)
      if (s_.label[r].is_element() && !s_.label[r].saturated())
        length = std::max<std::uint64_t>(length, std::uint64_t{s_.label[r].index()} + 1);
  }
  return length;
}

std::uint64_t HprofLayout::dump_element_bytes(std::uint32_t v) const {
  const std::uint8_t type = element_type(class_index(v));
  return type == 0 ? kPointerBytes : std::max(analysis::hprof_type_bytes(type, kPointerBytes), 1u);
}

std::uint32_t HprofLayout::array_length(std::uint32_t v) const {
  const std::uint64_t most = std::min(kMostElements, kMostArrayBytes / dump_element_bytes(v));
  return static_cast<std::uint32_t>(std::min(whole_length(v), most));
}

// Less than a unit is what rounding the size has added.
bool HprofLayout::array_is_cut(std::uint32_t v) const {
  return (whole_length(v) - array_length(v)) * dump_element_bytes(v) >= kUnitBytes;
}

}  // namespace holdfast::cli
