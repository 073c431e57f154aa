#include "analysis/suspect_evidence.h"

#include <algorithm>

#include "analysis/ages/age_findings.h"
#include "analysis/sentence.h"
#include "common/class_histogram.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint64_t kManyInstances = 1000;
constexpr std::uint64_t kSomeInstances = 100;

const Catalog& catalog_of(const SuspectInput& input) noexcept {
  return input.references.snapshot().catalog;
}

bool is_own(const SuspectInput& input, ClassId id) noexcept {
  const Catalog& catalog = catalog_of(input);
  return id.value < catalog.classes.size() &&
         (catalog.classes[id.value].flags & (kClassPlatform | kClassClass)) == 0;
}

bool has_own_class(const SuspectInput& input, const SuspectCase& c) noexcept {
  for (std::size_t i = 0; i < c.levels.count; ++i)
    if (is_own(input, c.levels.level[i].class_id)) return true;
  return is_own(input, c.result.class_id);
}

// A class object names the class that it stands for; found once per step of one path.
ClassId class_behind(const Catalog& catalog, ObjectId object) noexcept {
  for (std::uint32_t c = 0; c < catalog.classes.size(); ++c)
    if (catalog.classes[c].mirror == object) return ClassId{c};
  return {};
}

bool is_class_object(const SuspectInput& input, ObjectId object) noexcept {
  const ClassId id = input.references.snapshot().class_of[object.value];
  return id.valid() && (catalog_of(input).classes[id.value].flags & kClassClass) != 0;
}

// The frame that the path begins in belongs to the application.
bool begins_in_own_frame(const SuspectInput& input, const SuspectCase& c) noexcept {
  const Snapshot& s = input.references.snapshot();
  if (c.result.path.length == 0) return false;
  const MethodId method = s.roots[c.result.path.root].method;
  if (method.value >= s.catalog.methods.size()) return false;
  const StringId name = s.catalog.methods[method.value].class_name;
  for (std::uint32_t i = 0; i < s.catalog.classes.size(); ++i)
    if (s.catalog.classes[i].name == name && is_own(input, ClassId{i})) return true;
  return false;
}

bool path_has_own_class(const SuspectInput& input, const SuspectCase& c) noexcept {
  const Snapshot& s = input.references.snapshot();
  if (begins_in_own_frame(input, c)) return true;
  return std::any_of(c.result.path.steps.begin(), c.result.path.steps.end(),
                     [&](const PathStepResult& step) {
                       if (is_class_object(input, step.object))
                         return is_own(input, class_behind(s.catalog, step.object));
                       return is_own(input, s.class_of[step.object.value]);
                     });
}

// Most of the group's bytes are held by no strong path: a cache that is soft entry by entry. (A ThreadLocal's entry is a weak
// reference, too, but holds its value strongly: so the objects are asked, not their holders' classes.)
bool entries_are_soft(const SuspectCase& c) noexcept {
  return std::any_of(
      c.levels.not_strong_bytes, c.levels.not_strong_bytes + c.levels.count,
      [&](std::uint64_t bytes) { return bytes >= c.levels.level[0].retained_bytes / 2; });
}

bool softly_held(const SuspectCase& c) noexcept {
  return c.result.path.strength != Strength::kStrong || entries_are_soft(c);
}

bool is_group(FindingKind kind) noexcept {
  return kind != FindingKind::kSingle && kind != FindingKind::kSpread;
}

int points_for_group(const SuspectInput& input, const SuspectCase& c) noexcept {
  const std::uint64_t all = c.levels.level[0].retained_bytes;
  const GroupLevelResult& named = c.levels.level[c.named_level];
  int points = 0;
  if (c.finding.largest_child_bytes <= all / 10)
    points += confidence::kSteep;
  else if (c.finding.largest_child_bytes <= all / 2)
    points += confidence::kSteep / 2;
  if (named.retained_bytes >= all / 10 * 9)
    points += confidence::kUniform;
  else if (named.retained_bytes >= all / 10 * 6)
    points += confidence::kUniform / 2;
  if (named.instances >= kManyInstances)
    points += confidence::kMany;
  else if (named.instances >= kSomeInstances)
    points += confidence::kMany / 2;
  if (is_own(input, named.class_id)) points += confidence::kOwnCode;
  if (c.finding.kind == FindingKind::kUnderNobody && !input.of_state) points -= confidence::kNobody;
  return points;
}

std::uint64_t percent_of(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : part / ((whole + 99) / 100);
}

