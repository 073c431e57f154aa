// Memory accounts as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/report/json_value.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

Json time_json(std::uint64_t utc_ms) {
  return utc_ms == 0 ? Json(nullptr) : Json(utc_for_programs(utc_ms));
}

class AccountsJson {
 public:
  AccountsJson(const AccountsView& from, std::size_t top) : from_(from), top_(top) {}

  Json json() const {
    Json json{{"mode", mode_word(from_.exact, from_.live_counted)},
              {"by_method", from_.by_method},
              {"by_thread", from_.by_thread},
              {"by_annotations", from_.by_annotations},
              {"sample_only", optional_text(from_.sample_only)},
              {"passed_over", from_.passed_over},
              {"live_known", from_.live_known},
              {"calibrated", from_.calibrated},
              {"sample_interval_bytes", from_.sample_interval_bytes},
              {"began_utc", time_json(from_.began_utc_ms)},
              {"began_utc_ms", from_.began_utc_ms},
              {"last_report_utc", time_json(from_.last_report_utc_ms)},
              {"heap_objects", from_.heap_objects},
              {"heap_bytes", from_.heap_bytes},
              {"explained_objects", from_.explained_objects},
              {"explained_bytes", from_.explained_bytes}};
    json["accounts"] = rows(from_.accounts, {});
    json["accounts_total"] = from_.accounts.total;
    json["rest_of_accounts"] = rest(from_.accounts, from_.rest_of_accounts);
    json["pairs"] = rows(from_.pairs, {{"principal", &AccountView::principal}});
    json["pairs_total"] = from_.pairs.total;
    json["rest_of_pairs"] = rest(from_.pairs, from_.rest_of_pairs);
    json["classes"] = rows(from_.classes, {{"class", &AccountView::class_name}});
    json["classes_total"] = from_.classes.total;
    json["methods"] = rows(from_.methods,
                           {{"method", &AccountView::method}, {"class", &AccountView::class_name}});
    json["methods_total"] = from_.methods.total;
    json["threads"] = rows(from_.threads, {{"thread", &AccountView::thread}});
    json["threads_total"] = from_.threads.total;
    json["annotations"] = rows(from_.annotations, {{"annotation", &AccountView::annotation}});
    json["annotations_total"] = from_.annotations.total;
    json["losses"] = losses();
    return json;
  }

 private:
  struct NameKey {
    const char* key;
    std::string_view AccountView::*name;
  };

  void add_figures(Json& json, const AccountView& row) const {
    json["allocated"] = amount_json(row.allocated);
    json["since_report"] = amount_json(row.since_report);
    json["live"] = from_.live_known ? amount_json(row.live) : Json(nullptr);
    json["calibrated"] = from_.calibrated ? Json{{"objects", row.calibrated_objects},
                                                 {"bytes", row.calibrated_bytes}}
                                          : Json(nullptr);
    json["samples"] = row.samples;
  }
  Json rows(const AccountListView& list, const std::vector<NameKey>& names) const {
    Json json = Json::array();
    for (std::size_t i = 0; i < std::min(top_, list.rows.size()); ++i) {
      Json row{{"account", list.rows[i].account}};
      for (const NameKey& name : names) row[name.key] = optional_text(list.rows[i].*name.name);
      add_figures(row, list.rows[i]);
      json.push_back(std::move(row));
    }
    return json;
  }
  Json rest(const AccountListView& list, AccountView rest) const {
    for (std::size_t i = top_; i < list.rows.size(); ++i) add_to(rest, list.rows[i]);
    Json json = Json::object();
    add_figures(json, rest);
    return json;
  }
  Json losses() const {
    const AccountLossView& lost = from_.losses;
    return {{"rows_full", lost.rows_full},
            {"stacks_cut", lost.stacks_cut},
            {"live_thinned", lost.live_thinned},
            {"samples_dropped", lost.samples_dropped},
            {"classes_left_alone", lost.classes_left_alone},
            {"methods_left_alone", lost.methods_left_alone},
            {"threads_shared", lost.threads_shared},
            {"annotations_other", lost.annotations_other}};
  }

  const AccountsView& from_;
  std::size_t top_;
};

}  // namespace

Json amount_json(const AmountView& amount) {
  return {{"objects", amount.objects},
          {"bytes", amount.bytes},
          {"objects_error", amount.objects_error},
          {"bytes_error", amount.bytes_error}};
}

Json accounts_json(const ReportView& view, std::size_t top) {
  if (!view.accounts) return nullptr;
  return AccountsJson(*view.accounts, top).json();
}

}  // namespace holdfast::cli
