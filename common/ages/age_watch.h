// ages=on between dumps: sampled ages say which classes may pile up, a few looks at what is reached say which do.
// Why by steps: samples cost what their pace allows, and nothing is looked at for nothing; a look (a histogram by a frozen child) is
//      paid for by a credit (look_credit.h).
// Shape:  a timer looks whether there were collections; sampled_ages.h is read then, as seldom as a hundredth of the time pays for, or a twentieth while a look is promising. Where it has
//         candidates and the credit allows, the engine is asked for a histogram, and aging_classes.h judges. With on=growth a suspect that
//         was not dumped for makes one extended dump; again when it has doubled. Where it is an array or a class of the platform the dump waits
//         for one that tells more, kAwaitFactor times as many collections as this one took, kMostAwaitNs at most: arrays are larger than
//         what holds them, and so sampled more often.
//         Memory while on: 2 MB of address space, committed while samples are read, and the engine's for watching.
//         Where garbage cannot be left out (no frozen capture), only the first histogram after a collection of the whole heap counts, if
//         the VM tells those.
// Zone:   open(): load, before the engine's vm_ready(). start(): VM init. close(): VM death. describe(): any. The rest: worker.
// Errors: open(): kOutOfMemory, kTooMany (observers). What keeps it from working is in describe().
#pragma once

#include <cstdint>
#include <span>

#include "common/ages/aging_classes.h"
#include "common/dump_engine.h"

namespace holdfast {

class AgeWatch {
 public:
  static constexpr std::uint64_t kTickNs = 50'000'000;
  static constexpr std::uint64_t kReadDivisor = 100;
  static constexpr std::uint64_t kPromisingReadDivisor = 20;
  static constexpr std::uint64_t kAwaitFactor = 2;
  static constexpr std::uint64_t kMostAwaitNs = 600'000'000'000;
  static constexpr std::size_t kMaxStateText = 200;

  AgeWatch() = default;
  AgeWatch(const AgeWatch&) = delete;
  AgeWatch& operator=(const AgeWatch&) = delete;

  Result<void> open(DumpEngine& engine) noexcept;
  // The book of samples is open, or says that it is not.
  void start() noexcept;
  // Before the engine's close(): nothing more fires.
  void close() noexcept;

  // One line for `status`. How long it is; 0: ages are off.
  std::size_t describe(std::span<char> out) const noexcept;

  // A histogram that somebody had taken, under its lock: nothing of the engine is called here.
  void on_histogram(const ClassHistogram& histogram, std::uint64_t whole_collections) noexcept;

 private:
  static void begin(void* watch) noexcept;
  static void end(void* watch) noexcept;
  static void tick(void* watch) noexcept;
  static void look(void* watch) noexcept;
  void refuse(const char* why) noexcept;
  void read_samples(std::uint64_t now) noexcept;
  void judge() noexcept;
  void ask_for_dump() noexcept;
  void hear_outcome() noexcept;
  const AgeSuspect* first_untold() const noexcept;
  bool awaits_telling(const AgeSuspect* first) noexcept;
  void say(const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));
  void publish() noexcept;
  void log_finding() noexcept;

  DumpEngine* engine_ = nullptr;
  Reservation reservation_;

  // -- the loop thread's --
  bool on_ = false;
  Arena arena_;
  AgingClasses classes_;
  std::uint64_t since_ = 0;  // collections when it began
  std::uint64_t seen_ = 0;   // and at the last tick that read samples
  std::uint64_t whole_seen_ = kUnknownCount;
  std::uint64_t read_from_ns_ = 0;  // not before
  LookCredit credit_;
  bool asked_ = false;  // for the next histogram
  bool news_ = false;   // a look was added since the last judgment
  std::uint32_t sequence_seen_ = 0;
  std::uint32_t refused_seen_ = 0;
  std::uint32_t dump_number_ = 0;  // of the dump that was asked for, until it ends
  std::uint64_t ask_from_ns_ = 0;
  AgeVerdict verdict_;
  char logged_[kMaxHistogramName] = "";  // the first suspect that the log was told of
  // Until when a suspect is awaited that tells more than the first one; 0: none is.
  std::uint64_t await_until_ = 0;  // collections
  std::uint64_t await_until_ns_ = 0;

  mutable platforms::Mutex mutex_;
  char state_[kMaxStateText] HF_GUARDED_BY(mutex_) = "";
};

}  // namespace holdfast
