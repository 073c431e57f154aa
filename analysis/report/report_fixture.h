// For tests only: a small shop's heap with known findings, and findings of any size, as input for the report writer.
// Shape:  vectors own everything that the spans point to.   Zone: tests.   Errors: aborts.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/report/writer.h"
#include "common/reservation.h"

namespace holdfast::analysis {

inline void must(bool good) {
  if (!good) std::abort();
}

struct FixtureSizes {
  std::uint32_t classes = 4;
  std::uint32_t loaders = 2;
  std::uint32_t packages = 2;
  std::uint32_t threads = 1;
  std::uint32_t objects = 8;
  std::uint32_t tree = 3;
  std::uint32_t tops = 2;
  std::uint32_t suspects = 1;
  std::uint32_t hidden = 1;
  std::uint32_t cuts = 2;  // every other one of a GC root
  std::uint32_t accounts =
      2;  // each with a pair, a class, a method, a thread and annotations; 0: no accounting
  std::uint32_t age_ranges = 4;  // with objects, the last of them tenured; 0: ages are off
  std::uint32_t aging =
      2;  // classes with samples, half of them suspects (kMostAgeSuspects at most); 0: ages are off
  std::uint32_t tracked =
      4;  // objects with a number, every other one new; 0: objects are not tracked
  std::uint32_t holders =
      3;  // classes with places, at most as many as there are classes; 0: left out
  std::uint32_t path_steps = 4;
  std::uint32_t name_bytes = 40;
  bool graph = true;
};

struct ReportFixture {
  static constexpr std::uint64_t kMemory = 64u << 20;

  explicit ReportFixture(const FixtureSizes& wanted = {}, std::uint64_t memory = kMemory)
      : sizes(wanted), ledger(memory) {
    must(reservation.open(2 * kMemory + (1u << 20)).ok());
    auto names_arena = reservation.take_arena(kMemory, names_ledger, MemoryCategory::kCatalog);
    auto work_arena = reservation.take_arena(kMemory, ledger, MemoryCategory::kReport);
    must(names_arena.ok());
    must(work_arena.ok());
    names = std::move(*names_arena);
    arena = std::move(*work_arena);
    fill_catalog();
    fill_record();
    if (sizes.graph) {
      fill_graph();
      fill_findings();
    } else {
      for (std::uint32_t c = 0; c <= sizes.classes; ++c) histogram.push_back({c + 1, (c + 1) * 16});
      capture.histogram = histogram;
    }
    if (sizes.accounts > 0) fill_accounts();
    if (sizes.age_ranges > 0) fill_ages();
    if (sizes.aging > 0) fill_aging();
    if (sizes.tracked > 0) fill_identities();
    if (sizes.graph && sizes.holders > 0) fill_holders();
  }
  ReportFixture(const ReportFixture&) = delete;
  ReportFixture& operator=(const ReportFixture&) = delete;

  AnalysisInput input() { return AnalysisInput{capture, record, options, arena, ledger, cancel}; }
  Result<std::span<const std::byte>> write() {
    AnalysisInput in = input();
    return write_report(in, findings);
  }
  // A copy of the image, aligned as a mapping would be.
  std::vector<std::uint64_t> image_words;
  std::span<std::byte> image() {
    auto written = write();
    must(written.ok());
    image_words.assign((written->size() + 7) / 8, 0);
    std::copy(written->begin(), written->end(), reinterpret_cast<std::byte*>(image_words.data()));
    return {reinterpret_cast<std::byte*>(image_words.data()), written->size()};
  }

  StringId name(const char* stem, std::uint32_t number) {
    std::string text = stem + std::to_string(number);
    if (text.size() < sizes.name_bytes) text.insert(0, sizes.name_bytes - text.size(), 'n');
    return capture.snapshot.catalog.strings.intern(text);
  }

  void fill_catalog() {
    Catalog& catalog = capture.snapshot.catalog;
    const std::uint32_t count =
        3 * sizes.classes + sizes.loaders + sizes.packages + sizes.threads + 64;
    auto table = StringTable::make(names, count, std::uint64_t{count} * (sizes.name_bytes + 24));
    must(table.ok());
    catalog.strings = *table;
    for (std::uint32_t c = 0; c < sizes.classes; ++c) {
      ClassRow row;
      row.name = name("shop.Class", c);
      row.loader = LoaderId{c % sizes.loaders};
      row.first_field = c;
      row.field_count = 1;
      if (sizes.graph && c < sizes.objects) row.mirror = ObjectId{c};
      if (c % 2 == 0) row.flags = kClassPlatform;
      classes.push_back(row);
      fields.push_back(name("field", c));
    }
    for (std::uint32_t i = 0; i < sizes.loaders; ++i)
      loaders.push_back({name("loader", i), ObjectId{}, i == 0});
    for (std::uint32_t i = 0; i < sizes.threads; ++i)
      threads.push_back({name("thread", i), ObjectId{}, i, i % 2 == 1});
    methods.push_back({name("shop.Main", 0), name("run", 0)});
    catalog.classes = classes;
    catalog.loaders = loaders;
    catalog.fields = fields;
    catalog.threads = threads;
    catalog.methods = methods;
  }

