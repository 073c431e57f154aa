// What was odd while a heap was read: nothing is left out without a count here.
// Shape:  plain counts; note_doubts() makes sentences of those that are not 0.   Zone: capture.   Errors: none.
#pragma once

#include <cstdint>

#include "common/notes.h"
#include "jvmpi/vm_requests.h"

namespace holdfast::jvmpi {

struct ReadingDoubts {
  std::uint64_t classes_refused = 0;     // the VM does not tell them
  std::uint64_t objects_refused = 0;     // neither shown nor said what they are
  std::uint64_t objects_bare = 0;        // not shown, but said what they are; without class objects
  std::uint64_t objects_unreadable = 0;  // what is shown of them makes no sense
  std::uint64_t objects_repeated = 0;    // listed more than once
  std::uint64_t fields_unread = 0;       // objects of whose fields not all could be read
  std::uint64_t tails_unwritten = 0;     // references that the VM leaves out of what it shows
  std::uint64_t sizes_guessed = 0;
  std::uint64_t lists_cut = 0;
  std::uint64_t roots_cut = 0;
  std::uint64_t dangling_found = 0;       // met in references and in no list
  std::uint64_t dangling_references = 0;  // to what the VM does not show
  std::uint64_t dangling_no_room = 0;     // references
};

inline void note_doubts(const ReadingDoubts& doubts, const RequestOddities& requests,
                        Notes& notes) noexcept {
  const auto say = [&](std::uint64_t count, const char* what) {
    if (count != 0) notes.add("%llu %s", static_cast<unsigned long long>(count), what);
  };
  say(doubts.classes_refused,
      "classes are not told by the VM: their objects have no class and no references");
  say(doubts.objects_refused, "objects that the VM knows of are not shown by it, and left out");
  say(doubts.objects_bare,
      "objects are not shown by the VM, which says their class and size alone: their references "
      "are missing");
  say(doubts.roots_cut,
      "list of GC roots ended in what nobody knows: roots are missing, and what they hold seems "
      "unreachable");
  say(doubts.objects_unreadable,
      "objects were shown in a form that makes no sense; their references are left out");
  say(doubts.objects_repeated, "objects were listed more than once, and counted once");
  say(doubts.fields_unread, "objects have fields that could not be read");
  say(doubts.tails_unwritten,
      "references are missing: this VM leaves out the last value of an object that is asked for "
      "alone (capture=walk asks for fewer of them)");
  say(doubts.sizes_guessed, "sizes were not told, and are those of the values alone");
  say(doubts.lists_cut, "list of objects ended in the middle of one");
  say(doubts.dangling_found,
      "objects are in no list of the VM's; they were found through what refers to them");
  say(doubts.dangling_references, "references lead to what the VM does not show, and are left out");
  say(doubts.dangling_no_room, "references to objects of no list were left out: memory= is full");
  say(requests.silent, "requests went well by the VM's word, and told nothing");
  say(requests.repeated, "events came twice, and were heard once");
  say(requests.unasked, "events came that nobody asked for");
}

}  // namespace holdfast::jvmpi
