#include "cli/report/verdict.h"

#include <algorithm>

#include "cli/report/words.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

std::string name_text(std::string_view name, std::size_t columns) {
  return columns == kFullNames ? std::string(name) : shorten_name(printable(name), columns);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return " (" + percent(part, whole) + " of the heap)";
}

std::string histogram_verdict(const ReportView& view, std::size_t columns) {
  const std::uint64_t whole = view.whole_bytes();
  std::string text = counted(view.whole_objects(), "object") + " of " +
                     counted(view.classes_total, "class", "classes") + " take " +
                     human_bytes(whole);
  const auto largest = std::ranges::max_element(view.classes, {}, &ClassView::shallow_bytes);
  if (largest == view.classes.end()) return text;
  return text + "; the largest class is " + name_text(largest->name, columns) + " with " +
         human_bytes(largest->shallow_bytes) + share_text(largest->shallow_bytes, whole);
}

// What pass_runner.h calls it.
const PassView* suspect_pass(const ReportView& view) {
  const auto pass = std::ranges::find(view.passes, "suspects", &PassView::name);
  return pass == view.passes.end() ? nullptr : &*pass;
}

bool looked_for_suspects(const ReportView& view) {
  const PassView* pass = suspect_pass(view);
  return pass != nullptr && pass->left_out.empty();
}

std::string why_not(const ReportView& view) {
  const PassView* pass = suspect_pass(view);
  return pass == nullptr ? "" : " (" + std::string(pass->left_out) + ')';
}

std::string no_suspect_verdict(const ReportView& view, std::size_t columns) {
  const bool looked = looked_for_suspects(view);
  const std::string text = looked
                               ? "No leak suspect: no object and no group of one class stands out"
                               : "Leak suspects were not looked for" + why_not(view);
  if (view.top_objects.empty())
    return looked ? text : text + "; " + histogram_verdict(view, columns);
  const ObjectView& largest = view.top_objects.front().object;
  return text + "; the largest retainer is " + name_text(object_text(largest), columns) + " with " +
         human_bytes(largest.retained_bytes) +
         share_text(largest.retained_bytes, view.whole_bytes());
}

}  // namespace

std::string holder_text(const SuspectView& suspect, std::size_t columns) {
  const std::string holder = name_text(suspect.holder_class, columns);
  const std::string member =
      suspect.holder_field.empty() ? "" : "." + name_text(suspect.holder_field, columns);
  switch (suspect.holder_kind) {
    case HolderKind::kStaticField:
      return "static field " + holder + member;
    case HolderKind::kFrame:
      return "a local variable of " + holder + member + "() in thread \"" +
             name_text(suspect.path.thread, columns) + '"';
    case HolderKind::kObject:
      break;
  }
  std::string text = "an object of class " + holder + " (" + std::string(phrase(suspect.path.root));
  if (!suspect.path.thread.empty()) text += " \"" + name_text(suspect.path.thread, columns) + '"';
  return text + ')';
}

std::string suspect_sentence(const SuspectView& suspect, std::size_t columns) {
  const std::string name = name_text(suspect.class_name, columns);
  const std::string subject = suspect.instances == 1
                                  ? "One " + name + " retains "
                                  : thousands(suspect.instances) + ' ' + name + " retain ";
  return subject + human_bytes(suspect.retained_bytes) + share_text(suspect.share_per_mille, 1000) +
         ", held by " + holder_text(suspect, columns);
}

std::string verdict_text(const ReportView& view, std::size_t columns) {
  if (!view.graph) return histogram_verdict(view, columns);
  return view.suspects.empty() ? no_suspect_verdict(view, columns)
                               : suspect_sentence(view.suspects.front(), columns);
}

}  // namespace holdfast::cli
