#include "jvmti/accounts/allocation_sampler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/java/class_names.h"
#include "common/log.h"
#include "common/time_units.h"
#include "jvmti/accounts/sampling_events.h"
#include "jvmti/accounts/thread_name.h"
#include "jvmti/vm_memory.h"
#include "platforms/clock.h"

namespace holdfast::jvmti {

namespace {

bool read_class_name(jvmtiEnv& env, jclass type, java::ClassName& out) noexcept {
  VmMemory<char> signature(env);
  if (env.GetClassSignature(type, signature.out(), nullptr) != JVMTI_ERROR_NONE) return false;
  return java::name_from_signature(signature.text(), out), true;
}

}  // namespace

// -- begin and end --

Result<void> AllocationSampler::open_methods(Ledger& ledger) noexcept {
  constexpr std::size_t kBytes = std::size_t{MethodAccounts::kSlots} * sizeof(std::uint64_t);
  HF_CHECK_OK(reservation_.open(kBytes));
  HF_TRY(arena, reservation_.take_arena(kBytes, ledger, MemoryCategory::kAccounts));
  arena_ = std::move(arena);
  return methods_.open(arena_);
}

Result<void> AllocationSampler::open(JavaVM& vm, AccountBook& book, VmAdapter& adapter,
                                     Ledger& ledger) noexcept {
  book_ = &book;
  adapter_ = &adapter;
  by_stack_ = book.patterns().has_any();
  HF_CHECK_OK(open_methods(ledger));
  HF_CHECK_OK(environment_.open(vm, book.settings().sample_interval_bytes));
  book.set_live_known(environment_.tells_deaths());
  // From here on, so that threads' first buffers end where the VM wants to sample; what comes before begin() is passed over.
  if (Result<void> listening = environment_.listen(sampling_callbacks(), this); !listening) {
    environment_.close();
    return listening;
  }
  return {};
}

void AllocationSampler::open_origins(JNIEnv& jni) noexcept {
  const AccountPatterns& patterns = book_->patterns();
  if (patterns.wants_modules() && !origins_.open_modules(jni))
    log_line(LogLevel::kError, "accounts: this VM does not tell modules; module: matches nothing");
  if (patterns.wants_jars() && !origins_.open_jars(jni))
    log_line(LogLevel::kError,
             "accounts: this VM does not tell where classes come from; jar: matches nothing");
}

void AllocationSampler::begin(JNIEnv* jni) noexcept {
  if (!environment_.is_open()) return;
  if (jni != nullptr) open_origins(*jni);
  counting_.store(true, std::memory_order_release);
}

void AllocationSampler::close() noexcept {
  end();
  environment_.close();
}

// -- events --

bool AllocationSampler::name_class(const SampledObject& sample, StringId& name) noexcept {
  java::ClassName text;
  if (!read_class_name(sample.env, sample.type, text)) return false;
  name = book_->name(text.view());
  return true;
}

// "shop.Cache.put"; overloads are one.
StringId AllocationSampler::name_method(jvmtiEnv& env, JNIEnv& jni, jmethodID method) noexcept {
  VmMemory<char> name(env);
  jclass type = nullptr;
  java::ClassName text;
  if (method == nullptr ||
      env.GetMethodName(method, name.out(), nullptr, nullptr) != JVMTI_ERROR_NONE ||
      env.GetMethodDeclaringClass(method, &type) != JVMTI_ERROR_NONE)
    return StringId{0};
  const bool known = read_class_name(env, type, text);
  jni.DeleteLocalRef(type);
  if (!known) return StringId{0};
  const std::string_view method_name = name.text();
  const std::size_t room = java::ClassName::kMaxNameBytes - text.bytes;
  if (method_name.size() + 1 <= room) {
    text.text[text.bytes] = '.';
    std::memcpy(text.text + text.bytes + 1, method_name.data(), method_name.size());
    text.bytes += method_name.size() + 1;
  }
  return book_->name(text.view());
}

void AllocationSampler::annotate(std::span<const char> block) noexcept {
  if (!counting_.load(std::memory_order_acquire) || !book_->annotations().wanted()) return;
  environment_.set_thread_value(book_->annotations().mark_of(block));
}

ThreadAnnotations::Mark AllocationSampler::mark_of_caller() const noexcept {
  if (!book_->annotations().wanted()) return 0;
  return static_cast<ThreadAnnotations::Mark>(environment_.thread_value());
}

bool AllocationSampler::passes_class(StringId name) noexcept {
  const SampleFilter& filter = book_->settings().filter;
  return !filter.looks_at_classes() || filter.passes_class(book_->names().view(name));
}

// False: the VM does not tell the stack.
bool AllocationSampler::read_key(const SampledObject& sample, AllocationKey& key) noexcept {
  if (!by_stack_) return true;
  const StackReader reader{sample.env, sample.jni, book_->patterns(), methods_, origins_};
  const Result<StackAccounts> stack = read_stack_accounts(reader);
  if (!stack) return false;
  if (stack->cut) book_->lose(&AccountLosses::stacks_cut);
  key.account = stack->account;
  key.principal = stack->principal;
  const std::uint32_t dimensions = book_->settings().dimensions;
  if ((dimensions & kByMethod) != 0)
    key.method = name_method(sample.env, sample.jni, stack->method);
  if ((dimensions & kByThread) != 0)
    key.thread = name_thread(sample.env, sample.jni, sample.thread, *book_);
  if ((dimensions & kByAnnotations) != 0)
    key.annotation = book_->name(book_->annotations().line_of(mark_of_caller()));
  return true;
}

void AllocationSampler::allocated(const SampledObject& sample) noexcept {
  if (!counting_.load(std::memory_order_acquire)) return;
  const auto bytes = static_cast<std::uint64_t>(std::max<jlong>(sample.shallow_bytes, 0));
  if (!book_->annotations().passes(mark_of_caller())) return book_->pass_over();
  SamplingPace& pace = book_->pace();
  const std::uint32_t raises = pace.raises();
  if (!pace.keeps(bytes, pace.chance(bytes), raises)) return;
  const std::uint64_t began_ns = platforms::monotonic_ns();
  take(sample, bytes, {raises, adapter_->collection_count(), began_ns / kNsPerMs});
  pace.took(began_ns, platforms::monotonic_ns());
}

void AllocationSampler::drop() noexcept { book_->lose(&AccountLosses::samples_dropped); }

void AllocationSampler::take(const SampledObject& sample, std::uint64_t bytes,
                             const SampleMoment& moment) noexcept {
  AllocationKey key;
  // What a thread allocates while it answers us would ask the same again, without end.
  if (origins_.calling_java(&sample.jni) || !name_class(sample, key.class_name)) return drop();
  if (!passes_class(key.class_name)) return book_->pass_over();
  if (!read_key(sample, key)) return drop();
  const AccountBook::LiveTag tag = book_->sampled(key, bytes, moment);
  if (tag == 0) return;
  if (sample.env.SetTag(sample.object, static_cast<jlong>(tag)) == JVMTI_ERROR_NONE) return;
  book_->died(tag);
  drop();
}

void AllocationSampler::died(jlong tag) noexcept {
  // Once the VM ends its counters may go.
  const bool told = counting_.load(std::memory_order_acquire);
  book_->died(static_cast<AccountBook::LiveTag>(tag), told ? adapter_->collection_count() : 0);
}

}  // namespace holdfast::jvmti
