#include "analysis/lab/mat_oracle.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "analysis/lab/historical.h"
#include "analysis/lab/lab_graph.h"
#include "analysis/lab/plain_hprof.h"
#include "analysis/lab/test_arena.h"

namespace holdfast::analysis::lab {
namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;
constexpr std::uint64_t kLedgerBytes = std::uint64_t{8} << 30;

std::uint64_t up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

bool is_array_name(const std::string& name) {
  return name.starts_with('[') || name.ends_with("[]");
}

class Oracle {
 public:
  explicit Oracle(std::span<const std::byte> file) : h_(read_plain_hprof(file)) {}

  MatHeap make() {
    number_objects();
    cut_superclass_cycles();
    find_reference_size();
    find_alignment();
    measure_classes();
    out_.pointer_bytes = p_;
    out_.reference_bytes = r_;
    out_.alignment = a_;
    find_roots();
    for (std::uint32_t v = 0; v < object_count(); ++v) edges_.push_back(references_of(v));
    judge();
    return std::move(out_);
  }

 private:
  // Rules 7 and 8 need numbers: objects in file order, then the boot loader's pseudo object if there is its class.
  void number_objects() {
    for (const PlainKind kind : {PlainKind::kClass, PlainKind::kInstance})
      for (std::uint32_t v = 0; v < h_.objects.size(); ++v) {
        const PlainObject& one = h_.objects[v];
        if (one.id != 0 && (one.kind == PlainKind::kClass) == (kind == PlainKind::kClass))
          number_.try_emplace(one.id, v);
      }
    for (std::uint32_t c = 0; c < h_.classes.size(); ++c) {
      if (h_.classes[c].id != 0) class_number_.try_emplace(h_.classes[c].id, c);
      by_name_.try_emplace(h_.classes[c].name, c);
    }
    loader_class_ = class_named("java.lang.ClassLoader");
    class_class_ = class_named("java.lang.Class");
  }
  std::uint32_t object_count() const {
    return static_cast<std::uint32_t>(h_.objects.size()) + (loader_class_ != kNobody ? 1 : 0);
  }
  bool is_boot_loader(std::uint32_t v) const { return v == h_.objects.size(); }
  std::uint32_t find(std::uint64_t id) const {
    const auto at = number_.find(id);
    return at == number_.end() ? kNobody : at->second;
  }
  std::uint32_t find_class(std::uint64_t id) const {
    const auto at = class_number_.find(id);
    return at == class_number_.end() ? kNobody : at->second;
  }
  std::uint32_t class_named(const std::string& name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? kNobody : at->second;
  }

  // Each class in file order is followed up to where a chain has been followed before; a step onto its own chain is cut.
  void cut_superclass_cycles() {
    std::vector<std::uint32_t> followed_by(h_.classes.size(), kNobody);
    super_.assign(h_.classes.size(), kNobody);
    for (std::uint32_t c = 0; c < h_.classes.size(); ++c)
      super_[c] = find_class(h_.classes[c].super);
    for (std::uint32_t start = 0; start < h_.classes.size(); ++start)
      for (std::uint32_t c = start; c != kNobody && followed_by[c] == kNobody; c = super_[c]) {
        followed_by[c] = start;
        if (super_[c] != kNobody && followed_by[super_[c]] == start) {
          super_[c] = kNobody;
          cut_.insert(c);
        }
      }
  }

  // Rule 1.
  void find_reference_size() {
    p_ = r_ = h_.id_bytes;
    const PlainObject* before = nullptr;
    for (const PlainObject& one : h_.objects) {
      if (one.kind != PlainKind::kObjectArray) continue;
      if (before != nullptr && before->id != 0 && one.id > before->id &&
          one.id - before->id < 16 + 8 * before->length)
        r_ = 4;
      before = &one;
    }
  }

  // Rule 2.
  void find_alignment() {
    std::vector<std::uint64_t> addresses;
    for (const PlainObject& one : h_.objects)
      if (one.id != 0) addresses.push_back(one.id);
    std::ranges::sort(addresses);
    std::uint64_t divisor = 0;
    for (std::size_t i = 1; i < addresses.size(); ++i) {
      divisor = std::gcd(divisor, addresses[i] - addresses[i - 1]);
      if (divisor != 0 && divisor <= 8) break;
    }
    a_ = std::clamp<std::uint64_t>(divisor, 8, 256);
  }

  std::uint64_t bytes_counted(const std::vector<PlainField>& fields) const {
    std::uint64_t bytes = 0;
    for (const PlainField& one : fields) bytes += one.type == 2 ? r_ : h_.bytes_of(one.type);
    return bytes;
  }
  std::uint64_t bytes_in_dump(const std::vector<PlainField>& fields) const {
    std::uint64_t bytes = 0;
    for (const PlainField& one : fields) bytes += h_.bytes_of(one.type);
    return bytes;
  }

