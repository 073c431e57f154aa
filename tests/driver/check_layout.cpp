// check_layout LIBJVM [VM OPTION...]: proves that a wrong layout table turns the frozen heap off, and leaves the VM unharmed.
// Starts a VM in this process and opens the frozen heap with copies of the VM's tables in which exactly one entry is changed. Which
// entries matter is not listed but found: whatever changes the layout when it changes. Prints each change with what was said; exit
// code 0 when unchanged tables are believed and each changed one is refused, 1 when not, 2 when there is no VM.
#include <dlfcn.h>
#include <jni.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jvmti/hotspot/frozen_heap.h"
#include "jvmti/java_access.h"
#include "platforms/child.h"
#include "platforms/pages.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;
constexpr std::size_t kStackBytes = 512 * 1024;

template <class T>
T symbol_value(const char* name) {
  T value{};
  if (const void* address = libjvm_symbol(name)) std::memcpy(&value, address, sizeof value);
  return value;
}

// -- one table, copied --

struct TableNames {
  const char* table;
  const char* stride;
  const char* type;   // column of the name that ends the table
  const char* field;  // nullptr: the name is all there is
  const char* value;  // column of what is changed
};
constexpr TableNames kTables[] = {
    {"gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride", "gHotSpotVMStructEntryTypeNameOffset",
     "gHotSpotVMStructEntryFieldNameOffset", "gHotSpotVMStructEntryOffsetOffset"},
    {"gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride", "gHotSpotVMTypeEntryTypeNameOffset",
     nullptr, "gHotSpotVMTypeEntrySizeOffset"},
    {"gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntryArrayStride",
     "gHotSpotVMIntConstantEntryNameOffset", nullptr, "gHotSpotVMIntConstantEntryValueOffset"},
    {"gHotSpotVMLongConstants", "gHotSpotVMLongConstantEntryArrayStride",
     "gHotSpotVMLongConstantEntryNameOffset", nullptr, "gHotSpotVMLongConstantEntryValueOffset"},
};
constexpr std::size_t kTableCount = std::size(kTables);
constexpr std::size_t kStructs = 0, kTypes = 1;

class TableCopy {
 public:
  void copy(const TableNames& names) {
    stride_ = symbol_value<std::uint64_t>(names.stride);
    type_ = symbol_value<std::uint64_t>(names.type);
    value_ = symbol_value<std::uint64_t>(names.value);
    has_field_ = names.field != nullptr;
    if (has_field_) {
      field_ = symbol_value<std::uint64_t>(names.field);
      is_static_ = symbol_value<std::uint64_t>("gHotSpotVMStructEntryIsStaticOffset");
      address_ = symbol_value<std::uint64_t>("gHotSpotVMStructEntryAddressOffset");
      text_ = symbol_value<std::uint64_t>("gHotSpotVMStructEntryTypeStringOffset");
    }
    const auto* original = symbol_value<const std::byte*>(names.table);
    while (read_at<const char*>(original + rows_ * stride_ + type_) != nullptr) ++rows_;
    bytes_.assign(original, original + (rows_ + 1) * stride_);
    kept_ = bytes_;
    first_ = bytes_.data();
  }
  void restore() { std::memcpy(bytes_.data(), kept_.data(), kept_.size()); }
  const void* symbol() const { return &first_; }
  std::size_t rows() const { return rows_; }
  std::string name(std::size_t row) const {
    std::string text = read_at<const char*>(at(row) + type_);
    if (has_field_) text = text + "::" + read_at<const char*>(at(row) + field_);
    return text;
  }
  bool is_static(std::size_t row) const {
    return has_field_ && read_at<std::int32_t>(at(row) + is_static_) != 0;
  }
  const std::byte* static_address(std::size_t row) const {
    return read_at<const std::byte*>(at(row) + address_);
  }
  void point_static_at(std::size_t row, const void* cell) {
    std::memcpy(at(row) + address_, &cell, sizeof cell);
  }
  std::string_view type_text(std::size_t row) const {
    const auto* text = read_at<const char*>(at(row) + text_);
    return text != nullptr ? text : "";
  }
  void set_type_text(std::size_t row, const char* text) {
    std::memcpy(at(row) + text_, &text, sizeof text);
  }
  // Offsets, sizes and long constants have 64 bits, integer constants 32; the lower half is enough for small ones.
  void add(std::size_t row, int delta) {
    std::byte* cell = at(row) + value_;
    if (stride_ - value_ < 8 || narrow_) return add_to<std::int32_t>(cell, delta);
    add_to<std::int64_t>(cell, delta);
  }
  void set_narrow() { narrow_ = true; }
  std::ptrdiff_t find(std::string_view wanted) const {
    for (std::size_t row = 0; row < rows_; ++row)
      if (name(row) == wanted) return static_cast<std::ptrdiff_t>(row);
    return -1;
  }

