#include "cli/gate/chosen_rows.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analysis/name_pattern.h"
#include "analysis/packages.h"

namespace holdfast::cli {
namespace {

constexpr std::string_view kGap = "…";          // what a cut name has in its middle
constexpr std::size_t kLongestWholeName = 512;  // no shorter name is cut (report-format.md)
constexpr std::uint64_t kLeastObjectBytes = 8;  // of any VM
constexpr std::string_view kClasses = "classes", kPackages = "packages", kLoaders = "class loaders";

std::string_view fixed_start(std::string_view pattern) {
  return pattern.substr(0, pattern.find_first_of("*?"));
}
std::string_view fixed_end(std::string_view pattern) {
  const std::size_t last = pattern.find_last_of("*?");
  return last == std::string_view::npos ? pattern : pattern.substr(last + 1);
}
bool is_plain(std::string_view pattern) { return fixed_start(pattern).size() == pattern.size(); }

// One begins, or ends, as the other does as far as both go.
bool agree_at_start(std::string_view a, std::string_view b) {
  const std::size_t both = std::min(a.size(), b.size());
  return a.substr(0, both) == b.substr(0, both);
}
bool agree_at_end(std::string_view a, std::string_view b) {
  const std::size_t both = std::min(a.size(), b.size());
  return a.substr(a.size() - both) == b.substr(b.size() - both);
}

// Can a name of which the middle, or all, is lost be one that the pattern matches?
bool may_match_cut(std::string_view pattern, std::string_view name) {
  const std::size_t gap = name.find(kGap);
  if (gap == std::string_view::npos) return name.empty();
  const std::string_view front = name.substr(0, gap);
  if (!front.empty() && is_plain(pattern) && pattern.size() <= kLongestWholeName) return false;
  const std::string_view end = name.substr(gap + kGap.size());
  return agree_at_start(fixed_start(pattern), front) && agree_at_end(fixed_end(pattern), end);
}

// The package P of a pattern P.*, whose classes are those of the packages P and P.*.
std::string_view package_prefix(std::string_view pattern) {
  if (!pattern.ends_with(".*") || pattern.find_first_of("<[/") != std::string_view::npos) return {};
  const std::string_view package = pattern.substr(0, pattern.size() - 2);
  return is_plain(package) ? package : std::string_view{};
}

bool is_within(std::string_view package, std::string_view name) {
  return name == package ||
         (name.size() > package.size() && name.starts_with(package) && name[package.size()] == '.');
}

template <class Row>
void add(HiddenSum& sum, const Row& row) {
  add_to(sum.instances, row.instances);
  add_to(sum.shallow_bytes, row.shallow_bytes);
}
HiddenSum less(const HiddenSum& from, const HiddenSum& what) {
  return {from.instances - std::min(from.instances, what.instances),
          from.shallow_bytes - std::min(from.shallow_bytes, what.shallow_bytes)};
}
HiddenSum smaller(const HiddenSum& a, const HiddenSum& b) {
  return {std::min(a.instances, b.instances), std::min(a.shallow_bytes, b.shallow_bytes)};
}

class Chooser {
 public:
  Chooser(std::string_view pattern, const ReportView& view) : pattern_(pattern), view_(view) {}

  // `by_packages`: where the pattern is that of a package, its row says it all.
  ChosenRows classes(bool by_packages) const {
    const std::string_view package = package_prefix(pattern_);
    if (by_packages && !package.empty() && view_.packages_total > 0) return within_package(package);
    ChosenRows chosen;
    chosen.many = kClasses;
    for (const ClassView& row : view_.classes) {
      const MatchedRow matched{row.name,
                               row.loader,
                               row.instances,
                               row.shallow_bytes,
                               row.retained_bytes,
                               row.largest_retained_bytes,
                               1,
                               row.largest_reachable_bytes,
                               row.reachable_estimated};
      take(chosen, matched, matches(row.name));
    }
    add_hidden_classes(chosen);
    return chosen;
  }

