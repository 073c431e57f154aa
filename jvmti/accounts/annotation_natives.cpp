// The native of holdfast.Annotations: what the calling thread says of itself. Without an agent, or with one that is not asked, nothing happens.
#include <jni.h>

#include <algorithm>

#include "jvmti/agent_place.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

// The class cuts texts to 200 characters each.
constexpr jsize kMostBlock = 4096;

}  // namespace

extern "C" {

JNIEXPORT void JNICALL Java_holdfast_Annotations_say(JNIEnv* jni, jclass, jbyteArray block) {
  if (block == nullptr) return;
  const AgentVisit visit;
  Agent* const agent = settled_agent();
  if (agent == nullptr) return;
  jbyte bytes[kMostBlock];
  const jsize length = std::min(jni->GetArrayLength(block), kMostBlock);
  jni->GetByteArrayRegion(block, 0, length, bytes);
  agent->annotate({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)});
}
}