  void fill_record() {
    std::snprintf(record.vm.vm_name, sizeof record.vm.vm_name, "Test VM");
    std::snprintf(record.vm.vm_version, sizeof record.vm.vm_version, "17.0.1");
    std::snprintf(record.host, sizeof record.host, "web1");
    record.pid = 4242;
    record.sequence = 1;
    record.started_utc_ms = 1'700'000'000'000;
    record.request.trigger = Trigger::kCommand;
    record.notes.add("predicted pause %d ms", 20);
    capture.rung = sizes.graph ? CaptureRung::kWalk : CaptureRung::kHistogram;
    capture.has_graph = sizes.graph;
    capture.pause_ns = 12'345'678;
    capture.heap_after.used_bytes = 1000;
  }

  // Object v has class v % classes and refers to v + 1 through instance field 0, or a static field where v is a class object.
  void fill_graph() {
    Snapshot& s = capture.snapshot;
    for (std::uint32_t v = 0; v < sizes.objects; ++v) {
      class_of.push_back(ClassId{v % sizes.classes});
      units.push_back(v + 2);
      first_ref.push_back(v);
      target.push_back(ObjectId{(v + 1) % sizes.objects});
      label.push_back(v % 2 == 0 ? RefLabel::instance_field(0) : RefLabel::static_field(0));
    }
    first_ref.push_back(sizes.objects);
    for (std::uint32_t i = 0; i < 2 * sizes.threads + 1; ++i) {
      roots.push_back({ObjectId{i % sizes.objects}, ThreadId{i % sizes.threads}, MethodId{0}, i,
                       static_cast<std::uint16_t>(i / sizes.threads), 0, RootKind::kStackLocal});
    }
    s.class_of = class_of;
    s.shallow_units = units;
    s.first_ref = first_ref;
    s.target = target;
    s.label = label;
    s.roots = roots;
  }

  RootPathResult path_to(std::uint32_t end) {
    std::vector<PathStepResult>& path = steps.emplace_back();
    for (std::uint32_t i = 0; i < sizes.path_steps; ++i) {
      const std::uint32_t v = (end + sizes.objects - sizes.path_steps + 1 + i) % sizes.objects;
      path.push_back(
          {ObjectId{v}, i == 0 ? RefLabel{} : label[(v + sizes.objects - 1) % sizes.objects]});
    }
    return {0, path, sizes.path_steps, 0, Strength::kStrong};
  }

  void fill_findings() {
    for (std::uint32_t v = 0; v < sizes.objects; ++v) retained.push_back((v + 2) * 80);
    findings.dominators.retained_bytes = retained;
    findings.dominators.held_bytes = 100'000'000;
    findings.dominators.held_objects = sizes.objects;
    findings.dominators.depth = 3;
    findings.statistics.max_out_degree = 1;
    findings.statistics.max_out_degree_object = ObjectId{0};
    for (std::uint32_t c = 0; c <= sizes.classes; ++c) {
      class_figures.push_back(
          {c + 1, (c + 1) * 16, (c + 1) * 64, 64, ObjectId{}, c % 3, (c % 3) * 8});
    }
    for (std::uint32_t i = 0; i < sizes.loaders; ++i)
      loader_figures.push_back({std::string_view{}, 2, i + 1, i * 8, i * 64});
    for (std::uint32_t i = 0; i < sizes.packages; ++i)
      package_figures.push_back(
          {capture.snapshot.catalog.strings.view(name("package", i)), 1, i, i * 8, i * 16});
    for (std::uint32_t i = 0; i < sizes.threads; ++i) thread_figures.push_back({i * 100, 2});
    for (std::uint32_t i = 0; i < sizes.tree; ++i) fill_node(i);
    for (std::uint32_t i = 0; i < sizes.tops; ++i) {
      tops.push_back(ObjectId{(i * 7) % sizes.objects});
      top_paths.push_back(path_to((i * 7) % sizes.objects));
    }
    for (std::uint32_t i = 0; i < sizes.suspects; ++i) fill_suspect(i);
    fill_reachable();
    fill_cuts();
    findings.classes = class_figures;
    findings.loaders = loader_figures;
    findings.packages = package_figures;
    findings.threads = thread_figures;
    findings.tree = tree;
    findings.top_objects = tops;
    findings.top_paths = top_paths;
    findings.suspects = suspects;
    findings.passes[0] = {"reachability", 1000, 900, 4096, ""};
    findings.passes[1] = {"dominators", 0, 0, 0, "out of memory"};
    findings.pass_count = 2;
  }

