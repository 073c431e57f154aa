// What follows from field counts, superclasses and interfaces alone: field slots, reference kinds, kinds of classes.
// Why apart from the VM: these are the rules that must be exactly right, and pure functions are tested without a VM.
// Shape:  JVMTI's field index of a field of class C counts, in this order: the declared fields of all interfaces that C and its
//         superclasses implement, directly or not, each interface once; those of all superclasses, the topmost first; C's own.
//           interface_field_count(C) + chain_offset(C) + ordinal
//         Instance and static fields are counted alike. O(sum of the interface closures); 8 B scratch a class.
// Zone:   capture.   Errors: none.
// Source: JVMTI specification, jvmtiHeapReferenceInfoField; holds on HotSpot 17 and 25
//         (docs/decisions/030-heap-walk-order.md).
#pragma once

#include <cstdint>
#include <span>

#include "common/snapshot/catalog.h"

namespace holdfast::java {

inline constexpr std::uint32_t kNoClass = ClassId::kNoneValue;
// interface_field_count of a class whose fields the VM does not tell (it is not prepared): no slot is ever named.
inline constexpr std::uint32_t kUnknownFieldCount = 0xFFFFFFFFu;

// Relations between classes, by class index.
struct ClassRelations {
  std::span<const std::uint32_t> superclass;       // [C], kNoClass
  std::span<const std::uint32_t> first_interface;  // [C + 1] into interfaces
  std::span<const std::uint32_t> interfaces;       // direct ones
  std::span<const std::uint8_t> prepared;          // [C]
};

// Classes that the runtime library gives a meaning to; kNoClass where it is not loaded.
struct KnownClasses {
  std::uint32_t class_class = kNoClass;
  std::uint32_t class_loader = kNoClass;
  std::uint32_t thread = kNoClass;
  std::uint32_t reference = kNoClass;
  std::uint32_t soft = kNoClass;
  std::uint32_t weak = kNoClass;
  std::uint32_t final = kNoClass;
  std::uint32_t phantom = kNoClass;
  std::uint32_t protection_domain = kNoClass;
  std::uint32_t object_array = kNoClass;
  std::uint32_t stack_chunk = kNoClass;  // frames of a thread that is not mounted, JDK 21 and later
  std::uint32_t referent_ordinal =
      kNoClass;  // of `referent` among the declared fields of `reference`
};

// Which field of an object is the referent, and how a reference through it is labelled; 8 B a class, read while stopped.
struct ReferentRule {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t slot = kNone;
  RefLabel label;
};

struct LayoutScratch {
  std::span<std::uint32_t> seen_for;  // [C]
  std::span<std::uint32_t> queue;     // [C]
};

// rows[c].field_count and superclass are given; chain_offset, interface_field_count and first_field are filled.
void lay_out_fields(const ClassRelations& relations, std::span<ClassRow> rows,
                    LayoutScratch scratch) noexcept;
// flags (kClassClass, kClassLoaderKind, kClassThread) and referent, from the superclass chains.
void mark_kinds(const KnownClasses& known, std::span<ClassRow> rows) noexcept;
void find_referents(const KnownClasses& known, std::span<const ClassRow> rows,
                    std::span<ReferentRule> rules) noexcept;

}  // namespace holdfast::java
