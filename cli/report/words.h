// The words of the report's enums, for programs (snake_case, stable) and for people.
// Shape:  constant tables.   Zone: offline.   Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/report_view.h"

namespace holdfast::cli {

std::string_view word(Root root);          // "system_class", "jni_global", ...
std::string_view word(Via via);            // "static_field", "element", ...
std::string_view word(Firmness strength);  // "strong", "soft", ...
std::string_view word(HolderKind kind);    // "static_field", "frame", "object", "field"
std::string_view phrase(Root root);        // "system class", "JNI global reference", ...

// "shop.Cache.entries": the static field that a path begins in (in_static_field()). Long names are shortened.
std::string static_field_text(const PathView& path);
// How a person calls an object: its class, or "class X" for a class object; with its number, where it has one: "shop.Cache #17".
std::string object_text(const ObjectView& object);
// "known since dump 2 of 2026-11-25 12:01:05 UTC, 2 h 10 min earlier"; empty where the report of this number is the first that named it, or it has no number.
std::string known_text(const ObjectView& object, const OriginView& origin);
// "shop.Worker.run() in thread "worker-1" (frame 3, slot 2)" and the like: where a path starts. Long names are shortened.
std::string root_text(const PathView& path);
// The same in few words: "local of shop.Worker.run()", "possible stack slot of shop.Worker.run()", "thread "main"", "static shop.Cache.entries", "system class".
std::string root_brief(const PathView& path);

// A reachable size: "41.2 MB", of an estimate "about 41.2 MB"; "" where it is not told.
std::string reachable_text(std::uint64_t bytes, bool estimated);
// "leads to 64.0 MB, 7.0 MB of it held by others, too"; "" where that is not told, less than a tenth of what it retains, less
// than a hundredth of the heap, or where it leads to nearly all of that.
std::string shared_text(const ObjectView& object, std::uint64_t whole_bytes);
std::string_view word(Shortage shortage);  // "none", "time", "memory"

// " of 256 MB", with `behind` after it; "" where there is no limit.
std::string limit_phrase(const MemoryView& memory, std::string_view behind);

}  // namespace holdfast::cli
