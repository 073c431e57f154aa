#include "cli/attach/vm_counters.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <filesystem>

#include "platforms/foreign_files.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using Words = std::vector<std::string>;

void append_number(std::string& to, std::size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    to += static_cast<char>(static_cast<std::uint32_t>(value) >> shift & 0xFF);
}

// Texts as entries, after one that is a number, as a VM writes them.
class CountersFile {
 public:
  CountersFile() {
    add("sun.rt.createVmBeginTime", "12345678");
    entries_[12] = 'J';
  }
  CountersFile& add(const std::string& name, const std::string& text) {
    constexpr std::size_t kHead = 20;
    const std::size_t data = kHead + name.size() + 1;
    std::string entry;
    for (const std::size_t field : {data + text.size() + 1, kHead, text.size() + 1})
      append_number(entry, field);
    entry += std::string("B\0\0\1", 4);
    append_number(entry, data);
    entries_ += entry + name + '\0' + text + '\0';
    ++count_;
    return *this;
  }
  std::string text() const {
    std::string file("\xca\xfe\xc0\xc0\1\2\0\1", 8);
    file.resize(24, '\0');
    append_number(file, 32);
    append_number(file, count_);
    return file + entries_;
  }

 private:
  std::string entries_;
  std::size_t count_ = 0;
};

std::string collector(const std::string& name, const std::string& text) {
  return counters_from(CountersFile().add(name, text).text()).collector;
}

}  // namespace

TEST_CASE("VM counters: the options of a file of flags, then all others") {
  CountersFile file;
  file.add("java.rt.vmFlags", "+DisableAttachMechanism MaxHeapSize=1g")
      .add("java.rt.vmArgs", "-Xmx64m -XX:-DisableAttachMechanism")
      .add("sun.gc.policy.name", "GarbageFirst");
  const VmCounters counters = counters_from(file.text());
  CHECK(counters.options_whole);
  CHECK(counters.options == Words{"-XX:+DisableAttachMechanism", "-XX:MaxHeapSize=1g", "-Xmx64m",
                                  "-XX:-DisableAttachMechanism"});
  CHECK(counters.collector == "G1");
}

TEST_CASE("VM counters: collectors, as JDK 8 to 25 name them") {
  const std::string policy = "sun.gc.policy.name";
  CHECK(collector(policy, "Copy:MSC") == "Serial");
  CHECK(collector(policy, "ParScav:MSC") == "Parallel");
  CHECK(collector(policy, "ParNew:CMS") == "CMS");
  CHECK(collector(policy, "ParNew:MSC") == "ParNew");
  CHECK(collector("sun.gc.collector.2.name", "Z concurrent cycle pauses") == "ZGC");
  CHECK(collector("sun.gc.collector.0.name", "ZGC minor collection pauses") == "ZGC");
  CHECK(collector("sun.gc.collector.0.name", "Shenandoah partial") == "Shenandoah");
  CHECK(collector(policy, "Train").empty());
}

TEST_CASE("VM counters: options that were cut are none") {
  const std::string arguments = "java.rt.vmArgs";
  CHECK(counters_from(CountersFile().add(arguments, std::string(1023, 'x')).text()).options_whole);
  const VmCounters cut =
      counters_from(CountersFile().add(arguments, std::string(1024, 'x')).text());
  CHECK_FALSE(cut.options_whole);
  CHECK(cut.options.empty());
}

TEST_CASE("VM counters: a VM that still starts, cut and damaged files") {
  const std::string whole =
      CountersFile().add("sun.gc.policy.name", "Copy:MSC").add("java.rt.vmArgs", "-Xrs").text();
  REQUIRE(counters_from(whole).options_whole);
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    CHECK_FALSE(counters_from(whole.substr(0, cut)).options_whole);
  std::string starting = whole;
  starting[7] = 0;
  CHECK_FALSE(counters_from(starting).options_whole);
  for (std::size_t at = 8; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = '\xff';
    counters_from(damaged);  // reads nothing outside
  }
}

TEST_CASE("VM counters: of a file below another root, and of none") {
  const platforms::ScratchDirectory root;
  std::filesystem::create_directories(root.file("tmp/hsperfdata_alice"));
  root.write("tmp/hsperfdata_alice/1", CountersFile().add("java.rt.vmArgs", "-Xrs").text());
  const platforms::Descriptor folder(::open(root.path(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  CHECK(read_vm_counters(folder.get(), "/tmp/hsperfdata_alice/1").options == Words{"-Xrs"});
  CHECK_FALSE(read_vm_counters(folder.get(), "/tmp/hsperfdata_alice/2").options_whole);
  CHECK_FALSE(read_vm_counters(folder.get(), "").options_whole);
}
