// What an ELF file is made for: machine, word size, and whose libc.
// Why: a library of another machine or libc, loaded into a VM, ends in a riddle of the VM's; here it ends in one clear line.
// Shape:  reads the head and the dynamic section of a mapped file; every offset is checked against its length.
// Zone:   offline.   Errors: false: not an ELF file, or a damaged one.
// Source: elf(5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::platforms {

enum class LibcKind : std::uint8_t { kUnknown, kGlibc, kMusl };

struct ElfFacts {
  std::uint16_t machine = 0;
  std::uint8_t word_bits = 0;          // 32 or 64
  LibcKind libc = LibcKind::kUnknown;  // of 64-bit files in this machine's byte order
};

bool read_elf_facts(std::span<const std::byte> file, ElfFacts& out) noexcept;
// errno; ENOEXEC when it is no ELF file.
int read_elf_file(const char* path, ElfFacts& out) noexcept;
// "x86-64", "AArch64" ...; "another machine" where it has no name here.
const char* machine_name(std::uint16_t machine) noexcept;

}  // namespace holdfast::platforms
