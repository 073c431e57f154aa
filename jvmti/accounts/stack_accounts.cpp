#include "jvmti/accounts/stack_accounts.h"

#include <span>

#include "common/java/class_names.h"
#include "jvmti/error_map.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

namespace {

// False: the VM does not tell now, or not all.
bool match_class(const StackReader& reader, jclass type, AccountId& account) noexcept {
  VmMemory<char> signature(reader.env);
  if (reader.env.GetClassSignature(type, signature.out(), nullptr) != JVMTI_ERROR_NONE)
    return false;
  ClassOrigins::Origin origin;
  const bool whole = reader.origins.read(reader.jni, type, origin);
  java::ClassName name;
  java::name_from_signature(signature.text(), name);
  account = reader.patterns.match(name.view(), origin.names);
  return whole;
}

struct Chunk {
  jint depth;
  jint frames;
};

class AccountSearch {
 public:
  explicit AccountSearch(const StackReader& reader) noexcept
      : reader_(reader), one_account_(reader.patterns.count() <= 2) {}

  // False: nothing further down changes the answer.
  bool look_at(std::span<const jvmtiFrameInfo> frames) noexcept {
    for (const jvmtiFrameInfo& frame : frames) {
      const AccountId account = account_of_method(reader_, frame.method);
      if (account == kUnaccounted || account == found_.account) continue;
      if (found_.account != kUnaccounted) return found_.principal = account, false;
      found_.account = account;
      found_.method = frame.method;
      if (one_account_) return false;
    }
    return true;
  }
  StackAccounts& found() noexcept { return found_; }

 private:
  const StackReader& reader_;
  const bool one_account_;  // (unaccounted) is the other
  StackAccounts found_;
};

}  // namespace

AccountId account_of_method(const StackReader& reader, jmethodID method) noexcept {
  AccountId account = kUnaccounted;
  if (method == nullptr || reader.methods.find(method, account)) return account;
  jclass type = nullptr;
  if (reader.env.GetMethodDeclaringClass(method, &type) != JVMTI_ERROR_NONE || type == nullptr)
    return kUnaccounted;
  if (match_class(reader, type, account)) reader.methods.put(method, account);
  reader.jni.DeleteLocalRef(type);
  return account;
}

Result<StackAccounts> read_stack_accounts(const StackReader& reader) noexcept {
  AccountSearch search(reader);
  jvmtiFrameInfo frames[kOtherFrames];
  for (const auto [depth, wanted] : {Chunk{0, kFirstFrames}, Chunk{kFirstFrames, kOtherFrames}}) {
    jint count = 0;
    const jvmtiError error = reader.env.GetStackTrace(nullptr, depth, wanted, frames, &count);
    // The stack ends exactly where the first chunk did.
    if (error == JVMTI_ERROR_ILLEGAL_ARGUMENT && depth > 0) return search.found();
    HF_CHECK_OK(check(error));
    if (!search.look_at(std::span(frames).first(static_cast<std::size_t>(count))) || count < wanted)
      return search.found();
  }
  search.found().cut = search.found().account == kUnaccounted;
  return search.found();
}

}  // namespace holdfast::jvmti
