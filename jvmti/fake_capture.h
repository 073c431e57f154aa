// One capture of a fake VM's heap through the whole adapter, without engine or analysis: for tests.
// Zone:   offline.   Errors: the adapter's, in `result`.
#pragma once

#include <string>
#include <string_view>

#include "common/reservation.h"
#include "jvmti/adapter.h"
#include "jvmti/fake_vm.h"

namespace holdfast::jvmti {

class FakeCapture {
 public:
  explicit FakeCapture(FakeVm& vm, std::uint64_t memory_bytes = std::uint64_t{64} << 20)
      : vm_(vm), ledger_(memory_bytes) {
    opened_ = reservation_.open(CaptureMemory::address_space_bytes(memory_bytes)).ok() &&
              memory_.open(reservation_, ledger_).ok();
    vm_.phase = JVMTI_PHASE_LIVE;
    adapter_.open(vm_.vm(), VmFacts{}, [](const char*) noexcept -> const void* { return nullptr; });
  }
  ~FakeCapture() { end(); }

  Result<void> run(CaptureRung rung = CaptureRung::kWalk) {
    end();
    if (!opened_) return make_error(ErrorCode::kOutOfMemory);
    HF_CHECK_OK(adapter_.attach_capture_thread());
    attached_ = true;
    HF_CHECK_OK(memory_.begin_dump());
    return adapter_.capture(CapturePlan{rung, 0, 0}, memory_, out, notes);
  }
  // Gives memory and thread back; the ledger must be empty afterwards.
  void end() {
    memory_.end_dump();
    if (attached_) adapter_.detach_capture_thread();
    attached_ = false;
    out = Capture{};
    notes.clear();
  }

  ClassId class_named(std::string_view name) const {
    const Catalog& catalog = out.snapshot.catalog;
    for (std::uint32_t c = 0; c < catalog.class_count(); ++c)
      if (catalog.class_name(ClassId{c}) == name) return ClassId{c};
    return ClassId{};
  }
  // The only object of a class in the graph; invalid when there is none or more than one.
  ObjectId only(std::string_view class_name) const {
    const ClassId wanted = class_named(class_name);
    ObjectId found;
    for (std::uint32_t v = 0; v < out.snapshot.object_count(); ++v) {
      if (!wanted.valid() || out.snapshot.class_of[v] != wanted) continue;
      if (found.valid()) return ObjectId{};
      found = ObjectId{v};
    }
    return found;
  }
  ObjectId mirror(std::string_view class_name) const {
    const ClassId c = class_named(class_name);
    return c.valid() ? out.snapshot.catalog.classes[c.value].mirror : ObjectId{};
  }
  // The label of the first reference between two objects; 0xFFFF when there is none.
  RefLabel label(ObjectId from, ObjectId to) const {
    const Snapshot& s = out.snapshot;
    for (std::uint32_t r = s.first_ref[from.value]; r < s.first_ref[from.value + 1]; ++r)
      if (s.target[r] == to) return s.label[r];
    return RefLabel{0xFFFF};
  }
  std::string root_kinds(ObjectId object) const {
    std::string kinds;
    for (const RootRecord& root : out.snapshot.roots)
      if (root.object == object)
        kinds += (kinds.empty() ? "" : "+") + std::string(root_kind_name(root.kind));
    return kinds;
  }
  bool noted(std::string_view part) const {
    for (const Note& note : notes.all())
      if (std::string_view(note.text).find(part) != std::string_view::npos) return true;
    return false;
  }
  std::string_view text(StringId id) const { return out.snapshot.catalog.strings.view(id); }
  JvmtiAdapter& adapter() { return adapter_; }
  Ledger& ledger() { return ledger_; }

  Capture out;
  Notes notes;

 private:
  FakeVm& vm_;
  Ledger ledger_;
  Reservation reservation_;
  CaptureMemory memory_;
  JvmtiAdapter adapter_;
  bool opened_ = false;
  bool attached_ = false;
};

}  // namespace holdfast::jvmti
