#include "cli/report/verdict.h"

#include <algorithm>

#include "cli/report/holder.h"
#include "cli/report/words.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

std::string name_text(std::string_view name, std::size_t columns) {
  return columns == kFullNames ? std::string(name) : shorten_name(printable(name), columns);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return " (" + percent(part, whole) + " of the heap)";
}

std::string histogram_verdict(const ReportView& view, std::size_t columns) {
  const std::uint64_t whole = view.whole_bytes();
  std::string text = counted(view.whole_objects(), "object") + " of " +
                     counted(view.classes_total, "class", "classes") + " take " +
                     human_bytes(whole);
  const auto largest = std::ranges::max_element(view.classes, {}, &ClassView::shallow_bytes);
  if (largest == view.classes.end()) return text;
  return text + "; the largest class is " + name_text(largest->name, columns) + " with " +
         human_bytes(largest->shallow_bytes) + share_text(largest->shallow_bytes, whole);
}

// What pass_runner.h calls it.
const PassView* suspect_pass(const ReportView& view) {
  const auto pass = std::ranges::find(view.passes, "suspects", &PassView::name);
  return pass == view.passes.end() ? nullptr : &*pass;
}

bool looked_for_suspects(const ReportView& view) {
  const PassView* pass = suspect_pass(view);
  return pass != nullptr && pass->left_out.empty();
}

std::string why_not(const ReportView& view) {
  const PassView* pass = suspect_pass(view);
  return pass == nullptr ? "" : " (" + std::string(pass->left_out) + ')';
}

// The same of a running process, whose garbage is beside the graph.
std::string large_unreached(const ReportView& view, std::size_t columns) {
  const UnreachedView& found = *view.states->unreached;
  const std::uint64_t used = view.dump.heap_used_before_bytes;
  if (found.shallow_bytes < used / 2 || found.classes.empty()) return {};
  const StateClassView& first = found.classes.front();
  return human_bytes(found.shallow_bytes) + " of the heap in use" +
         share_text(found.shallow_bytes, used) + " are unreachable, most of it " +
         thousands(first.instances) + ' ' + name_text(first.class_name, columns) + " with " +
         human_bytes(first.shallow_bytes);
}

// What fills most of the heap although nothing holds it.
std::string large_state(const ReportView& view, std::size_t columns) {
  if (!view.states) return {};
  if (view.states->unreached)
    if (std::string text = large_unreached(view, columns); !text.empty()) return text;
  const auto& states = view.states->states;
  const auto largest = std::ranges::max_element(
      states, {}, [](const StateView& one) { return one.held ? 0 : one.shallow_bytes; });
  if (largest == states.end() || largest->held) return {};
  const std::uint64_t all = view.states->bytes();
  if (largest->shallow_bytes < all / 2 || largest->classes.empty()) return {};
  const StateClassView& first = largest->classes.front();
  return human_bytes(largest->shallow_bytes) + share_text(largest->shallow_bytes, all) + " are " +
         std::string(phrase(largest->state)) + ", most of it " + thousands(first.instances) + ' ' +
         name_text(first.class_name, columns) + " with " + human_bytes(first.shallow_bytes);
}

std::string no_suspect_verdict(const ReportView& view, std::size_t columns) {
  const bool looked = looked_for_suspects(view);
  const std::string text = looked
                               ? "No leak suspect: no object and no group of one class stands out"
                               : "Leak suspects were not looked for" + why_not(view);
  if (const std::string other = large_state(view, columns); looked && !other.empty())
    return text + ". " + other;
  if (view.top_objects.empty())
    return looked ? text : text + "; " + histogram_verdict(view, columns);
  const ObjectView& largest = view.top_objects.front().object;
  return text + "; the largest retainer is " + name_text(object_text(largest), columns) + " with " +
         human_bytes(largest.retained_bytes) +
         share_text(largest.retained_bytes, view.whole_bytes());
}

