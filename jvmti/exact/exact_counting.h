// Exact accounts: every allocation of a Java VM is counted, by bytecode that its classes are given as they load.
// Why: sampling estimates; whoever wants to know what one request allocates needs the number.
// Shape:  open() in Agent_OnLoad: an environment of its own with early class hooks (which turn class data sharing off);
//         begin() at VM init: the counting class is defined, its natives bound, and the switch turned on. Before that nothing is counted.
//         What is counted: each object whose constructor is called (new, reflection, deserialization, JNI), when it reaches Object's;
//         arrays and clones where bytecode makes them. Not: arrays and strings that the VM or native code makes by itself, objects that are
//         never constructed, and those made before VM init.
//         Where rows are told apart by more than account and class (accounts-by=), or what lives is counted, too (exact-live), natives hear of
//         each object, and write into the book. That costs 0.1 to 0.6 microseconds each
//         (docs/decisions/044-exact-live-tags.md), and no bytecode has to know how.
// Zone:   open(): load. begin(), events, natives: event. tell(): capture.
// Errors: kUnsupported (no early class hooks, or a JDK whose core classes are others), kOutOfMemory.
// Source: Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in Java, section 5.
#pragma once

#include <jvmti.h>

#include <atomic>

#include "common/accounts/account_book.h"
#include "common/ledger.h"
#include "common/notes.h"
#include "common/result.h"
#include "jvmti/accounts/class_origins.h"
#include "jvmti/exact/class_hook.h"
#include "jvmti/exact/count_rows.h"
#include "jvmti/exact/live_tags.h"

namespace holdfast::jvmti {

class ExactCounting {
 public:
  ExactCounting() = default;
  ExactCounting(const ExactCounting&) = delete;
  ExactCounting& operator=(const ExactCounting&) = delete;

  // `callbacks`: those of exact_events.h.
  Result<void> open(JavaVM& vm, AccountBook& book, Ledger& ledger,
                    const jvmtiEventCallbacks& callbacks) noexcept;
  bool is_open() const noexcept { return env_ != nullptr; }
  // Around every event and native. False: it is closed, or about to be, and there is no end_use().
  bool begin_use() noexcept;
  void end_use() noexcept { users_.fetch_sub(1); }
  // exact-live, behind open(): what lives is counted from the first object on. After an error it stays unknown.
  Result<void> open_live(AccountBook& book) noexcept;
  bool after_8() const noexcept { return after_8_; }  // of a VM that is open
  Result<void> begin(JNIEnv& jni) noexcept;
  // Detach, on a thread that the VM knows and that is in no use: waits for those that are, then nothing counts any more, and the VM forgets
  // us. Rewritten classes stay as they are.
  void close() noexcept;

  // -- events --
  void class_loaded(JNIEnv* jni, jobject loader, const char* name, jobject domain,
                    std::span<const std::byte> file, jint* new_length,
                    unsigned char** new_data) noexcept;
  void thread_ended(JNIEnv& jni, jthread thread) noexcept;

  // -- natives of the counting class --
  jlong attach(JNIEnv& jni, jobject thread) noexcept;
  jint place(JNIEnv& jni, jclass type) noexcept;
  // An object that was just made, as bytecode sees it; `object` is nullptr where nobody wants it, `place` 0 where the class has none yet.
  struct Told {
    jobject object;
    jclass type;
    jobject thread;
    AccountState state;
    jint place;
    jlong array_bytes;
  };
  void told(JNIEnv& jni, const Told& made) noexcept;

  // Brings the book up to date. Answers for how long that stopped the application (ns): to count what lives, which is left out, with a note,
  // where it would take longer than it may.
  std::uint64_t tell(AccountBook& book, std::uint64_t pause_limit_ns, Notes& notes) noexcept;

 private:
  Result<void> try_natives(JNIEnv& jni, jclass counting) noexcept;
  Result<void> find_members(JNIEnv& jni) noexcept;
  Result<void> define(JNIEnv& jni) noexcept;
  std::uint32_t instance_bytes(JNIEnv& jni, jclass type) noexcept;
  AllocationKey key_of(JNIEnv& jni, const Told& made, StringId class_name) noexcept;
  StringId thread_name(JNIEnv& jni, jobject thread) noexcept;
  StringId name_in_book(const CountedClass& counted) noexcept;
  void tell_rows(AccountBook& book) noexcept;
  std::uint64_t tell_live(AccountBook& book, std::uint64_t pause_limit_ns, Notes& notes) noexcept;
  void tell_losses(AccountBook& book) noexcept;
  void turn(JNIEnv& jni, bool on) noexcept;
  void wait_for_users() noexcept;
  void open_origins(JNIEnv& jni) noexcept;
  void read_origin(JNIEnv* jni, jobject loader, std::string_view name, jobject domain,
                   ClassOrigins::Origin& out) noexcept;

  JavaVM* vm_ = nullptr;
  jvmtiEnv* env_ = nullptr;
  AccountBook* book_ = nullptr;
  ClassHook hook_;
  LiveTags live_;
  ClassOrigins origins_;
  bool wants_jars_ = false;  // by some pattern
  bool wants_modules_ = false;
  bool after_8_ = false;
  bool tells_each_ = false;         // natives hear of each object
  std::atomic<bool> begun_{false};  // begin() has opened origins_
  // Sequentially consistent, both: who still sees it open has been counted before close() looks.
  std::atomic<bool> closing_{false};
  std::atomic<std::uint32_t> users_{0};
  jclass doors_ = nullptr;           // global references
  jclass virtual_thread_ = nullptr;  // nullptr before 19
  jfieldID switch_ = nullptr;
  jfieldID lane_ = nullptr;  // of a thread; where each object is told, the number of its name
  jfieldID counted_state_ = nullptr;
  jfieldID place_ = nullptr;
  AccountLosses told_;  // losses that the book knows already
};

// The rows outlive every agent: rewritten code may hold one for as long as the process lives.
CountRows& count_rows() noexcept;

}  // namespace holdfast::jvmti
