#include "jvmti/hotspot/freeze.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/atomic_file.h"
#include "common/child_mailbox.h"
#include "jvmti/error_map.h"
#include "jvmti/root_facts_stopped.h"
#include "jvmti/tracking/named_record.h"
#include "platforms/clock.h"

namespace holdfast::jvmti {

namespace {

// HotSpot hands out pointers; the child reads them as addresses.
template <class T>
std::span<const Address> as_addresses(std::span<T> handles) noexcept {
  static_assert(sizeof(T) == sizeof(Address));
  return {reinterpret_cast<const Address*>(handles.data()), handles.size()};
}

Result<void> check_outcome(const FreezeState& state) noexcept {
  switch (state.outcome) {
    case FreezeOutcome::kFrozen:
      return {};
    case FreezeOutcome::kCloneFailed:
      return make_error(ErrorCode::kRefused, -state.child);
    case FreezeOutcome::kNoRoom:
      return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(state.roots.size()));
    case FreezeOutcome::kNotProved:
    case FreezeOutcome::kNoCallback:
      break;
  }
  return make_error(ErrorCode::kUnsupported, static_cast<std::int64_t>(state.outcome));
}

}  // namespace

Result<void> Freeze::prepare(Notes& notes) noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  HF_CHECK_OK(dump_.open(thread_.vm));
  const VmAccess vm{dump_.env(), thread_.jni, thread_.java};
  handles_.emplace(vm);
  HF_CHECK_OK(read_catalog(vm, CatalogUse::kMemory, tools_.memory, *handles_, heap_, notes));
  // Without the fields' ids the referent of a weak reference could not be told from a strong one.
  if (heap_.catalog.fields.empty()) return make_error(ErrorCode::kOutOfBudget);
  picture_.layout = &tools_.layout;
  picture_.ages = tools_.ages;
  picture_.places = tools_.places;
  picture_.sweep = tools_.sweep;
  picture_.catalog.heap = &heap_;
  picture_.catalog.classes = as_addresses(handles_->classes.items(handles_->class_count));
  picture_.catalog.threads = as_addresses(handles_->threads.items(handles_->thread_count));
  picture_.catalog.loaders = heap_.memory.loaders;
  picture_.catalog.field_ids = heap_.memory.field_ids;
  picture_.catalog.kept_roots = tools_.kept_roots;
  picture_.root_layout = &tools_.roots;
  picture_.catalog.code_among_vm_roots = tools_.code_among_vm_roots;
  if (tools_.places != nullptr)
    leaves_regions_out_ =
        free_regions_.prove(*tools_.places, tools_.layout, tools_.memory.work_arena()).ok();
  HF_CHECK_OK(find_capture_thread());
  HF_CHECK_OK(commit_root_columns());
  HF_TRY(before, thread_.java.heap_figures(thread_.jni));
  picture_.heap_before = before;
  prepare_ns_ = platforms::monotonic_ns() - began;
  return {};
}

Result<void> Freeze::find_capture_thread() noexcept {
  jthread self = nullptr;
  HF_CHECK_OK(check(dump_.env().GetCurrentThread(&self)));
  jlong tag = 0;
  const jvmtiError answer = dump_.env().GetTag(self, &tag);
  thread_.jni.DeleteLocalRef(self);
  HF_CHECK_OK(check(answer));
  picture_.catalog.capture_thread = thread_of_tag(
      heap_.catalog.class_count(), static_cast<std::uint32_t>(heap_.catalog.threads.size()), tag);
  return {};
}

Result<void> Freeze::commit_root_columns() noexcept {
  CaptureMemory& memory = tools_.memory;
  HF_TRY(roots, memory.commit_column(kRootColumn));
  HF_TRY(addresses, memory.commit_column(kRowOwnerColumn));
  picture_.roots =
      Column<RawRoot>(reinterpret_cast<RawRoot*>(roots),
                      memory.column_bytes(kRootColumn) / sizeof(RawRoot), memory.budget());
  picture_.addresses =
      Column<Address>(reinterpret_cast<Address*>(addresses),
                      memory.column_bytes(kRowOwnerColumn) / sizeof(Address), memory.budget());
  return {};
}

