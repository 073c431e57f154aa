#include "jvmti/exact/exact_counting.h"

#include <cstring>
#include <new>

#include "common/java/class_names.h"
#include "common/log.h"
#include "common/snapshot/catalog.h"
#include "common/time_units.h"
#include "jvmti/accounts/thread_name.h"
#include "jvmti/error_map.h"
#include "jvmti/exact/core_additions.h"
#include "jvmti/exact/counting_class.h"
#include "jvmti/exact/counting_facts.h"
#include "jvmti/java_members.h"
#include "jvmti/vm_memory.h"
#include "platforms/clock.h"

namespace holdfast::jvmti {

namespace {

constexpr std::uint32_t kCoreClasses = 4;

struct VmBuffer {
  jvmtiEnv& env;
  jint* length;
  unsigned char** data;
};

bool keep_in_vm(void* context, std::span<const std::byte> made) noexcept {
  const VmBuffer& to = *static_cast<VmBuffer*>(context);
  unsigned char* copy = nullptr;
  if (to.env.Allocate(static_cast<jlong>(made.size()), &copy) != JVMTI_ERROR_NONE) return false;
  std::memcpy(copy, made.data(), made.size());
  *to.length = static_cast<jint>(made.size());
  *to.data = copy;
  return true;
}

}  // namespace

CountRows& count_rows() noexcept {
  alignas(CountRows) static std::byte storage[sizeof(CountRows)];
  static CountRows& rows = *new (storage) CountRows;  // never destroyed
  return rows;
}

// -- load --

Result<void> ExactCounting::open(JavaVM& vm, AccountBook& book, Ledger& ledger,
                                 const jvmtiEventCallbacks& callbacks) noexcept {
  void* env = nullptr;
  const jint answer = vm.GetEnv(&env, JVMTI_VERSION_1_2);
  if (answer != JNI_OK || env == nullptr) return make_error(ErrorCode::kUnsupported, answer);
  auto& made = *static_cast<jvmtiEnv*>(env);
  jvmtiCapabilities potential{};
  jvmtiCapabilities wanted{};
  HF_CHECK_OK(check(made.GetPotentialCapabilities(&potential)));
  wanted.can_generate_all_class_hook_events = 1;
  wanted.can_generate_early_class_hook_events =
      potential.can_generate_early_class_hook_events;  // before 9 there is no other kind
  HF_CHECK_OK(check(made.AddCapabilities(&wanted)));
  after_8_ = wanted.can_generate_early_class_hook_events != 0;
  HF_CHECK_OK(count_rows().open(book.patterns().count(), ledger, MemoryCategory::kAccounts));
  const AccountSettings& settings = book.settings();
  AccountBook* const methods = (settings.dimensions & kByMethod) != 0 ? &book : nullptr;
  tells_each_ = settings.dimensions != 0 || settings.mode == AccountMode::kExactLive;
  HF_CHECK_OK(hook_.open(book.patterns(), methods, ledger, MemoryCategory::kAccounts));
  HF_CHECK_OK(check(made.SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks))));
  HF_CHECK_OK(check(
      made.SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr)));
  vm_ = &vm;
  env_ = &made;
  book_ = &book;
  wants_jars_ = book.patterns().wants_jars();
  wants_modules_ = book.patterns().wants_modules();
  return {};
}

Result<void> ExactCounting::open_live(AccountBook& book) noexcept {
  HF_CHECK_OK(live_.open(*vm_));
  book.set_live_known(true);
  return {};
}

// -- VM init --

Result<void> ExactCounting::find_members(JNIEnv& jni) noexcept {
  const LocalFrame frame(jni);
  const ClassHook::Counts counts = hook_.counts();
  if (counts.core_classes < kCoreClasses)
    return make_error(ErrorCode::kUnsupported, counts.core_classes);
  const jclass doors = find_class(jni, "java/util/Objects");
  const jclass thread = find_class(jni, "java/lang/Thread");
  const jclass classes = find_class(jni, "java/lang/Class");
  if (doors == nullptr || thread == nullptr || classes == nullptr)
    return make_error(ErrorCode::kUnsupported);
  switch_ = jni.GetStaticFieldID(doors, kSwitchField.data(), "Z");
  if (threw(jni)) switch_ = nullptr;
  lane_ = find_field(jni, thread, kLaneField.data(), "J");
  counted_state_ = find_field(jni, thread, kCountedStateField.data(), "J");
  place_ = find_field(jni, classes, kPlaceField.data(), "I");
  if (switch_ == nullptr || lane_ == nullptr || counted_state_ == nullptr || place_ == nullptr)
    return make_error(ErrorCode::kUnsupported);
  doors_ = static_cast<jclass>(jni.NewGlobalRef(doors));
  const jclass virtual_thread = find_class(jni, "java/lang/BaseVirtualThread");
  virtual_thread_ =
      virtual_thread == nullptr ? nullptr : static_cast<jclass>(jni.NewGlobalRef(virtual_thread));
  return {};
}