void say_how_much(const SuspectInput& input, const SuspectCase& c, Sentence& out) noexcept {
  const std::uint64_t held = input.dominators.held_bytes;
  const std::string_view name = catalog_of(input).class_name(c.result.class_id);
  if (is_group(c.finding.kind))
    out.count(c.result.instances)
        .text(c.result.instances == 1 ? " instance of " : " instances of ")
        .name(name);
  else
    out.text("One ").name(name);
  if (c.finding.kind == FindingKind::kSingle)
    out.text(" is ").bytes(c.result.shallow_bytes).text(" large by itself: ");
  else
    out.text(is_group(c.finding.kind) ? " and what they hold retain " : " retains ")
        .bytes(c.result.retained_bytes)
        .text(", ");
  out.share(c.result.retained_bytes, held).text(" of the ").bytes(held);
  out.text(input.of_state ? " in this state." : " that are held.");
}

// "class shop.Cache" of a class object, else "one " and the class.
void say_holder(const SuspectInput& input, ObjectId holder, bool begins, Sentence& out) noexcept {
  const Snapshot& s = input.references.snapshot();
  const bool stands_for_class = is_class_object(input, holder);
  const ClassId id = stands_for_class ? class_behind(s.catalog, holder) : s.class_of[holder.value];
  out.text(stands_for_class ? (begins ? "Class " : "class ") : (begins ? "One " : "one "));
  out.name(s.catalog.class_name(id));
}

// A list or a tree: its objects hold each other, and nothing falls off below the first.
void say_structure(const SuspectInput& input, const SuspectCase& c, Sentence& out) noexcept {
  out.text("The ").name(catalog_of(input).class_name(c.levels.level[0].class_id));
  out.text(" hold each other, as in a list or a tree; ");
  if (c.finding.holder == c.finding.start.position) {
    out.text("the first holds all.");
    return;
  }
  say_holder(input, c.result.holder, false, out);
  out.text(" holds the first, and so ")
      .bytes(input.dominators.retained_bytes[c.result.holder.value])
      .text(".");
}

void say_where(const SuspectInput& input, const SuspectCase& c, Sentence& out) noexcept {
  if (c.finding.kind == FindingKind::kUnderNobody && input.of_state) {
    out.text("No object of this state holds them all.");
    return;
  }
  if (c.finding.kind == FindingKind::kPlace && !c.finding.of_threads) {
    out.text("The runtime keeps them, in ").count(c.finding.start.parts.size());
    out.text(c.finding.start.parts.size() == 1 ? " table." : " tables.");
    return;
  }
  if (c.finding.kind == FindingKind::kPlace) {
    out.count(c.result.threads).text(" threads hold them, each as its own value of one ");
    out.text(c.finding.variable.valid() ? "ThreadLocal." : "static field.");
    return;
  }
  if (c.finding.kind == FindingKind::kUnderNobody) {
    out.text(
        "No single object holds them all: they are reached on several ways, such as two indexes or "
        "several threads.");
    return;
  }
  if (c.finding.kind == FindingKind::kStructure) {
    say_structure(input, c, out);
    return;
  }
  const ObjectId holder = c.result.holder;
  const bool spread = c.finding.kind == FindingKind::kSpread;
  if (spread) out.text("Below it the bytes spread over many classes; ");
  say_holder(input, holder, !spread, out);
  out.text(" holds ").bytes(input.dominators.retained_bytes[holder.value]);
  out.text("; the largest single part below it is ").bytes(c.finding.largest_child_bytes);
  out.text(" (")
      .share(c.finding.largest_child_bytes, input.dominators.retained_bytes[holder.value])
      .text(").");
}

// "One shop.Buffer and one shop.ResultList lead to them: without both 2.0 MB go, without one at most 7.9 KB."
void say_joint(const SuspectInput& input, const JointHolders& joint, Sentence& out) noexcept {
  for (std::size_t i = 0; i < joint.count; ++i) {
    if (i > 0) out.text(i + 1 == joint.count ? " and " : ", ");
    say_holder(input, joint.sibling[i], i == 0, out);
  }
  out.text(joint.count == 2 ? " lead to them: without both " : " lead to them: without all ")
      .bytes(joint.freed_bytes)
      .text(" go, without one at most ")
      .bytes(joint.alone_bytes)
      .text(".");
}

void say_levels(const SuspectInput& input, const SuspectCase& c, Sentence& out) noexcept {
  const std::size_t shown = std::min<std::size_t>(c.levels.count, 3);
  const std::size_t from = c.named_level + 1 < shown ? 0 : c.named_level + 1 - shown;
  out.text("Below: ");
  for (std::size_t i = from; i < from + shown; ++i) {
    const GroupLevelResult& level = c.levels.level[i];
    if (i > from) out.text(" -> ");
    out.name(catalog_of(input).class_name(level.class_id)).text(" x ").count(level.instances);
  }
  out.text(".");
}

