#include "common/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "platforms/file.h"
#include "platforms/process.h"

namespace holdfast {

namespace {

constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr std::uint64_t kLargestPid = 1u << 22;  // Linux' PID_MAX_LIMIT

bool ends_with(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// The pid in "name.PID.tmp"; 0 when the name is not of that form.
std::uint32_t pid_of_temporary(std::string_view name) noexcept {
  if (!ends_with(name, kTemporaryEnd)) return 0;
  name.remove_suffix(kTemporaryEnd.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos ||
      !(ends_with(name.substr(0, dot), ".hfr") || ends_with(name.substr(0, dot), ".hfs")))
    return 0;
  std::uint64_t pid = 0;
  for (const char c : name.substr(dot + 1)) {
    if (c < '0' || c > '9' || pid > kLargestPid) return 0;
    pid = pid * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return static_cast<std::uint32_t>(pid);
}

struct Sweep {
  const char* directory;
  int removed;
};

void remove_if_stale(void* context, const char* name) noexcept {
  auto& sweep = *static_cast<Sweep*>(context);
  const std::uint32_t pid = pid_of_temporary(name);
  // Our own pid is an earlier life's; a file that we write just now is locked.
  if (pid == 0 || (pid != platforms::process_id() && platforms::process_alive(pid))) return;
  char path[AtomicFile::kMaxPath];
  const int length = std::snprintf(path, sizeof path, "%s/%s", sweep.directory, name);
  if (length > 0 && static_cast<std::size_t>(length) < sizeof path &&
      platforms::remove_abandoned_file(path) == 0)
    ++sweep.removed;
}

struct Oldest {
  const char* directory;
  std::string_view prefix;
  std::string_view suffix;
  int count;
  std::uint64_t modified_ns;
  char path[AtomicFile::kMaxPath];
};

void find_oldest(void* context, const char* name) noexcept {
  auto& oldest = *static_cast<Oldest*>(context);
  const std::string_view text(name);
  if (text.substr(0, oldest.prefix.size()) != oldest.prefix || !ends_with(text, oldest.suffix))
    return;
  char path[AtomicFile::kMaxPath];
  const int length = std::snprintf(path, sizeof path, "%s/%s", oldest.directory, name);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return;
  if (!platforms::is_own_plain_file(path)) return;
  const std::uint64_t modified_ns = platforms::file_modified_ns(path);
  if (oldest.count++ != 0 && modified_ns >= oldest.modified_ns) return;
  oldest.modified_ns = modified_ns;
  std::memcpy(oldest.path, path, static_cast<std::size_t>(length) + 1);
}

}  // namespace

Result<void> AtomicFile::open(const char* directory, const char* name) noexcept {
  abandon();
  const int final_length = std::snprintf(final_path_, sizeof final_path_, "%s/%s", directory, name);
  const int length = std::snprintf(temporary_path_, sizeof temporary_path_, "%s/%s.%u.tmp",
                                   directory, name, platforms::process_id());
  if (final_length < 0 || length < 0 ||
      static_cast<std::size_t>(length) >= sizeof temporary_path_) {
    temporary_path_[0] = '\0';
    return make_error(ErrorCode::kIo, ENAMETOOLONG);
  }
  descriptor_ = platforms::create_file(temporary_path_);
  // Left behind by an earlier process with our number.
  if (descriptor_ == -EEXIST && platforms::remove_abandoned_file(temporary_path_) == 0)
    descriptor_ = platforms::create_file(temporary_path_);
  last_opened_.store(this, std::memory_order_release);
  if (descriptor_ >= 0) return {};
  const int error = -descriptor_;
  descriptor_ = -1;
  temporary_path_[0] = '\0';
  return make_error(ErrorCode::kIo, error);
}

Result<void> AtomicFile::write(const void* data, std::size_t bytes) noexcept {
  if (const int error = platforms::write_all(descriptor_, data, bytes); error != 0)
    return make_error(ErrorCode::kIo, error);
  return {};
}

Result<void> AtomicFile::publish_locked() noexcept {
  const int synced = platforms::sync_file(descriptor_);
  return settle(synced != 0 ? synced : platforms::publish_file(temporary_path_, final_path_));
}

// Closed only afterwards: until it has its final name the file stays locked.
Result<void> AtomicFile::publish() noexcept {
  HF_CHECK_OK(publish_locked());
  abandon();
  return {};
}

Result<void> AtomicFile::replace() noexcept {
  const int synced = platforms::sync_file(descriptor_);
  HF_CHECK_OK(settle(synced != 0 ? synced : platforms::replace_file(temporary_path_, final_path_)));
  abandon();
  return {};
}

// Behind an error there is no temporary file.
Result<void> AtomicFile::settle(int error) noexcept {
  if (error == 0) {
    temporary_path_[0] = '\0';
    return {};
  }
  abandon();
  return make_error(error == EEXIST ? ErrorCode::kExists : ErrorCode::kIo, error);
}

void AtomicFile::abandon() noexcept {
  platforms::close_quietly(descriptor_);
  descriptor_ = -1;
  if (temporary_path_[0] != '\0') platforms::remove_file(temporary_path_);
  temporary_path_[0] = '\0';
  const AtomicFile* self = this;
  last_opened_.compare_exchange_strong(self, nullptr, std::memory_order_release);
}

void remove_open_temporary() noexcept {
  const AtomicFile* const file = AtomicFile::last_opened_.load(std::memory_order_acquire);
  if (file != nullptr && file->temporary_path_[0] != '\0')
    platforms::remove_file(file->temporary_path_);
}

int remove_stale_temporaries(const char* directory) noexcept {
  Sweep sweep{directory, 0};
  platforms::list_directory(directory, &remove_if_stale, &sweep);
  return sweep.removed;
}

int remove_oldest_files(const char* directory, std::string_view prefix, std::string_view suffix,
                        int keep) noexcept {
  constexpr int kMostPerCall = 1000;
  for (int removed = 0; removed < kMostPerCall; ++removed) {
    Oldest oldest{directory, prefix, suffix, 0, 0, ""};
    platforms::list_directory(directory, &find_oldest, &oldest);
    if (oldest.count <= keep || platforms::remove_file(oldest.path) != 0) return removed;
  }
  return kMostPerCall;
}

}  // namespace holdfast
