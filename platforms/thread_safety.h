// Names for clang's thread-safety attributes, which the clang preset turns into errors; nothing elsewhere.
// Zone:   any.   Errors: none.
#pragma once

#if defined(__clang__)
#define HF_TS_ATTRIBUTE(x) __attribute__((x))
#else
#define HF_TS_ATTRIBUTE(x)
#endif

#define HF_CAPABILITY(name) HF_TS_ATTRIBUTE(capability(name))
#define HF_SCOPED_CAPABILITY HF_TS_ATTRIBUTE(scoped_lockable)
#define HF_GUARDED_BY(mutex) HF_TS_ATTRIBUTE(guarded_by(mutex))
#define HF_REQUIRES(...) HF_TS_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define HF_ACQUIRE(...) HF_TS_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define HF_RELEASE(...) HF_TS_ATTRIBUTE(release_capability(__VA_ARGS__))
#define HF_EXCLUDES(...) HF_TS_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define HF_NO_THREAD_SAFETY_ANALYSIS HF_TS_ATTRIBUTE(no_thread_safety_analysis)
