#include "clrprofiler/frozen/picture_roots.h"

#include <algorithm>

#include "clrprofiler/frozen/picture_names.h"

namespace holdfast::clr {

namespace {

static_assert(sizeof(RootRecord) <= sizeof(PictureRoot));

class RootDescription {
 public:
  RootDescription(const PictureSource& source, std::span<const std::uint64_t> functions,
                  std::uint64_t statics) noexcept
      : source_(source), functions_(functions), statics_(statics) {}

  // Everything but the object.
  RootRecord of(const PictureRoot& root) const noexcept {
    RootRecord record;
    switch (root.kind) {
      case PictureRootKind::kHandle:
        record.kind = RootKind::kHandle;
        break;
      case PictureRootKind::kPinnedHandle:
        record.kind = RootKind::kPinnedHandle;
        break;
      case PictureRootKind::kFinalizer:
        record.kind = RootKind::kFinalizer;
        break;
      case PictureRootKind::kStaticVariable:
        record.kind = RootKind::kStaticField;
        record.method = method_of_static(root.id);
        break;
      case PictureRootKind::kStackWord:
        record.kind = RootKind::kPossibleStackSlot;
        describe_word(root.id, record);
        break;
      case PictureRootKind::kThreadStatics:
        record.kind = RootKind::kStaticField;
        record.method = method_after(MethodAfterStatics::kOfThread);
        if (root.id < source_.stacks())
          record.thread = ThreadId{static_cast<std::uint32_t>(root.id)};
        break;
      case PictureRootKind::kThreadStatic:
        record.kind = RootKind::kStaticField;
        record.method = method_of_static(static_cast<std::uint32_t>(root.id));
        if (root.id >> 32 < source_.stacks())
          record.thread = ThreadId{static_cast<std::uint32_t>(root.id >> 32)};
        break;
    }
    return record;
  }

 private:
  MethodId method_after(MethodAfterStatics which) const noexcept {
    return MethodId{static_cast<std::uint32_t>(functions_.size() + statics_) +
                    static_cast<std::uint32_t>(which)};
  }
  MethodId method_of_static(std::uint64_t number) const noexcept {
    if (number >= statics_) return method_after(MethodAfterStatics::kUnknown);
    return MethodId{static_cast<std::uint32_t>(functions_.size() + number)};
  }
  void describe_word(std::uint64_t id, RootRecord& record) const noexcept {
    const auto stack = static_cast<std::uint32_t>(id >> 32);
    const auto frame = static_cast<std::uint32_t>(id);
    record.thread = ThreadId{stack};
    const StackOfThread& one = source_.threads().threads()[stack];
    if (frame >= one.frames) return;
    record.depth = static_cast<std::uint16_t>(std::min<std::uint32_t>(frame, UINT16_MAX));
    const std::uint64_t function = source_.threads().functions()[one.first + frame];
    const auto at = std::lower_bound(functions_.begin(), functions_.end(), function);
    record.method = MethodId{static_cast<std::uint32_t>(at - functions_.begin())};
  }

  const PictureSource& source_;
  std::span<const std::uint64_t> functions_;
  std::uint64_t statics_;
};

}  // namespace

Result<std::span<const RootRecord>> resolve_roots(std::span<PictureRoot> roots, MarkedHeap& heap,
                                                  const PictureSource& source,
                                                  std::uint64_t statics, Arena& arena) noexcept {
  HF_TRY(functions, distinct_functions(source, arena));
  const RootDescription description(source, functions, statics);
  auto* records = reinterpret_cast<RootRecord*>(roots.data());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const PictureRoot root = roots[i];
    RootRecord record = description.of(root);
    record.object = heap.number_of(root.object);
    records[i] = record;
  }
  return std::span<const RootRecord>(records, roots.size());
}

}  // namespace holdfast::clr
