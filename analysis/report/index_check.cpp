#include "analysis/report/index_check.h"

#include <type_traits>

#include "analysis/report/report_generated.h"
#include "analysis/report/utf8.h"
#include "common/ages/object_age.h"

namespace holdfast::analysis {
namespace {

template <class Row>
using Rows = flatbuffers::Vector<flatbuffers::Offset<Row>>;

class IndexCheck {
 public:
  IndexCheck(const report::Report& report, std::span<const std::byte> payload, bool newer) noexcept
      : report_(report),
        payload_(payload),
        newer_(newer),
        elements_left_(payload.size() / sizeof(flatbuffers::uoffset_t)),
        fault_(reinterpret_cast<const std::byte*>(&report)) {}

  bool run() noexcept {
    return strings() && facts() && graph() && tables() && tree() && threads() && findings() &&
           reachable() && cuts() && accounts() && ages() && aging() && holders() && states() &&
           tracking();
  }
  std::int64_t fault_offset() const noexcept { return fault_ - payload_.data(); }

 private:
  // An enum's value has a name here; a report of a later version may have others.
  template <class Enum>
  bool known(Enum value, Enum last) const noexcept {
    return newer_ || static_cast<std::underlying_type_t<Enum>>(value) <=
                         static_cast<std::underlying_type_t<Enum>>(last);
  }
  bool text(std::uint32_t id) const noexcept { return id < report_.strings()->size(); }
  bool loader(std::uint32_t id) const noexcept {
    return id == kNoRow || id < report_.loaders()->size();
  }
  bool object(std::uint32_t id) const noexcept { return id < report_.objects()->size(); }
  bool maybe_object(std::uint32_t id) const noexcept { return id == kNoRow || object(id); }
  bool thread(std::uint32_t id) const noexcept {
    return id == kNoRow || id < report_.threads()->size();
  }

  bool take(std::uint64_t elements) noexcept {
    if (elements > elements_left_) return false;
    elements_left_ -= elements;
    return true;
  }
  template <class Row, class Check>
  bool each(const Rows<Row>* rows, Check check) noexcept {
    if (!take(rows->size())) return at(rows, false);
    for (const Row* row : *rows) {
      if (!check(*row)) return at(row, false);
    }
    return true;
  }
  template <class Check>
  bool each_index(const flatbuffers::Vector<std::uint32_t>* indices, Check check) noexcept {
    if (!take(indices->size())) return at(indices, false);
    for (const std::uint32_t index : *indices) {
      if (!check(index)) return at(indices, false);
    }
    return true;
  }
  // Remembers the innermost place that was refused.
  template <class Row>
  bool at(const Row* row, bool good) noexcept {
    if (!good && !faulted_) {
      fault_ = reinterpret_cast<const std::byte*>(row);
      faulted_ = true;
    }
    return good;
  }
  bool texts(const flatbuffers::Vector<std::uint32_t>* ids) noexcept {
    return each_index(ids, [this](std::uint32_t id) { return text(id); });
  }

  bool strings() noexcept;
  bool facts() noexcept;
  bool origin() noexcept;
  bool graph() noexcept;
  bool tables() noexcept;
  bool tree() noexcept;
  bool threads() noexcept;
  bool findings() noexcept;
  bool reachable() noexcept;
  bool cuts() noexcept;
  bool accounts() noexcept;
  bool ages() noexcept;
  bool aging() noexcept;
  bool tracking() noexcept;
  bool holders() noexcept;
  bool states() noexcept;
  bool age_row(const report::AgeClassRow& row) noexcept;
  bool account_row(const report::AccountRow& row) const noexcept {
    return text(row.account()) && text(row.principal()) && text(row.class_name()) &&
           text(row.method()) && text(row.thread()) && text(row.annotation());
  }
  bool class_row(const report::ClassRow& row) const noexcept {
    return text(row.name()) && loader(row.loader());
  }
  bool step(const report::PathStep& step) const noexcept {
    return object(step.object()) && text(step.name()) && text(step.declaring_class()) &&
           known(step.kind(), report::StepKind::MAX);
  }
  bool path(const report::RootPath& path) noexcept;
  bool cut(const report::CutRow& cut) noexcept;
  bool suspect(const report::Suspect& suspect) noexcept;

