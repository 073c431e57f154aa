#include "cli/report/brief_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/report/json_value.h"
#include "cli/report/path_lines.h"
#include "cli/report/rivals.h"
#include "cli/report/verdict.h"
#include "cli/report/words.h"
#include "cli/text/display_text.h"
#include "cli/text/json_text.h"
#include "cli/text/number_text.h"
#include "common/utf8.h"

namespace holdfast::cli {
namespace {

constexpr int kBriefSchemaVersion = 1;

// How much of everything there is.
struct Limits {
  std::size_t name_bytes = 200;
  std::size_t sentence_bytes = 400;
  std::size_t suspects = 5;
  std::size_t evidence = 5;
  std::size_t path_lines = 10;
  std::size_t classes = 20;
  std::size_t objects = 5;
  std::size_t cuts = 5;
  std::size_t accounts = 10;
  std::size_t ages = 10;
  std::size_t notes = 10;

  Limits halved() const {
    const auto half = [](std::size_t value, std::size_t least) {
      return std::max(value / 2, least);
    };
    return {half(name_bytes, 16), half(sentence_bytes, 32),
            half(suspects, 1),    half(evidence, 1),
            half(path_lines, 2),  half(classes, 1),
            half(objects, 1),     half(cuts, 1),
            half(accounts, 1),    half(ages, 1),
            half(notes, 1)};
  }
};

double share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  return std::floor(static_cast<double>(part) / static_cast<double>(whole) * 1000) / 1000;
}

class Brief {
 public:
  Brief(const ReportView& view, const ReportPlace& place, const Limits& limits)
      : view_(view), place_(place), limits_(limits) {}

  Json document() {
    Json json{{"schema_version", kBriefSchemaVersion},
              {"brief", true},
              {"verdict", sentence(verdict_text(view_, kFullNames))}};
    json["confidence"] = view_.suspects.empty()
                             ? Json(nullptr)
                             : Json(view_.suspects.front().confidence_percent / 100.0);
    json["complete"] = view_.losses.heap_complete();
    json["program"] = program();
    json["dump"] = dump();
    json["heap"] = heap();
    json["lost"] = lost();
    json["suspects"] = suspects();
    json["suspects_total"] = view_.suspects.size() + view_.suspects_unlisted.value_or(0);
    json["classes"] = classes();
    json["classes_total"] = view_.classes_total;
    json["largest_objects"] = largest_objects();
    if (view_.cuts) json["cuts"] = cuts();
    if (view_.holders) json["holders"] = holders();
    if (view_.reachable) json["hidden_objects"] = hidden_objects();
    if (view_.accounts) {
      json["accounts"] = accounts();
      json["accounts_total"] = view_.accounts->accounts.total;
    }
    if (view_.collections) json["collections"] = collections_json(view_);
    if (view_.aging) {
      json["piling_up"] = piling_up();
      json["loitering"] = loitering();
    }
    if (view_.ages && view_.ages->told()) {
      json["ages"] = ages();
      json["ages_total"] = view_.ages->classes_total;
    }
    json["notes"] = sentences(view_.notes, limits_.notes);
    json["next"] = next();
    json["shortened"] = shortened_;
    return json;
  }

 private:
  std::string cut(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return std::string(text);
    shortened_ = true;
    return shortened_to_bytes(text, bytes);
  }
  std::string name(std::string_view text) { return cut(text, limits_.name_bytes); }
  std::string sentence(std::string_view text) { return cut(text, limits_.sentence_bytes); }
  std::size_t listed(std::size_t rows, std::size_t most) {
    if (rows > most) shortened_ = true;
    return std::min(rows, most);
  }
  Json sentences(const std::vector<std::string_view>& from, std::size_t most) {
    Json json = Json::array();
    for (std::size_t i = 0; i < listed(from.size(), most); ++i) json.push_back(sentence(from[i]));
    return json;
  }

  Json program() {
    const OriginView& origin = view_.origin;
    return {{"main_name", name(origin.main_name)},
            {"vm", name(std::string(origin.vm_name) + ' ' + std::string(origin.vm_version))},
            {"host", name(origin.host)},
            {"container", origin.container.empty() ? Json(nullptr) : Json(name(origin.container))},
            {"pid", origin.pid},
            {"started_utc", utc_for_programs(origin.started_utc_ms)}};
  }
  Json dump() {
    const DumpView& dump = view_.dump;
    return {{"kind", dump.extended ? "extended" : "simple"},
            {"trigger", name(dump.trigger)},
            {"rung", name(dump.rung)},
            {"pause_ms", milliseconds(dump.pause_ns)},
            {"capture_ms", milliseconds(dump.capture_ns)},
            {"analysis_ms", milliseconds(dump.analysis_ns)},
            {"native_peak_bytes", view_.memory.peak_bytes}};
  }
  Json heap() const {
    return {{"used_bytes", view_.dump.heap_used_before_bytes},
            {"max_bytes", view_.dump.heap_max_bytes},
            {"counted_objects", view_.whole_objects()},
            {"counted_bytes", view_.whole_bytes()},
            {"has_graph", view_.graph.has_value()}};
  }

