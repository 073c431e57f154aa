// How each kind of row becomes columns, and back: one function per kind that a ColumnWriter and a ColumnReader both run.
// Shape:  `before` is the row before (default-made for the first row of the file), so equal and rising values make short numbers.
//         The number of columns is kColumns of the kind; snapshot-format.md lists them.
// Zone:   as columns.h.   Errors: as columns.h; values are checked by whoever reads.
#pragma once

#include "analysis/snapshot_file/columns.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

template <class Row>
struct RowColumns;  // kColumns, kMaxBytes of one value

template <>
struct RowColumns<ClassRow> {
  static constexpr std::size_t kColumns = 10, kMaxBytes = kMaxNumberBytes;
};
template <>
struct RowColumns<StringId> {  // fields
  static constexpr std::size_t kColumns = 1, kMaxBytes = kMaxNumberBytes;
};
template <>
struct RowColumns<LoaderRow> {
  static constexpr std::size_t kColumns = 3, kMaxBytes = kMaxNumberBytes;
};
template <>
struct RowColumns<ThreadRow> {
  static constexpr std::size_t kColumns = 4, kMaxBytes = kMaxWideNumberBytes;
};
template <>
struct RowColumns<MethodRow> {
  static constexpr std::size_t kColumns = 2, kMaxBytes = kMaxNumberBytes;
};
template <>
struct RowColumns<RootRecord> {
  static constexpr std::size_t kColumns = 7, kMaxBytes = kMaxNumberBytes;
};

// A field narrower than 32 bits: written as it is; a read value that does not fit becomes the largest, which later checks see.
template <class Columns, class Narrow>
void code_narrow(Columns& columns, std::size_t c, Narrow& value) noexcept {
  std::uint32_t number = static_cast<std::uint32_t>(value);
  columns.number(c, number);
  if constexpr (Columns::kReading) {
    constexpr std::uint32_t kMost = static_cast<Narrow>(~Narrow{0});
    value = static_cast<Narrow>(number < kMost ? number : kMost);
  }
}

template <class Columns, class Octet>
void code_octet(Columns& columns, std::size_t c, Octet& value) noexcept {
  auto octet = static_cast<std::uint8_t>(value);
  columns.octet(c, octet);
  if constexpr (Columns::kReading) value = static_cast<Octet>(octet);
}

template <class Columns>
void code_row(Columns& columns, ClassRow& row, const ClassRow& before) noexcept {
  columns.delta(0, row.name.value, before.name.value + 1);
  columns.delta(1, row.loader.value, before.loader.value);
  columns.delta(2, row.superclass.value, before.superclass.value);
  columns.delta(3, row.mirror.value, before.mirror.value + 1);
  columns.delta(4, row.first_field, before.first_field + before.field_count);
  columns.number(5, row.field_count);
  columns.number(6, row.chain_offset);
  columns.number(7, row.interface_field_count);
  code_octet(columns, 8, row.referent);
  code_octet(columns, 9, row.flags);
}

template <class Columns>
void code_row(Columns& columns, StringId& field, const StringId& before) noexcept {
  columns.delta(0, field.value, before.value);
}

template <class Columns>
void code_row(Columns& columns, LoaderRow& row, const LoaderRow& before) noexcept {
  columns.delta(0, row.name.value, before.name.value);
  columns.delta(1, row.object.value, before.object.value);
  code_octet(columns, 2, row.builtin);
}

template <class Columns>
void code_row(Columns& columns, ThreadRow& row, const ThreadRow& before) noexcept {
  columns.delta(0, row.name.value, before.name.value);
  columns.delta(1, row.object.value, before.object.value);
  columns.wide(2, row.vm_id);
  code_octet(columns, 3, row.daemon);
}

template <class Columns>
void code_row(Columns& columns, MethodRow& row, const MethodRow& before) noexcept {
  columns.delta(0, row.class_name.value, before.class_name.value);
  columns.delta(1, row.name.value, before.name.value);
}

template <class Columns>
void code_row(Columns& columns, RootRecord& row, const RootRecord& before) noexcept {
  columns.delta(0, row.object.value, before.object.value);
  columns.delta(1, row.thread.value, before.thread.value);
  columns.delta(2, row.method.value, before.method.value);
  columns.number(3, row.location);
  code_narrow(columns, 4, row.depth);
  code_narrow(columns, 5, row.slot);
  code_octet(columns, 6, row.kind);
}

}  // namespace holdfast::analysis
