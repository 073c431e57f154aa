// check_field_names A.hfs B.hfs: are the references of classes that both snapshots have called the same?
// Prints a line for each that is not: "CLASS[SLOT]: A's name | B's name", and at last how many are. Exit code 0 when all are and there are any, 1
// when not, 2 when a file cannot be read.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

using Names = std::vector<std::string>;

// By class; classes of one name behind each other, as one.
bool read(const char* path, std::map<std::string, Names>& out) {
  SnapshotFile file;
  if (const auto opened = file.open(path); !opened || file.cut().cut)
    return std::fprintf(stderr, "%s: not readable\n", path), false;
  const Catalog& catalog = file.snapshot().catalog;
  for (std::uint32_t c = 0; c < catalog.class_count(); ++c) {
    Names& names = out[std::string(catalog.class_name(ClassId{c}))];
    for (std::uint32_t i = 0; i < catalog.classes[c].field_count; ++i)
      names.emplace_back(catalog.field_name(ClassId{c}, i));
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "usage: check_field_names A.hfs B.hfs\n"), 2;
  std::map<std::string, Names> ours, theirs;
  if (!read(words[1], ours) || !read(words[2], theirs)) return 2;
  std::size_t alike = 0, different = 0;
  for (auto& [name, fields] : ours) {
    const auto other = theirs.find(name);
    if (other == theirs.end()) continue;
    other->second.resize(std::max(other->second.size(), fields.size()));
    fields.resize(other->second.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i] == other->second[i] && ++alike) continue;
      ++different;
      std::printf("%s[%zu]: %s | %s\n", name.c_str(), i, fields[i].c_str(),
                  other->second[i].c_str());
    }
  }
  std::printf("%zu alike, %zu different\n", alike, different);
  return different == 0 && alike != 0 ? 0 : 1;
}
