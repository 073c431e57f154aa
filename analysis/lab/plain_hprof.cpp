#include "analysis/lab/plain_hprof.h"

#include <algorithm>
#include <stdexcept>

namespace holdfast::analysis::lab {
namespace {

class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) { out_.file = file; }

  PlainHprof read() {
    while (u(1) != 0) {
    }
    out_.id_bytes = static_cast<unsigned>(u(4));
    u(8);
    while (at_ < out_.file.size()) record();
    for (PlainClass& one : out_.classes) one.name = class_name(one.id);
    for (PlainClass& one : out_.classes) {
      for (PlainField& field : one.statics) field.name = texts_[field_names_[next_name_++]];
      for (PlainField& field : one.fields) field.name = texts_[field_names_[next_name_++]];
    }
    return std::move(out_);
  }

 private:
  std::uint64_t u(unsigned bytes) {
    const std::uint64_t value = out_.number_at(at_, bytes);
    at_ += bytes;
    return value;
  }
  std::uint64_t id() { return u(out_.id_bytes); }
  void skip(std::uint64_t bytes) {
    if (bytes > out_.file.size() - at_) fail("a length passes the end");
    at_ += bytes;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at offset " + std::to_string(at_));
  }

  void record() {
    const std::uint64_t tag = u(1);
    u(4);
    const std::uint64_t bytes = u(4);
    const std::uint64_t end = at_ + bytes;
    if (tag == 0x01) {
      const std::uint64_t name = id();
      std::string text;
      for (; at_ < end; ++at_) text += static_cast<char>(out_.file[static_cast<std::size_t>(at_)]);
      texts_.try_emplace(name, text);
    } else if (tag == 0x02) {
      u(4);
      const std::uint64_t class_id = id();
      u(4);
      names_of_.try_emplace(class_id, id());
    } else if (tag == 0x0C || tag == 0x1C) {
      while (at_ < end) sub_record();
      if (at_ != end) fail("a sub-record passes its segment");
    }
    at_ = end;
  }

  std::string class_name(std::uint64_t class_id) {
    const auto known = names_of_.find(class_id);
    std::string name = known == names_of_.end() ? "" : texts_[known->second];
    std::ranges::replace(name, '/', '.');
    return name;
  }

  void sub_record() {
    const auto tag = static_cast<std::uint8_t>(u(1));
    switch (tag) {
      case 0x20:
        return class_dump();
      case 0x21:
      case 0x22:
      case 0x23:
      case 0xC3:
        return object(tag);
      case 0xFE:
        return skip(4 + out_.id_bytes);
      default:
        return root(tag);
    }
  }

  void object(std::uint8_t tag) {
    PlainObject one;
    one.id = id();
    u(4);
    if (tag == 0x21) one.class_id = id();
    one.length = u(4);
    std::uint64_t bytes = one.length;
    if (tag == 0x22) {
      one.kind = PlainKind::kObjectArray;
      one.class_id = id();
      bytes *= out_.id_bytes;
    } else if (tag != 0x21) {
      one.kind = PlainKind::kPrimitiveArray;
      one.element_type = static_cast<std::uint8_t>(u(1));
      bytes *= tag == 0x23 ? out_.bytes_of(one.element_type) : 0;
    }
    one.data = at_;
    skip(bytes);
    out_.objects.push_back(one);
  }

  void class_dump() {
    PlainClass one;
    one.id = id();
    u(4);
    one.super = id();
    one.loader = id();
    skip(4 * out_.id_bytes);
    one.instance_bytes = u(4);
    for (std::uint64_t left = u(2); left > 0; --left) {
      u(2);
      skip(out_.bytes_of(static_cast<std::uint8_t>(u(1))));
    }
    for (std::uint64_t left = u(2); left > 0; --left) one.statics.push_back(field(true));
    for (std::uint64_t left = u(2); left > 0; --left) one.fields.push_back(field(false));
    out_.objects.push_back({PlainKind::kClass, 0, one.id, out_.classes.size(), 0, 0});
    out_.classes.push_back(std::move(one));
  }

  // Names are filled in at the end: their records may come last.
  PlainField field(bool with_value) {
    field_names_.push_back(id());
    PlainField one;
    one.type = static_cast<std::uint8_t>(u(1));
    if (with_value) one.bits = u(out_.bytes_of(one.type));
    return one;
  }

  void root(std::uint8_t tag) {
    PlainRoot one{tag, id(), 0};
    switch (tag) {
      case 0x01:
        id();
        break;
      case 0x02:
      case 0x03:
      case 0x08:
      case 0x8E:
        one.thread_serial = static_cast<std::uint32_t>(u(4));
        u(4);
        break;
      case 0x04:
      case 0x06:
        one.thread_serial = static_cast<std::uint32_t>(u(4));
        break;
      case 0x05:
      case 0x07:
      case 0xFF:
      case 0x89:
      case 0x8A:
      case 0x8B:
      case 0x8C:
      case 0x8D:
      case 0x90:
        break;
      default:
        fail("an unknown sub-record");
    }
    out_.roots.push_back(one);
  }

  PlainHprof out_;
  std::uint64_t at_ = 0;
  std::unordered_map<std::uint64_t, std::string> texts_;
  std::unordered_map<std::uint64_t, std::uint64_t> names_of_;
  std::vector<std::uint64_t> field_names_;
  std::size_t next_name_ = 0;
};

}  // namespace

unsigned PlainHprof::bytes_of(std::uint8_t type) const {
  constexpr unsigned kBytes[] = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};
  if (type == 2) return id_bytes;
  if (type < 4 || type > 11) throw std::runtime_error("an unknown type");
  return kBytes[type];
}

std::uint64_t PlainHprof::number_at(std::uint64_t offset, unsigned bytes) const {
  if (bytes > file.size() || offset > file.size() - bytes)
    throw std::runtime_error("the file ends at a number");
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(file[static_cast<std::size_t>(offset + i)]);
  return value;
}

PlainHprof read_plain_hprof(std::span<const std::byte> file) { return Reader(file).read(); }

}  // namespace holdfast::analysis::lab
