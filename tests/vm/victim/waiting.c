/* The native methods of Waiting.java. */
#include <jni.h>

JNIEXPORT void JNICALL Java_Waiting_keepGlobal(JNIEnv* env, jclass type, jobject one) {
  (void)type;
  (*env)->NewGlobalRef(env, one);
}

JNIEXPORT void JNICALL Java_Waiting_keepLocals(JNIEnv* env, jclass type, jobjectArray all, jobject then) {
  (void)type;
  const jsize count = (*env)->GetArrayLength(env, all);
  if ((*env)->EnsureLocalCapacity(env, count + 16) != 0) return;
  for (jsize i = 0; i < count; ++i) {
    (*env)->GetObjectArrayElement(env, all, i);
    (*env)->SetObjectArrayElement(env, all, i, NULL);
  }
  jmethodID run = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, then), "run", "()V");
  if (run != NULL) (*env)->CallVoidMethod(env, then, run);
}