  void fill_node(std::uint32_t i) {
    TreeNodeResult node;
    const bool group = i % 3 == 2;
    if (!group) node.object = ObjectId{(i * 5) % sizes.objects};
    if (group) node.group_class = ClassId{i % sizes.classes};
    if (group) node.group_instances = 10;
    if (i != 0) node.parent = (i - 1) / 2;
    node.shallow_bytes = i * 8;
    node.retained_bytes = std::uint64_t{i} * 1000;
    node.children = 7;
    tree.push_back(node);
  }

  void fill_suspect(std::uint32_t i) {
    static const Evidence kEvidence[2] = {{"one object holds 40 % of the heap"},
                                          {"the drop is steep here"}};
    static const GroupLevelResult kLevels[2] = {{ClassId{0}, 10, 100, 1000},
                                                {ClassId{0}, 20, 200, 900}};
    SuspectResult suspect;
    suspect.group = true;
    suspect.class_id = ClassId{i % sizes.classes};
    suspect.instances = 1000;
    suspect.retained_bytes = 40'000'000;
    suspect.holder = ObjectId{(i * 3) % sizes.objects};
    suspect.levels = kLevels;
    suspect.path = path_to((i * 3) % sizes.objects);
    suspect.confidence_percent = 80;
    suspect.evidence = kEvidence;
    suspects.push_back(suspect);
  }

  // Of the top objects and the hidden ones; every third size is an estimate.
  void fill_reachable() {
    for (std::uint32_t i = 0; i < sizes.hidden; ++i)
      hidden.push_back(ObjectId{(i * 11 + 1) % sizes.objects});
    for (std::uint32_t v = 0; v < sizes.objects; ++v) {
      const auto is = [v](ObjectId object) { return object.value == v; };
      if (std::any_of(hidden.begin(), hidden.end(), is) ||
          std::any_of(tops.begin(), tops.end(), is))
        reached.push_back({ObjectId{v}, (v + 2) * 100, v % 3 == 1});
    }
    for (std::uint32_t c = 0; c <= sizes.classes; ++c)
      class_reach.push_back({(c + 1) * 96, c % 2 == 1});
    ReachableFindings& r = findings.reachable;
    r.objects = reached;
    r.classes = class_reach;
    r.hidden = hidden;
    for (std::size_t i = 0; i < r.differences.size(); ++i) r.differences[i] = 10 - i;
    r.retained_sum = 1000;
    r.reachable_sum = 5000;
    r.components = sizes.objects;
    r.shared = 3;
    r.estimated_objects = 2;
    r.reason = EstimateReason::kTime;
    r.standard_error = 0.0887;
  }

  void fill_cuts() {
    for (std::uint32_t i = 0; i < sizes.cuts; ++i) {
      const ObjectId object{i % sizes.objects};
      Cut cut;
      if (i % 2 == 0) cut.referrer = ObjectId{(i + sizes.objects - 1) % sizes.objects};
      if (i % 2 == 0) cut.references = 2;
      if (i % 2 == 1) cut.root = i % static_cast<std::uint32_t>(roots.size());
      cut.referent = object;
      cut.label = label[(i + sizes.objects - 1) % sizes.objects];
      cut.freed_objects = 40 - i;
      cut.freed_bytes = 4000 - i;
      cut.articulation = i % 3 == 0;
      cuts.push_back(cut);
      important.push_back({object, 9, 8, 16, 160, i % 2 == 0});
    }
    CutFindings& c = findings.cuts;
    c.components = sizes.objects;
    c.cyclic_components = 2;
    c.cyclic_objects = 5;
    c.largest_component_objects = 3;
    c.biconnected_components = 4;
    c.largest_biconnected_nodes = 6;
    c.parts = 1;
    c.articulation_points = 7;
    c.dominating_points = 8;
    c.important = {important, important, cuts};
  }

  StringId account_text(const char* stem, std::uint32_t number) {
    std::string text = stem + std::to_string(number);
    if (text.size() < sizes.name_bytes) text.insert(0, sizes.name_bytes - text.size(), 'a');
    return account_figures.strings.intern(text);
  }