  template <class T>
  static void add_to(std::byte* cell, int delta) {
    const T changed = static_cast<T>(read_at<T>(cell) + delta);
    std::memcpy(cell, &changed, sizeof changed);
  }

 private:
  std::byte* at(std::size_t row) { return bytes_.data() + row * stride_; }
  const std::byte* at(std::size_t row) const { return bytes_.data() + row * stride_; }

  std::uint64_t stride_ = 0, type_ = 0, field_ = 0, value_ = 0, is_static_ = 0, address_ = 0,
                text_ = 0;
  bool has_field_ = false;
  bool narrow_ = false;
  std::size_t rows_ = 0;
  std::vector<std::byte> bytes_, kept_;
  const std::byte* first_ = nullptr;
};

// -- all tables, with one change --

struct Entry {
  std::size_t table;
  std::size_t row;
};

class ChangedTables {
 public:
  ChangedTables() {
    for (std::size_t t = 0; t < kTableCount; ++t) tables_[t].copy(kTables[t]);
    tables_[2].set_narrow();
  }
  TableCopy& table(std::size_t t) { return tables_[t]; }
  void restore() {
    for (TableCopy& table : tables_) table.restore();
    cells_.clear();
    flags_.clear();
  }
  std::string name(Entry e) const {
    const std::string prefix = e.table == kTypes ? "sizeof " : "";
    return prefix + tables_[e.table].name(e.row);
  }
  bool is_static(Entry e) const { return tables_[e.table].is_static(e.row); }
  void add(Entry e, int delta) {
    TableCopy& table = tables_[e.table];
    if (!table.is_static(e.row)) return table.add(e.row, delta);
    if (table.static_address(e.row) == nullptr) return;
    std::byte* cell = copied_cell(table.static_address(e.row));
    TableCopy::add_to<std::int64_t>(cell, delta);
    table.point_static_at(e.row, cell);
  }
  // The flags' own table is copied likewise, and the flag points at a value of ours.
  bool change_flag(const VmTables& vm, std::string_view flag, int delta) {
    const std::ptrdiff_t row = flags_row();
    const std::byte* value = find_vm_flag(vm, flag);
    const char* type =
        row >= 0 && tables_[kStructs].name(static_cast<std::size_t>(row)) == "JVMFlag::flags"
            ? "JVMFlag"
            : "Flag";
    const auto number = vm.field(type, "numFlags");
    const auto address = vm.field(type, "_addr");
    const auto bytes = vm.type_bytes(type);
    if (row < 0 || value == nullptr || !number || !address || !bytes) return false;
    const auto count = read_at<std::uint64_t>(number->address);
    TableCopy& structs = tables_[kStructs];
    const auto* first =
        read_at<const std::byte*>(structs.static_address(static_cast<std::size_t>(row)));
    flags_.assign(first, first + count * *bytes);
    std::byte* cell = copied_cell(value);
    TableCopy::add_to<std::int32_t>(cell, delta);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::byte* place = flags_.data() + i * *bytes + address->offset;
      if (read_at<const std::byte*>(place) == value) std::memcpy(place, &cell, sizeof cell);
    }
    const std::byte* copied = flags_.data();
    std::byte* pointer = copied_cell(reinterpret_cast<const std::byte*>(&copied));
    structs.point_static_at(static_cast<std::size_t>(row), pointer);
    return true;
  }
  const void* symbol(std::string_view name) const {
    for (std::size_t t = 0; t < kTableCount; ++t)
      if (name == kTables[t].table) return tables_[t].symbol();
    return nullptr;
  }

 private:
  std::byte* copied_cell(const std::byte* from) {
    cells_.push_back(read_at<std::uint64_t>(from));
    return reinterpret_cast<std::byte*>(&cells_.back());
  }
  std::ptrdiff_t flags_row() const {
    const std::ptrdiff_t row = tables_[kStructs].find("JVMFlag::flags");
    return row >= 0 ? row : tables_[kStructs].find("Flag::flags");
  }

  TableCopy tables_[kTableCount];
  std::deque<std::uint64_t> cells_;  // never moves what it holds
  std::vector<std::byte> flags_;
};

ChangedTables* changed = nullptr;

const void* changed_symbol(const char* name) noexcept {
  const void* ours = changed->symbol(name);
  return ours != nullptr ? ours : libjvm_symbol(name);
}

// -- which entries matter --

