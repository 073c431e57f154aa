// What a child wants to be named, and the names on their way to it: classes of its heap, functions on stacks, static fields.
// Why the parent: names come from the runtime's calls, and a child must not make any. Why not before: only the heap tells which classes there are.
// Shape:  wanted: a head, ClassIDs, static fields, modules that are never unloaded, which a child tells without danger: memory of others may be
//         given back while somebody looks. told: a head, and the parent's catalog arena byte by byte, which the child puts
//         where the parent has it: so every span and text in it is good there.
//         Methods of the catalog: the distinct functions of all stacks, then the wanted static fields, then MethodAfterStatics.
// Zone:   name_picture(): capture, on a thread that the runtime does not know, while nothing is unloaded. The rest: any, child included.
// Errors: kOutOfBudget where not even the classes have room.
#pragma once

#include "clrprofiler/frozen/picture_source.h"
#include "clrprofiler/frozen/picture_statics.h"
#include "clrprofiler/heap/edge_names.h"
#include "common/snapshot/catalog.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

struct WantedNames {
  std::uint64_t classes = 0;  // ClassIDs that follow
  std::uint64_t statics = 0;  // static fields that follow (FieldSlot)
  std::uint64_t modules = 0;  // of those that are never unloaded, that follow
};

struct ToldNames {
  bool ok = false;
  Error error{};
  std::uint64_t bytes = 0;  // of the catalog arena, from its start
  Catalog catalog;
  std::span<const EdgeNames> edges;  // by class index, where references were wanted
  PauseFigures pause;
};

// Methods of the catalog behind the static fields: one for fields that nobody knows, one for those of threads.
enum class MethodAfterStatics : std::uint8_t { kUnknown, kOfThread };
inline constexpr std::size_t kMethodsAfterStatics = 2;

// Of all stacks, sorted.
Result<std::span<const std::uint64_t>> distinct_functions(const PictureSource& source,
                                                          Arena& arena) noexcept;

struct NamesWanted {
  std::span<const ClassID> classes;
  std::span<const FieldSlot> statics;
  std::span<const Address> modules;  // that are never unloaded
  bool graph;                        // references, functions and threads are wanted, too
};

// Fills the catalog arena, which is empty.
Result<void> name_picture(ProfilerInfo& info, const PictureSource& source,
                          const NamesWanted& wanted, CaptureMemory& memory, ToldNames& out,
                          Notes& notes) noexcept;

}  // namespace holdfast::clr
