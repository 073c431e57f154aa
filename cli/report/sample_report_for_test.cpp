#include "cli/report/sample_report_for_test.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "analysis/report/file_header.h"
#include "analysis/report/report_generated.h"
#include "cli/report/sample_holders_for_test.h"

namespace holdfast::cli {
namespace {

using namespace report;
using Builder = flatbuffers::FlatBufferBuilder;
template <class T>
using Rows = std::vector<flatbuffers::Offset<T>>;

constexpr std::uint32_t kNone = 0xFFFFFFFFu;
constexpr std::uint64_t kMega = 1024 * 1024;
constexpr std::uint64_t kMillisecondNs = 1'000'000;

// Rows of Report.objects.
enum Object : std::uint32_t {
  kRegistryClass,
  kSessionMap,
  kSessionTable,
  kCache,
  kWorkerBuffer,
  kIndex,
  kFeed,
  kObjectCount
};

class Sampler {
 public:
  explicit Sampler(const SampleReport& sample) : sample_(sample) { id(""); }

  std::vector<std::byte> file() {
    builder_.Finish(root(), ReportIdentifier());
    std::vector<std::byte> image(analysis::kReportHeaderBytes + builder_.GetSize());
    const auto* payload = reinterpret_cast<const std::byte*>(builder_.GetBufferPointer());
    std::copy(payload, payload + builder_.GetSize(), image.begin() + analysis::kReportHeaderBytes);
    analysis::write_header(image);
    return image;
  }

 private:
  std::uint32_t id(const std::string& text) {
    const auto [at, added] = ids_.try_emplace(text, static_cast<std::uint32_t>(strings_.size()));
    if (added) strings_.push_back(text);
    return at->second;
  }
  bool analysed() const { return !sample_.simple && !sample_.only_classes; }
  bool condensed() const { return analysed() && !sample_.before_1_4 && !sample_.no_room; }
  std::uint32_t session() { return id(sample_.session_class); }

  // What grows with the sessions; `at_first`: with those of the sample as it is.
  std::uint64_t grown(std::uint64_t at_first) const {
    return at_first * sample_.sessions / SampleReport{}.sessions;
  }
  std::uint64_t more(std::uint64_t at_first) const { return grown(at_first) - at_first; }

  flatbuffers::Offset<Origin> origin() {
    const std::uint64_t later_ms = sample_.minutes_later * 60'000;
    return CreateOrigin(builder_, id("0.1.0"), id("OpenJDK 64-Bit Server VM"), id("17.0.17+10"),
                        id("Debian"), id("G1"), id(sample_.main_name), id(sample_.host), id(""),
                        sample_.pid, 0x0123456789ABCDEF, 1'795'249'412'004 + later_ms,
                        3'725'000 + later_ms,
                        1 + static_cast<std::uint32_t>(sample_.minutes_later));
  }
  flatbuffers::Offset<CaptureFacts> capture() {
    CaptureFactsBuilder facts(builder_);
    facts.add_kind(sample_.simple && !sample_.written ? DumpKind::Simple : DumpKind::Extended);
    facts.add_trigger(ids_.at("signal"));
    const char* const without_graph = sample_.written ? "frozen, written" : "histogram";
    facts.add_rung(ids_.at(sample_.simple ? without_graph : "walk"));
    facts.add_merged_requests(1);
    facts.add_predicted_pause_ns(410 * kMillisecondNs);
    facts.add_pause_ns(387'654'321);
    facts.add_pause_limit_ns(sample_.unlimited_pause ? UINT64_MAX : 1000 * kMillisecondNs);
    facts.add_prepare_ns(12 * kMillisecondNs);
    facts.add_seal_ns(95 * kMillisecondNs);
    facts.add_capture_ns(500 * kMillisecondNs);
    facts.add_heap_used_before_bytes(96 * kMega);
    facts.add_heap_used_after_bytes(96 * kMega);
    facts.add_heap_committed_bytes(128 * kMega);
    facts.add_heap_max_bytes(256 * kMega);
    facts.add_objects_unknown_class(sample_.losses ? 1 : 0);
    facts.add_roots_dropped(sample_.losses ? 3 : 0);
    facts.add_references_to_unknown(sample_.losses ? 1234 : 0);
    facts.add_names_dropped(sample_.losses ? 2 : 0);
    return facts.Finish();
  }
  flatbuffers::Offset<MemoryFacts> memory() {
    const Rows<LedgerRow> rows{CreateLedgerRow(builder_, id("capture"), 40 * kMega),
                               CreateLedgerRow(builder_, id("graph"), 52 * kMega),
                               CreateLedgerRow(builder_, id("analysis"), 31 * kMega)};
    return CreateMemoryFactsDirect(builder_, 512 * kMega, 84 * kMega, &rows, 74 * kMega,
                                   90 * kMega);
  }
  Rows<PassRow> passes() {
    Rows<PassRow> rows{
        CreatePassRow(builder_, id("histogram"), 3 * kMillisecondNs, 3 * kMillisecondNs, 4096, 0)};
    if (!analysed()) return rows;
    rows.push_back(CreatePassRow(builder_, id("dominators"), 180 * kMillisecondNs,
                                 175 * kMillisecondNs, 31 * kMega, 0));
    const std::uint32_t reason = sample_.losses ? id("needs 600 MB, 428 MB are left") : 0;
    rows.push_back(CreatePassRow(builder_, id("suspects"), 9 * kMillisecondNs, 9 * kMillisecondNs,
                                 kMega, reason));
    if (sample_.before_1_4) return rows;
    rows.push_back(condensed_pass("holders", 4, "out of budget"));
    rows.push_back(condensed_pass("condensation", 20, "out of budget"));
    rows.push_back(condensed_pass("reachable sizes", 30, "the pass it builds on was left out"));
    rows.push_back(condensed_pass("cuts", 10, "the pass it builds on was left out"));
    return rows;
  }

