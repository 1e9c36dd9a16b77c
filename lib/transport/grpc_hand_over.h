// What goes through gRPC from one thread of ours to another, said to ThreadSanitizer.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define XDSCOPE_TELL_THREAD_SANITIZER
#endif
#endif

namespace xdscope::transport {

// What was done before HandOver() comes before what is done after TakeOver() of the same pointer: gRPC sees to that
// when it gives back a tag, or a buffer that nobody uses any more. A gRPC that was built without ThreadSanitizer does
// not tell it so, and these two do. In any other build they do nothing.
inline void HandOver([[maybe_unused]] void* pointer) {
#ifdef XDSCOPE_TELL_THREAD_SANITIZER
  __tsan_release(pointer);
#endif
}
inline void TakeOver([[maybe_unused]] void* pointer) {
#ifdef XDSCOPE_TELL_THREAD_SANITIZER
  __tsan_acquire(pointer);
#endif
}

}  // namespace xdscope::transport