// java.lang.Thread keeps them in fields of these names, up to JDK 25 at least.
bool is_thread_local(const PathView& path) {
  return path.root == Root::kThread && path.steps.size() > 1 &&
         (path.steps[1].field == "threadLocals" ||
          path.steps[1].field == "inheritableThreadLocals");
}

std::string_view frame_words(const PathView& path) {
  return path.root == Root::kPossibleStackSlot ? "a stack slot that may hold it, of "
                                               : "a local variable of ";
}

std::string beginning_of(const PathView& path, std::size_t columns) {
  const std::string thread = "thread \"" + name_text(path.thread, columns) + '"';
  if (path.in_code_constant()) return "a " + root_brief(path);
  if (path.in_frame())
    return std::string(frame_words(path)) + name_text(path.frame_class, columns) + '.' +
           name_text(path.frame_method, columns) + "() in " + thread;
  if (is_thread_local(path)) return "a thread-local variable of " + thread;
  return path.root == Root::kThread ? thread : "a GC root (" + root_brief(path) + ')';
}

// Who holds the object that the path ends at: the step before it, or the root.
std::string holder_of_member(const PathView& path, std::size_t columns) {
  if (path.steps.size() < 2) return "a GC root (" + root_brief(path) + ')';
  const ObjectView& by = path.steps[path.steps.size() - 2].object;
  const bool stands_for_class = by.is_class_object();
  return (stands_for_class ? "class " : "an object of class ") +
         name_text(stands_for_class ? by.class_object_of : by.class_name, columns);
}

std::string member_text(std::string_view of_class, std::string_view field, std::size_t columns) {
  const std::string holder = name_text(of_class, columns);
  const std::string member = name_text(field, columns);
  return holder + (member.empty() || holder.empty() ? "" : ".") + member;
}

// A static field that is a thread's own is a GC root with that thread.
std::string static_text(const PathView& path, std::string_view of_class, std::string_view field,
                        std::size_t columns) {
  std::string member = "static field " + member_text(of_class, field, columns);
  if (!path.in_static_field() || path.thread.empty()) return member;
  return "thread " + member + " in thread \"" + name_text(path.thread, columns) + '"';
}

// "shop.Cache.articles of shop.Shop.cache, from static field shop.Main.SHOP"
std::string field_text(const SuspectView& suspect, std::size_t columns) {
  std::string text = "field " + member_text(suspect.holder_class, suspect.holder_field, columns);
  if (!suspect.part_of_field.empty())
    text += " of " + member_text(suspect.part_of_class, suspect.part_of_field, columns);
  return text + ", from " +
         (suspect.begins_in_field.empty() ? beginning_of(suspect.path, columns)
                                          : static_text(suspect.path, suspect.begins_in_class,
                                                        suspect.begins_in_field, columns));
}

// The last holder on the path that a programmer has a name for.
std::string named_holder(const SuspectView& suspect, std::size_t columns) {
  const std::string holder = name_text(suspect.holder_class, columns);
  switch (suspect.holder_kind) {
    case HolderKind::kStaticField:
      return static_text(suspect.path, suspect.holder_class, suspect.holder_field, columns);
    case HolderKind::kField:
      return field_text(suspect, columns);
    case HolderKind::kFrame:
      return beginning_of(suspect.path, columns);
    case HolderKind::kObject:
      break;
  }
  if (is_thread_local(suspect.path)) return beginning_of(suspect.path, columns);
  if (suspect.holder && suspect.holder->is_class_object())
    return "class " + name_text(suspect.holder->class_object_of, columns);
  if (!suspect.holder) return holder_of_member(suspect.path, columns);
  std::string text = "an object of class " + holder + " (" + std::string(phrase(suspect.path.root));
  if (!suspect.path.thread.empty()) text += " \"" + name_text(suspect.path.thread, columns) + '"';
  return text + ')';
}

bool is_handle(Root root) {
  return root == Root::kHandle || root == Root::kPinnedHandle || root == Root::kJniGlobal;
}