// What is known of all classes of one name: a group counts them together, whichever class loader each is of.
struct Namesakes {
  std::uint64_t instances = 0;
  std::uint32_t classes = 0;  // with instances
  bool copies = false;        // hidden classes of one source
};
Namesakes namesakes_of(const SuspectInput& input, ClassId id) noexcept {
  const auto& classes = catalog_of(input).classes;
  if (id.value >= classes.size()) return {input.classes.back().instances, 1};  // the unknown class
  Namesakes found;
  const Catalog& catalog = catalog_of(input);
  const std::string_view source = source_of_hidden(catalog, id);
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const bool same = source.empty() ? classes[i].name == classes[id.value].name
                                     : source_of_hidden(catalog, ClassId{i}) == source;
    if (!same || input.classes[i].instances == 0) continue;
    found.instances += input.classes[i].instances;
    ++found.classes;
    found.copies = !source.empty();
  }
  return found;
}

void say_of_class(const SuspectInput& input, const SuspectCase& c, Sentence& out) noexcept {
  const Namesakes all = namesakes_of(input, c.result.class_id);
  const std::uint64_t here = std::max(c.result.instances, c.result.instances_below);
  out.share(here, all.instances).text(" of all ").count(all.instances);
  if (!input.of_state) out.text(" held");
  out.text(all.instances == 1 ? " instance of " : " instances of ");
  if (all.classes > 1 && all.copies)
    out.count(all.classes).text(" hidden classes of this source are here");
  else if (all.classes > 1)
    out.count(all.classes)
        .text(" classes of this name (each loaded by another class loader) are here");
  else
    out.text(all.instances == 1 ? "this class is here" : "this class are here");
  out.text("; one takes ");
  const std::uint64_t named = c.levels.level[c.named_level].retained_bytes;
  out.bytes(c.result.instances == 0 ? 0 : named / c.result.instances)
      .text(" on average, with what it holds.");
}

void say_path(const SuspectInput& input, const SuspectCase& c, Sentence& out) noexcept {
  const RootPathResult& path = c.result.path;
  const Snapshot& s = input.references.snapshot();
  out.text(c.finding.holder == kRootPosition && c.finding.kind != FindingKind::kStructure
               ? "The shortest path to the largest of them has "
               : "The shortest path from a GC root has ");
  out.count(path.length).text(path.length == 1 ? " object" : " objects");
  out.text(" and begins at a ").text(root_kind_name(s.roots[path.root].kind)).text(".");
}

// Locals of running frames use what a root that lasts longer holds.
std::uint64_t locals_beside(const SuspectInput& input, const SuspectCase& c) noexcept {
  const Snapshot& s = input.references.snapshot();
  const RootPathResult& path = c.result.path;
  if (path.length == 0 || s.lifespan(s.roots[path.root]) != Lifespan::kDurable) return 0;
  const auto is_on_path = [&](ObjectId object) {
    return object == c.result.holder ||
           std::any_of(path.steps.begin(), path.steps.end(),
                       [&](const PathStepResult& step) { return step.object == object; });
  };
  return static_cast<std::uint64_t>(
      std::count_if(s.roots.begin(), s.roots.end(), [&](const RootRecord& root) {
        return s.lifespan(root) == Lifespan::kRunning && is_local_root(root.kind) &&
               is_on_path(root.object);
      }));
}

void say_locals(std::uint64_t locals, Sentence& out) noexcept {
  out.count(locals).text(locals == 1 ? " local of a running frame leads there, too."
                                     : " locals of running frames lead there, too.");
}

// Nothing that lasts holds them: what a method works on, or a list in a loop that never ends.
bool only_running_hold(const SuspectInput& input, const SuspectCase& c) noexcept {
  const Snapshot& s = input.references.snapshot();
  if (c.result.path.length == 0 || input.of_state || input.heap_is_full) return false;
  const RootRecord& root = s.roots[c.result.path.root];
  return is_local_root(root.kind) && s.lifespan(root) == Lifespan::kRunning;
}

// How many of the named class are old, and in how many ages they stand: a leak's stand in many, a cache's filling in few.
void say_ages(const ClassAges& ages, Sentence& out) noexcept {
  const AgeTotals totals = age_totals(ages);
  const std::uint64_t tenured = ages.objects[kTenuredRange];
  out.count(totals.old_objects).text(" of ").count(totals.objects);
  out.text(totals.old_objects == 1 ? " is" : " are").text(" old");
  if (tenured == 0)
    out.text(": survived ").count(kOldCollections).text(" collections or more");
  else if (tenured == totals.old_objects)
    out.text(": tenured");
  else
    out.text(": survived ").count(kOldCollections).text(" collections or more, or tenured");
  if (const std::uint32_t distinct = ages.distinct_ages(); distinct > 1)
    out.text(tenured == 0 ? "; they stand in " : "; the others stand in ")
        .count(distinct)
        .text(" ages");
  out.text(".");
}

