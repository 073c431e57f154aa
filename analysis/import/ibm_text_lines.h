// The lines of an IBM heap dump as text ("classic"), in all the dialects that its VMs and tools have written.
// Shape:  an object   0x1018f030 [32] java/lang/String        older VMs; also "class X", "array of X", "primitive array", "char[]"
//                     0x1018f030 [32] OBJ java/lang/String    J9; class objects are CLS X; arrays [C or [Ljava/lang/String;
//         its references, on the lines below: addresses, one or many a line, 0 for null
//         // Version: …            at the beginning        // EOF:  Total 'Objects',Refs(null) : 6349,23240(7282)   at the end
//         An object's line is told by its bracket, not by its indentation. Lines end in LF or CR LF. O(bytes).
// Zone:   offline.   Errors: none; what is no such line goes to the visitor's bad_line().
// Source: HeapRoots' documentation; IBM Java diagnostics guides 1.4.2 to 7, "Text (classic) Heapdump file format".
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace holdfast::analysis {

struct IbmObjectLine {
  std::uint64_t address = 0;
  std::uint64_t shallow_bytes = 0;
  std::string_view kind;      // without OBJ, CLS, "class" and a hash code at the end
  bool class_object = false;  // `kind` is then the class that it stands for
};

inline constexpr std::size_t kMostKindBytes = 4096;  // longer ones are cut, as names are

// "0x" and 1 to 16 digits at the front of `text`, which is shortened by them.
bool take_address(std::string_view& text, std::uint64_t& address) noexcept;
// Behind the address: "[32] java/lang/String".
bool parse_object_line(std::string_view rest, IbmObjectLine& line) noexcept;
// The number of objects that an EOF comment tells.
bool parse_end_comment(std::string_view comment, std::uint64_t& objects) noexcept;
bool looks_like_ibm_text(std::span<const std::byte> first_bytes) noexcept;

inline std::string_view skip_blanks(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r')) ++at;
  return text.substr(at);
}

// The line at the front of `text`, without its end; `text` is shortened by it.
inline std::string_view take_line(std::string_view& text) noexcept {
  const void* const found = std::memchr(text.data(), '\n', text.size());
  const std::size_t length =
      found == nullptr ? text.size()
                       : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  std::string_view line = text.substr(0, length);
  text.remove_prefix(found == nullptr ? length : length + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Visitor: more(offset) before each line, false ends the walk; comment(text), object(line, offset), reference(address) of the
// object before, bad_line(offset). Addresses below a line that is no object's belong to nobody: a bad line, too.
template <class Visitor>
void walk_ibm_text(std::string_view text, Visitor& visitor) {
  const char* const begin = text.data();
  bool has_object = false;
  while (!text.empty()) {
    const auto offset = static_cast<std::uint64_t>(text.data() - begin);
    if (!visitor.more(offset)) return;
    std::string_view line = skip_blanks(take_line(text));
    if (line.empty()) continue;
    if (line.starts_with("//")) {
      visitor.comment(line);
      continue;
    }
    std::uint64_t address = 0;
    bool good = take_address(line, address);
    line = skip_blanks(line);
    if (!good || line.starts_with('[')) {
      IbmObjectLine object;
      object.address = address;
      has_object = good && parse_object_line(line, object);
      if (has_object)
        visitor.object(object, offset);
      else
        visitor.bad_line(offset);
      continue;
    }
    good = has_object;
    while (good) {
      visitor.reference(address);
      if (line.empty()) break;
      good = take_address(line, address);
      line = skip_blanks(line);
    }
    if (!good) visitor.bad_line(offset);
  }
}

}  // namespace holdfast::analysis