  ChosenRows packages() const {
    return sets(kPackages, view_.packages, view_.packages_total, view_.rest_of_packages);
  }
  ChosenRows loaders() const {
    return sets(kLoaders, view_.loaders, view_.loaders_total, view_.rest_of_loaders);
  }

  ChosenRows aged() const {
    const AgesView& ages = *view_.ages;
    ChosenRows chosen;
    chosen.many = kClasses;
    for (const AgeClassView& row : ages.classes) {
      const AgeSums sums = ages.sums(row);
      take(chosen, {row.class_name, row.loader, sums.old_objects, sums.old_bytes},
           matches(row.class_name));
    }
    if (ages.classes_total <= ages.classes.size()) return chosen;
    const AgeSums rest = ages.sums(ages.rest_of_classes);
    add_hidden(chosen, {rest.old_objects, rest.old_bytes},
               ages.classes_total - ages.classes.size());
    return chosen;
  }

  ChosenRows sampled_old() const {
    const AgingView& aging = *view_.aging;
    ChosenRows chosen;
    chosen.many = kClasses;
    for (const AgingClassView& row : aging.classes)
      take(chosen, {row.class_name, {}, row.old_objects, row.old_bytes}, matches(row.class_name));
    add_hidden(chosen, unlisted_sampled_old(aging), aging.classes_total - aging.classes.size());
    return chosen;
  }

 private:
  ChosenRows sets(std::string_view many, const std::vector<SetView>& sets, std::uint64_t total,
                  const SetView& rest) const {
    ChosenRows chosen;
    chosen.many = many;
    for (const SetView& set : sets) take(chosen, row_of(set), matches(set.name));
    add_hidden_sets(chosen, sets, total, rest);
    return chosen;
  }

  bool matches(std::string_view name) const { return analysis::name_matches(pattern_, name); }
  static MatchedRow row_of(const SetView& set) {
    return {set.name, {}, set.instances, set.shallow_bytes, set.retained_bytes, 0, set.class_count};
  }

  void take(ChosenRows& chosen, const MatchedRow& row, bool matches) const {
    if (matches) return chosen.rows.push_back(row);
    const bool no_class = chosen.many != kClasses;  // a set without a name is the one of arrays
    if ((no_class && row.name.empty()) || !may_match_cut(pattern_, row.name)) return;
    add(chosen.hidden, row);
    ++chosen.hidden_rows;
  }
  static void add_hidden(ChosenRows& chosen, const HiddenSum& sum, std::uint64_t rows) {
    if (!sum.any()) return;
    add(chosen.hidden, sum);
    add_to(chosen.hidden_rows, rows);
  }
  static void add_hidden_sets(ChosenRows& chosen, const std::vector<SetView>& sets,
                              std::uint64_t total, const SetView& rest) {
    if (total <= sets.size()) return;
    add(chosen.hidden, rest);
    add_to(chosen.hidden_rows, total - sets.size());
  }

  ChosenRows within_package(std::string_view package) const {
    ChosenRows chosen;
    chosen.many = kPackages;
    for (const SetView& set : view_.packages)
      take(chosen, row_of(set), is_within(package, set.name));
    add_hidden_sets(chosen, view_.packages, view_.packages_total, view_.rest_of_packages);
    return chosen;
  }

  void add_hidden_classes(ChosenRows& chosen) const {
    if (view_.classes_total <= view_.classes.size()) return;
    HiddenSum hidden;
    add(hidden, view_.rest_of_classes);
    hidden = smaller(smaller(hidden, hidden_by_packages()), hidden_by_loaders(chosen));
    if (!hidden.any()) return;
    add(chosen.hidden, hidden);
    add_to(chosen.hidden_rows, view_.classes_total - view_.classes.size());
  }