Result<void> ExactCounting::define(JNIEnv& jni) noexcept {
  const LocalFrame frame(jni);
  HF_TRY(facts, read_counting_facts(*env_, jni));
  facts.tells_each = tells_each_;
  facts.tells_objects = live_.is_open();
  facts.numbers_methods = (book_->settings().dimensions & kByMethod) != 0;
  static CountingClassBytes bytes;  // too large for an unknown stack; VM init comes once
  HF_CHECK_OK(write_counting_class(facts, bytes));
  const jclass counting = jni.DefineClass(kCountingClass.data(), nullptr,
                                          reinterpret_cast<const jbyte*>(bytes.span().data()),
                                          static_cast<jsize>(bytes.size()));
  if (threw(jni) || counting == nullptr) return make_error(ErrorCode::kUnsupported);
  return try_natives(jni, counting);
}

// Runs the initializer, and finds the natives, while nothing calls them yet: later an error would end somebody's constructor.
Result<void> ExactCounting::try_natives(JNIEnv& jni, jclass counting) noexcept {
  const auto find = [&](const char* name, const char* descriptor) noexcept -> jmethodID {
    return jni.ExceptionCheck() != JNI_FALSE ? nullptr
                                             : jni.GetStaticMethodID(counting, name, descriptor);
  };
  if (const jmethodID attach = find("attach", "(Ljava/lang/Thread;)J"))
    jni.CallStaticLongMethod(counting, attach, nullptr);
  if (const jmethodID row = find("find", "(JJ)J"))
    jni.CallStaticLongMethod(counting, row, jlong{0}, jlong{0});
  if (const jmethodID place = find("place", "(Ljava/lang/Class;)I"))
    jni.CallStaticIntMethod(counting, place, nullptr);
  if (const jmethodID told = find("told", kToldDescriptor.data()))
    jni.CallStaticVoidMethod(counting, told, nullptr, nullptr, nullptr, jlong{0}, jint{0},
                             jlong{0});
  if (jni.ExceptionCheck() == JNI_FALSE) return {};
  jni.ExceptionClear();
  return make_error(ErrorCode::kUnsupported);
}

Result<void> ExactCounting::begin(JNIEnv& jni) noexcept {
  HF_CHECK_OK(find_members(jni));
  HF_CHECK_OK(define(jni));
  open_origins(jni);
  HF_CHECK_OK(check(env_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, nullptr)));
  const jfieldID ready = jni.GetStaticFieldID(doors_, kReadyField.data(), "Z");
  if (threw(jni) || ready == nullptr) return make_error(ErrorCode::kUnsupported);
  jni.SetStaticBooleanField(doors_, ready, JNI_TRUE);
  turn(jni, true);
  return {};
}

// Where they cannot be told the patterns match nothing; the sampler says so.
void ExactCounting::open_origins(JNIEnv& jni) noexcept {
  [[maybe_unused]] const bool modules = wants_modules_ && origins_.open_modules(jni).ok();
  [[maybe_unused]] const bool jars = wants_jars_ && origins_.open_jars(jni).ok();
  begun_.store(true, std::memory_order_release);
}

void ExactCounting::turn(JNIEnv& jni, bool on) noexcept {
  jni.SetStaticBooleanField(doors_, switch_, on ? JNI_TRUE : JNI_FALSE);
}

bool ExactCounting::begin_use() noexcept {
  users_.fetch_add(1);
  if (!closing_.load() && env_ != nullptr) return true;  // in this order: close() takes env_ away
  end_use();
  return false;
}

void ExactCounting::wait_for_users() noexcept {
  constexpr std::uint64_t kLookNs = 100'000;
  closing_.store(true);
  while (users_.load() != 0) platforms::sleep_ns(kLookNs);
}

