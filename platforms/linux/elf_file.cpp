#include "platforms/elf_file.h"

#include <elf.h>
#include <errno.h>

#include <cstring>
#include <string_view>

#include "platforms/file.h"

namespace holdfast::platforms {

namespace {

using Bytes = std::span<const std::byte>;

// A copy of what stands at `offset`, where all of it lies in the file.
template <class Record>
bool read_at(Bytes file, std::uint64_t offset, Record& out) noexcept {
  if (offset > file.size() || file.size() - offset < sizeof out) return false;
  std::memcpy(&out, file.data() + offset, sizeof out);
  return true;
}

std::string_view text_at(Bytes file, std::uint64_t offset) noexcept {
  if (offset >= file.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(file.data()) + offset;
  return {begin, ::strnlen(begin, static_cast<std::size_t>(file.size() - offset))};
}

bool read_segment(Bytes file, const Elf64_Ehdr& head, unsigned index, Elf64_Phdr& out) noexcept {
  return head.e_phentsize == sizeof out && index < head.e_phnum &&
         read_at(file, head.e_phoff + std::uint64_t{index} * sizeof out, out);
}

// Where in the file an address of the loaded image is; past the file's end when nowhere.
std::uint64_t offset_of(Bytes file, const Elf64_Ehdr& head, std::uint64_t address) noexcept {
  Elf64_Phdr segment;
  for (unsigned i = 0; read_segment(file, head, i, segment); ++i) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  }
  return UINT64_MAX;
}

LibcKind libc_named(std::string_view library) noexcept {
  if (library.starts_with("libc.musl-") || library.starts_with("ld-musl-")) return LibcKind::kMusl;
  // musl's own name for itself, which distributions without a prefix use.
  if (library == "libc.so") return LibcKind::kMusl;
  return library.starts_with("libc.so.6") ? LibcKind::kGlibc : LibcKind::kUnknown;
}

// Visits the entries of the dynamic section until `visit` answers false.
template <class Visit>
void for_each_dynamic(Bytes file, const Elf64_Phdr& section, Visit visit) noexcept {
  Elf64_Dyn entry;
  for (std::uint64_t at = 0; at + sizeof entry <= section.p_filesz; at += sizeof entry) {
    if (!read_at(file, section.p_offset + at, entry) || entry.d_tag == DT_NULL) return;
    if (!visit(entry)) return;
  }
}

LibcKind needed_libc(Bytes file, const Elf64_Ehdr& head, const Elf64_Phdr& section) noexcept {
  std::uint64_t names = UINT64_MAX;
  for_each_dynamic(file, section, [&](const Elf64_Dyn& entry) {
    if (entry.d_tag == DT_STRTAB) names = offset_of(file, head, entry.d_un.d_ptr);
    return true;
  });
  LibcKind found = LibcKind::kUnknown;
  if (names >= file.size()) return found;
  for_each_dynamic(file, section, [&](const Elf64_Dyn& entry) {
    if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < file.size() - names)
      found = libc_named(text_at(file, names + entry.d_un.d_val));
    return found == LibcKind::kUnknown;
  });
  return found;
}

LibcKind libc_of(Bytes file) noexcept {
  Elf64_Ehdr head;
  Elf64_Phdr segment;
  if (!read_at(file, 0, head)) return LibcKind::kUnknown;
  for (unsigned i = 0; read_segment(file, head, i, segment); ++i)
    if (segment.p_type == PT_DYNAMIC) return needed_libc(file, head, segment);
  return LibcKind::kUnknown;
}

constexpr unsigned char kOwnByteOrder =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

}  // namespace

bool read_elf_facts(Bytes file, ElfFacts& out) noexcept {
  unsigned char ident[EI_NIDENT];
  if (!read_at(file, 0, ident) || std::memcmp(ident, ELFMAG, SELFMAG) != 0) return false;
  Elf32_Half machine = 0;
  if (!read_at(file, offsetof(Elf32_Ehdr, e_machine), machine)) return false;
  ElfFacts found;
  const bool own_order = ident[EI_DATA] == kOwnByteOrder;
  found.machine = own_order ? machine : __builtin_bswap16(machine);
  found.word_bits = ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
  if (own_order && found.word_bits == 64) found.libc = libc_of(file);
  out = found;
  return true;
}

int read_elf_file(const char* path, ElfFacts& out) noexcept {
  MappedFile file;
  if (const int error = map_file(path, file); error != 0) return error;
  const bool good = read_elf_facts({file.data, file.bytes}, out);
  unmap_file(file);
  return good ? 0 : ENOEXEC;
}

const char* machine_name(std::uint16_t machine) noexcept {
  switch (machine) {
    case EM_386:
      return "x86";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "ARM";
    case EM_AARCH64:
      return "AArch64";
    case EM_PPC64:
      return "ppc64";
    case EM_S390:
      return "s390x";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "another machine";
  }
}

}  // namespace holdfast::platforms