  // What packages that may have a matching class have beside the classes that are listed.
  HiddenSum hidden_by_packages() const {
    if (view_.packages_total == 0) return kAnything;
    const std::string_view own = analysis::package_of(pattern_);
    const auto may_have = [&](std::string_view package) {
      return is_plain(pattern_) ? package == own : agree_at_start(fixed_start(pattern_), package);
    };
    HiddenSum all, listed;
    for (const SetView& set : view_.packages)
      if (may_have(set.name)) add(all, set);
    const bool listed_itself =
        is_plain(pattern_) &&
        std::ranges::find(view_.packages, own, &SetView::name) != view_.packages.end();
    if (!listed_itself && view_.packages_total > view_.packages.size())
      add(all, view_.rest_of_packages);
    for (const ClassView& row : view_.classes)
      if (may_have(analysis::package_of(row.name))) add(listed, row);
    return less(all, listed);
  }

  // Loaders that cannot have a class of the pattern's name beside the listed ones: those of the listed ones, and with one that is
  // built in all that are, because they ask each other first. A name that several loaders have tells none of them. Where no
  // loader is built in, the dump does not tell loaders apart.
  std::unordered_set<std::string_view> exhausted_loaders(const ChosenRows& chosen) const {
    if (std::ranges::none_of(view_.loaders, &SetView::builtin)) return {};
    std::unordered_map<std::string_view, int> loaders_of_name;
    for (const SetView& set : view_.loaders) ++loaders_of_name[set.name];
    std::unordered_set<std::string_view> exhausted;
    for (const MatchedRow& row : chosen.rows)
      if (!row.loader.empty() && loaders_of_name[row.loader] == 1) exhausted.insert(row.loader);
    const auto builtin_found = [&](const SetView& set) {
      return set.builtin && exhausted.contains(set.name);
    };
    if (std::ranges::none_of(view_.loaders, builtin_found)) return exhausted;
    for (const SetView& set : view_.loaders)
      if (set.builtin && loaders_of_name[set.name] == 1) exhausted.insert(set.name);
    return exhausted;
  }

  HiddenSum hidden_by_loaders(const ChosenRows& chosen) const {
    if (!is_plain(pattern_)) return kAnything;
    const auto exhausted = exhausted_loaders(chosen);
    HiddenSum all, listed;
    for (const SetView& set : view_.loaders)
      if (!exhausted.contains(set.name)) add(all, set);
    add(all, view_.rest_of_loaders);
    for (const ClassView& row : view_.classes)
      if (!exhausted.contains(row.loader)) add(listed, row);
    return less(all, listed);
  }

  static constexpr HiddenSum kAnything{UINT64_MAX, UINT64_MAX};
  std::string_view pattern_;
  const ReportView& view_;
};

}  // namespace

ChosenRows choose_classes(std::string_view pattern, const ReportView& view, bool by_packages) {
  return Chooser(pattern, view).classes(by_packages);
}

ChosenRows choose_packages(std::string_view pattern, const ReportView& view) {
  return Chooser(pattern, view).packages();
}

ChosenRows choose_loaders(std::string_view pattern, const ReportView& view) {
  return Chooser(pattern, view).loaders();
}

ChosenRows choose_aged(std::string_view pattern, const ReportView& view) {
  return Chooser(pattern, view).aged();
}

ChosenRows choose_sampled_old(std::string_view pattern, const ReportView& view) {
  return Chooser(pattern, view).sampled_old();
}

HiddenSum unlisted_sampled_old(const AgingView& aging) {
  if (aging.classes_total <= aging.classes.size()) return {};
  const std::uint64_t least = aging.classes.empty() ? 0 : aging.classes.back().old_bytes;
  const std::uint64_t unlisted = aging.classes_total - aging.classes.size();
  HiddenSum sum;
  sum.shallow_bytes = least > UINT64_MAX / unlisted ? UINT64_MAX : least * unlisted;
  sum.instances = sum.shallow_bytes / kLeastObjectBytes;
  return sum;
}

}  // namespace holdfast::cli
