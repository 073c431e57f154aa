#include "cli/compare/change_text.h"

#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

std::uint64_t magnitude_of(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

std::string signed_bytes(std::int64_t bytes) {
  if (bytes == 0) return "=";
  return (bytes < 0 ? '-' : '+') + human_bytes(magnitude_of(bytes));
}

std::string signed_count(std::int64_t count) {
  if (count == 0) return "=";
  return (count < 0 ? '-' : '+') + thousands(magnitude_of(count));
}

std::string figure_text(std::uint64_t value, ClassOrder which) {
  return which == ClassOrder::kInstances ? thousands(value) : human_bytes(value);
}

std::string change_text(std::int64_t value, ClassOrder which) {
  return which == ClassOrder::kInstances ? signed_count(value) : signed_bytes(value);
}

std::string change_text(const Side& before, const Side& after, ClassOrder which) {
  const std::int64_t certain = certain_change(before, after, which);
  const std::int64_t all = change(before, after, which);
  if (certain == all) return change_text(all, which);
  if (certain == 0) return "?";
  return (certain > 0 ? "≥" : "≤") + change_text(certain, which);
}

std::string side_text(const Side& side, ClassOrder which) {
  if (side.presence == Presence::kAbsent) return "-";
  if (side.presence == Presence::kListed) return figure_text(figure(side.figures, which), which);
  return "≤" + figure_text(figure(side.at_most, which), which);
}

Style change_style(std::int64_t change) {
  if (change == 0) return Style::kDim;
  return change > 0 ? Style::kWarning : Style::kPlain;
}

std::string_view figure_name(ClassOrder which) {
  if (which == ClassOrder::kInstances) return "instances";
  return which == ClassOrder::kRetained ? "retained size" : "shallow size";
}

std::string_view figure_word(ClassOrder which) {
  if (which == ClassOrder::kInstances) return "instances";
  return which == ClassOrder::kRetained ? "retained" : "shallow";
}

}  // namespace holdfast::cli