void ExactCounting::close() noexcept {
  hook_.stop();
  wait_for_users();
  void* found = nullptr;
  if (env_ == nullptr || vm_->GetEnv(&found, JNI_VERSION_1_6) != JNI_OK) return;
  auto& jni = *static_cast<JNIEnv*>(found);
  if (doors_ != nullptr) turn(jni, false);
  for (const jclass each : {doors_, virtual_thread_})
    if (each != nullptr) jni.DeleteGlobalRef(each);
  live_.close();
  env_->DisposeEnvironment();
  env_ = nullptr;
}

// -- events --

// Before VM init there is the JDK's base module alone.
void ExactCounting::read_origin(JNIEnv* jni, jobject loader, std::string_view name, jobject domain,
                                ClassOrigins::Origin& out) noexcept {
  if (jni == nullptr || !begun_.load(std::memory_order_acquire)) {
    out.names.module = "java.base";
    return;
  }
  char package[ClassOrigins::Origin::kMaxName] = "";
  const std::size_t bytes = name.rfind('/');
  if (bytes < sizeof package) std::memcpy(package, name.data(), bytes);
  jobject module = nullptr;
  const bool asked = wants_modules_ && jni->GetVersion() >= JNI_VERSION_9 &&
                     env_->GetNamedModule(loader, package, &module) == JVMTI_ERROR_NONE;
  origins_.read_loading(*jni, asked ? module : nullptr, domain, out);
  if (module != nullptr) jni->DeleteLocalRef(module);
}

void ExactCounting::class_loaded(JNIEnv* jni, jobject loader, const char* name, jobject domain,
                                 std::span<const std::byte> file, jint* new_length,
                                 unsigned char** new_data) noexcept {
  const std::string_view class_name = name == nullptr ? std::string_view{} : name;
  ClassOrigins::Origin origin;
  if (wants_jars_ || wants_modules_) read_origin(jni, loader, class_name, domain, origin);
  VmBuffer to{*env_, new_length, new_data};
  hook_.load(class_name, file, origin.names, &keep_in_vm, &to);
}

void ExactCounting::thread_ended(JNIEnv& jni, jthread thread) noexcept {
  const auto lane = static_cast<TaggedLane>(jni.GetLongField(thread, lane_));
  if (lane == 0 || tells_each_) return;
  jni.SetLongField(thread, counted_state_, 0);
  jni.SetLongField(thread, lane_, 0);
  count_rows().thread_ended(lane);
}

// -- natives --

jlong ExactCounting::attach(JNIEnv& jni, jobject thread) noexcept {
  const bool is_virtual =
      virtual_thread_ != nullptr && jni.IsInstanceOf(thread, virtual_thread_) != JNI_FALSE;
  return static_cast<jlong>(count_rows().lane_for_thread(!is_virtual));
}

// An object's bytes are asked of an object, and none is at hand: one is made for it, without its constructor. 0: the VM makes none.
std::uint32_t ExactCounting::instance_bytes(JNIEnv& jni, jclass type) noexcept {
  const jobject object = jni.AllocObject(type);
  if (threw(jni) || object == nullptr) return 0;
  jlong bytes = 0;
  const bool told = env_->GetObjectSize(object, &bytes) == JVMTI_ERROR_NONE;
  jni.DeleteLocalRef(object);
  return told ? static_cast<std::uint32_t>(bytes) : 0;
}

// Two threads with the first objects of a class may both come here: then it has two places, whose counts are added up.
jint ExactCounting::place(JNIEnv& jni, jclass type) noexcept {
  const LocalFrame frame(jni);
  if (!frame.open()) return static_cast<jint>(count_rows().add_class({}));
  VmMemory<char> signature(*env_);
  CountedClass counted;
  if (env_->GetClassSignature(type, signature.out(), nullptr) == JVMTI_ERROR_NONE) {
    const bool array = java::is_array_signature(signature.text());
    counted.instance_bytes = array ? 0 : instance_bytes(jni, type);
    java::ClassName name;
    java::name_from_signature(signature.text(), name);
    if (array || counted.instance_bytes != 0)
      counted.name = book_->name(name.view().substr(0, hidden_class_suffix(name.view())));
  }
  const auto place = static_cast<jint>(count_rows().add_class(counted));
  jni.SetIntField(type, place_, place);
  return place;
}

