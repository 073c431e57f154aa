#include "cli/export/open_metrics.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "cli/report/selection.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kNanos = 1'000'000'000;
constexpr std::uint64_t kMillis = 1'000;

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : shorten_name(printable(value), kMaxLabelColumns)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

using Label = std::pair<const char*, std::string_view>;

std::string labels_text(const std::vector<Label>& labels) {
  std::string text;
  for (const auto& [name, value] : labels)
    text.append(",").append(name).append("=\"").append(escaped(value)).append("\"");
  return text;
}

// A whole number and its fraction of `unit`, without rounding: 1500 of 1000 is "1.500".
std::string fraction(std::uint64_t value, std::uint64_t unit) {
  const int digits = static_cast<int>(std::to_string(unit).size()) - 1;
  char text[48];
  std::snprintf(text, sizeof text, "%llu.%0*llu", static_cast<unsigned long long>(value / unit),
                digits, static_cast<unsigned long long>(value % unit));
  return text;
}

struct Family {
  const char* name;
  const char* unit;  // the end of the name; "" for none
  const char* help;
};

class Exposition {
 public:
  Exposition(const ReportView& view, const Sink& sink) : view_(view), sink_(sink) {
    const std::string pid = std::to_string(view.origin.pid);
    who_ = labels_text({{"main", view.origin.main_name}, {"pid", pid}}).substr(1);
  }

  void family(const Family& family, const char* type = "gauge") const {
    const std::string name = std::string("holdfast_") + family.name;
    std::string text = "# TYPE " + name + " " + type + "\n";
    if (*family.unit != '\0') text += "# UNIT " + name + " " + family.unit + "\n";
    sink_(text + "# HELP " + name + " " + family.help + "\n");
  }

  void sample(const std::string& name, const std::string& value,
              const std::string& labels = "") const {
    sink_("holdfast_" + name + "{" + who_ + labels + "} " + value + "\n");
  }

  void gauge(const Family& told, const std::string& value) const {
    family(told);
    sample(told.name, value);
  }
  // Families of figures that are not known stay out.
  void known(const Family& told, std::uint64_t value) const {
    if (value > 0) gauge(told, std::to_string(value));
  }

  const ReportView& view() const { return view_; }
  void end() const { sink_("# EOF\n"); }

 private:
  const ReportView& view_;
  const Sink& sink_;
  std::string who_;
};

void write_dump(const Exposition& out) {
  const ReportView& view = out.view();
  out.family({"report", "", "What the figures are of."}, "info");
  out.sample("report_info", "1",
             labels_text({{"host", view.origin.host},
                          {"container", view.origin.container},
                          {"kind", view.dump.extended ? "extended" : "simple"},
                          {"trigger", view.dump.trigger},
                          {"rung", view.dump.rung},
                          {"vm", view.origin.vm_name},
                          {"vm_version", view.origin.vm_version}}));
  out.gauge({"dump_timestamp_seconds", "seconds", "When the dump was asked for."},
            fraction(view.origin.started_utc_ms, kMillis));
  if (!view.dump.imported())
    out.gauge({"dump_pause_seconds", "seconds", "For how long the application stopped."},
              fraction(view.dump.pause_ns, kNanos));
  out.known({"heap_used_bytes", "bytes", "Used, as the VM says, behind the dump."},
            view.dump.heap_used_after_bytes);
  out.known({"heap_committed_bytes", "bytes", "Committed, as the VM says."},
            view.dump.heap_committed_bytes);
  out.known({"heap_max_bytes", "bytes", "The limit, as the VM says."}, view.dump.heap_max_bytes);
  out.gauge({"heap_objects", "", "Objects that are held; in a simple dump all that were counted."},
            std::to_string(view.whole_objects()));
  out.gauge({"heap_held_bytes", "bytes", "Their shallow sizes."},
            std::to_string(view.whole_bytes()));
}

struct ClassSums {
  std::uint64_t instances = 0, shallow_bytes = 0, retained_bytes = 0;
};

void write_classes(const Exposition& out, std::size_t top) {
  const ReportView& view = out.view();
  const ClassOrder order = view.has_retained() ? ClassOrder::kRetained : ClassOrder::kShallow;
  const ClassSelection selected = select_classes(view, order, top);
  std::map<std::string, ClassSums> series;
  for (const ClassView* row : selected.rows) {
    ClassSums& sums = series[labels_text({{"class", row->name}, {"loader", row->loader}})];
    sums.instances += row->instances;
    sums.shallow_bytes += row->shallow_bytes;
    sums.retained_bytes += row->retained_bytes;
  }
  const auto each = [&](const Family& told, std::uint64_t ClassSums::*figure) {
    out.family(told);
    for (const auto& [labels, sums] : series)
      out.sample(told.name, std::to_string(sums.*figure), labels);
  };
  each({"class_instances", "", "Objects of a class."}, &ClassSums::instances);
  each({"class_shallow_bytes", "bytes", "Their own sizes."}, &ClassSums::shallow_bytes);
  if (view.has_retained())
    each({"class_retained_bytes", "bytes", "What they keep alive, themselves included."},
         &ClassSums::retained_bytes);
  out.gauge({"other_classes", "", "Classes that are not named here."},
            std::to_string(selected.rest_count));
  out.gauge({"other_classes_instances", "", "Their objects."},
            std::to_string(selected.rest.instances));
  out.gauge({"other_classes_shallow_bytes", "bytes", "The sizes of these."},
            std::to_string(selected.rest.shallow_bytes));
}

