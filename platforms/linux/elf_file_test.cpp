#include "platforms/elf_file.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <errno.h>

#include <cstring>
#include <string>
#include <vector>

#include "platforms/file.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast::platforms;

namespace {

constexpr std::size_t kSectionAt = 256, kNamesAt = 512;
constexpr std::uint64_t kLoadedAt = 0x10000;

// A library that needs one other: head, a loaded segment of the whole file, a dynamic section, its names.
std::vector<std::byte> library_needing(const std::string& needed) {
  std::vector<std::byte> file(1024);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_machine = EM_X86_64;
  head.e_phoff = sizeof head;
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = 2;
  Elf64_Phdr segments[2]{};
  segments[0].p_type = PT_LOAD;
  segments[0].p_vaddr = kLoadedAt;
  segments[0].p_filesz = file.size();
  segments[1].p_type = PT_DYNAMIC;
  segments[1].p_offset = kSectionAt;
  segments[1].p_filesz = 3 * sizeof(Elf64_Dyn);
  Elf64_Dyn section[3]{};
  section[0].d_tag = DT_NEEDED;
  section[0].d_un.d_val = 1;
  section[1].d_tag = DT_STRTAB;
  section[1].d_un.d_ptr = kLoadedAt + kNamesAt;
  std::memcpy(file.data(), &head, sizeof head);
  std::memcpy(file.data() + sizeof head, segments, sizeof segments);
  std::memcpy(file.data() + kSectionAt, section, sizeof section);
  std::memcpy(file.data() + kNamesAt + 1, needed.data(), needed.size());
  return file;
}

LibcKind libc_of(const std::vector<std::byte>& file) {
  ElfFacts facts;
  CHECK(read_elf_facts(file, facts));
  return facts.libc;
}

}  // namespace

TEST_CASE("the libc is told by the libraries that are needed") {
  CHECK(libc_of(library_needing("libc.so.6")) == LibcKind::kGlibc);
  CHECK(libc_of(library_needing("libc.musl-x86_64.so.1")) == LibcKind::kMusl);
  CHECK(libc_of(library_needing("libc.so")) == LibcKind::kMusl);
  CHECK(libc_of(library_needing("libz.so.1")) == LibcKind::kUnknown);
}

TEST_CASE("machine and words; of foreign byte order too") {
  std::vector<std::byte> file = library_needing("libc.so.6");
  ElfFacts facts;
  REQUIRE(read_elf_facts(file, facts));
  CHECK(facts.machine == EM_X86_64);
  CHECK(facts.word_bits == 64);
  CHECK(std::string(machine_name(facts.machine)) == "x86-64");
  file[EI_DATA] = std::byte{ELFDATA2MSB};
  file[18] = std::byte{0};
  file[19] = std::byte{EM_S390};
  file[EI_CLASS] = std::byte{ELFCLASS32};
  REQUIRE(read_elf_facts(file, facts));
  CHECK(facts.machine == EM_S390);
  CHECK(facts.word_bits == 32);
  CHECK(std::string(machine_name(60'000)) == "another machine");
}

TEST_CASE("cut anywhere and flipped anywhere it stays inside the file") {
  const std::vector<std::byte> file = library_needing("libc.so.6");
  for (std::size_t cut = 0; cut < file.size(); ++cut) {
    ElfFacts facts;
    const std::vector<std::byte> part(file.begin(), file.begin() + static_cast<long>(cut));
    CHECK(read_elf_facts(part, facts) == (cut >= 20));
  }
  for (std::size_t at = SELFMAG; at < kNamesAt; ++at) {
    std::vector<std::byte> flipped = file;
    flipped[at] ^= std::byte{0xFF};
    ElfFacts facts;
    CHECK(read_elf_facts(flipped, facts));
  }
}

TEST_CASE("files: this program, a text, none") {
  ElfFacts facts;
  REQUIRE(read_elf_file("/proc/self/exe", facts) == 0);
  CHECK(facts.word_bits == 8 * sizeof(void*));
  CHECK((facts.libc != LibcKind::kUnknown) == (facts.word_bits == 64));
  ScratchDirectory scratch;
  scratch.write("text", "#!/bin/sh\n");
  CHECK(read_elf_file(scratch.file("text").c_str(), facts) == ENOEXEC);
  CHECK(read_elf_file(scratch.file("none").c_str(), facts) == ENOENT);
}
