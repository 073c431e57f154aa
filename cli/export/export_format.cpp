#include "cli/export/export_format.h"

#include <algorithm>

namespace holdfast::cli {
namespace {

constexpr ExportFormat kFormats[] = {
    {"pprof", true, "\x1f\x8b", "profile.proto, for pprof and what reads its files"},
    {"folded", false, "heap", "folded stacks, for flame graphs"},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

const ExportFormat* export_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &ExportFormat::name);
  return found == std::end(kFormats) ? nullptr : found;
}

std::string export_format_names() {
  std::string names;
  for (const ExportFormat& format : kFormats)
    names.append(names.empty() ? "" : ", ").append(format.name);
  return names;
}

}  // namespace holdfast::cli
