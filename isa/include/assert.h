// The kernel's assert takes a message behind the expression: assert(n > 0, "n is %d", n). A kernel
// that includes the host's <assert.h> or <cassert> keeps it, and the host's compiler, which reads
// kernels too, passes over the message. Read again at each #include, as the host's is.
#pragma GCC system_header  // include_next
#if defined(__DAV_C220_CUBE__) || defined(__DAV_C220_VEC__)
#ifdef ascendc_assert
#undef assert
#define assert(...) ascendc_assert(__VA_ARGS__)
#else
#include_next <assert.h>
#endif
#else
#include_next <assert.h>
#ifdef DAVSIM_CC
#undef assert
#ifdef NDEBUG
#define assert(...) static_cast<void>(0)
#else
#define assert(expr, ...)                         \
  (static_cast<bool>(expr) ? static_cast<void>(0) \
                           : __assert_fail(#expr, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif
#endif
