#include "cli/analyze/object_rows.h"

#include <cinttypes>
#include <cstdio>

#include "cli/text/csv_field.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

void append_number(std::string& line, const char* format, std::uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  line += text;
}

std::uint64_t address_of(const ObjectRows& rows, std::uint32_t object) {
  return rows.addresses.empty() ? object : rows.addresses[object];
}

void append_row(std::string& line, const ObjectRows& rows, std::uint32_t v) {
  const std::uint32_t idom = rows.dominators.idom[v];
  append_number(line, "0x%" PRIx64 ",", address_of(rows, v));
  append_csv_field(line, rows.snapshot.catalog.class_name(rows.snapshot.class_of[v]));
  append_number(line, ",%" PRIu64, rows.snapshot.shallow_bytes(ObjectId{v}));
  append_number(line, ",%" PRIu64, rows.dominators.retained_bytes[v]);
  if (idom == analysis::Dominators::kRoot)
    line += ",0,";
  else
    append_number(line, ",0x%" PRIx64 ",", address_of(rows, idom));
  if (!rows.components.empty()) append_number(line, "%" PRIu64, rows.components[v]);
  line += ',';
  if (rows.reachable != nullptr) {
    append_number(line, "%" PRIu64, rows.reachable->of(ObjectId{v}));
    line += rows.reachable->is_estimate(ObjectId{v}) ? ",1" : ",0";
  } else {
    line += ',';
  }
  line += '\n';
}

}  // namespace

Result<void> write_object_rows(const ObjectRows& rows, AtomicFile& file) {
  std::string buffer(kObjectRowsHeader);
  for (std::uint32_t v = 0; v < rows.snapshot.object_count(); ++v) {
    if (rows.dominators.idom[v] != ObjectId::kNoneValue) append_row(buffer, rows, v);
    if (buffer.size() < kBufferBytes) continue;
    HF_CHECK_OK(file.write(buffer.data(), buffer.size()));
    buffer.clear();
  }
  return file.write(buffer.data(), buffer.size());
}

}  // namespace holdfast::cli