// A thread is called what it is called at its first object.
StringId ExactCounting::thread_name(JNIEnv& jni, jobject thread) noexcept {
  const jlong known = jni.GetLongField(thread, lane_);
  if (known != 0) return StringId{static_cast<std::uint32_t>(known)};
  const StringId name = name_thread(*env_, jni, thread, *book_);
  jni.SetLongField(thread, lane_, name.value);
  return name;
}

StringId ExactCounting::name_in_book(const CountedClass& counted) noexcept {
  return counted.name.valid() ? counted.name : book_->name(kOtherName);
}

AllocationKey ExactCounting::key_of(JNIEnv& jni, const Told& made, StringId class_name) noexcept {
  const std::uint32_t dimensions = book_->settings().dimensions;
  AllocationKey key{account_in(made.state), principal_in(made.state), class_name};
  if ((dimensions & kByMethod) != 0) key.method = method_in(made.state);
  if ((dimensions & kByThread) != 0) key.thread = thread_name(jni, made.thread);
  return key;
}

void ExactCounting::told(JNIEnv& jni, const Told& made) noexcept {
  const jint known = made.place != 0 ? made.place : place(jni, made.type);
  const CountedClass counted = count_rows().class_at(static_cast<std::uint32_t>(known));
  const std::uint64_t bytes = counted.instance_bytes != 0
                                  ? counted.instance_bytes
                                  : static_cast<std::uint64_t>(made.array_bytes);
  const std::uint32_t row = book_->allocated(key_of(jni, made, name_in_book(counted)), bytes);
  if (made.object != nullptr && live_.is_open()) live_.follow(made.object, row);
}

// -- capture --

std::uint64_t ExactCounting::tell(AccountBook& book, std::uint64_t pause_limit_ns,
                                  Notes& notes) noexcept {
  if (!tells_each_) tell_rows(book);
  const std::uint64_t stopped_ns = live_.is_open() ? tell_live(book, pause_limit_ns, notes) : 0;
  tell_losses(book);
  return stopped_ns;
}

std::uint64_t ExactCounting::tell_live(AccountBook& book, std::uint64_t pause_limit_ns,
                                       Notes& notes) noexcept {
  const auto ms = [](std::uint64_t ns) { return static_cast<unsigned long long>(ns / kNsPerMs); };
  book.begin_live();
  const std::uint64_t predicted_ns = live_.predicted_ns();
  book.set_live_known(predicted_ns <= pause_limit_ns);
  if (predicted_ns > pause_limit_ns) {
    notes.add(
        "what lives of accounts was not counted: that would stop the application for about %llu "
        "ms, pause= allows %llu ms",
        ms(predicted_ns), ms(pause_limit_ns));
    return 0;
  }
  const Result<std::uint64_t> stopped_ns = live_.count(book);
  book.set_live_known(stopped_ns.ok());
  if (stopped_ns)
    notes.add("the application stood still for another %llu ms, while what lives was counted",
              ms(*stopped_ns));
  else
    notes.add("what lives of accounts was not counted: the VM does not tell (detail %lld)",
              static_cast<long long>(stopped_ns.error().detail));
  return stopped_ns ? *stopped_ns : 0;
}

void ExactCounting::tell_rows(AccountBook& book) noexcept {
  book.begin_counts();
  count_rows().visit(
      [](void* to, AccountId account, AccountId principal, const CountedClass& counted,
         std::uint64_t objects, std::uint64_t bytes) noexcept {
        static_cast<AccountBook*>(to)->counted({account, principal, counted.name, {}, {}}, objects,
                                               bytes);
      },
      &book);
}

void ExactCounting::tell_losses(AccountBook& book) noexcept {
  const CountRows::Losses rows = count_rows().losses();
  const ClassHook::Counts classes = hook_.counts();
  const auto tell_more = [&](std::uint64_t AccountLosses::*what, std::uint64_t now) noexcept {
    if (now > told_.*what) book.lose(what, now - told_.*what);
    told_.*what = now;
  };
  tell_more(&AccountLosses::threads_shared, rows.shared_threads);
  tell_more(&AccountLosses::rows_full, rows.rows_missing + rows.classes_missing);
  tell_more(&AccountLosses::live_thinned, live_.passed_over());
  tell_more(&AccountLosses::classes_left_alone, classes.classes_left_alone);
  tell_more(&AccountLosses::methods_left_alone, classes.methods_left_alone);
}

}  // namespace holdfast::jvmti
