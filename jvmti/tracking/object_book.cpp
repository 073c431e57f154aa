#include "jvmti/tracking/object_book.h"

#include <algorithm>

namespace holdfast::jvmti {

namespace {

jweak weak(const NumberedObject& row) noexcept {
  return reinterpret_cast<jweak>(static_cast<std::uintptr_t>(row.handle));
}

}  // namespace

bool ObjectBook::add(JNIEnv& jni, jobject object, NumberedObject facts) noexcept {
  jweak handle = jni.NewWeakGlobalRef(object);
  if (handle == nullptr) {
    jni.ExceptionClear();
    return false;
  }
  if (count_ == kMost) make_room(jni);
  facts.handle = reinterpret_cast<std::uintptr_t>(handle);
  rows_[count_++] = facts;
  return true;
}

void ObjectBook::touch(std::uint32_t number, std::uint32_t sequence) noexcept {
  for (NumberedObject& row : std::span(rows_).first(count_))
    if (row.number == number) row.last_sequence = sequence;
}

std::uint32_t ObjectBook::drop_collected(JNIEnv& jni) noexcept {
  std::uint32_t dropped = 0;
  for (std::size_t i = count_; i-- > 0;) {
    if (jni.IsSameObject(weak(rows_[i]), nullptr) == JNI_FALSE) continue;
    release(jni, i);
    ++dropped;
  }
  return dropped;
}

void ObjectBook::clear(JNIEnv& jni) noexcept {
  while (count_ > 0) release(jni, count_ - 1);
}

void ObjectBook::release(JNIEnv& jni, std::size_t row) noexcept {
  jni.DeleteWeakGlobalRef(weak(rows_[row]));
  rows_[row] = rows_[--count_];
}

void ObjectBook::make_room(JNIEnv& jni) noexcept {
  const auto older = [](const NumberedObject& a, const NumberedObject& b) {
    return a.last_sequence != b.last_sequence ? a.last_sequence < b.last_sequence
                                              : a.number < b.number;
  };
  release(jni, static_cast<std::size_t>(std::min_element(rows_, rows_ + count_, older) - rows_));
}

}  // namespace holdfast::jvmti