Result<void> Freeze::make_child(Body body, void* context, FrozenChild& out) noexcept {
  body_ = body;
  context_ = context;
  FreezeState state;
  state.roots = picture_.roots;
  state.addresses = picture_.addresses;
  state.heap_start = tools_.layout.heap_start;
  state.heap_end = tools_.layout.heap_end;
  state.alignment_mask = tools_.layout.object_alignment - 1;
  state.class_count = heap_.catalog.class_count();
  state.thread_count = static_cast<std::uint32_t>(heap_.catalog.threads.size());
  state.skip_vm_roots = tools_.skip_vm_roots;
  state.tags_left = tools_.tracker != nullptr ? kMostRootTags : 0;
  state.announce_to = &tools_.work.mailbox->child;
  if (leaves_regions_out_) state.free_regions = &free_regions_;
  if (tools_.roots.complete()) state.stacks = StackCursor(tools_.roots);
  state.plan.name = "holdfast-child";
  state.plan.stack = tools_.work.stack;
  state.plan.stack_bytes = tools_.work.stack_bytes;
  state.plan.watchdog_seconds = tools_.work.watchdog_seconds;
  state.plan.body = &Freeze::run_child;
  state.plan.argument = this;
  state.plan.may_outlive = &tools_.work.mailbox->may_outlive;
  state.plan.clean_up = &remove_open_temporary;
  state_ = &state;
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = &freeze_reference_stopped;
  const std::uint64_t began = platforms::monotonic_ns();
  if (tools_.roots_limit_ns != UINT64_MAX) state.roots_until_ns = began + tools_.roots_limit_ns;
  // From 16 on a walk that may show any object first undoes in all frames what escape analysis saved, with every thread suspended.
  // One that may show tagged objects alone does not, and threads are tagged: the first of them is all that is needed.
  const jint filter = tools_.roots_limit_ns == 0 ? JVMTI_HEAP_FILTER_UNTAGGED : 0;
  const jvmtiError answer =
      dump_.env().FollowReferences(filter, nullptr, nullptr, &callbacks, &state);
  out.pause.pause_ns = platforms::monotonic_ns() - began;
  out.pause.clone_ns = state.clone_ns;
  out.pause.roots_ns = state.roots_ns;
  picture_.roots = state.roots;
  picture_.addresses = state.addresses;
  picture_.cut = state.cut;
  out.heap_before = picture_.heap_before;
  handles_.reset();
  if (state.outcome != FreezeOutcome::kFrozen) HF_CHECK_OK(check(answer));
  HF_CHECK_OK(check_outcome(state));
  out.process = state.child;
  return {};
}

int Freeze::run_child(void* freeze) noexcept {
  auto& self = *static_cast<Freeze*>(freeze);
  self.picture_.roots = self.state_->roots;
  self.picture_.addresses = self.state_->addresses;
  self.picture_.cut = self.state_->cut;
  self.picture_.stacks_walked = self.state_->stacks_walked;
  return self.body_(self);
}

// "class\0method\0" for each method, in the order of numbers; what does not fit stays without a name.
std::uint32_t Freeze::pack_method_names() noexcept {
  ChildMailbox& mailbox = *tools_.work.mailbox;
  const Catalog& catalog = heap_.catalog;
  std::size_t used = 0;
  const auto put = [&](StringId id) {
    const std::string_view text = catalog.strings.view(id);
    std::memcpy(mailbox.text + used, text.data(), text.size());
    used += text.size();
    mailbox.text[used++] = '\0';
  };
  for (const MethodRow& row : catalog.methods) {
    const std::size_t bytes =
        catalog.strings.view(row.class_name).size() + catalog.strings.view(row.name).size() + 2;
    if (used + bytes > ChildMailbox::kTextBytes) break;
    put(row.class_name);
    put(row.name);
  }
  return static_cast<std::uint32_t>(used);
}

void Freeze::tell_child(FrozenChild& out) noexcept {
  ChildMailbox& mailbox = *tools_.work.mailbox;
  const VmAccess vm{dump_.env(), thread_.jni, thread_.java};
  ArenaScope scratch(tools_.memory.work_arena());
  MethodNames methods;
  Result<void> named = methods.collect(picture_.roots.span(), tools_.memory.work_arena());
  if (named) named = methods.read(vm, tools_.memory.catalog_arena(), heap_.catalog);
  if (named) mailbox.text_bytes = pack_method_names();
  if (auto after = thread_.java.heap_figures(thread_.jni); after) out.pause.heap_after = *after;
  if (tools_.tracker != nullptr) tools_.tracker->adopt(std::move(dump_));
  out.catalog = heap_.catalog;
  mailbox.facts = out.pause;
  mailbox.facts_ready.store(1, std::memory_order_release);
}

// -- in the child --

Result<void> Freeze::hear_parent(Capture& capture) noexcept {
  constexpr std::uint64_t kLookEveryNs = 200'000;
  // A collection may hold the parent up, and the heap is given back: half of what the watchdog grants.
  const std::uint64_t patience_ns = std::uint64_t{tools_.work.watchdog_seconds} * 500'000'000;
  const ChildMailbox& mailbox = *tools_.work.mailbox;
  const std::uint64_t until = platforms::monotonic_ns() + patience_ns;
  while (mailbox.facts_ready.load(std::memory_order_acquire) == 0) {
    if (platforms::monotonic_ns() > until)
      return make_error(ErrorCode::kDeadline, static_cast<std::int64_t>(patience_ns));
    platforms::sleep_ns(kLookEveryNs);
  }
  capture.pause_ns = mailbox.facts.pause_ns;
  capture.clone_ns = mailbox.facts.clone_ns;
  capture.prepare_ns = prepare_ns_;
  capture.heap_before = picture_.heap_before;
  capture.heap_after = mailbox.facts.heap_after;
  unpack_method_names(capture.snapshot.catalog);
  return {};
}

void Freeze::unpack_method_names(Catalog& catalog) noexcept {
  const ChildMailbox& mailbox = *tools_.work.mailbox;
  const char* at = mailbox.text;
  const char* end =
      mailbox.text + std::min<std::size_t>(mailbox.text_bytes, ChildMailbox::kTextBytes);
  const auto next = [&] {
    const char* start = at;
    while (at < end && *at != '\0') ++at;
    const std::string_view text(start, static_cast<std::size_t>(at - start));
    if (at < end) ++at;
    return catalog.strings.intern(text);
  };
  for (MethodRow& row : catalog.methods) {
    if (at >= end) break;
    row.class_name = next();
    row.name = next();
  }
}

}  // namespace holdfast::jvmti
