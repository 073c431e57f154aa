#include <jni.h>

JNIEXPORT void JNICALL Java_Handles_keepGlobal(JNIEnv* env, jclass type, jobject object) {
  (void)type;
  (*env)->NewGlobalRef(env, object);
}

JNIEXPORT void JNICALL Java_Handles_keepWeak(JNIEnv* env, jclass type, jobject object) {
  (void)type;
  (*env)->NewWeakGlobalRef(env, object);
}

JNIEXPORT void JNICALL Java_Handles_keepLocals(JNIEnv* env, jclass type, jint count) {
  jmethodID make = (*env)->GetStaticMethodID(env, type, "make", "()Ljava/lang/Object;");
  jmethodID serve = (*env)->GetStaticMethodID(env, type, "serve", "()V");
  for (jint i = 0; i < count; ++i) (*env)->CallStaticObjectMethod(env, type, make);
  (*env)->CallStaticVoidMethod(env, type, serve);
}
