// Asks the VM for one event at a time; what it tells is handed to whoever asked.
// Why: an event that is asked for comes back through the one handler that the VM has, on the same thread, before the request returns. So a
//      request is a call with an answer again, and the handler needs to know nothing.
// Shape:  ask(type, argument, visit): visit(event) runs inside the VM's call, at most once. Requests nest: a dump's handler may ask on.
//         What an event points to is gone when visit() returns.
// Zone:   capture (ask), event (deliver). One thread asks, the capture thread.
// Errors: Asked says what came of it. An event that comes twice, or that nobody asked for, is counted and left alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "jvmpi/abi/jvmpi.h"
#include "jvmpi/primitive_classes.h"
#include "jvmpi/records/byte_cursor.h"

namespace holdfast::jvmpi {

enum class Asked : std::uint8_t {
  kAnswered,
  kRefused,  // the VM says so
  kSilent,   // the VM says that it went well, and no event has come
};

struct RequestOddities {
  std::uint64_t repeated = 0;  // events that came once more
  std::uint64_t unasked = 0;
  std::uint64_t silent = 0;
};

class VmRequests {
 public:
  void open(const JVMPI_Interface& vm) noexcept { vm_ = &vm; }
  // The VM is gone: whatever is asked from now on is refused, without a call. Any thread.
  void close() noexcept { closed_.store(true, std::memory_order_release); }
  bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  const JVMPI_Interface& vm() const noexcept { return *vm_; }
  // They have ids while a GcOff lives.
  PrimitiveClasses& primitives() noexcept { return primitives_; }

  template <class Visit>
  Asked ask(EventType type, void* argument, Visit visit) noexcept {
    const auto call = [](void* context, const JVMPI_Event& event) noexcept {
      (*static_cast<std::remove_reference_t<Visit>*>(context))(event);
    };
    return run(type, argument, call, &visit);
  }
  template <class Visit>
  Asked ask(EventType type, VmId object, Visit visit) noexcept {
    return ask(type, reinterpret_cast<void*>(static_cast<std::uintptr_t>(object)), visit);
  }

  // Of the class that has the method, while ids hold; 0: not told.
  VmId class_of(jmethodID method) const noexcept {
    return closed() ? 0 : reinterpret_cast<std::uintptr_t>(vm_->GetMethodClass(method));
  }

  // The VM's handler has an event of a kind that is only ever asked for.
  void deliver(const JVMPI_Event& event) noexcept;
  static bool is_answer(jint event_type) noexcept;

  const RequestOddities& oddities() const noexcept { return oddities_; }
  void forget_oddities() noexcept { oddities_ = RequestOddities{}; }

 private:
  using Call = void (*)(void* context, const JVMPI_Event& event) noexcept;
  struct Pending {
    EventType type;
    Call call;
    void* context;
    Pending* outer;
    std::uint32_t events = 0;
  };
  Asked run(EventType type, void* argument, Call call, void* context) noexcept;

  const JVMPI_Interface* vm_ = nullptr;
  std::atomic<bool> closed_{false};
  Pending* innermost_ = nullptr;
  RequestOddities oddities_;
  PrimitiveClasses primitives_;
};

// No collection runs while one lives, so ids hold.
class GcOff {
 public:
  explicit GcOff(VmRequests& requests) noexcept : requests_(requests) {
    if (requests_.closed()) return;
    requests_.vm().DisableGC();
    requests_.primitives().learn_ids();
  }
  ~GcOff() {
    requests_.primitives().forget_ids();
    if (!requests_.closed()) requests_.vm().EnableGC();
  }
  GcOff(const GcOff&) = delete;
  GcOff& operator=(const GcOff&) = delete;

 private:
  VmRequests& requests_;
};

}  // namespace holdfast::jvmpi