bool read_changed_layout(HeapLayout& out) {
  LayoutRefusal why;
  return read_heap_layout(&changed_symbol, out, why);
}

// The flags are read before there could be a child, and wherever they are read (vm_flags.h); their values are changed instead.
bool is_flag_table(const std::string& name) {
  return name.find("Flag::") != std::string::npos || name == "sizeof JVMFlag" ||
         name == "sizeof Flag";
}

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  for (std::size_t t = 0; t < kTableCount; ++t)
    for (std::size_t row = 0; row < changed->table(t).rows(); ++row)
      if (!is_flag_table(changed->name(Entry{t, row}))) entries.push_back(Entry{t, row});
  return entries;
}

// Halves until single entries are left whose change makes another layout, or none.
std::vector<Entry> find_needs(const HeapLayout& unchanged) {
  const std::vector<Entry> entries = all_entries();
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, entries.size()}};
  std::vector<Entry> needs;
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    changed->restore();
    for (std::size_t i = from; i < to; ++i) changed->add(entries[i], 8);
    HeapLayout layout;
    if (read_changed_layout(layout) && layout == unchanged) continue;
    if (to - from == 1) {
      needs.push_back(entries[from]);
      continue;
    }
    const std::size_t middle = from + (to - from) / 2;
    open.emplace_back(middle, to);
    open.emplace_back(from, middle);
  }
  changed->restore();
  return needs;
}

// -- the VM --

struct Machine {
  JavaVM* vm = nullptr;
  JNIEnv* jni = nullptr;
  JavaAccess java;
  Ledger ledger{kMemory};
  Reservation reservation;
  CaptureMemory memory;
  FrozenWork work;

  bool start(const char* library, int count, char** words) {
    void* handle = ::dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) return std::fprintf(stderr, "%s\n", ::dlerror()), false;
    using Create = jint(JNICALL*)(JavaVM**, void**, void*);
    const auto create = reinterpret_cast<Create>(::dlsym(handle, "JNI_CreateJavaVM"));
    std::vector<JavaVMOption> options;
    options.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) options.push_back(JavaVMOption{words[i], nullptr});
    JavaVMInitArgs arguments{JNI_VERSION_1_6, static_cast<jint>(options.size()), options.data(),
                             JNI_FALSE};
    return create != nullptr && create(&vm, reinterpret_cast<void**>(&jni), &arguments) == JNI_OK &&
           open_memory();
  }
  bool open_memory() {
    std::byte* shared = platforms::shared_pages(sizeof(ChildMailbox));
    std::byte* stack = platforms::reserve_pages(kStackBytes);
    if (shared == nullptr || stack == nullptr || !platforms::commit_pages(stack, kStackBytes))
      return false;
    platforms::prepare_children();
    work.mailbox = new (shared) ChildMailbox;
    work.stack = stack;
    work.stack_bytes = kStackBytes;
    work.watchdog_seconds = 20;
    return java.open(*jni).ok() &&
           reservation.open(CaptureMemory::address_space_bytes(kMemory)).ok() &&
           memory.open(reservation, ledger).ok();
  }
  // What the frozen heap says to the tables as they are now; empty: it believes them.
  std::string opened() {
    if (!memory.begin_dump()) return "no memory";
    auto heap = std::make_unique<FrozenHeap>();
    heap->read_layout(&changed_symbol);
    heap->open(CaptureThread{*vm, *jni, java}, memory, work, false);
    std::string refusal = heap->refusal();
    heap->close(*jni);
    memory.end_dump();
    return refusal;
  }
};

bool no_child_left() { return ::waitpid(-1, nullptr, __WALL | WNOHANG) == -1 && errno == ECHILD; }