  // Rule 3, from the top of each hierarchy down.
  void measure_classes() {
    instance_bytes_.assign(h_.classes.size(), 0);
    for (std::uint32_t c = 0; c < h_.classes.size(); ++c) {
      std::vector<std::uint32_t> chain{c};
      while (super_[chain.back()] != kNobody) chain.push_back(super_[chain.back()]);
      std::uint64_t bytes = top_bytes(chain.back());
      chain.pop_back();
      for (; !chain.empty(); chain.pop_back())
        bytes = up(bytes_counted(h_.classes[chain.back()].fields) + bytes, r_);
      instance_bytes_[c] = up(bytes, a_);
    }
  }
  // A class without superclass; one whose superclass the dump lacks has the bytes that are missing to its own fields.
  std::uint64_t top_bytes(std::uint32_t c) const {
    const PlainClass& one = h_.classes[c];
    if (one.super == 0 || cut_.contains(c)) return p_ + r_;
    const std::uint64_t own = bytes_in_dump(one.fields);
    const std::uint64_t missing = one.instance_bytes > own ? one.instance_bytes - own : 0;
    return p_ + r_ + up(bytes_counted(one.fields) + missing, r_);
  }

  // Rules 3, 4 and 5.
  std::uint64_t shallow_bytes(std::uint32_t v) const {
    if (is_boot_loader(v)) return instance_bytes_[loader_class_];
    const PlainObject& one = h_.objects[v];
    switch (one.kind) {
      case PlainKind::kClass:
        return up(bytes_counted(h_.classes[static_cast<std::size_t>(one.class_id)].statics), a_);
      case PlainKind::kObjectArray:
        return up(p_ + r_ + 4 + one.length * r_, a_);
      case PlainKind::kPrimitiveArray:
        return up(up(p_ + r_ + 4, r_) + one.length * h_.bytes_of(one.element_type), a_);
      default:
        break;
    }
    const std::uint32_t c = find_class(one.class_id);
    return c == kNobody ? up(p_ + r_ + one.length, a_) : instance_bytes_[c];
  }

