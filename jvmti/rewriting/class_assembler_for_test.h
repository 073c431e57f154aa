// Makes class files for tests: constants as they are asked for, methods from their parts, any version.
// Zone:   offline.   Errors: none; what it is told is written as it is, malformed or not.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jvmti/rewriting/method_code.h"
#include "jvmti/rewriting/opcodes.h"
#include "jvmti/rewriting/stack_map_reader.h"

namespace holdfast::jvmti {

class Buffer {
 public:
  Buffer() = default;
  Buffer(std::initializer_list<unsigned> values) {
    for (const unsigned value : values) u8(value);
  }
  Buffer& u8(unsigned value) { return bytes_.push_back(static_cast<std::byte>(value)), *this; }
  Buffer& u16(unsigned value) { return u8(value >> 8u & 0xFFu).u8(value & 0xFFu); }
  Buffer& u32(std::uint32_t value) { return u16(value >> 16u).u16(value & 0xFFFFu); }
  Buffer& op_u16(unsigned op, unsigned value) { return u8(op).u16(value); }
  Buffer& put(const Buffer& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  Buffer& text(std::string_view text) {
    for (const char c : text) u8(static_cast<unsigned char>(c));
    return *this;
  }
  Buffer& times(std::size_t count, unsigned value) {
    bytes_.insert(bytes_.end(), count, static_cast<std::byte>(value));
    return *this;
  }
  Buffer& patch_u16(std::size_t at, unsigned value) {
    bytes_[at] = static_cast<std::byte>(value >> 8u & 0xFFu);
    bytes_[at + 1] = static_cast<std::byte>(value & 0xFFu);
    return *this;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(bytes_.size()); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

struct MethodParts {
  std::string name = "m";
  std::string descriptor = "()V";
  unsigned access = kAccStatic;
  unsigned max_stack = 4;
  unsigned max_locals = 4;
  Buffer code{kReturn};
  std::vector<ExceptionEntry> handlers;
  std::vector<std::pair<std::string, Buffer>> attributes;  // of the code
};

class ClassAssembler {
 public:
  explicit ClassAssembler(unsigned major = 52, std::string_view name = "a/Made",
                          std::string_view above = "java/lang/Object")
      : major_(major), this_(type(name)), super_(above.empty() ? 0 : type(above)) {}

  // One text has one constant, as compilers write it.
  unsigned utf8(std::string_view text) {
    const auto [found, fresh] = texts_.try_emplace(std::string(text), count_);
    if (fresh) constant(Buffer{kPoolUtf8}.u16(static_cast<unsigned>(text.size())).text(text));
    return found->second;
  }
  unsigned type(std::string_view name) { return constant(Buffer{kPoolClass}.u16(utf8(name))); }
  unsigned method(std::string_view owner, std::string_view name, std::string_view descriptor,
                  unsigned tag = kPoolMethod) {
    return method_of(type(owner), name, descriptor, tag);
  }
  unsigned own_method(std::string_view name, std::string_view descriptor) {
    return method_of(this_, name, descriptor, kPoolMethod);
  }
  unsigned method_of(unsigned owner_index, std::string_view name, std::string_view descriptor,
                     unsigned tag) {
    const unsigned what = constant(Buffer{kPoolNameAndType}.u16(utf8(name)).u16(utf8(descriptor)));
    return constant(Buffer{tag}.u16(owner_index).u16(what));
  }
  unsigned constant(const Buffer& encoded) {
    pool_.put(encoded);
    return count_++;
  }
  // So that the next constant has this index.
  void fill_up_to(unsigned index) {
    while (count_ < index) constant(Buffer{kPoolInteger}.u32(0));
  }
  void add(MethodParts parts) { methods_.push_back(std::move(parts)); }

  std::vector<std::byte> bytes() {
    Buffer methods;
    for (const MethodParts& parts : methods_) methods.put(encode(parts));
    Buffer file;
    file.u32(0xCAFEBABE).u16(major_ == 45 ? 3 : 0).u16(major_).u16(count_).put(pool_);
    file.u16(0x21).u16(this_).u16(super_).u16(0).u16(0);
    file.u16(static_cast<unsigned>(methods_.size())).put(methods).u16(0);
    return file.bytes();
  }

 private:
  Buffer encode(const MethodParts& parts) {
    Buffer body;
    body.u16(parts.max_stack).u16(parts.max_locals).u32(parts.code.size()).put(parts.code);
    body.u16(static_cast<unsigned>(parts.handlers.size()));
    for (const ExceptionEntry& entry : parts.handlers)
      body.u16(entry.start).u16(entry.end).u16(entry.handler).u16(entry.type);
    body.u16(static_cast<unsigned>(parts.attributes.size()));
    for (const auto& [name, content] : parts.attributes)
      body.u16(utf8(name)).u32(content.size()).put(content);
    Buffer method;
    method.u16(parts.access).u16(utf8(parts.name)).u16(utf8(parts.descriptor)).u16(1);
    return method.u16(utf8("Code")).u32(body.size()).put(body);
  }

  unsigned major_;
  Buffer pool_;
  std::map<std::string, unsigned> texts_;
  unsigned count_ = 1;
  unsigned this_;
  unsigned super_;
  std::vector<MethodParts> methods_;
};

}  // namespace holdfast::jvmti