  Json lost() {
    const LossView& losses = view_.losses;
    Json json = Json::array();
    const auto add = [&](std::uint64_t count, std::string_view one, std::string_view many = {}) {
      if (count > 0) json.push_back(counted(count, one, many));
    };
    if (losses.input_damaged) json.push_back("a part of the input could not be read");
    add(losses.objects_unknown_class, "object of unknown class", "objects of unknown class");
    add(losses.roots_dropped, "GC root dropped", "GC roots dropped");
    add(losses.references_to_unknown, "reference to an unknown object",
        "references to unknown objects");
    add(losses.names_dropped, "name dropped by the capture", "names dropped by the capture");
    for (const PassView& pass : view_.passes) {
      if (!pass.left_out.empty())
        json.push_back(sentence("pass '" + std::string(pass.name) +
                                "' left out: " + std::string(pass.left_out)));
      if (json.size() > 2 * limits_.notes) break;
    }
    return json;
  }

  // The chain from the GC root down, one holder a line; of a long one its two ends.
  Json path(const PathView& from) {
    const std::vector<PathLine> lines = path_lines(from);
    const std::size_t shown = listed(lines.size(), limits_.path_lines);
    const std::size_t head = lines.size() > shown ? shown / 2 : shown;
    Json json = Json::array();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t left_out = lines.size() - shown;
      if (left_out > 0 && i == head) {
        json.push_back("… " + counted(left_out, "object") + " left out …");
        i += left_out;
      }
      json.push_back(name(lines[i].object + lines[i].link));
    }
    return json;
  }

  Json suspect(const SuspectView& from, std::size_t rank) {
    Json json{{"rank", rank},
              {"sentence", sentence(suspect_sentence(from, kFullNames))},
              {"class", name(from.class_name)},
              {"instances", from.instances},
              {"retained_bytes", from.retained_bytes},
              {"share", from.share_per_mille / 1000.0},
              {"confidence", from.confidence_percent / 100.0},
              {"held_by", sentence(holder_text(from, kFullNames))},
              {"gc_root", sentence(root_text(from.path))},
              {"path", path(from.path)}};
    json["evidence"] = sentences(from.evidence, limits_.evidence);
    const std::vector<std::string> rivals = rivals_of(view_, from, kFullNames);
    json["rivals"] = sentences({rivals.begin(), rivals.end()}, limits_.evidence);
    return json;
  }
  Json suspects() {
    Json json = Json::array();
    for (std::size_t i = 0; i < listed(view_.suspects.size(), limits_.suspects); ++i)
      json.push_back(suspect(view_.suspects[i], i + 1));
    return json;
  }

