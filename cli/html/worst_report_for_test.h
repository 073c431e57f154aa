// A report with everything at its limit, every name different and of random letters, every number of random digits: what packs worst.
// Shape:  about 2 MB of values; equal seeds, equal reports.   Zone: tests.   Errors: none.
#pragma once

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

class WorstReport {
 public:
  explicit WorstReport(std::uint64_t seed = 1) : random_(seed) {
    view_.graph = GraphView{};
    view_.graph->dominator_depth = 1;
    for (int i = 0; i < 4000; ++i) view_.classes.push_back(worst_class());
    for (int i = 0; i < 500; ++i) view_.loaders.push_back(worst_set());
    for (int i = 0; i < 500; ++i) view_.packages.push_back(worst_set());
    for (std::uint32_t i = 0; i < 2000; ++i) view_.tree.push_back(worst_node(i));
    for (int i = 0; i < 500; ++i)
      view_.threads.push_back({any_name(), true, 9, number(), frames(20)});
    for (int i = 0; i < 50; ++i) view_.top_objects.push_back({object(), path()});
    for (int i = 0; i < 20; ++i) view_.suspects.push_back(suspect());
    view_.reachable.emplace();
    view_.cuts.emplace();
    for (int i = 0; i < 20; ++i) {
      view_.reachable->hidden.push_back(object());
      view_.cuts->most_references.push_back({object(), 9, 9, true});
      view_.cuts->most_referrers.push_back({object(), 9, 9, true});
      view_.cuts->cuts.push_back({object(), path().steps.front(), path(), 9, 9, number(), true});
    }
    add_holders();
    add_accounts();
    add_ages();
  }
  const ReportView& view() const { return view_; }

 private:
  static constexpr std::size_t kNames = 4000;
  static constexpr std::size_t kNameBytes = 175;  // kMaxReportTextBytes / kNames

  std::uint64_t number() { return random_() >> 1; }
  std::string_view any_name() {
    if (names_.size() >= kNames) return names_[random_() % kNames];
    std::string& made = names_.emplace_back();
    for (std::size_t i = 0; i < kNameBytes; ++i) made += static_cast<char>('!' + random_() % 94);
    return made;
  }
  void add_holders() {
    view_.holders.emplace();
    for (int i = 0; i < 400; ++i) {
      HolderClassView& row = view_.holders->classes.emplace_back();
      row = {any_name(), any_name(), number(), {}, 9, number(), number(), number()};
      for (int place = 0; place < 4; ++place)
        row.places.push_back({Via::kInstanceField, Root::kOther, false, Firmness::kStrong,
                              any_name(), any_name(), number(), number(), number()});
    }
  }
  // What a report has room for beside everything else is less.
  void add_accounts() {
    view_.accounts.emplace();
    AccountsView& accounts = *view_.accounts;
    accounts.live_known = accounts.calibrated = true;
    for (int i = 0; i < 200; ++i) accounts.accounts.rows.push_back(account());
    for (int i = 0; i < 100; ++i) accounts.pairs.rows.push_back(account());
    for (int i = 0; i < 400; ++i) accounts.classes.rows.push_back(account());
    for (int i = 0; i < 200; ++i) accounts.methods.rows.push_back(account());
    for (int i = 0; i < 200; ++i) accounts.threads.rows.push_back(account());
    for (int i = 0; i < 200; ++i) accounts.annotations.rows.push_back(account());
  }
  // As a VM that keeps ages in headers has them; others have more ranges, and room for fewer classes.
  void add_ages() {
    AgesView& ages = view_.ages.emplace();
    for (std::uint64_t from : {0, 1, 2, 4, 8})
      ages.ranges.push_back({AgeRangeKind::kCollections, from, 2 * from});
    ages.ranges.push_back({AgeRangeKind::kTenured});
    const auto figures = [this] {
      std::vector<std::uint64_t> made;
      for (int i = 0; i < 6; ++i) made.push_back(number() >> 8);
      return made;
    };
    ages.total = ages.rest_of_classes = {"", "", figures(), figures(), 9};
    for (int i = 0; i < 200; ++i)
      ages.classes.push_back({any_name(), any_name(), figures(), figures(), 9});
  }
  ClassView worst_class() {
    return {any_name(), any_name(), number(), number(), number(), number(),
            number(),   number(),   false,    number(), true};
  }
  SetView worst_set() { return {any_name(), number(), number(), number(), number(), false}; }
  ObjectView object() {
    return {static_cast<std::uint32_t>(number() % 100'000),
            any_name(),
            any_name(),
            any_name(),
            number(),
            number(),
            number(),
            true};
  }
  TreeNodeView worst_node(std::uint32_t id) {
    TreeNodeView node;
    node.id = id;
    node.object = object();
    if (id > 0) node.parent = static_cast<std::uint32_t>(random_() % id);
    node.shallow_bytes = number();
    node.retained_bytes = number();
    return node;
  }
  std::vector<FrameView> frames(std::uint32_t how_many) {
    std::vector<FrameView> made;
    for (std::uint32_t i = 0; i < how_many; ++i)
      made.push_back({any_name(), any_name(), i, 3, number(), object()});
    return made;
  }
  PathView path() {
    PathView made;
    for (int i = 0; i < 64; ++i)
      made.steps.push_back({object(), Via::kInstanceField, any_name(), any_name(), 0, false});
    return made;
  }
  AmountView amount() { return {number(), number(), number(), number()}; }
  AccountView account() {
    return {any_name(), any_name(), any_name(), any_name(), any_name(), any_name(),
            amount(),   amount(),   amount(),   number(),   number(),   number()};
  }
  SuspectView suspect() {
    SuspectView made;
    made.class_name = any_name();
    made.path = path();
    made.evidence = {any_name(), any_name()};
    return made;
  }

  std::mt19937_64 random_;
  std::deque<std::string> names_;
  ReportView view_;
};

}  // namespace holdfast::cli