// What a runtime keeps that no field names: the path of a group without a holder is that of a typical member, a GC root here.
std::string rooted_group_text(const SuspectView& suspect) {
  const PathView& path = suspect.path;
  if (suspect.holder || path.steps.size() != 1 || !is_handle(path.root)) return {};
  const auto level = [&](std::size_t i) {
    return i < suspect.levels.size() ? suspect.levels[i].class_name : std::string_view();
  };
  const std::string root(phrase(path.root));
  // A CLR's tables of string literals and of interned strings are arrays behind handles.
  if (level(0) == "object[]" && level(1) == "string") return "the table of interned strings";
  if (level(0) == "System.Reflection.LoaderAllocator")
    return counted(suspect.levels[0].instances, "load context") + ", each held by a " + root;
  return "a " + root + " each";
}

// "8 threads' values of the ThreadLocal in static field shop.Cache.OWN", "thread static field shop.Cache.own in 4 threads"
std::string threads_text(const SuspectView& suspect, std::size_t columns) {
  const std::string threads = counted(suspect.threads, "thread");
  if (suspect.path.in_static_field() && !suspect.variable)
    return "thread static field " +
           member_text(suspect.holder_class, suspect.holder_field, columns) + " in " + threads;
  if (!suspect.variable) return threads + "' values of one ThreadLocal";
  const std::string in = way_text(suspect, *suspect.variable, columns);
  return threads + "' values of the ThreadLocal " +
         (in.starts_with("static field ") || in.starts_with("field ") ? "in " : "of ") + in;
}

}  // namespace

std::string holder_text(const SuspectView& suspect, std::size_t columns) {
  if (suspect.waits_for_finalizer) return "the finalizer queue";
  if (suspect.threads != 0) return threads_text(suspect, columns);
  if (std::string rooted = rooted_group_text(suspect); !rooted.empty()) return rooted;
  const std::string named = named_holder(suspect, columns);
  return suspect.holder ? named : "no single object; the largest of them by " + named;
}

std::string way_text(const SuspectView& suspect, const PathView& way, std::size_t columns) {
  SuspectView other;
  other.class_name = suspect.class_name;
  other.levels = suspect.levels;
  other.path = way;
  choose_holder(other);
  return named_holder(other, columns);
}

std::string suspect_sentence(const SuspectView& suspect, std::size_t columns) {
  const std::string name = name_text(suspect.class_name, columns);
  const std::string subject = suspect.instances == 1
                                  ? "One " + name + " retains "
                                  : thousands(suspect.instances) + ' ' + name + " retain ";
  const std::string retained = subject + human_bytes(suspect.retained_bytes) +
                               share_text(suspect.retained_bytes, suspect.whole_bytes);
  if (suspect.waits_for_finalizer)
    return retained + (suspect.instances == 1 ? " and waits" : " and wait") + " for finalizers; " +
           printable(suspect.drain);
  return retained + ", held by " + holder_text(suspect, columns);
}

namespace {

// The first word of the note that says which kind of memory ran out (AgentCore::memory_exhausted).
constexpr std::string_view kJavaOom = "java.lang.OutOfMemoryError: ";

// "Metaspace: ", where it was not the heap, or not by its objects alone; else nothing.
std::string exhausted_kind(const ReportView& view) {
  for (const std::string_view note : view.notes)
    if (note.starts_with(kJavaOom) && note.substr(kJavaOom.size()) != "Java heap space")
      return "OutOfMemoryError (" + printable(note.substr(kJavaOom.size())) + "): ";
  return "";
}

}  // namespace

std::string verdict_text(const ReportView& view, std::size_t columns) {
  const std::string kind = exhausted_kind(view);
  if (!view.graph) return kind + histogram_verdict(view, columns);
  return kind + (view.suspects.empty() ? no_suspect_verdict(view, columns)
                                       : suspect_sentence(view.suspects.front(), columns));
}

}  // namespace holdfast::cli