  flatbuffers::Offset<PassRow> condensed_pass(const char* name, std::uint64_t ms,
                                              const char* why_not) {
    if (sample_.no_room) return CreatePassRow(builder_, id(name), 0, 0, 0, id(why_not));
    return CreatePassRow(builder_, id(name), ms * kMillisecondNs, ms * kMillisecondNs, 8 * kMega);
  }

  struct ClassSpec {
    const char* name;
    std::uint32_t loader;
    std::uint64_t instances, shallow, retained, largest;
    bool platform;
  };
  flatbuffers::Offset<ClassRow> class_row(const ClassSpec& c) {
    const bool sessions = std::string_view(c.name) == "session";
    return CreateClassRow(builder_, sessions ? session() : id(c.name), c.loader, c.instances,
                          c.shallow, analysed() ? c.retained : 0, analysed() ? c.largest : 0, 0, 0,
                          c.platform, condensed() ? c.largest + c.largest / 20 : 0,
                          condensed() && sample_.estimates && sessions);
  }
  Rows<ClassRow> classes() {
    const ClassSpec specs[] = {
        {"session", 1, grown(4812), grown(154 * 1024), grown(61 * kMega), 13 * 1024, false},
        {"java.util.concurrent.ConcurrentHashMap", 0, 41, 2624, kMega + grown(61 * kMega),
         kMega + grown(61 * kMega), true},
        {"byte[]", 0, 31'204, grown(58 * kMega), grown(58 * kMega), 4 * kMega, true},
        {"com.acme.shop.catalogue.internal.cache.ProductRecommendationCache$SharedIndexEntry", 1,
         20'000, 640'000, 9 * kMega, 2 * kMega, false},
        {"java.lang.String", 0, 54'321, 54'321 * 24, 4 * kMega, 2048, true},
    };
    Rows<ClassRow> rows;
    for (const ClassSpec& spec : specs) rows.push_back(class_row(spec));
    for (const SampleClass& c : sample_.more_classes)
      rows.push_back(
          class_row({c.name.c_str(), 1, c.instances, c.shallow_bytes, c.retained_bytes, 0, false}));
    return rows;
  }
  // Loaders and threads are listed whether they were asked for or not, then without retained sizes.
  Rows<LoaderRow> loaders() {
    if (sample_.only_classes)
      return {CreateLoaderRow(builder_, id("boot"), 512, 120'000, 70 * kMega, 0, true),
              CreateLoaderRow(builder_, id("app"), 23, 24'900, kMega, 0, false)};
    return {CreateLoaderRow(builder_, id("boot"), 512, 120'000, 70 * kMega, 24 * kMega, true),
            CreateLoaderRow(builder_, id("app"), 23, 24'900, kMega, 71 * kMega, false)};
  }
  Rows<PackageRow> packages() {
    if (sample_.only_classes) return {};
    return {
        CreatePackageRow(builder_, id("shop"), 12, 4900, 160 * 1024, 62 * kMega),
        CreatePackageRow(builder_, id("java.util.concurrent"), 30, 9800, 320 * 1024, 62 * kMega)};
  }
  Rows<ThreadRow> threads() {
    if (sample_.only_classes || sample_.simple) {
      const Rows<FrameRow> no_frames;
      return {CreateThreadRowDirect(builder_, id(sample_.thread_name), true, 0, 0, &no_frames)};
    }
    const Rows<FrameRow> frames{
        CreateFrameRow(builder_, id("shop.Worker"), id("run"), 2, 3, 4 * kMega, kWorkerBuffer)};
    const Rows<FrameRow> none;
    return {CreateThreadRowDirect(builder_, id(sample_.thread_name), true, 4 * kMega + 4096, 5,
                                  &frames),
            CreateThreadRowDirect(builder_, id("main"), false, 2048, 2, &none)};
  }
  flatbuffers::Offset<ObjectRow> object_row(const char* name, std::uint32_t loader,
                                            std::uint64_t shallow, std::uint64_t retained,
                                            std::uint64_t reachable, const char* stands_for = "") {
    return CreateObjectRow(builder_, id(name), loader, id(stands_for), shallow, retained,
                           condensed() ? reachable : 0,
                           condensed() && sample_.estimates && reachable > retained);
  }
  Rows<ObjectRow> objects() {
    return {object_row("java.lang.Class", 0, 112, 62 * kMega, 0, "shop.SessionRegistry"),
            object_row("java.util.concurrent.ConcurrentHashMap", 0, 64,
                       62 * kMega - 112 + more(61 * kMega), 62 * kMega - 112),
            object_row("java.util.concurrent.ConcurrentHashMap$Node[]", 0, 32 * 1024,
                       61 * kMega + 524'288 + more(61 * kMega), 74 * kMega),
            object_row("com.acme.shop.catalogue.internal.cache.ProductRecommendationCache", 1, 48,
                       9 * kMega, 11 * kMega),
            object_row("byte[]", 0, 4 * kMega, 4 * kMega, 4 * kMega),
            object_row("shop.search.Index", 1, 24, 24, 12 * kMega + 300'000),
            object_row("shop.export.Feed", 1, 32, 4128, 12 * kMega + 304'000)};
  }

  flatbuffers::Offset<ReachableFacts> reachable() {
    if (!condensed()) return {};
    constexpr std::uint64_t kNoLimit = UINT64_MAX;
    const std::uint64_t limits[] = {1024,       10'240,     102'400,    1'024'000,   10 * kMega,
                                    25 * kMega, 50 * kMega, 75 * kMega, 100 * kMega, kNoLimit};
    const std::uint64_t objects[] = {120'000, 15'000, 5000, 900, 60, 40, 0, 0, 0, 0};
    Rows<DifferenceRow> rows;
    for (std::size_t i = 0; i < std::size(limits); ++i)
      rows.push_back(CreateDifferenceRow(builder_, limits[i], objects[i]));
    const std::vector<std::uint32_t> hidden{kFeed, kIndex};
    const bool estimates = sample_.estimates;
    return CreateReachableFactsDirect(builder_, 138'000, 21'000, estimates ? 1200 : 0,
                                      estimates ? EstimateReason::Time : EstimateReason::None,
                                      estimates ? 89 : 0, 200'000 * kMega / 1000,
                                      900'000 * kMega / 1000, &rows, &hidden);
  }

  flatbuffers::Offset<CutRow> cut(std::uint32_t referrer, flatbuffers::Offset<PathStep> reference,
                                  flatbuffers::Offset<RootPath> root, std::uint32_t references,
                                  std::uint64_t objects, std::uint64_t bytes, bool point) {
    return CreateCutRow(builder_, referrer, reference, root, references, objects, bytes, point);
  }
  flatbuffers::Offset<CutRow> session_cut() {
    const auto reference =
        step(kSessionMap, StepKind::StaticField, "SESSIONS", "shop.SessionRegistry");
    if (!sample_.static_roots) return cut(kRegistryClass, reference, {}, 1, 9700, 62 * kMega, true);
    const Rows<PathStep> steps{
        step(kSessionMap, StepKind::StaticField, "SESSIONS", "shop.SessionRegistry")};
    return cut(kNone, reference,
               CreateRootPathDirect(builder_, RootKind::StaticField, kNone, 0, 0, 0, 0,
                                    Strength::Strong, 1, &steps, 0, 0),
               0, 9700, 62 * kMega, true);
  }
  flatbuffers::Offset<CutFacts> cuts() {
    if (!condensed()) return {};
    const Rows<ImportantRow> references{
        CreateImportantRow(builder_, kSessionTable, 65'536, 1, true),
        CreateImportantRow(builder_, kFeed, 12, 3, false)};
    const Rows<ImportantRow> referrers{CreateImportantRow(builder_, kWorkerBuffer, 0, 812, false)};
    const Rows<CutRow> rows{
        session_cut(),
        cut(kSessionTable, step(kCache, StepKind::Element, "", "", 17), {}, 2, 20'001, 9 * kMega,
            false),
        cut(kNone, step(kWorkerBuffer, StepKind::Root), local_path(), 0, 1, 4 * kMega, false)};
    return CreateCutFactsDirect(builder_, 138'000, 40, 3040, 2500, 9000, 110'000, 3, 4100, 87'000,
                                &references, &referrers, &rows);
  }

  flatbuffers::Offset<HolderFacts> holders() {
    if (!condensed()) return {};
    const HolderSample sample{grown(4812), grown(154 * 1024), grown(54 * kMega), session(),
                              sample_.static_roots};
    return sample_holders(builder_, sample, [this](const char* text) { return id(text); });
  }

  struct AccountSpec {
    const char *account, *principal, *class_name, *method, *thread;
    std::uint64_t objects, bytes, live_objects, live_bytes, calibrated_bytes;
    const char* annotation = "";
  };
  // Errors of a tenth where there are samples.
  flatbuffers::Offset<AccountRow> account_row(const AccountSpec& a) {
    const bool counted = sample_.exact_accounts;
    const bool live = !counted;
    const std::uint64_t part = counted ? 0 : 10, before = sample_.first_accounts ? 1 : 4;
    const auto error = [part](std::uint64_t value) { return part == 0 ? 0 : value / part; };
    const std::uint64_t objects = grown(a.objects), bytes = grown(a.bytes);
    return CreateAccountRow(
        builder_, id(a.account), id(a.principal), id(a.class_name), id(a.method), id(a.thread),
        objects, bytes, error(objects), error(bytes), objects / before, bytes / before,
        error(objects / before), error(bytes / before), live ? grown(a.live_objects) : 0,
        live ? grown(a.live_bytes) : 0, live ? grown(a.live_objects) / 20 : 0,
        live ? grown(a.live_bytes) / 20 : 0, live ? grown(a.calibrated_bytes) / 32 : 0,
        live ? grown(a.calibrated_bytes) : 0, counted ? 0 : bytes / 524'288, id(a.annotation));
  }
  template <std::size_t N>
  Rows<AccountRow> account_rows(const AccountSpec (&specs)[N], bool told = true) {
    Rows<AccountRow> rows;
    for (std::size_t i = 0; told && i < N; ++i) rows.push_back(account_row(specs[i]));
    return rows;
  }
  flatbuffers::Offset<AccountFacts> accounts() {
    if (!sample_.accounts) return {};
    constexpr const char *kShop = "shop.*", *kSearch = "shop.search.*", *kNobody = "(unaccounted)";
    const bool exact = sample_.exact_accounts;
    const AccountSpec all[] = {
        {kShop, "", "", "", "", 900'000, 1200 * kMega, 60'000, 60 * kMega, 58 * kMega},
        {kSearch, "", "", "", "", 4000, 300 * kMega, 90, 12 * kMega, 13 * kMega},
        {kNobody, "", "", "", "", 700, 9 * kMega, 20, 700'000, 500'000},
        {"shop.export.*", "", "", "", "", 0, 0, 0, 0, 0}};
    const AccountSpec pairs[] = {
        {kShop, kNobody, "", "", "", 890'000, 1190 * kMega, 59'900, 59 * kMega, 57 * kMega},
        {kSearch, kShop, "", "", "", 4000, 300 * kMega, 90, 12 * kMega, 13 * kMega},
        {kShop, kSearch, "", "", "", 10'000, 10 * kMega, 100, kMega, kMega}};
    const AccountSpec classes[] = {
        {kShop, "", "byte[]", "", "", 100'000, 1000 * kMega, 900, 50 * kMega, 48 * kMega},
        {kShop, "", sample_.session_class.c_str(), "", "", 700'000, 150 * kMega, 4812, 8 * kMega,
         7 * kMega},
        {kSearch, "", "", "", "", 4000, 300 * kMega, 90, 12 * kMega, 13 * kMega}};
    const AccountSpec methods[] = {
        {kShop, "", "byte[]", "shop.Worker.run", "", 90'000, 900 * kMega, 0, 0, 0},
        {kShop, "", sample_.session_class.c_str(), "shop.Login.open", "", 700'000, 150 * kMega, 0,
         0, 0}};
    const AccountSpec threads[] = {
        {kShop, "", "", "", sample_.thread_name.c_str(), 800'000, 1100 * kMega, 0, 0, 0}};
    const AccountSpec annotations[] = {
        {kShop, "", "", "", "", 500'000, 700 * kMega, 30'000, 30 * kMega, 29 * kMega,
         "user=alice request=/cart"},
        {kShop, "", "", "", "", 400'000, 500 * kMega, 30'000, 30 * kMega, 29 * kMega}};
    const Rows<AccountRow> account_list = account_rows(all), pair_list = account_rows(pairs),
                           class_list = account_rows(classes),
                           method_list = account_rows(methods, exact),
                           thread_list = account_rows(threads, exact),
                           annotation_list = account_rows(annotations, !exact);
    const AccountSpec rest{"", "", "", "", "", 3, 4096, 2, 2048, 1024};
    const auto rest_of_accounts = account_row(rest);
    const auto rest_of_pairs = account_row({"", "", "", "", "", 703, 9 * kMega + 4096, 22, 0, 0});
    const std::uint64_t now = 1'795'249'412'004 + sample_.minutes_later * 60'000;
    return CreateAccountFactsDirect(
        builder_, exact ? AccountMode::Exact : AccountMode::Sampled, exact, exact, !exact, !exact,
        exact ? 0 : 524'288, 1'795'249'412'004 - 3'600'000 + sample_.accounts_begun_later * 60'000,
        sample_.first_accounts ? 0 : now - 900'000, 141'000, 85 * kMega, 100'000, 72 * kMega,
        sample_.losses ? 5 : 0, sample_.losses ? 7 : 0, 0, 0, sample_.losses ? 1 : 0,
        sample_.losses ? 2 : 0, 0, &account_list, sample_.all_accounts ? 4 : 6, rest_of_accounts,
        &pair_list, 5, rest_of_pairs, &class_list, 9, &method_list, 2, &thread_list, 1, !exact,
        &annotation_list, 2, sample_.losses ? 3 : 0, sample_.losses ? id("user:alice") : 0,
        sample_.losses ? 1200 : 0);
  }

  // Survivors of a few collections and many old ones; what is not listed is young.
  flatbuffers::Offset<AgeClassRow> aged(std::uint32_t name, std::uint32_t loader,
                                        const std::vector<std::uint64_t>& objects,
                                        std::uint64_t bytes_each, std::uint32_t distinct) {
    std::vector<std::uint64_t> bytes(objects);
    for (std::uint64_t& each : bytes) each *= bytes_each;
    return CreateAgeClassRowDirect(builder_, name, loader, &objects, &bytes, distinct);
  }
  flatbuffers::Offset<AgingFacts> aging() {
    if (!sample_.aging) return {};
    const std::vector<std::uint64_t> live{10, 20, 30, 400, 600}, died{90'000, 300, 2};
    const std::vector<flatbuffers::Offset<AgingSuspect>> suspects{CreateAgingSuspect(
        builder_, session(), 4812, 154'000, 1880, 60'160, 1204, 93'000, 12, 41, 38, 98, 99)};
    // Of the second nothing was sampled for five minutes, of the third nothing but at the start.
    const std::vector<flatbuffers::Offset<AgingClassRow>> classes{
        CreateAgingClassRowDirect(builder_, session(), 53, 1060, 33'920, 1000, 32'000, &live, 4512,
                                  &died, 0, 140, 4500, 4565, 1301, 1310, 0, 20, 1),
        CreateAgingClassRowDirect(builder_, id("shop.ImportRow"), 40, 500, 20'000, 500, 20'000,
                                  &live, 0, &died, 640, 80, 3200, 160, 120, 1200, 90'000, 310'000,
                                  1e-12F),
        CreateAgingClassRowDirect(builder_, id("shop.PriceTable"), 9, 10, 1000, 10, 1000, &live, 0,
                                  &died, 1305, 3, 300, 9, 2, 1310, 800'000, 3'595'000, 1e-9F),
        CreateAgingClassRowDirect(builder_, id("byte[]"), 12, 900, 21'600, 12, 288, &died, 0, &live,
                                  77)};
    return CreateAgingFactsDirect(builder_, 1312, 1'763'713'412'004, 3, 12, true, 128 << 10,
                                  &suspects, &classes, 45, 80'000, 3'600'000);
  }
  flatbuffers::Offset<CollectionFacts> collections() {
    if (!sample_.collections) return {};
    CollectionFactsBuilder facts(builder_);
    facts.add_young(1041);
    facts.add_pause_ns(3125 * kMillisecondNs);
    facts.add_last_pause_ns(7 * kMillisecondNs);
    if (sample_.untold_collections) return facts.Finish();
    facts.add_full(2);
    facts.add_concurrent(3);
    facts.add_heard(38);
    facts.add_heard_since_utc_ms(1'795'249'000'000);
    facts.add_longest_pause_ns(12 * kMillisecondNs);
    facts.add_reclaimed_bytes(1234 * kMega);
    facts.add_before_bytes(80 * kMega);
    facts.add_after_bytes(30 * kMega);
    facts.add_last_report_utc_ms(1'795'249'300'000);
    facts.add_since_report_young(4);
    facts.add_since_report_full(1);
    facts.add_since_report_concurrent(0);
    facts.add_since_report_pause_ns(40 * kMillisecondNs);
    facts.add_since_report_reclaimed_bytes(200 * kMega);
    return facts.Finish();
  }
  // The map, its table and the cache are known since the first dump, the cache for an hour; the worker's buffer is another each time.
  flatbuffers::Offset<TrackFacts> tracking() {
    if (!sample_.tracking) return {};
    const std::uint64_t now_ms = 1'795'249'412'004 + sample_.minutes_later * 60'000;
    const std::uint64_t began_ms = 1'795'249'300'000 + sample_.tracking_begun_later * 60'000;
    const auto sequence = 1 + static_cast<std::uint32_t>(sample_.minutes_later);
    const auto known = [&](Object object, std::uint32_t number) {
      return CreateTrackedRow(builder_, object, number, 1, 1'795'249'412'004);
    };
    Rows<TrackedRow> rows;
    if (analysed()) rows = {known(kSessionMap, 2), known(kSessionTable, 3)};
    const bool cached = analysed() && sample_.minutes_later < 60;
    if (cached) rows.push_back(known(kCache, 5));
    if (analysed())
      rows.push_back(CreateTrackedRow(builder_, kWorkerBuffer, 10 + sequence, sequence, now_ms));
    const bool first = sample_.minutes_later == 0;
    return CreateTrackFactsDirect(builder_, began_ms, first ? 0 : 3, first ? 0 : 1, first ? 0 : 2,
                                  first ? 4 : 1, &rows);
  }
  flatbuffers::Offset<AgeFacts> ages() {
    if (!sample_.ages) return {};
    if (sample_.untold_ages) {
      const std::vector<std::uint32_t> no_ranges;
      const Rows<AgeClassRow> no_rows;
      return CreateAgeFactsDirect(builder_, AgeSource::None, &no_ranges, &no_rows);
    }
    constexpr std::uint32_t kTenuredName = 4'294'967'294u;
    const bool by_range = sample_.aged_ranges;
    const std::vector<std::uint32_t> ranges =
        by_range ? std::vector<std::uint32_t>{0, 2, 16, 512, 65'536}
                 : std::vector<std::uint32_t>{0, 1, 2, 8, kTenuredName};
    const Rows<AgeClassRow> rows{
        aged(session(), 1, {0, 12, 300, 500, grown(4000)}, 32, by_range ? 141 : 11),
        aged(id("byte[]"), kNone, {90'000, 0, 2000, 0, 900}, 24, 2),
        aged(id("java.lang.String"), 0, {3000, 1, 0, 0, 0}, 24, 2)};
    return CreateAgeFactsDirect(
        builder_, by_range ? AgeSource::Ranges : AgeSource::Header, &ranges, &rows, 530,
        aged(0, kNone, {30'000, 10, 0, 0, 5}, 16, 3),
        aged(0, kNone, {1'000'000, 100'000, 100'000, 100'000, 1'000'000}, 32, by_range ? 150 : 13));
  }

  flatbuffers::Offset<PathStep> step(Object object, StepKind kind, const char* field = "",
                                     const char* owner = "", std::uint32_t index = 0) {
    return CreatePathStep(builder_, object, kind, id(field), index, false, id(owner));
  }
  flatbuffers::Offset<RootPath> session_path(bool to_table) {
    Rows<PathStep> steps;
    if (!sample_.static_roots) steps.push_back(step(kRegistryClass, StepKind::Root));
    steps.push_back(step(kSessionMap, StepKind::StaticField, "SESSIONS", "shop.SessionRegistry"));
    if (to_table) steps.push_back(step(kSessionTable, StepKind::InstanceField, "table"));
    return CreateRootPathDirect(builder_, session_root(), kNone, 0, 0, 0, 0, Strength::Strong,
                                static_cast<std::uint32_t>(steps.size()), &steps, 0, 0);
  }
  RootKind session_root() const {
    return sample_.static_roots ? RootKind::StaticField : RootKind::SystemClass;
  }
  RootKind frame_root() const {
    return sample_.possible_slots ? RootKind::PossibleStackSlot : RootKind::StackLocal;
  }
  // A long path in a thread, over an array and a soft reference, its middle left out.
  flatbuffers::Offset<RootPath> cache_path() {
    const Rows<PathStep> steps{step(kWorkerBuffer, StepKind::Root),
                               step(kSessionTable, StepKind::Element, "", "", 70'000),
                               step(kSessionMap, StepKind::Referent, "referent"),
                               step(kCache, StepKind::InstanceField, "index")};
    return CreateRootPathDirect(builder_, frame_root(), 0, id("shop.Worker"), id("run"), 2, 3,
                                Strength::Soft, 104, &steps, 100, 1);
  }
  flatbuffers::Offset<RootPath> local_path() {
    const Rows<PathStep> steps{step(kWorkerBuffer, StepKind::Root)};
    return CreateRootPathDirect(builder_, frame_root(), 0, id("shop.Worker"), id("run"), 2, 1,
                                Strength::Strong, 1, &steps, 0, 0);
  }
  flatbuffers::Offset<Suspect> session_suspect() {
    const Rows<GroupLevel> levels{
        CreateGroupLevel(builder_, id("java.util.concurrent.ConcurrentHashMap$Node"), 4812,
                         154 * 1024, 61 * kMega + 150'000, true),
        CreateGroupLevel(builder_, session(), 4812, 154 * 1024, 61 * kMega, false)};
    const std::vector<std::uint32_t> evidence{
        id("4,812 instances of one class lie under one array; the next largest class there has "
           "none"),
        id("retained size falls from 61.5 MB to 13.0 KB in one step below "
           "java.util.concurrent.ConcurrentHashMap$Node[]")};
    return CreateSuspectDirect(builder_, SuspectKind::Group, session(), 1, 4812, 154 * 1024,
                               61 * kMega, 720, kSessionTable, id("shop.SessionRegistry"),
                               id("SESSIONS"), &levels, session_path(true), 95, &evidence);
  }
  flatbuffers::Offset<Suspect> cache_suspect() {
    const Rows<GroupLevel> levels;
    const std::vector<std::uint32_t> evidence{
        id("one object retains 9.0 MB and is held by a soft reference")};
    const std::uint32_t name =
        id("com.acme.shop.catalogue.internal.cache.ProductRecommendationCache");
    return CreateSuspectDirect(builder_, SuspectKind::SingleObject, name, 1, 1, 48, 9 * kMega, 106,
                               kCache, id("shop.Worker"), id("run"), &levels, cache_path(), 40,
                               &evidence);
  }

  Rows<TreeNode> tree() {
    const std::uint64_t more_bytes = more(61 * kMega);
    const std::uint64_t map_bytes = 62 * kMega - 112 + more_bytes;
    if (sample_.static_roots)
      return {CreateTreeNode(builder_, kSessionMap, kNone, 0, 0, 64, map_bytes, 1, 0, 0),
              CreateTreeNode(builder_, kSessionTable, 0, 0, 0, 32 * 1024,
                             61 * kMega + 524'288 + more_bytes, sample_.sessions, 0, 0)};
    return {CreateTreeNode(builder_, kRegistryClass, kNone, 0, 0, 112, 62 * kMega + more_bytes, 1,
                           0, 0),
            CreateTreeNode(builder_, kSessionMap, 0, 0, 0, 64, map_bytes, 1, 0, 0),
            CreateTreeNode(builder_, kSessionTable, 1, 0, 0, 32 * 1024,
                           61 * kMega + 524'288 + more_bytes, sample_.sessions, 0, 0),
            CreateTreeNode(builder_, kNone, 2, session(), grown(4000), grown(128'000),
                           grown(50 * kMega), grown(4000), grown(4000), grown(49 * kMega)),
            CreateTreeNode(builder_, kCache, kNone, 0, 0, 48, 9 * kMega, 20'000, 20'000,
                           9 * kMega - 48),
            CreateTreeNode(builder_, kWorkerBuffer, kNone, 0, 0, 4 * kMega, 4 * kMega, 0, 0, 0)};
  }
  flatbuffers::Offset<GraphFacts> graph() {
    const Rows<StrengthRow> strengths{
        CreateStrengthRow(builder_, Strength::Strong, 140'000, 84 * kMega),
        CreateStrengthRow(builder_, Strength::Soft, 1000, kMega)};
    const Rows<RootKindRow> kinds{
        CreateRootKindRow(builder_, session_root(), 1900, 1900, 78 * kMega),
        CreateRootKindRow(builder_, frame_root(), 7, 6, 4 * kMega)};
    const std::uint64_t objects = 141'000 + more(4812);
    const std::uint64_t bytes = 85 * kMega + more(61 * kMega);
    const Rows<RootKindRow> uncounted{CreateRootKindRow(builder_, RootKind::SystemClass, 0, 0, 0)};
    if (sample_.only_classes)
      return CreateGraphFactsDirect(builder_, objects, 390'500, 2044, bytes, 0, 0, 0, 0, kNone,
                                    &strengths, &uncounted);
    return CreateGraphFactsDirect(builder_, objects, 390'500, 2044, bytes, objects, bytes, 17,
                                  65'536, kSessionTable, &strengths, &kinds);
  }

  flatbuffers::Offset<Report> root() {
    for (const char* word : {"signal", "histogram", "walk"}) id(word);
    if (sample_.written) id("frozen, written");
    Rows<Option> options{CreateOption(builder_, id("dir"), id("/var/dumps")),
                         CreateOption(builder_, id("on"), id("oom+exit"))};
    if (!sample_.retain.empty())
      options.push_back(CreateOption(builder_, id("retain"), id(sample_.retain)));
    const bool graph_there = analysed();
    const bool suspects_there = graph_there && sample_.suspects;
    const Rows<Suspect> suspects =
        suspects_there ? Rows<Suspect>{session_suspect(), cache_suspect()} : Rows<Suspect>{};
    const std::vector<std::uint32_t> notes{id(sample_.note)};
    const auto graph_facts = !sample_.simple ? graph() : flatbuffers::Offset<GraphFacts>{};
    const Rows<PassRow> pass_rows = passes();
    const Rows<ClassRow> class_rows = classes();
    const Rows<LoaderRow> loader_rows = loaders();
    const Rows<PackageRow> package_rows = packages();
    const Rows<ThreadRow> thread_rows = threads();
    const Rows<ObjectRow> object_rows = graph_there ? objects() : Rows<ObjectRow>{};
    const Rows<TreeNode> tree_rows = graph_there ? tree() : Rows<TreeNode>{};
    const std::vector<std::uint32_t> top =
        graph_there ? std::vector<std::uint32_t>{kSessionMap, kCache, kWorkerBuffer}
                    : std::vector<std::uint32_t>{};
    const Rows<RootPath> top_paths =
        graph_there ? Rows<RootPath>{session_path(false), cache_path(), local_path()}
                    : Rows<RootPath>{};
    const auto rest = sample_.whole_list ? CreateClassRow(builder_)
                                         : CreateClassRow(builder_, 0, kNone, 30'622, 22 * kMega,
                                                          graph_there ? 30 * kMega : 0, kMega);
    const std::uint32_t listed = static_cast<std::uint32_t>(class_rows.size());
    const auto threads_total = static_cast<std::uint32_t>(thread_rows.size());
    const std::uint32_t classes_total = sample_.whole_list ? listed : 530 + listed;
    const auto who = origin();
    const auto how = capture();
    const auto ledger = memory();
    const auto reachable_facts = reachable();
    const auto cut_facts = cuts();
    const auto account_facts = accounts();
    const auto age_facts = ages();
    const auto aging_facts = aging();
    const auto collection_facts = collections();
    const auto track_facts = tracking();
    const auto holder_facts = holders();
    const auto facts = sample_states(builder_, condensed(), [this](auto t) { return id(t); });
    return CreateReportDirect(
        builder_, &string_rows(), who, &options, how, ledger, &pass_rows, &notes, graph_facts,
        &class_rows, classes_total, rest, &loader_rows, &package_rows, &thread_rows, &object_rows,
        &tree_rows, &top, &top_paths, &suspects, 2, CreateLoaderRow(builder_),
        sample_.only_classes ? 0 : 40, CreatePackageRow(builder_, 0, 493, 130'200, 84 * kMega, 0),
        threads_total, sample_.losses ? 4 : 0, sample_.losses ? 1 : 0,
        static_cast<std::uint32_t>(suspects.size()), reachable_facts, cut_facts, account_facts,
        age_facts, aging_facts, collection_facts, track_facts, holder_facts, false, facts);
  }
  const Rows<flatbuffers::String>& string_rows() {
    for (const std::string& text : strings_)
      string_rows_.push_back(builder_.CreateString(
          text.empty() ? text : sample_.before_texts + text + sample_.behind_texts));
    return string_rows_;
  }

  const SampleReport& sample_;
  Builder builder_;
  std::map<std::string, std::uint32_t> ids_;
  std::vector<std::string> strings_;
  Rows<flatbuffers::String> string_rows_;
};

}  // namespace

std::vector<std::byte> sample_file(const SampleReport& sample) { return Sampler(sample).file(); }

TemporaryFile::TemporaryFile(const std::vector<std::byte>& bytes, const std::string& name) {
  std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = pattern;
  path_ = directory_ + "/" + name;
  std::ofstream file(path_, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace holdfast::cli
