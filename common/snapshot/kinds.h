// Kinds that every VM's capture speaks: GC roots, references, strengths.
// Shape:  one byte enums; RefLabel packs what a reference is into 16 bits (see below).
// Zone:   any, stopped included (constexpr only).   Errors: none.
// Source: JVMTI heap reference kinds; java.lang.ref package documentation (strengths).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace holdfast {

enum class RootKind : std::uint8_t {
  kSystemClass,  // a class that cannot be unloaded: boot, platform or application loader
  kThread,       // a live thread object
  kStackLocal,
  kJniLocal,
  kJniGlobal,
  kMonitor,
  kHandle,     // a VM handle table
  kFinalizer,  // a finalizer queue
  kOther,      // held by the VM itself
  kStaticField,  // a static field of a VM without class objects; RootRecord.method: its class and name
  kPinnedHandle,       // a handle that also keeps the object where it is (CLR pinned, async-pinned)
  kPossibleStackSlot,  // a word on a thread's stack that may be a reference; where nobody says which are
};
inline constexpr std::size_t kRootKindCount = 12;

// Held by what a thread does at the moment: RootRecord has its thread, and of stack slots the frame.
constexpr bool is_local_root(RootKind kind) noexcept {
  return kind == RootKind::kStackLocal || kind == RootKind::kJniLocal ||
         kind == RootKind::kPossibleStackSlot;
}
// How long a root lasts, the longest first: until the program's data change; while a frame runs; or perhaps it is none at all,
// such as a word that was left on a stack. A root holds only what no root that lasts longer holds (analysis/dominators.h).
enum class Lifespan : std::uint8_t { kDurable, kRunning, kPossible };
inline constexpr std::array<Lifespan, 3> kLifespans = {Lifespan::kDurable, Lifespan::kRunning,
                                                       Lifespan::kPossible};
constexpr Lifespan lifespan_of(RootKind kind) noexcept {
  switch (kind) {
    case RootKind::kPossibleStackSlot:
      return Lifespan::kPossible;
    case RootKind::kStackLocal:
    case RootKind::kJniLocal:
    case RootKind::kMonitor:
    case RootKind::kOther:  // such as constants of compiled code
      return Lifespan::kRunning;
    default:
      return Lifespan::kDurable;
  }
}
std::string_view root_kind_name(RootKind kind) noexcept;  // "system class", "stack local", ...

// How firmly a reference or a path holds, firmest first; kUnreachable: no path at all.
enum class Strength : std::uint8_t { kStrong, kSoft, kWeak, kFinal, kPhantom, kUnreachable };
inline constexpr std::size_t kStrengthCount = 6;
std::string_view strength_name(Strength strength) noexcept;

// A reference's label, 16 bits:
//   [kInstanceBase, kStaticBase)   slot of an instance field (JVMTI field index), saturated at the last value
//   [kStaticBase, kElementBase)    slot of a static field, saturated
//   [kElementBase, kSpecialBase)   array element index, saturated
//   [kSpecialBase, 65536)          one of SpecialRef
// Why packed: names are derived from the class layout, so 2 bytes a reference are enough.
struct RefLabel {
  static constexpr std::uint16_t kInstanceBase = 0x0000;
  static constexpr std::uint16_t kStaticBase = 0x4000;
  static constexpr std::uint16_t kElementBase = 0x8000;
  static constexpr std::uint16_t kSpecialBase = 0xF000;
  std::uint16_t bits = 0;

  static constexpr RefLabel instance_field(std::uint32_t slot) noexcept {
    return pack(kInstanceBase, kStaticBase, slot);
  }
  static constexpr RefLabel static_field(std::uint32_t slot) noexcept {
    return pack(kStaticBase, kElementBase, slot);
  }
  static constexpr RefLabel element(std::uint32_t index) noexcept {
    return pack(kElementBase, kSpecialBase, index);
  }

  constexpr bool is_instance_field() const noexcept { return bits < kStaticBase; }
  constexpr bool is_static_field() const noexcept {
    return bits >= kStaticBase && bits < kElementBase;
  }
  constexpr bool is_element() const noexcept { return bits >= kElementBase && bits < kSpecialBase; }
  constexpr bool is_special() const noexcept { return bits >= kSpecialBase; }
  // Slot or element index; saturated() when the true one may be larger.
  constexpr std::uint32_t index() const noexcept { return bits - base(); }
  constexpr bool saturated() const noexcept { return !is_special() && bits + 1u == limit(); }
  friend constexpr bool operator==(RefLabel, RefLabel) noexcept = default;

 private:
  constexpr std::uint32_t base() const noexcept {
    if (is_instance_field()) return kInstanceBase;
    if (is_static_field()) return kStaticBase;
    return is_element() ? kElementBase : kSpecialBase;
  }
  constexpr std::uint32_t limit() const noexcept {
    if (is_instance_field()) return kStaticBase;
    return is_static_field() ? kElementBase : kSpecialBase;
  }
  static constexpr RefLabel pack(std::uint32_t base, std::uint32_t limit,
                                 std::uint32_t index) noexcept {
    const std::uint32_t room = limit - base - 1;
    return RefLabel{static_cast<std::uint16_t>(base + (index < room ? index : room))};
  }
};
static_assert(sizeof(RefLabel) == 2);

enum class SpecialRef : std::uint16_t {
  kReferentSoft = RefLabel::kSpecialBase,
  kReferentWeak,
  kReferentFinal,
  kReferentPhantom,
  kClass,  // object to its class (only where it is not implied by class_of)
  kClassLoader,
  kSuperclass,
  kInterface,
  kSigners,
  kProtectionDomain,
  kConstantPool,
  kDependent,  // CLR dependent handle
  kOther,
  kElement,  // of an array, its index not known: the CLR leaves null elements out
};
constexpr RefLabel special(SpecialRef kind) noexcept {
  return RefLabel{static_cast<std::uint16_t>(kind)};
}

// How a reference object's referent is labelled; the inverse of strength_of(), for all but kStrong.
constexpr RefLabel referent_label(Strength strength) noexcept {
  switch (strength) {
    case Strength::kSoft:
      return special(SpecialRef::kReferentSoft);
    case Strength::kWeak:
      return special(SpecialRef::kReferentWeak);
    case Strength::kFinal:
      return special(SpecialRef::kReferentFinal);
    default:
      return special(SpecialRef::kReferentPhantom);
  }
}

constexpr Strength strength_of(RefLabel label) noexcept {
  switch (static_cast<SpecialRef>(label.bits)) {
    case SpecialRef::kReferentSoft:
      return Strength::kSoft;
    case SpecialRef::kReferentWeak:
      return Strength::kWeak;
    case SpecialRef::kReferentFinal:
      return Strength::kFinal;
    case SpecialRef::kReferentPhantom:
      return Strength::kPhantom;
    default:
      return Strength::kStrong;
  }
}

}  // namespace holdfast
