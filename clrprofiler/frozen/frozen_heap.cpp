#include "clrprofiler/frozen/frozen_heap.h"

#include <cstdio>

#include "clrprofiler/frozen/frozen_child.h"
#include "clrprofiler/frozen/picture_names.h"
#include "clrprofiler/frozen/self_check.h"
#include "common/child_channel.h"
#include "common/log.h"
#include "platforms/module.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kChildPatienceNs = 600'000'000'000;  // the watch ends a child sooner
constexpr std::uint64_t kStackShare = 4;                     // of the pause, for stacks
constexpr std::uint64_t kMostClasses = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostStatics = std::uint64_t{1} << 24;

const void* runtime_symbol(const char* name) noexcept {
  return platforms::loaded_symbol("libcoreclr.so", name);
}

// What the child wants, and the answer to it. An error is the talk's, and not a lack of names: the child hears of that.
class NamesForChild {
 public:
  NamesForChild(ProfilerInfo& info, const Freeze& freeze, CaptureMemory& memory,
                ChildMailbox& mailbox) noexcept
      : info_(info),
        freeze_(freeze),
        memory_(memory),
        channel_(mailbox, ChildChannel::Side::kParent, kChildPatienceNs) {}

  Result<void> hear() noexcept {
    WantedNames wanted;
    HF_CHECK_OK(channel_.receive(std::as_writable_bytes(std::span(&wanted, 1))));
    if (wanted.classes > kMostClasses || wanted.statics > kMostStatics ||
        wanted.modules > freeze_.source().modules().size())
      return make_error(ErrorCode::kInconsistent);
    HF_TRY(classes, memory_.work_arena().make<ClassID>(wanted.classes));
    HF_TRY(statics, memory_.work_arena().make<FieldSlot>(wanted.statics));
    HF_TRY(modules, memory_.work_arena().make<Address>(wanted.modules));
    HF_CHECK_OK(channel_.receive(std::as_writable_bytes(classes)));
    HF_CHECK_OK(channel_.receive(std::as_writable_bytes(statics)));
    HF_CHECK_OK(channel_.receive(std::as_writable_bytes(modules)));
    classes_ = classes;
    statics_ = statics;
    modules_ = modules;
    log_line(LogLevel::kDebug,
             "frozen capture: the child asks for the names of %zu classes and %zu static fields",
             classes.size(), statics.size());
    return {};
  }

  void find(const ClosedUnloads& closed, Notes& notes) noexcept {
    Result<void> named = closed.check();
    const NamesWanted wanted{classes_, statics_, modules_,
                             freeze_.tools().use != PictureUse::kCounts};
    if (named) named = name_picture(info_, freeze_.source(), wanted, memory_, told_, notes);
    if (named) named = closed.check();
    if (named) return;
    told_.ok = false;
    told_.error = named.error();
  }

  Result<void> tell(const FrozenChild& child) noexcept {
    told_.pause = child.pause;
    HF_CHECK_OK(channel_.send(std::as_bytes(std::span(&told_, 1))));
    if (!told_.ok) return {};
    return channel_.send({memory_.catalog_arena().start(), told_.bytes});
  }

  const Catalog& catalog() const noexcept { return told_.catalog; }

 private:
  ProfilerInfo& info_;
  const Freeze& freeze_;
  CaptureMemory& memory_;
  ChildChannel channel_;
  std::span<ClassID> classes_;
  std::span<FieldSlot> statics_;
  std::span<Address> modules_;
  ToldNames told_;
};

}  // namespace

void FrozenHeap::forbid(const char* why) noexcept {
  if (open_ && ++failures_ < kMostFailures) return;
  std::snprintf(refusal_.text, sizeof refusal_.text, "%s", why);
}

bool FrozenHeap::read_format(ProfilerInfo& info) noexcept {
  refusal_ = {};
  if (!info.has(Needs::kHeapObjects)) {
    forbid("it begins with .NET 9");
    return false;
  }
  if (!read_runtime_layout(&runtime_symbol, format_.layout, refusal_)) return false;
  if (const char* missing = read_handle_layout(format_.layout.gc, format_.handles)) forbid(missing);
  return refusal_.text[0] == '\0';
}

void FrozenHeap::prove(ProfilerInfo& info, CaptureMemory& memory, const FrozenWork& work) noexcept {
  SelfCheck check(info, format_, memory, work);
  if (const char* failed = check.run()) return forbid(failed);
  open_ = true;
}

// Once there is a child, what becomes of it is its watcher's to say.
Result<void> FrozenHeap::freeze(const CountTools& with, const CapturePlan& plan,
                                CaptureMemory& memory, const FrozenWork& work, FrozenChild& out,
                                Notes& notes) noexcept {
  if (refusal_.text[0] != '\0') return make_error(ErrorCode::kUnsupported);
  ProfilerInfo& info = with.info;
  const FreezeTools tools{info,
                          format_,
                          memory,
                          work,
                          picture_use(plan),
                          out.heap_before,
                          with.ages,
                          &notes,
                          plan.pause_limit_ns / kStackShare};
  Freeze freeze(tools);
  const ClosedUnloads closed(with.gate);
  HF_CHECK_OK(freeze.prepare());
  HF_CHECK_OK(freeze.make_child(&dump_in_child, nullptr, nullptr, out));
  if (with.ages != nullptr && !with.ages->ranges().known()) notes.add("%s", kNoAgesYet);
  NamesForChild names(info, freeze, memory, *work.mailbox);
  if (!names.hear()) return {};
  names.find(closed, notes);
  if (names.tell(out)) {
    out.catalog = names.catalog();
    failures_ = 0;
  }
  return {};
}

}  // namespace holdfast::clr
