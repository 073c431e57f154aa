// Who holds the instances of a class, as plain values and in words: the places that refer to them.
// Shape:  classes in the report's order; of each the places with the most references first, the rest summed.
//         O(rows).   Zone: offline.   Errors: none, the reader has checked the indices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::report {
struct HolderFacts;
}

namespace holdfast::cli {

class ReportNames;
enum class Via : std::uint8_t;
enum class Root : std::uint8_t;
enum class Firmness : std::uint8_t;

struct HolderPlaceView {
  Via via{};             // kRoot: GC roots of a kind
  Root root{};           // of kRoot
  bool is_root = false;  // kRoot, and a static field of a VM without class objects
  Firmness strength{};
  std::string_view class_name,
      field;  // of the referrers; of a static field the class that declares it
  std::uint64_t references = 0;
  std::uint64_t referrers = 0;  // distinct objects; 0 for GC roots
  std::uint64_t bytes = 0;      // shallow, of the instances, once for each reference
};

struct HolderClassView {
  std::string_view class_name, loader;
  std::uint64_t instances = 0;
  std::vector<HolderPlaceView> places;
  std::uint64_t places_total = 0;
  std::uint64_t rest_references = 0, rest_bytes = 0;  // of places that are not listed
  std::uint64_t unplaced_references = 0;  // of these, such whose places were not told apart

  std::uint64_t rest_places() const { return places_total - places.size(); }
};

struct HoldersView {
  std::vector<HolderClassView> classes;
};

HoldersView holders_view(const ReportNames& names, const report::HolderFacts& from);

// A place in words, in three parts of which only the class may be shortened: "static ", "shop.Registry", ".SESSIONS".
struct PlaceWords {
  std::string before, class_name, behind;
  std::string text() const { return before + class_name + behind; }
};
PlaceWords place_words(const HolderPlaceView& place);
// "java.util.HashMap$Node.value", "java.lang.Object[]", "static shop.Registry.SESSIONS", "GC root: local variable",
// "java.lang.ref.WeakReference.referent (weak)".
std::string place_text(const HolderPlaceView& place);
// "12,000 references of 1 java.util.HashMap$Node.value", "3 references of static shop.Registry.SESSIONS", "2 times GC root: local variable".
std::string place_sentence(const HolderPlaceView& place);
// What stands there before the place: "12,000 references of 1 ".
std::string place_counts(const HolderPlaceView& place);
// "and 40 references of 3 other places"; "" where all are listed.
std::string rest_sentence(const HolderClassView& row);

}  // namespace holdfast::cli
