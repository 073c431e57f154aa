// Report files for the command's tests: a shop whose sessions are forgotten in a static map, in several variants.
// Why by hand: the command is tested against the format, not against the writer.
// Shape:  a few rows of everything.   Zone: offline.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::cli {

// One more row in the table of classes, of the loader "app".
struct SampleClass {
  std::string name;
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
};

struct SampleReport {
  bool simple = false;   // no graph, no suspects
  bool written = false;  // with simple: the graph was written to a file, not analysed
  bool suspects = true;
  bool only_classes = false;  // analyses=classes: the graph is there, nothing else was looked for
  bool unlimited_pause = false;  // a person asked for it by name
  bool static_roots = false;  // a VM without class objects: the sessions' static field is a GC root
  bool possible_slots = false;  // the runtime does not say what of the stack is a reference
  bool losses = false;          // some of everything was dropped
  bool before_1_4 = false;      // no reachable sizes and no cuts
  bool estimates = false;       // of reachable sizes: time ran out
  bool no_room = false;         // the condensation was left out, and what stands on it
  bool accounts = false;        // memory accounts, sampled
  bool exact_accounts =
      false;              // with accounts: counted, by method and thread; nobody tells what lives
  bool tracking = false;  // the largest objects have numbers; since the first dump of that process
  std::uint64_t tracking_begun_later = 0;  // minutes; an agent that was loaded anew
  bool ages = false;                       // of all objects, from headers
  bool aging = false;                      // of samples, and a class that piles up
  bool collections = false;                // of which some were heard
  bool untold_collections = false;         // with it: none was heard, and full ones are not told
  bool untold_ages =
      false;  // with ages: of all objects none, as where only others of their kind are told
  bool aged_ranges = false;                    // with ages: as a CLR has them
  bool all_accounts = false;                   // with accounts: each has a row
  bool first_accounts = false;                 // with accounts: no report before told them
  std::uint64_t accounts_begun_later = 0;      // minutes; an agent that was loaded anew
  std::string session_class = "shop.Session";  // what piles up
  std::string thread_name = "worker-1";
  std::string note = "capture=frozen is not built yet, so the heap was walked";

  // Around every text of the report, whatever it is.
  std::string before_texts = {}, behind_texts = {};

  // What reports that are compared differ in.
  std::uint64_t sessions = 4812;    // what they and their bytes take grows with them
  std::uint64_t minutes_later = 0;  // of the same process
  std::uint32_t pid = 4242;
  std::string main_name = "shop.Main";
  std::string host = "web1";
  std::string retain = {};  // an option in force; empty: not in the report
  bool whole_list = false;  // no class is left out of the table
  std::vector<SampleClass> more_classes = {};
};

// A whole file image: header, checksum, flatbuffer.
std::vector<std::byte> sample_file(const SampleReport& sample);

// A file in a directory of its own that goes when this does.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::vector<std::byte>& bytes, const std::string& name = "shop.hfr");
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string directory_, path_;
};

}  // namespace holdfast::cli