  std::uint32_t class_of(std::uint32_t v) const {
    if (is_boot_loader(v)) return loader_class_;
    const PlainObject& one = h_.objects[v];
    if (one.kind == PlainKind::kClass) return class_class_;
    if (one.kind != PlainKind::kPrimitiveArray) return find_class(one.class_id);
    constexpr const char* kBinary[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
    constexpr const char* kSource[] = {"boolean[]", "char[]",  "float[]", "double[]",
                                       "byte[]",    "short[]", "int[]",   "long[]"};
    const std::size_t row = one.element_type - std::size_t{4};
    return std::min(class_named(kBinary[row]), class_named(kSource[row]));
  }
  // Of several objects with one identifier only one exists.
  bool exists(std::uint32_t v) const { return is_boot_loader(v) || find(h_.objects[v].id) == v; }

  // Rules 7 to 9, and what rule 10 adds to thread objects.
  std::vector<std::uint32_t> references_of(std::uint32_t v) {
    std::vector<std::uint32_t> to;
    if (!exists(v)) return to;
    const std::uint32_t c = class_of(v);
    if (c != kNobody) add(to, h_.classes[c].id);
    if (!is_boot_loader(v)) {
      const PlainObject& one = h_.objects[v];
      if (one.kind == PlainKind::kClass)
        add_class_references(to, h_.classes[static_cast<std::size_t>(one.class_id)]);
      if (one.kind == PlainKind::kInstance && c != kNobody) add_fields(to, one, c);
      if (one.kind == PlainKind::kObjectArray)
        for (std::uint64_t i = 0; i < one.length; ++i)
          add(to, h_.id_at(one.data + i * h_.id_bytes));
      if (const auto locals = locals_.find(v); locals != locals_.end())
        to.insert(to.end(), locals->second.begin(), locals->second.end());
    }
    const std::size_t all = to.size();
    std::ranges::sort(to);
    to.erase(std::unique(to.begin(), to.end()), to.end());
    distinct_ += all != to.size() ? 1 : 0;
    return to;
  }
  void add(std::vector<std::uint32_t>& to, std::uint64_t id) const {
    if (const std::uint32_t v = find(id); v != kNobody) to.push_back(v);
  }
  void add_class_references(std::vector<std::uint32_t>& to, const PlainClass& one) {
    add(to, one.super);
    for (const PlainField& field : one.statics)
      if (field.type == 2) add(to, field.bits);
    if (const std::uint32_t loader = find(one.loader); loader != kNobody) {
      to.push_back(loader);
    } else if (loader_class_ != kNobody) {
      to.push_back(static_cast<std::uint32_t>(h_.objects.size()));
      ++of_boot_loader_;
    }
  }
  void add_fields(std::vector<std::uint32_t>& to, const PlainObject& one, std::uint32_t c) {
    std::uint64_t at = 0;
    for (; c != kNobody; c = super_[c])
      for (const PlainField& field : h_.classes[c].fields) {
        const std::uint64_t bytes = h_.bytes_of(field.type);
        if (at + bytes > one.length) return;
        if (field.type == 2) add(to, h_.id_at(one.data + at));
        if (field.type == 2 && field.name == "referent" &&
            find(h_.id_at(one.data + at)) != kNobody &&
            h_.classes[c].name == "java.lang.ref.Reference")
          ++referents_;
        at += bytes;
      }
  }

  // Rule 10. Android's kinds of root hold like unknown ones, but for its list of what is unreachable (0x90).
  void find_roots() {
    std::unordered_map<std::uint32_t, std::uint32_t> threads;
    for (const PlainRoot& root : h_.roots)
      if (root.tag == 0x08) threads.try_emplace(root.thread_serial, find(root.id));
    bool sticky = false;
    for (const PlainRoot& root : h_.roots) {
      sticky |= root.tag == 0x05;
      const std::uint32_t v = find(root.id);
      const bool local =
          root.tag == 0x02 || root.tag == 0x03 || root.tag == 0x04 || root.tag == 0x06;
      const auto thread = local ? threads.find(root.thread_serial) : threads.end();
      if (v == kNobody || root.tag == 0x90) continue;
      if (thread == threads.end())
        roots_.push_back(v);
      else if (thread->second != kNobody)
        locals_[thread->second].push_back(v), ++local_count_;
    }
    if (!sticky) add_boot_classes();
  }
  void add_boot_classes() {
    for (const PlainClass& one : h_.classes) {
      const std::uint32_t v = find(one.id);
      if (one.loader != 0 || is_array_name(one.name) || v == kNobody) continue;
      roots_.push_back(v);
      ++boot_classes_;
    }
  }

  // Rules 11 and 12: what the roots do not reach is nobody's; dominators of the rest.
  void judge() {
    LabGraph graph;
    const std::uint32_t n = object_count();
    for (std::uint32_t v = 0; v < n; ++v) {
      graph.class_of.push_back(ClassId{});
      if (shallow_bytes(v) > UINT32_MAX) throw std::runtime_error("an object of 4 GB or more");
      graph.shallow_units.push_back(exists(v) ? static_cast<std::uint32_t>(shallow_bytes(v)) : 0);
      for (const std::uint32_t to : edges_[v]) graph.target.push_back(ObjectId{to});
      graph.first_ref.push_back(static_cast<std::uint32_t>(graph.target.size()));
    }
    graph.label.assign(graph.target.size(), special(SpecialRef::kOther));
    for (const std::uint32_t root : roots_) graph.add_root(root);
    Snapshot snapshot = graph.snapshot();
    snapshot.shallow_unit_bytes = 1;
    TestArena memory(kLedgerBytes);
    const CancelToken cancel;
    const auto references = CountedReferences::make(snapshot, memory.arena(), cancel);
    if (!references) throw std::runtime_error("the graph does not fit");
    const HistoricalDominators found = lengauer_tarjan(*references, kStrongOnly);
    for (std::uint32_t v = 0; v < n; ++v)
      if (found.idom[v] != kNobody) add_row(v, found);
    std::ranges::sort(out_.rows, {}, &MatRow::address);
    count_rules();
  }
  std::uint64_t address_of(std::uint32_t v) const {
    return is_boot_loader(v) ? 0 : h_.objects[v].id;
  }
  void add_row(std::uint32_t v, const HistoricalDominators& found) {
    constexpr std::uint32_t kRoot = 0xFFFFFFFEu;
    MatRow row;
    row.address = address_of(v);
    row.shallow_bytes = shallow_bytes(v);
    row.retained_bytes = found.retained_bytes[v];
    if (found.idom[v] != kRoot) row.dominator = address_of(found.idom[v]);
    const std::uint32_t c = class_of(v);
    const auto [name, fresh] =
        name_numbers_.try_emplace(c == kNobody ? "" : h_.classes[c].name, out_.class_names.size());
    if (fresh) out_.class_names.push_back(name->first);
    row.class_name = static_cast<std::uint32_t>(name->second);
    row.is_class_object = !is_boot_loader(v) && h_.objects[v].kind == PlainKind::kClass;
    out_.held_bytes += row.shallow_bytes;
    out_.rows.push_back(row);
    count_sizes(v, row);
  }

  void touch(std::size_t rule, bool yes = true) { out_.touched[rule - 1] += yes ? 1 : 0; }
  void count_sizes(std::uint32_t v, const MatRow& row) {
    const PlainKind kind = is_boot_loader(v) ? PlainKind::kInstance : h_.objects[v].kind;
    const std::uint32_t c = class_of(v);
    const bool array = kind == PlainKind::kObjectArray || kind == PlainKind::kPrimitiveArray;
    touch(1, kind == PlainKind::kObjectArray && r_ != p_);
    touch(2, row.shallow_bytes != 0 && a_ > 8);
    touch(3, kind == PlainKind::kInstance);
    touch(4, array);
    touch(5, kind == PlainKind::kClass);
    touch(6, kind == PlainKind::kInstance && c == class_class_ && c != kNobody);
    touch(12, row.dominator == MatRow::kVirtualRoot);
  }
  void count_rules() {
    out_.touched[7 - 1] = distinct_;
    out_.touched[8 - 1] = of_boot_loader_;
    out_.touched[9 - 1] = referents_;
    out_.touched[10 - 1] = local_count_ + boot_classes_;
    for (std::uint32_t v = 0; v < h_.objects.size(); ++v) touch(11, exists(v));
    for (const MatRow& row : out_.rows) out_.touched[11 - 1] -= row.address != 0 ? 1 : 0;
    out_.touched[13 - 1] = out_.class_names.size();
    out_.touched[14 - 1] = out_.large_children(0.2).size();
  }

  PlainHprof h_;
  MatHeap out_;
  std::uint64_t p_ = 8, r_ = 8, a_ = 8;
  std::unordered_map<std::uint64_t, std::uint32_t> number_, class_number_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::unordered_map<std::string, std::size_t> name_numbers_;
  std::vector<std::uint32_t> super_;
  std::unordered_set<std::uint32_t> cut_;
  std::vector<std::uint64_t> instance_bytes_;
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<std::uint32_t> roots_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> locals_;
  std::uint32_t loader_class_ = kNobody, class_class_ = kNobody;
  std::uint64_t distinct_ = 0, of_boot_loader_ = 0, referents_ = 0, local_count_ = 0,
                boot_classes_ = 0;
};

}  // namespace

const char* mat_rule_text(std::size_t rule) {
  constexpr const char* kTexts[kMatRules] = {
      "object arrays with 4-byte references and 8-byte identifiers",
      "sizes aligned to more than 8",
      "instances",
      "arrays",
      "class objects",
      "mirrors of primitive types",
      "objects with a reference more than once",
      "classes of the boot loader",
      "referents held",
      "locals held by their thread, classes made roots",
      "unreachable objects",
      "children of the virtual root",
      "class names",
      "suspects that are one object"};
  return rule - 1 < kMatRules ? kTexts[rule - 1] : "";
}

MatHeap mat_oracle(std::span<const std::byte> file) { return Oracle(file).make(); }

const MatRow* MatHeap::find(std::uint64_t address) const {
  const auto at = std::ranges::lower_bound(rows, address, {}, &MatRow::address);
  return at != rows.end() && at->address == address ? &*at : nullptr;
}

std::uint64_t MatHeap::minimum_retained_bytes(const std::string& name) const {
  std::uint64_t sum = 0;
  for (const MatRow& row : rows) {
    if (class_names[row.class_name] != name) continue;
    const MatRow* above = &row;
    bool inside = false;
    while (!inside && above->dominator != MatRow::kVirtualRoot) {
      above = find(above->dominator);
      inside = class_names[above->class_name] == name;
    }
    sum += inside ? 0 : row.retained_bytes;
  }
  return sum;
}

std::vector<std::uint64_t> MatHeap::large_children(double share) const {
  std::vector<const MatRow*> found;
  for (const MatRow& row : rows)
    if (row.dominator == MatRow::kVirtualRoot &&
        static_cast<double>(row.retained_bytes) > share * static_cast<double>(held_bytes))
      found.push_back(&row);
  std::ranges::stable_sort(found, std::greater{}, &MatRow::retained_bytes);
  std::vector<std::uint64_t> addresses;
  addresses.reserve(found.size());
  for (const MatRow* row : found) addresses.push_back(row->address);
  return addresses;
}

std::uint64_t MatHeap::accumulation_point(std::uint64_t address) const {
  constexpr double kSame = 0.7;
  const MatRow* at = find(address);
  for (;;) {
    const MatRow* largest = nullptr;
    for (const MatRow& row : rows)
      if (row.dominator == at->address &&
          (largest == nullptr || row.retained_bytes > largest->retained_bytes))
        largest = &row;
    if (largest == nullptr || static_cast<double>(largest->retained_bytes) <
                                  kSame * static_cast<double>(at->retained_bytes))
      return at->address;
    at = largest;
  }
}

}  // namespace holdfast::analysis::lab