  const report::Report& report_;
  std::span<const std::byte> payload_;
  const bool newer_;
  std::uint64_t elements_left_;
  const std::byte* fault_;
  bool faulted_ = false;
};

bool IndexCheck::strings() noexcept {
  const auto* strings = report_.strings();
  if (strings->size() == 0 || strings->Get(0)->size() != 0) return at(strings, false);
  if (!take(strings->size())) return at(strings, false);
  std::uint64_t text_left =
      payload_.size();  // the same guard for text that is shared by many entries
  for (const flatbuffers::String* string : *strings) {
    if (string->size() > text_left) return at(string, false);
    text_left -= string->size();
    if (!valid_utf8({string->c_str(), string->size()})) return at(string, false);
  }
  return true;
}

bool IndexCheck::origin() noexcept {
  const report::Origin& o = *report_.origin();
  return at(&o, text(o.tool_version()) && text(o.vm_name()) && text(o.vm_version()) &&
                    text(o.vm_vendor()) && text(o.collector()) && text(o.main_name()) &&
                    text(o.host()) && text(o.container()));
}

bool IndexCheck::facts() noexcept {
  const report::CaptureFacts& capture = *report_.capture();
  const bool capture_good = text(capture.trigger()) && text(capture.rung()) &&
                            known(capture.kind(), report::DumpKind::MAX);
  return origin() && at(&capture, capture_good) &&
         each(report_.options(),
              [this](const report::Option& o) { return text(o.key()) && text(o.value()); }) &&
         each(report_.memory()->categories(),
              [this](const report::LedgerRow& row) { return text(row.category()); }) &&
         each(report_.passes(),
              [this](const report::PassRow& p) { return text(p.name()) && text(p.left_out()); }) &&
         texts(report_.notes());
}

bool IndexCheck::graph() noexcept {
  const report::GraphFacts* graph = report_.graph();
  if (graph == nullptr) return true;
  return at(graph, maybe_object(graph->max_out_degree_object())) &&
         each(graph->strengths(),
              [this](const report::StrengthRow& s) {
                return known(s.strength(), report::Strength::MAX);
              }) &&
         each(graph->root_kinds(), [this](const report::RootKindRow& k) {
           return known(k.kind(), report::RootKind::MAX);
         });
}

bool IndexCheck::tables() noexcept {
  return each(report_.classes(), [this](const report::ClassRow& row) { return class_row(row); }) &&
         at(report_.rest_of_classes(), class_row(*report_.rest_of_classes())) &&
         each(report_.loaders(),
              [this](const report::LoaderRow& row) { return text(row.name()); }) &&
         at(report_.rest_of_loaders(), text(report_.rest_of_loaders()->name())) &&
         each(report_.packages(),
              [this](const report::PackageRow& row) { return text(row.name()); }) &&
         at(report_.rest_of_packages(), text(report_.rest_of_packages()->name())) &&
         each(report_.objects(), [this](const report::ObjectRow& row) {
           return text(row.class_name()) && loader(row.loader()) && text(row.class_object_of());
         });
}

bool IndexCheck::tree() noexcept {
  std::uint32_t position = 0;
  return each(report_.tree(), [this, &position](const report::TreeNode& node) {
    const bool parent_before = node.parent() == kNoRow || node.parent() < position;
    ++position;
    return parent_before && maybe_object(node.object()) && text(node.group_class());
  });
}

bool IndexCheck::threads() noexcept {
  return each(report_.threads(), [this](const report::ThreadRow& row) {
    return text(row.name()) && each(row.frames(), [this](const report::FrameRow& frame) {
             return text(frame.class_name()) && text(frame.method()) &&
                    maybe_object(frame.largest());
           });
  });
}

bool IndexCheck::path(const report::RootPath& path) noexcept {
  const std::uint64_t steps = path.steps()->size();
  const bool lengths =
      steps + path.steps_left_out() == path.length() &&
      (path.steps_left_out() == 0 || std::uint64_t{path.left_out_after()} + 1 < steps);
  const bool names = thread(path.thread()) && text(path.frame_class()) && text(path.frame_method());
  const bool enums = known(path.root_kind(), report::RootKind::MAX) &&
                     known(path.strength(), report::Strength::MAX);
  if (!lengths || !names || !enums) return at(&path, false);
  return each(path.steps(), [this](const report::PathStep& s) { return step(s); });
}

bool IndexCheck::suspect(const report::Suspect& s) noexcept {
  const bool names = text(s.class_name()) && loader(s.loader()) && text(s.holder_class()) &&
                     text(s.holder_field());
  const bool values = maybe_object(s.holder()) && known(s.kind(), report::SuspectKind::MAX) &&
                      s.share_per_mille() <= 1000 && s.confidence_percent() <= 100;
  const auto other = [this](const report::RootPath& one) {
    return one.steps()->size() != 0 && path(one);  // readers look at the first step
  };
  return names && values && texts(s.evidence()) && path(*s.path()) &&
         (s.others() == nullptr || each(s.others(), other)) &&
         (s.variable() == nullptr || other(*s.variable())) &&
         each(s.levels(),
              [this](const report::GroupLevel& level) { return text(level.class_name()); });
}

bool IndexCheck::findings() noexcept {
  const std::uint32_t tops = report_.top_objects()->size();
  const std::uint32_t paths = report_.top_paths()->size();
  if (paths != 0 && paths != tops)
    return at(report_.top_paths(), false);  // none when the pass was left out
  return each_index(report_.top_objects(), [this](std::uint32_t id) { return object(id); }) &&
         each(report_.top_paths(), [this](const report::RootPath& p) { return path(p); }) &&
         each(report_.suspects(), [this](const report::Suspect& s) { return suspect(s); });
}

bool IndexCheck::reachable() noexcept {
  const report::ReachableFacts* facts = report_.reachable();
  if (facts == nullptr) return true;
  if (!known(facts->reason(), report::EstimateReason::MAX)) return at(facts, false);
  return each(facts->differences(), [](const report::DifferenceRow&) { return true; }) &&
         each_index(facts->hidden(), [this](std::uint32_t id) { return object(id); });
}

bool IndexCheck::cut(const report::CutRow& cut) noexcept {
  const bool good = maybe_object(cut.referrer()) && step(*cut.reference());
  // Whoever shows the root's path looks at its first step.
  const bool root =
      cut.root() == nullptr || (cut.root()->steps()->size() == 1 && path(*cut.root()));
  return good && root;
}

bool IndexCheck::cuts() noexcept {
  const report::CutFacts* facts = report_.cuts();
  if (facts == nullptr) return true;
  const auto important = [this](const report::ImportantRow& row) { return object(row.object()); };
  return each(facts->most_references(), important) && each(facts->most_referrers(), important) &&
         each(facts->cuts(), [this](const report::CutRow& row) { return cut(row); });
}

bool IndexCheck::accounts() noexcept {
  const report::AccountFacts* facts = report_.accounts();
  if (facts == nullptr) return true;
  const bool sums = account_row(*facts->rest_of_accounts()) && account_row(*facts->rest_of_pairs());
  // What is said to be explained is a part of what was counted: shares are made of it.
  const bool parts = facts->explained_objects() <= facts->heap_objects() &&
                     facts->explained_bytes() <= facts->heap_bytes();
  if (!sums || !parts || !known(facts->mode(), report::AccountMode::MAX)) return at(facts, false);
  const auto row = [this](const report::AccountRow& one) { return account_row(one); };
  return each(facts->accounts(), row) && each(facts->pairs(), row) && each(facts->classes(), row) &&
         each(facts->methods(), row) && each(facts->threads(), row) &&
         (facts->annotations() == nullptr || each(facts->annotations(), row)) &&
         text(facts->sample_only());
}

// A figure for each range, none above that of all: shares are made of them.
bool IndexCheck::age_row(const report::AgeClassRow& row) noexcept {
  const report::AgeClassRow& all = *report_.ages()->total();
  const std::uint32_t ranges = report_.ages()->ranges()->size();
  if (row.objects()->size() != ranges || row.bytes()->size() != ranges) return false;
  if (!take(2 * std::uint64_t{ranges})) return false;
  for (std::uint32_t i = 0; i < ranges; ++i)
    if (row.objects()->Get(i) > all.objects()->Get(i) || row.bytes()->Get(i) > all.bytes()->Get(i))
      return false;
  return text(row.class_name()) && loader(row.loader());
}

bool IndexCheck::ages() noexcept {
  const report::AgeFacts* facts = report_.ages();
  if (facts == nullptr) return true;
  if (!known(facts->source(), report::AgeSource::MAX)) return at(facts, false);
  if (facts->source() == report::AgeSource::None)
    return at(facts, facts->ranges()->size() == 0 && facts->classes()->size() == 0);
  const report::AgeClassRow* total = facts->total();
  const report::AgeClassRow* rest = facts->rest_of_classes();
  const std::uint32_t ranges = facts->ranges()->size();
  if (total == nullptr || rest == nullptr || total->objects()->size() != ranges ||
      total->bytes()->size() != ranges)
    return at(facts, false);
  std::int64_t before = -1;
  const auto rising = [&before](std::uint32_t least) {
    const bool good = std::int64_t{least} > before;
    before = least;
    return good;
  };
  return each_index(facts->ranges(), rising) && at(total, age_row(*total)) &&
         at(rest, age_row(*rest)) &&
         each(facts->classes(), [this](const report::AgeClassRow& row) { return age_row(row); });
}

// Objects rise, so that none has two numbers.
bool IndexCheck::tracking() noexcept {
  const report::TrackFacts* facts = report_.tracking();
  if (facts == nullptr) return true;
  std::uint32_t least = 0;
  return each(facts->objects(), [this, &least](const report::TrackedRow& row) {
    const bool rising = row.object() >= least;
    least = row.object() + 1;
    return rising && object(row.object()) && row.number() != 0;
  });
}

bool IndexCheck::aging() noexcept {
  const report::AgingFacts* facts = report_.aging();
  if (facts == nullptr) return true;
  const auto row = [this](const report::AgingClassRow& one) {
    const bool lists =
        one.live_ages()->size() <= kAgeDoublings && one.died_ages()->size() <= kAgeDoublings;
    const bool chance = one.silence_chance() >= 0 && one.silence_chance() <= 1;  // and no NaN
    return lists && chance &&
           take(std::uint64_t{one.live_ages()->size()} + one.died_ages()->size()) &&
           text(one.class_name());
  };
  const auto suspect = [this](const report::AgingSuspect& one) {
    return text(one.class_name()) && one.old_percent() <= 100 && one.confidence_percent() <= 100;
  };
  return each(facts->suspects(), suspect) && each(facts->classes(), row);
}

bool IndexCheck::holders() noexcept {
  const report::HolderFacts* facts = report_.holders();
  if (facts == nullptr) return true;
  const auto place = [this](const report::HolderRow& one) {
    return text(one.class_name()) && text(one.name()) && known(one.kind(), report::StepKind::MAX) &&
           known(one.root_kind(), report::RootKind::MAX) &&
           known(one.strength(), report::Strength::MAX);
  };
  return each(facts->classes(), [&](const report::HolderClassRow& row) {
    return text(row.class_name()) && loader(row.loader()) &&
           row.places()->size() <= row.places_total() &&
           row.unplaced_references() <= row.rest_references() && each(row.places(), place);
  });
}

bool IndexCheck::states() noexcept {
  const report::StateFacts* facts = report_.states();
  if (facts == nullptr) return true;
  const auto group = [this](const report::StateGroupRow& row) {
    return text(row.class_name()) && loader(row.loader()) && text(row.holder_class()) &&
           known(row.kind(), report::SuspectKind::MAX) && texts(row.evidence());
  };
  const auto classes = [this](const auto& row) {
    return row.classes()->size() <= row.classes_total() &&
           each(row.classes(), [this](const report::StateClassRow& one) {
             return text(one.class_name()) && loader(one.loader());
           });
  };
  const auto state = [&](const report::StateRow& row) {
    return known(row.state(), report::HeapState::MAX) && classes(row) && each(row.groups(), group);
  };
  const auto backlog = [this](const report::BacklogRow& row) {
    return text(row.owner()) && text(row.field()) && text(row.reference_class()) &&
           text(row.referent_class()) && text(row.thread()) &&
           each(row.frames(), [this](const report::FrameRow& one) {
             return text(one.class_name()) && text(one.method()) && maybe_object(one.largest());
           });
  };
  return each(facts->states(), state) && each(facts->backlogs(), backlog) &&
         (facts->unreached() == nullptr || classes(*facts->unreached()));
}

}  // namespace

Result<void> check_indices(const report::Report& report, std::span<const std::byte> payload,
                           bool newer) noexcept {
  IndexCheck check(report, payload, newer);
  if (!check.run()) return make_error(ErrorCode::kDamaged, check.fault_offset());
  return {};
}

}  // namespace holdfast::analysis
