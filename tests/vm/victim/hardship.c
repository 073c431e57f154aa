/* Native code as one meets it: an at-fork handler that wants a lock, and a loop that reaps whatever child there is. */
#include <errno.h>
#include <jni.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile jlong forks_seen;
static volatile jlong children_reaped;

static void before_fork(void) {
  ++forks_seen;
  pthread_mutex_lock(&lock);
}

static void after_fork(void) { pthread_mutex_unlock(&lock); }

JNIEXPORT void JNICALL Java_Hardship_watchForks(JNIEnv* jni, jclass self) {
  (void)jni, (void)self;
  pthread_atfork(before_fork, after_fork, after_fork);
}

JNIEXPORT void JNICALL Java_Hardship_hold(JNIEnv* jni, jclass self, jobject run) {
  (void)self;
  jmethodID method = (*jni)->GetMethodID(jni, (*jni)->GetObjectClass(jni, run), "run", "()V");
  pthread_mutex_lock(&lock);
  (*jni)->CallVoidMethod(jni, run, method);
  pthread_mutex_unlock(&lock);
}

JNIEXPORT jlong JNICALL Java_Hardship_forksSeen(JNIEnv* jni, jclass self) {
  (void)jni, (void)self;
  return forks_seen;
}

JNIEXPORT void JNICALL Java_Hardship_reapAnything(JNIEnv* jni, jclass self) {
  (void)jni, (void)self;
  const struct timespec moment = {0, 200 * 1000};
  for (;;) {
    if (waitpid(-1, NULL, 0) > 0) ++children_reaped;
    if (errno == ECHILD) nanosleep(&moment, NULL);
  }
}

JNIEXPORT jlong JNICALL Java_Hardship_reaped(JNIEnv* jni, jclass self) {
  (void)jni, (void)self;
  return children_reaped;
}
