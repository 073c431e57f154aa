#include "cli/report/holders_view.h"

#include "cli/report/report_view_names.h"
#include "cli/report/words.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

HolderPlaceView place_view(const ReportNames& names, const report::HolderRow& from) {
  HolderPlaceView view;
  view.via = static_cast<Via>(from.kind());
  view.root = root_of(from.root_kind());
  view.is_root =
      view.via == Via::kRoot || (view.via == Via::kStaticField && view.root == Root::kStaticField);
  view.strength = firmness_of(from.strength());
  view.class_name = names.text(from.class_name());
  view.field = names.text(from.name());
  view.references = from.references();
  view.referrers = from.referrers();
  view.bytes = from.bytes();
  return view;
}

HolderClassView class_view(const ReportNames& names, const report::HolderClassRow& from) {
  HolderClassView view;
  view.class_name = names.text(from.class_name());
  view.loader = names.loader(from.loader());
  view.instances = from.instances();
  for (const auto* row : *from.places()) view.places.push_back(place_view(names, *row));
  view.places_total = from.places_total();
  view.rest_references = from.rest_references();
  view.rest_bytes = from.rest_bytes();
  view.unplaced_references = from.unplaced_references();
  return view;
}

std::string behind_dot(std::string_view field, std::string_view unnamed) {
  return '.' + std::string(field.empty() ? unnamed : field);
}

}  // namespace

HoldersView holders_view(const ReportNames& names, const report::HolderFacts& from) {
  HoldersView view;
  for (const auto* row : *from.classes()) view.classes.push_back(class_view(names, *row));
  return view;
}

PlaceWords place_words(const HolderPlaceView& place) {
  const std::string owner(place.class_name);
  switch (place.via) {
    case Via::kRoot:
      return {"GC root: " + std::string(phrase(place.root)), "", ""};
    case Via::kStaticField:
      if (owner.empty())
        return {"static " + std::string(place.field.empty() ? "(unnamed field)" : place.field), "",
                ""};
      return {"static ", owner, behind_dot(place.field, "(unnamed field)")};
    case Via::kInstanceField:
      return {"", owner, behind_dot(place.field, "(unnamed field)")};
    case Via::kElement:
      return {"", owner, owner.ends_with(']') ? "" : "[]"};
    case Via::kReferent:
      return {"", owner,
              behind_dot(place.field, "referent") + " (" + std::string(word(place.strength)) + ')'};
    default:
      return {"", owner,
              " (" + std::string(place.field.empty() ? word(place.via) : place.field) + ')'};
  }
}

std::string place_text(const HolderPlaceView& place) { return place_words(place).text(); }

std::string place_counts(const HolderPlaceView& place) {
  if (place.via == Via::kRoot) return counted(place.references, "time") + ' ';
  std::string text = counted(place.references, "reference") + " of ";
  if (place.via != Via::kStaticField) text += thousands(place.referrers) + ' ';
  return text;
}

std::string place_sentence(const HolderPlaceView& place) {
  return place_counts(place) + place_text(place);
}

std::string rest_sentence(const HolderClassView& row) {
  if (row.rest_references == 0) return {};
  std::string text = "and " + counted(row.rest_references, "reference") + " of ";
  if (row.unplaced_references != 0) text += "more than ";
  return text + counted(row.rest_places(), "other place");
}

}  // namespace holdfast::cli
