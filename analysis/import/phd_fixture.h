// For tests only: writes portable heap dumps, with each record in the form that is asked for.
// Zone:   tests.   Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/import/archives_for_test.h"

namespace holdfast::analysis {

struct PhdWriter {
  using Addresses = std::vector<std::uint64_t>;

  std::uint32_t version = 6;
  bool wide = true, all_hashed = false, j9 = true;
  std::string out;
  std::uint64_t last = 0;

  void number(std::uint64_t value, unsigned bytes) {
    for (unsigned i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  void word(std::uint64_t value) { number(value, wide ? 8 : 4); }
  void text(const std::string& value) {
    number(value.size(), 2);
    out += value;
  }
  unsigned unit() const { return j9 || version == 5 ? 4 : 8; }
  std::uint64_t units(std::uint64_t from, std::uint64_t to) const {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(to - from) / unit());
  }
  void gap(std::uint64_t address, unsigned code) {
    number(units(last, address), 1u << code);
    last = address;
  }
  void hash(bool own) {
    if (j9 && all_hashed)
      number(0x1234, 2);
    else if (own)
      number(0x12345678, 4);
  }
  void references(std::uint64_t from, const Addresses& to, unsigned code) {
    for (const std::uint64_t address : to) number(units(from, address), 1u << code);
  }
  void size(std::uint64_t bytes) {
    if (version >= 6) number(bytes / 4, 4);
  }

  void header(const std::string& vm) {
    text("portable heap dump");
    number(version, 4);
    number((wide ? 1u : 0u) | (all_hashed ? 2u : 0u) | (j9 ? 4u : 0u), 4);
    number(1, 1);
    if (!j9) {
      number(1, 1);  // totals
      number(7, 8);
      number(3, 1);  // hash seeds
      number(9, 8);
    }
    number(4, 1);
    text(vm);
    number(2, 1);
    number(2, 1);
  }
  void end() { number(3, 1); }

  // gap_code: 0 byte, 1 short (2 int, 3 long in the long forms); the same for references.
  void short_object(std::uint64_t address, unsigned cached, const Addresses& to, unsigned gap_code,
                    unsigned code) {
    number(0x80 | cached << 5 | static_cast<unsigned>(to.size()) << 3 | gap_code << 2 | code, 1);
    gap(address, gap_code);
    hash(false);
    references(address, to, code);
  }
  void medium_object(std::uint64_t address, std::uint64_t of, const Addresses& to,
                     unsigned gap_code, unsigned code) {
    number(0x40 | static_cast<unsigned>(to.size()) << 3 | gap_code << 2 | code, 1);
    gap(address, gap_code);
    word(of);
    hash(false);
    references(address, to, code);
  }
  void long_object(std::uint64_t address, std::uint64_t of, const Addresses& to, unsigned gap_code,
                   unsigned code, bool moved) {
    number(4, 1);
    number(gap_code << 6 | code << 4 | (moved ? 3u : 0u), 1);
    gap(address, gap_code);
    word(of);
    hash(moved);
    number(to.size(), 4);
    references(address, to, code);
  }
  void object_array(std::uint64_t address, std::uint64_t of, const Addresses& to, unsigned gap_code,
                    unsigned code, std::uint64_t length, std::uint64_t bytes, bool moved = false) {
    number(version >= 5 ? 8 : 5, 1);
    number(gap_code << 6 | code << 4 | (moved ? 3u : 0u), 1);
    gap(address, gap_code);
    word(of);
    hash(moved);
    number(to.size(), 4);
    references(address, to, code);
    if (version >= 5) number(length, 4);
    size(bytes);
  }
  void primitive_array(std::uint64_t address, unsigned type, std::uint64_t length, unsigned code,
                       std::uint64_t bytes) {
    number(0x20 | type << 2 | code, 1);
    gap(address, code);
    number(length, 1u << code);
    hash(false);
    size(bytes);
  }
  void long_primitive_array(std::uint64_t address, unsigned type, std::uint64_t length, bool words,
                            std::uint64_t bytes, bool moved) {
    number(7, 1);
    number(type << 5 | (words ? 0x10u : 0u) | (moved ? 3u : 0u), 1);
    if (words) {
      word(units(last, address));
      word(length);
      last = address;
    } else {
      gap(address, 0);
      number(length, 1);
    }
    hash(moved);
    size(bytes);
  }
  void class_record(std::uint64_t address, const std::string& name, std::uint64_t super,
                    std::uint64_t instance_bytes, const Addresses& to, unsigned gap_code,
                    unsigned code, bool moved = false) {
    number(6, 1);
    number(gap_code << 6 | code << 4 | (moved ? 8u : 0u), 1);
    gap(address, gap_code);
    number(instance_bytes, 4);
    hash(moved);
    word(super);
    text(name);
    number(to.size(), 4);
    references(address, to, code);
  }
  Bytes bytes() const { return bytes_of(out); }

  // One of every kind, in every form.
  void example() {
    header("J9 VM 2.9");
    medium_object(0x1000, 0x9000, {0x1020}, 1, 0);  // String
    short_object(0x1010, 0, {0x1020, 0x1000}, 0, 1);
    primitive_array(0x1020, 1, 3, 0, 32);  // char[]
    long_object(0x1040, 0x9100, {0x1000, 0x1010, 0x1080}, 3, 3, true);
    medium_object(0x1060, 0x9100, {}, 0, 2);
    short_object(0x1070, 0, {}, 0, 0);  // String again: its place in the cache
    object_array(0x1080, 0x9000, {0x1000}, 2, 2, 2, 40, true);
    long_primitive_array(0x10C0, 7, 2, false, 40, true);
    long_primitive_array(0x10F0, 4, 300, true, 328, false);
    class_record(0x9000, "java/lang/String", 0x9200, 16, {}, 2, 0);
    class_record(0x9100, "shop/Order", 0x9200, 24, {0x1040}, 1, 3, true);
    class_record(0x9200, "java/lang/Object", 0, 8, {}, 3, 0);
    end();
  }
};

}  // namespace holdfast::analysis