// What the class has done while the application ran; nullptr: nothing of the kind was found.
const AgeSuspect* aging_of(const SuspectInput& input, ClassId id) noexcept {
  if (input.aging == nullptr || !id.valid()) return nullptr;
  const Catalog& catalog = input.references.snapshot().catalog;
  char name[kMaxHistogramName];
  keep_telling_end(catalog.strings.view(catalog.classes[id.value].name), name);
  const std::size_t count = std::min<std::size_t>(input.aging->count, kMostAgeSuspects);
  for (const AgeSuspect& suspect : std::span(input.aging->suspects).first(count))
    if (std::string_view(suspect.name) == name) return &suspect;
  return nullptr;
}

void say_growth(const AgeSuspect& of, Sentence& out) noexcept {
  out.text("It was piling up before this dump: ").count(of.more_instances);
  out.text(" more in ").count(of.collections).text(" collections, of ").count(of.ages);
  out.text(" ages or more (").count(of.confidence_percent).text(" % sure).");
}

void say_softly(const SuspectCase& c, Sentence& out) noexcept {
  if (c.result.path.strength <= Strength::kSoft)
    out.text("Softly held: a cache that the VM frees before it runs out of memory.");
  else
    out.text("Held by no strong reference: ")
        .text(strength_name(c.result.path.strength))
        .text(" references are the strongest on the way.");
}

}  // namespace

int confidence_of(const SuspectInput& input, const SuspectCase& c) noexcept {
  using namespace confidence;
  const std::uint64_t percent = percent_of(c.result.retained_bytes, input.dominators.held_bytes);
  int points = kBase + static_cast<int>(std::min<std::uint64_t>(percent, kMaxShare));
  if (is_group(c.finding.kind))
    points += points_for_group(input, c);
  else if (c.finding.kind == FindingKind::kSingle)
    points += kSteep;
  if (c.result.path.strength == Strength::kStrong) points += kStrong;
  if (only_running_hold(input, c) && aging_of(input, c.result.class_id) == nullptr)
    points = std::min(points, kRunningLimit);
  if (!has_own_class(input, c) && !path_has_own_class(input, c)) points -= kPlatformOnly;
  if (c.result.retained_bytes < kSmallBytes) points -= kSmall;
  if (c.finding.kind == FindingKind::kSpread) points = std::min(points, kSpreadLimit);
  if (softly_held(c)) points = std::min(points, kSoftLimit);
  return std::clamp(points, 1, 100);
}

Result<std::span<const Evidence>> evidence_of(const SuspectInput& input, const SuspectCase& c,
                                              Arena& arena) noexcept {
  HF_TRY(sentences, arena.make_filled<Evidence>(Evidence::kMaxSentences, Evidence{}));
  std::size_t count = 0;
  const auto next = [&] { return Sentence(sentences[count++]); };
  Sentence first = next();
  say_how_much(input, c, first);
  if (c.finding.kind != FindingKind::kSingle) {
    Sentence where = next();
    say_where(input, c, where);
  }
  if (c.joint.count != 0) {
    Sentence joint = next();
    say_joint(input, c.joint, joint);
  }
  if (is_group(c.finding.kind)) {
    Sentence levels = next();
    say_levels(input, c, levels);
    Sentence of_class = next();
    say_of_class(input, c, of_class);
    if (!input.references.snapshot().ages.empty()) {
      Sentence ages = next();
      say_ages(c.levels.ages[c.named_level], ages);
    }
  }
  if (const AgeSuspect* const aging = aging_of(input, c.result.class_id); aging != nullptr) {
    Sentence growth = next();
    say_growth(*aging, growth);
  }
  if (c.result.path.length != 0) {
    Sentence path = next();
    say_path(input, c, path);
  }
  if (const std::uint64_t locals = locals_beside(input, c); locals != 0) {
    Sentence beside = next();
    say_locals(locals, beside);
  }
  if (only_running_hold(input, c)) {
    Sentence running = next();
    running.text(
        "Only methods that run now hold it: it may be work under way. A later dump shows whether "
        "it stays.");
  }
  if (softly_held(c)) {
    Sentence softly = next();
    say_softly(c, softly);
  }
  return std::span<const Evidence>(sentences.first(count));
}

}  // namespace holdfast::analysis