void write_suspects(const Exposition& out, std::size_t top) {
  const ReportView& view = out.view();
  if (!view.graph) return;
  const std::size_t count = std::min(top, view.suspects.size());
  const auto each = [&](const Family& told, auto value) {
    out.family(told);
    for (std::size_t i = 0; i < count; ++i) {
      const SuspectView& row = view.suspects[i];
      const std::string rank = std::to_string(i + 1);
      out.sample(told.name, value(row),
                 labels_text({{"rank", rank},
                              {"class", row.class_name},
                              {"holder_class", row.holder_class},
                              {"holder_field", row.holder_field}}));
    }
  };
  each({"suspect_retained_bytes", "bytes",
        "What a leak suspect keeps alive; rank 1 is the likeliest."},
       [](const SuspectView& row) { return std::to_string(row.retained_bytes); });
  each({"suspect_share_ratio", "ratio", "The part of the heap that it keeps alive."},
       [](const SuspectView& row) { return fraction(row.share_per_mille, kMillis); });
  each({"suspect_confidence_ratio", "ratio", "How sure."}, [](const SuspectView& row) {
    constexpr std::uint64_t kHundred = 100;
    return fraction(row.confidence_percent, kHundred);
  });
}

// Errors are families of their own: whoever draws a band needs them as figures.
void write_accounts(const Exposition& out, std::size_t top) {
  if (!out.view().accounts) return;
  const AccountsView& accounts = *out.view().accounts;
  const std::size_t count = std::min(top, accounts.accounts.rows.size());
  const auto each = [&](const Family& told, auto value, const char* type = "gauge") {
    out.family(told, type);
    const std::string name =
        told.name + std::string(std::string_view(type) == "counter" ? "_total" : "");
    for (std::size_t i = 0; i < count; ++i) {
      const AccountView& row = accounts.accounts.rows[i];
      out.sample(name, std::to_string(value(row)), labels_text({{"account", row.account}}));
    }
  };
  each(
      {"account_allocated_bytes", "bytes", "Allocated by an account since accounting began."},
      [](const AccountView& row) { return row.allocated.bytes; }, "counter");
  each(
      {"account_allocated_objects", "", "The same in objects."},
      [](const AccountView& row) { return row.allocated.objects; }, "counter");
  each({"account_allocated_error_bytes", "bytes", "Standard error of the allocated bytes."},
       [](const AccountView& row) { return row.allocated.bytes_error; });
  if (!accounts.live_known) return;
  each({"account_live_bytes", "bytes", "Of that, not collected yet."},
       [](const AccountView& row) { return row.live.bytes; });
  each({"account_live_objects", "", "The same in objects."},
       [](const AccountView& row) { return row.live.objects; });
  each({"account_live_error_bytes", "bytes", "Standard error of the live bytes."},
       [](const AccountView& row) { return row.live.bytes_error; });
  if (!accounts.calibrated) return;
  each({"account_in_heap_bytes", "bytes", "Live, scaled to what the dump counted."},
       [](const AccountView& row) { return row.calibrated_bytes; });
}

// A counter that begins anew where somebody listens anew is one all the same: readers know a reset.
void write_collections(const Exposition& out) {
  if (!out.view().collections) return;
  const CollectionFigures& now = out.view().collections->now;
  out.family({"collections", "", "Collections until the dump."}, "counter");
  const auto count = [&out](const char* kind, std::uint64_t collections) {
    if (collections != kUnknownCount)
      out.sample("collections_total", std::to_string(collections), labels_text({{"kind", kind}}));
  };
  count("young", now.young);
  count("full", now.full);
  count("concurrent", now.cycles);
  const auto sum = [&out](const Family& told, std::uint64_t value, const std::string& text) {
    if (value == kUnknownCount) return;
    out.family(told, "counter");
    out.sample(std::string(told.name) + "_total", text);
  };
  sum({"collection_pause_seconds", "seconds", "For how long they stopped the application."},
      now.pause_ns, fraction(now.pause_ns, kNanos));
  const std::uint64_t reclaimed = now.heard.reclaimed_bytes;
  sum({"collection_reclaimed_bytes", "bytes", "What those that were heard reclaimed."}, reclaimed,
      std::to_string(reclaimed));
}

// Of all objects by range; of classes what is old, because twenty ranges of each would be more than anybody draws.
void write_ages(const Exposition& out, std::size_t top) {
  if (!out.view().ages || !out.view().ages->told()) return;
  const AgesView& ages = *out.view().ages;
  const auto by_range = [&](const Family& told, const std::vector<std::uint64_t>& figures) {
    out.family(told);
    for (std::size_t i = 0; i < figures.size(); ++i)
      out.sample(told.name, std::to_string(figures[i]),
                 labels_text({{"collections", ages.ranges[i].text()}}));
  };
  by_range({"age_objects", "", "Objects by the collections that they have survived."},
           ages.total.objects);
  by_range({"age_bytes", "bytes", "The same in bytes."}, ages.total.bytes);
  out.family({"class_old_bytes", "bytes",
              "Of a class: objects that survived 8 collections or more, or are tenured."});
  std::map<std::string, std::uint64_t> by_labels;  // of classes whose labels are the same
  for (std::size_t i = 0; i < std::min(top, ages.classes.size()); ++i) {
    const AgeClassView& row = ages.classes[i];
    by_labels[labels_text({{"class", row.class_name}, {"loader", row.loader}})] +=
        ages.sums(row).old_bytes;
  }
  for (const auto& [labels, bytes] : by_labels)
    out.sample("class_old_bytes", std::to_string(bytes), labels);
}

}  // namespace

void write_open_metrics(const ReportView& view, std::size_t top, const Sink& sink) {
  const Exposition out(view, sink);
  write_dump(out);
  write_classes(out, top);
  write_suspects(out, top);
  write_accounts(out, top);
  write_collections(out);
  write_ages(out, top);
  out.end();
}

}  // namespace holdfast::cli