  static AccountSums account_sums(std::uint32_t i) {
    const std::uint64_t scale = 100 + i;
    AccountSums sums;
    sums.allocated = {scale * 10, scale * 1000, 16.0, 10'000.0 * (100 + i)};
    sums.since_report = {scale * 5, scale * 500, 9.0, 400.0};
    sums.live = {scale, scale * 100, 4.0, 2.0};
    sums.calibrated = {scale - 1, scale * 90};
    sums.samples = scale / 10;
    return sums;
  }

  // Account 0 is the largest; what each has stands in one row of each list, and the rest of each list in one more.
  void fill_accounts() {
    const std::uint32_t count = sizes.accounts;
    const std::uint32_t texts = 5 * count + 8;
    auto table = StringTable::make(names, texts, std::uint64_t{texts} * (sizes.name_bytes + 24));
    must(table.ok());
    account_figures.strings = *table;
    for (std::uint32_t i = 0; i < count; ++i) {
      account_names.push_back(account_text("shop.account", i));
      AccountGroup group;
      group.account = i;
      group.principal = (i + 1) % count;
      group.sums = account_sums(count - i);
      groups.push_back(group);
      group.class_name = account_text("shop.Allocated", i);
      group.method = account_text("shop.Main.make", i);
      group.thread = account_text("worker", i);
      group.annotation = account_text("user=alice", i);
      parts.push_back(group);
    }
    account_figures.mode = AccountMode::kSampled;
    account_figures.dimensions = kByMethod | kByThread | kByUser;
    account_figures.sample_interval_bytes = 524'288;
    account_figures.live_known = true;
    account_figures.began_utc_ms = 1'600'000'000'000;
    account_figures.last_report_utc_ms = 1'650'000'000'000;
    account_figures.accounts = account_names;
    account_figures.losses = {1, 2, 3, 4, 5, 6, 7, 8};
    account_figures.sample_only = "user:alice";
    account_figures.passed_over = 9;
    AccountFindings& a = findings.accounts;
    a.figures = &account_figures;
    a.calibrated = true;
    a.heap_objects = 5000;
    a.heap_bytes = 500'000;
    a.explained_objects = 4000;
    a.explained_bytes = 400'000;
    a.accounts = {groups, count + 1};
    a.pairs = {groups, count + 2};
    a.classes = {parts, count + 3};
    a.methods = {parts, count + 4};
    a.threads = {parts, count + 5};
    a.annotations = {parts, count + 6};
    a.rest_of_accounts = account_sums(0);
    a.rest_of_pairs = account_sums(1);
  }

  // Class c has c + 1 objects in each range, of 16 bytes; every other class none that is tenured.
  void fill_ages() {
    for (std::uint32_t c = 0; c <= sizes.classes; ++c) {
      ClassAges& row = class_ages.emplace_back();
      for (std::uint32_t i = 0; i < sizes.age_ranges; ++i) {
        const bool tenured = i + 1 == sizes.age_ranges;
        if (tenured && c % 2 == 1) continue;
        const AgeCode code = tenured ? kTenured : age_code(range_begin(i));
        for (std::uint32_t o = 0; o <= c; ++o) row.add(code, 16);
      }
    }
    findings.ages = {AgeSource::kHeader, class_ages};
  }

  // Class c has a place of each kind, more where there are more than are listed.
  void fill_holders() {
    const std::uint32_t count = std::min(sizes.holders, sizes.classes);
    for (std::uint32_t c = 0; c < count; ++c) {
      std::vector<HolderPlace>& list = places.emplace_back();
      const ClassId owner{(c + 1) % sizes.classes};
      const std::uint32_t first_slot = 0;
      list.push_back({PlaceKind::kReference, RootKind::kOther, RefLabel::instance_field(first_slot),
                      owner, MethodId{}, 900 + c, 9, 5000});
      list.push_back({PlaceKind::kStaticField, RootKind::kOther, RefLabel::static_field(first_slot),
                      owner, MethodId{}, 80, 1, 400});
      list.push_back({PlaceKind::kReference, RootKind::kOther, special(SpecialRef::kReferentWeak),
                      owner, MethodId{}, 7, 7, 300});
      list.push_back(
          {PlaceKind::kRoot, RootKind::kStackLocal, RefLabel{}, ClassId{}, MethodId{}, 6, 0, 200});
      list.push_back({PlaceKind::kStaticRoot, RootKind::kStaticField, RefLabel{}, ClassId{},
                      MethodId{0}, 5, 0, 100});
      ClassHolders of;
      of.class_id = ClassId{c};
      of.places_total = 5 + c;
      of.places = list;
      of.references = 998 + c + 10 * c;
      of.bytes = 6000 + 100 * c;
      of.unplaced_references = c;
      of.unplaced_bytes = 10 * c;
      class_holders.push_back(of);
    }
    findings.holders = {true, class_holders};
  }

  void fill_aging() {
    aging.verdict.on = aging.sampled_told = true;
    aging.verdict.collections = 90;
    aging.verdict.utc_ms = 7;
    aging.verdict.looks = 8;
    aging.verdict.count = std::min<std::uint32_t>((sizes.aging + 1) / 2, kMostAgeSuspects);
    for (std::uint32_t i = 0; i < aging.verdict.count; ++i) {
      AgeSuspect& s = aging.verdict.suspects[i];
      s = {"", 100 + i, 2400, 60, 1440, 30, 4000, 8, 9, 7, 95, 99};
      std::snprintf(s.name, sizeof s.name, "shop.Pile%u", i);
    }
    aging.names = capture.snapshot.catalog.strings;
    aging.sample_interval_bytes = 65'536;
    aging.sampled.question = {10, 100, {}};
    for (std::uint32_t i = 0; i < sizes.aging; ++i) {
      SampledClass& of = sampled_classes.emplace_back();
      of.name = name("shop.sampled", i);
      of.samples[0] = 3;
      of.samples[kAgeDoublings - 1] = i;
      of.objects[0] = 300;
      of.objects[kAgeDoublings - 1] = static_cast<float>(100 * i);
      of.bytes[0] = 4800;
      of.bytes[kAgeDoublings - 1] = static_cast<float>(1600 * i);
      of.life.died_samples[1] = 5;
      of.life.died_objects[1] = 500;
      of.life.last_born = 98;
    }
    aging.names = capture.snapshot.catalog.strings;
    aging.sampled.classes = sampled_classes;
    findings.aging = &aging;
  }

  void fill_identities() {
    for (std::uint32_t i = 0; i < sizes.tracked; ++i) {
      TrackedObject& one = tracked.emplace_back(TrackedObject{ObjectId{i}, 17 + i});
      if (i % 2 == 0) one.first_sequence = 3;
      if (i % 2 == 0) one.first_utc_ms = 1'690'000'000'000;
    }
    Identities& all = findings.identities;
    all.told = true;
    all.began_utc_ms = 1'680'000'000'000;
    all.known = (sizes.tracked + 1) / 2;
    all.gone = 2;
    all.unfollowed = 1;
    all.objects = tracked;
  }

  FixtureSizes sizes;
  Ledger ledger;
  Ledger names_ledger{kMemory};
  Reservation reservation;
  Arena names;
  Arena arena;
  Capture capture;
  DumpRecord record;
  Options options;
  CancelToken cancel;
  Findings findings;

  DumpAges aging;
  std::vector<SampledClass> sampled_classes;
  std::vector<ClassRow> classes;
  std::vector<LoaderRow> loaders;
  std::vector<ThreadRow> threads;
  std::vector<StringId> fields;
  std::vector<MethodRow> methods;
  std::vector<ClassCount> histogram;
  std::vector<ClassId> class_of;
  std::vector<std::uint32_t> units;
  std::vector<std::uint32_t> first_ref;
  std::vector<ObjectId> target;
  std::vector<RefLabel> label;
  std::vector<RootRecord> roots;
  std::vector<std::uint64_t> retained;
  std::vector<ClassFigures> class_figures;
  std::vector<SetFigures> loader_figures;
  std::vector<SetFigures> package_figures;
  std::vector<ThreadFigures> thread_figures;
  std::vector<TreeNodeResult> tree;
  std::vector<ObjectId> tops;
  std::vector<RootPathResult> top_paths;
  std::vector<SuspectResult> suspects;
  std::vector<ReachableFigure> reached;
  std::vector<ClassReach> class_reach;
  std::vector<ObjectId> hidden;
  std::vector<ImportantObject> important;
  std::vector<Cut> cuts;
  std::vector<std::vector<HolderPlace>> places;
  std::vector<ClassHolders> class_holders;
  std::vector<std::vector<PathStepResult>> steps;
  AccountFigures account_figures;
  std::vector<StringId> account_names;
  std::vector<AccountGroup> groups, parts;
  std::vector<ClassAges> class_ages;
  std::vector<TrackedObject> tracked;
};

}  // namespace holdfast::analysis