  Json classes() {
    const bool graph = view_.has_retained();
    const ClassSelection selection = select_classes(
        view_, graph ? ClassOrder::kRetained : ClassOrder::kShallow, limits_.classes);
    Json json = Json::array();
    for (const ClassView* row : selection.rows) {
      json.push_back({{"class", name(row->name)},
                      {"instances", row->instances},
                      {"shallow_bytes", row->shallow_bytes}});
      if (graph) json.back()["retained_bytes"] = row->retained_bytes;
      json.back()["share"] =
          share(graph ? row->retained_bytes : row->shallow_bytes, view_.whole_bytes());
    }
    return json;
  }
  Json largest_objects() {
    Json json = Json::array();
    for (std::size_t i = 0; i < listed(view_.top_objects.size(), limits_.objects); ++i) {
      const TopObjectView& top = view_.top_objects[i];
      json.push_back({{"object", name(object_text(top.object))},
                      {"retained_bytes", top.object.retained_bytes},
                      {"share", share(top.object.retained_bytes, view_.whole_bytes())}});
      if (const std::string known = known_text(top.object, view_.origin); !known.empty())
        json.back()["known"] = known;
      if (top.path) json.back()["path"] = path(*top.path);
    }
    return json;
  }
  Json cuts() {
    Json json = Json::array();
    const std::vector<CutView>& rows = view_.cuts->cuts;
    for (std::size_t i = 0; i < listed(rows.size(), limits_.cuts); ++i)
      json.push_back({{"cut", name(cut_text(rows[i]))},
                      {"frees", name(object_text(rows[i].reference.object))},
                      {"freed_bytes", rows[i].freed_bytes},
                      {"share", share(rows[i].freed_bytes, view_.whole_bytes())}});
    return json;
  }
  // Of the suspects' classes alone.
  Json holders() {
    Json json = Json::array();
    for (std::size_t i = 0; i < listed(view_.suspects.size(), limits_.suspects); ++i) {
      const SuspectView& suspect = view_.suspects[i];
      const auto& classes = view_.holders->classes;
      const auto row = std::ranges::find_if(classes, [&](const HolderClassView& one) {
        return one.class_name == suspect.class_name && one.loader == suspect.loader;
      });
      const auto again = [&](const Json& one) { return one["class"] == name(row->class_name); };
      if (row == classes.end() || std::ranges::any_of(json, again)) continue;
      Json places = Json::array();
      for (std::size_t p = 0; p < listed(row->places.size(), limits_.evidence); ++p)
        places.push_back(name(place_sentence(row->places[p])));
      json.push_back({{"class", name(row->class_name)},
                      {"instances", row->instances},
                      {"places", std::move(places)},
                      {"rest_references", row->rest_references}});
    }
    return json;
  }
  Json hidden_objects() {
    Json json = Json::array();
    const std::vector<ObjectView>& rows = view_.reachable->hidden;
    for (std::size_t i = 0; i < listed(rows.size(), limits_.objects); ++i)
      json.push_back({{"object", name(object_text(rows[i]))},
                      {"retained_bytes", rows[i].retained_bytes},
                      {"reachable_bytes", rows[i].reachable_bytes},
                      {"estimated", rows[i].reachable_estimated}});
    return json;
  }
  // By what they allocated, in bytes; standard errors are 0 where it was counted.
  Json accounts() {
    Json json = Json::array();
    const AccountsView& all = *view_.accounts;
    for (std::size_t i = 0; i < listed(all.accounts.rows.size(), limits_.accounts); ++i) {
      const AccountView& row = all.accounts.rows[i];
      Json one{{"account", name(row.account)},
               {"allocated_bytes", row.allocated.bytes},
               {"allocated_bytes_error", row.allocated.bytes_error}};
      one["live_bytes"] = all.live_known ? Json(row.live.bytes) : Json(nullptr);
      one["live_bytes_error"] = all.live_known ? Json(row.live.bytes_error) : Json(nullptr);
      one["share"] =
          all.calibrated ? Json(share(row.calibrated_bytes, all.heap_bytes)) : Json(nullptr);
      json.push_back(std::move(one));
    }
    return json;
  }
  // The classes of which more and more was reached before the dump.
  Json piling_up() {
    constexpr std::size_t kMost = 5;
    const auto& suspects = view_.aging->suspects;
    Json rows = Json::array();
    for (std::size_t i = 0; i < std::min(kMost, suspects.size()); ++i)
      rows.push_back({{"class", name(suspects[i].class_name)},
                      {"instances", suspects[i].instances},
                      {"more_instances", suspects[i].more_instances},
                      {"collections", suspects[i].collections},
                      {"confidence_percent", suspects[i].confidence_percent}});
    return rows;
  }

  // What lies there and is allocated no more.
  Json loitering() {
    constexpr std::size_t kMost = 5;
    const auto all = view_.aging->loitering();
    Json rows = Json::array();
    for (std::size_t i = 0; i < std::min(kMost, all.size()); ++i)
      rows.push_back({{"class", name(all[i]->class_name)},
                      {"old_objects", all[i]->old_objects},
                      {"old_bytes", all[i]->old_bytes},
                      {"silent_collections", all[i]->born_before},
                      {"silent_ms", all[i]->silent_ms},
                      {"at_start_alone", all[i]->at_start_alone}});
    return rows;
  }

  // By the bytes of those that survived 8 collections or more, or are tenured.
  Json ages() {
    Json json = Json::array();
    const AgesView& all = *view_.ages;
    for (std::size_t i = 0; i < listed(all.classes.size(), limits_.ages); ++i) {
      const AgeClassView& row = all.classes[i];
      const AgeSums sums = all.sums(row);
      json.push_back({{"class", name(row.class_name)},
                      {"objects", sums.objects},
                      {"old_objects", sums.old_objects},
                      {"old_bytes", sums.old_bytes},
                      {"distinct_ages", row.distinct_ages}});
    }
    return json;
  }
  // Never shortened: half a command is none. They are short enough (next_steps.h).
  Json next() const {
    Json json = Json::array();
    for (const NextStep& step : next_steps(view_, place_))
      json.push_back({{"command", step.command}, {"why", step.why}});
    return json;
  }

  const ReportView& view_;
  const ReportPlace& place_;
  const Limits limits_;
  bool shortened_ = false;
};

}  // namespace

std::string shortened_to_bytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  const std::size_t room = bytes - std::min(bytes, kEllipsis.size());
  const auto inside = [&](std::size_t at) {  // of a code point
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t front = room / 3, end = text.size() - (room - room / 3);
  while (front > 0 && inside(front)) --front;
  while (inside(end)) ++end;
  return std::string(text.substr(0, front)).append(kEllipsis).append(text.substr(end));
}

std::string brief_json(const ReportView& view, const ReportPlace& place) {
  constexpr int kMostHalvings = 8;
  Limits limits;
  for (int i = 0; i <= kMostHalvings; ++i, limits = limits.halved()) {
    std::string text = json_text(Brief(view, place, limits).document()) + '\n';
    if (text.size() <= kBriefBytes) return text;
  }
  throw std::logic_error("a brief summary that is not brief");
}

}  // namespace holdfast::cli