// Classes are loaded, objects made, let go and collected, and Java code gives the right answer.
bool is_well(JNIEnv& jni) {
  if (jni.PushLocalFrame(64) != JNI_OK) return false;
  for (int i = 0; i < 200 && jni.NewByteArray(100'000) != nullptr; ++i)
    if (i % 40 == 39) jni.PopLocalFrame(nullptr), jni.PushLocalFrame(64);
  jclass system = jni.FindClass("java/lang/System");
  jni.CallStaticVoidMethod(system, jni.GetStaticMethodID(system, "gc", "()V"));
  jclass number = jni.FindClass("java/math/BigInteger");
  jobject seven = jni.NewObject(number, jni.GetMethodID(number, "<init>", "(Ljava/lang/String;)V"),
                                jni.NewStringUTF("7"));
  jobject power = jni.CallObjectMethod(
      seven, jni.GetMethodID(number, "pow", "(I)Ljava/math/BigInteger;"), jint{20});
  const jlong answer =
      power != nullptr ? jni.CallLongMethod(power, jni.GetMethodID(number, "longValue", "()J")) : 0;
  const bool threw = jni.ExceptionCheck() != JNI_FALSE;
  if (threw) jni.ExceptionDescribe();
  jni.PopLocalFrame(nullptr);
  return !threw && answer == 79'792'266'297'612'001;
}

// -- the changes --

class Trial {
 public:
  explicit Trial(Machine& machine) : machine_(machine) {}

  // The tables are changed already; afterwards they are as they were.
  void expect_refusal(const std::string& what) {
    const std::string said = machine_.opened();
    changed->restore();
    ++changes_;
    if (said.empty()) ++missed_;
    std::printf("%-60s %s\n", what.c_str(), said.empty() ? "BELIEVED" : said.c_str());
    if (!no_child_left()) fault("a child was left over");
  }
  void expect_trust(const char* when) {
    const std::string said = machine_.opened();
    if (!said.empty()) fault("unchanged tables are refused " + std::string(when) + ": " + said);
    if (!is_well(*machine_.jni)) fault("the VM is not well " + std::string(when));
    if (!no_child_left()) fault("a child was left over");
  }
  void fault(const std::string& text) {
    std::printf("FAULT: %s\n", text.c_str());
    ++faults_;
  }
  int conclude(std::size_t needs) const {
    std::printf("%zu entries matter, %u changes: %u believed, %u faults\n", needs, changes_,
                missed_, faults_);
    return missed_ == 0 && faults_ == 0 && needs > 0 ? 0 : 1;
  }

 private:
  Machine& machine_;
  unsigned changes_ = 0, missed_ = 0, faults_ = 0;
};

std::string signed_text(int delta) { return (delta > 0 ? " +" : " ") + std::to_string(delta); }

void try_entry(Trial& trial, Entry entry) {
  static constexpr int kPlaces[] = {4, -4, 8, -8};
  static constexpr int kValues[] = {1, -1, 4, -4, 8};
  const bool value = changed->is_static(entry) || entry.table > kTypes;
  const std::string name = changed->name(entry);
  for (const int delta : value ? std::span<const int>(kValues) : std::span<const int>(kPlaces)) {
    changed->add(entry, delta);
    trial.expect_refusal(name + signed_text(delta));
  }
}

// Whether a class' object is told by a handle or by a reference.
void try_mirror_type(Trial& trial) {
  TableCopy& structs = changed->table(kStructs);
  const std::ptrdiff_t row = structs.find("Klass::_java_mirror");
  if (row < 0) return;
  const bool handle = structs.type_text(static_cast<std::size_t>(row)) == "OopHandle";
  structs.set_type_text(static_cast<std::size_t>(row), handle ? "oop" : "OopHandle");
  trial.expect_refusal("type of Klass::_java_mirror");
}

// Only a flag that makes another layout here: with compact headers nobody asks how wide class pointers are.
void try_flag(Trial& trial, const HeapLayout& unchanged, const char* flag, int delta) {
  VmTables vm;
  if (!vm.open(&libjvm_symbol) || !changed->change_flag(vm, flag, delta)) return;
  HeapLayout layout;
  if (read_changed_layout(layout) && layout == unchanged) return changed->restore();
  trial.expect_refusal(flag + signed_text(delta));
}

void try_flags(Trial& trial, const HeapLayout& unchanged) {
  VmTables vm;
  if (!vm.open(&libjvm_symbol)) return;
  for (const char* flag :
       {"UseCompressedOops", "UseCompressedClassPointers", "UseCompactObjectHeaders"}) {
    const std::byte* value = find_vm_flag(vm, flag);
    const bool on = value != nullptr && read_at<std::uint8_t>(value) != 0;
    try_flag(trial, unchanged, flag, on ? -1 : 1);
  }
  for (const int delta : {8, -1, 1}) try_flag(trial, unchanged, "ObjectAlignmentInBytes", delta);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return std::fprintf(stderr, "usage: check_layout LIBJVM [VM OPTION...]\n"), 2;
  static Machine machine;
  if (!machine.start(words[1], count - 2, words + 2))
    return std::fprintf(stderr, "no VM from %s\n", words[1]), 2;
  ChangedTables tables;
  changed = &tables;
  Trial trial(machine);
  trial.expect_trust("at first");
  HeapLayout unchanged;
  if (!read_changed_layout(unchanged)) trial.fault("there is no layout");
  const std::vector<Entry> needs = find_needs(unchanged);
  for (const Entry need : needs) try_entry(trial, need);
  try_mirror_type(trial);
  try_flags(trial, unchanged);
  trial.expect_trust("at last");
  return trial.conclude(needs.size());
}
