// Stand-ins for the few libc symbols above the floor that our dependencies refer to (see make_stubs.py). Linked into the
// agent only, and local to it: whoever else is in the process keeps libc's own.
// Zone:   any.   Errors: as libc's (errno).
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <ctime>

extern "C" {

// GLIBC_2.38; its headers turn strtol and its like into these, which also read "0b1". The names of old are behind the labels.
long plain_strtol(const char* text, char** end, int base) __asm__("strtol");
unsigned long plain_strtoul(const char* text, char** end, int base) __asm__("strtoul");
unsigned long long plain_strtoull(const char* text, char** end, int base) __asm__("strtoull");
// NOLINTBEGIN(readability-identifier-naming)
long __isoc23_strtol(const char* text, char** end, int base) {
  return plain_strtol(text, end, base);
}
unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return plain_strtoul(text, end, base);
}
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return plain_strtoull(text, end, base);
}
// NOLINTEND(readability-identifier-naming)

// GLIBC_2.32; libstdc++ asks whether atomic counts may be plain. In a VM they never may.
// NOLINTNEXTLINE(readability-identifier-naming)
char __libc_single_threaded = 0;

// GLIBC_2.35; libgcc's unwinder asks where the tables are. "Nowhere" ends in std::terminate, and so does a throw in code
// that is built without exceptions.
int _dl_find_object(void*, void*) { return -1; }

// GLIBC_2.28; the same function as fcntl where off_t has 64 bits. Where it has 32 and files have more, the headers turn the word
// fcntl into this very function.
int fcntl64(int file, int command, ...) {
  std::va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
#ifdef SYS_fcntl64
  return static_cast<int>(syscall(SYS_fcntl64, file, command, argument));
#else
  return fcntl(file, command, argument);
#endif
}

// GLIBC_2.33; before, these were inline calls of __xstat. With 32 bits their names are fstatat64 and so on: the headers see to it.
#ifdef SYS_fstatat64
int fstatat(int folder, const char* path, struct stat* out, int flags) {
  return static_cast<int>(syscall(SYS_fstatat64, folder, path, out, flags));
}
// Not by AT_EMPTY_PATH, which kernels of the floor's age (2.6.32) do not know.
int fstat(int file, struct stat* out) { return static_cast<int>(syscall(SYS_fstat64, file, out)); }

// GLIBC_2.17; before, they were librt's. To a program of 32 bits old kernels offered no faster way.
int clock_gettime(clockid_t clock, struct timespec* out) {
  return static_cast<int>(syscall(SYS_clock_gettime, clock, out));
}
int clock_getres(clockid_t clock, struct timespec* out) {
  return static_cast<int>(syscall(SYS_clock_getres, clock, out));
}
#else
int fstatat(int folder, const char* path, struct stat* out, int flags) {
  return static_cast<int>(syscall(SYS_newfstatat, folder, path, out, flags));
}
int fstat(int file, struct stat* out) { return fstatat(file, "", out, AT_EMPTY_PATH); }
#endif
int stat(const char* path, struct stat* out) { return fstatat(AT_FDCWD, path, out, 0); }
int lstat(const char* path, struct stat* out) {
  return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

}  // extern "C"
