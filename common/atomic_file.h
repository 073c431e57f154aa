// A file that is there as a whole or not at all: written under a temporary name, synced, then renamed without overwriting. replace() puts
// a fuller one in its place, so that its name leads to one of the two at every moment.
// Why the scan: a process that was killed while writing leaves only a ".tmp" file; the next start removes those of dead pids.
// Why also a lock: containers share directories but not pids, and nearly every one of them writes as pid 1.
// Shape:  temporary name = final name + ".PID.tmp", mode 0600, locked while it is written. abandon() or destruction removes it.
//         What is published to be replaced stays locked: while the lock is held, a fuller one is on its way.
//         Final names end in ".hfr" or ".hfs": other programs' ".PID.tmp" files are none of our business.
// Zone:   worker, offline.
// Errors: kIo (detail: errno), kExists when the final name is taken (the caller takes the next sequence number).
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "common/result.h"

namespace holdfast {

class AtomicFile {
 public:
  static constexpr std::size_t kMaxPath = 4096;

  AtomicFile() = default;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() { abandon(); }

  Result<void> open(const char* directory, const char* name) noexcept;
  Result<void> write(const void* data, std::size_t bytes) noexcept;
  Result<void> publish() noexcept;
  Result<void> publish_locked() noexcept;  // locked until abandon() or destruction
  // Over a file of that name, which is ours: publish_locked() of another AtomicFile has put it there.
  Result<void> replace() noexcept;
  void abandon() noexcept;
  // The final one.
  const char* path() const noexcept { return final_path_; }

 private:
  Result<void> settle(int error) noexcept;
  friend void remove_open_temporary() noexcept;
  static inline constinit std::atomic<const AtomicFile*> last_opened_{nullptr};

  int descriptor_ = -1;
  char final_path_[kMaxPath] = "";
  char temporary_path_[kMaxPath] = "";
};

// In a dump's child, before it is ended in the middle of writing: the temporary file that was opened last goes. Zone: child.
void remove_open_temporary() noexcept;

// Removes temporary files of ours in `directory` (name, owner, plain file) whose process is gone and that nobody holds locked.
// Answers how many.
int remove_stale_temporaries(const char* directory) noexcept;

// Keeps at most `keep` files in `directory` of our user that end in `suffix` and start with `prefix`, the least recently
// written going first. Answers how many went.
int remove_oldest_files(const char* directory, std::string_view prefix, std::string_view suffix,
                        int keep) noexcept;

}  // namespace holdfast
