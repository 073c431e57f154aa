#include "clrprofiler/frozen/freeze.h"

#include "clrprofiler/suspension.h"
#include "common/atomic_file.h"
#include "common/child_mailbox.h"
#include "platforms/child.h"
#include "platforms/clock.h"

namespace holdfast::clr {

Result<void> Freeze::prepare() noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  HF_CHECK_OK(source_.prepare(tools_.info, tools_.format, tools_.memory.work_arena()));
  prepare_ns_ = platforms::monotonic_ns() - began;
  return {};
}

Result<void> Freeze::make_child(Body body, Stopped stopped, void* context,
                                FrozenChild& out) noexcept {
  body_ = body;
  context_ = context;
  platforms::ChildPlan plan;
  plan.name = "holdfast-child";
  plan.stack = tools_.work.stack;
  plan.stack_bytes = tools_.work.stack_bytes;
  plan.watchdog_seconds = tools_.work.watchdog_seconds;
  plan.body = &Freeze::run_child;
  plan.argument = this;
  plan.may_outlive = &tools_.work.mailbox->may_outlive;
  plan.clean_up = &remove_open_temporary;
  Suspension suspension(tools_.info);
  HF_CHECK_OK(suspension.begin());
  HF_CHECK_OK(source_.walk_stopped(tools_.info, tools_.most_stack_ns));
  if (stopped != nullptr) stopped(context);
  const std::uint64_t began = platforms::monotonic_ns();
  const std::int64_t child = platforms::spawn_child(plan);
  out.pause.clone_ns = platforms::monotonic_ns() - began;
  suspension.end();
  out.pause.pause_ns = suspension.suspended_ns();
  if (child < 0) return make_error(ErrorCode::kRefused, -child);
  out.process = child;
  tools_.work.mailbox->child.store(child, std::memory_order_release);
  return {};
}

int Freeze::run_child(void* freeze) noexcept {
  auto& self = *static_cast<Freeze*>(freeze);
  return self.body_(self);
}

}  // namespace holdfast::clr
