// Puts and gets under the names that the interface has for each type of elements.
#ifndef DAVSIM_SHMEM_DEVICE_RMA_H
#define DAVSIM_SHMEM_DEVICE_RMA_H

#include "shmem/device_signal.h"

namespace davsim::shmem {

/// A put or a get by the usual UB. One that blocks returns when its bytes are where they belong.
template <bool blocks, class Dst, class Src>
void put_elements(const Dst& dst, const Src& src, const Rows& rows, int pe, Location where) {
  put(dst, src, rows, pe, usual_way(where), where);
  if (blocks) AscendC::PipeBarrier<PIPE_ALL>(where);
}
template <bool blocks, class Dst, class Src>
void get_elements(const Dst& dst, const Src& src, const Rows& rows, int pe, Location where) {
  get(dst, src, rows, pe, usual_way(where), where);
  if (blocks) AscendC::PipeBarrier<PIPE_ALL>(where);
}
/// Elements that are `dst_stride` and `src_stride` elements apart.
inline Rows strided(std::size_t element, std::size_t count, std::ptrdiff_t dst_stride,
                    std::ptrdiff_t src_stride) {
  return {count, element, element * static_cast<std::size_t>(src_stride),
          element * static_cast<std::size_t>(dst_stride)};
}

}  // namespace davsim::shmem

// A copy of elements of `bytes` bytes in one direction; `dst` and `src` are pointers or tensors,
// and one of them may be in UB.
#define DAVSIM_SHMEM_COPY(name, direction, blocks, bytes)                                        \
  template <typename Dst, typename Src>                                                          \
  void name(const Dst& dst, const Src& src, const davsim::shmem::Amount& amount, int pe,         \
            davsim::api::Location where = davsim::api::Location::current()) {                    \
    davsim::shmem::direction##_elements<blocks>(dst, src, amount.of_elements(bytes), pe, where); \
  }
#define DAVSIM_SHMEM_STRIDED(name, direction, bytes)                                            \
  template <typename T, typename U>                                                             \
  void name(__gm__ T* dst, __gm__ U* src, std::ptrdiff_t dst_stride, std::ptrdiff_t src_stride, \
            std::size_t nelems, int pe,                                                         \
            davsim::api::Location where = davsim::api::Location::current()) {                   \
    davsim::shmem::direction##_elements<true>(                                                  \
        dst, src, davsim::shmem::strided(bytes, nelems, dst_stride, src_stride), pe, where);    \
  }
// A put with a signal that the PE sees behind it.
#define DAVSIM_SHMEM_SIGNALLED(name, bytes)                                             \
  template <typename Dst, typename Src>                                                 \
  void name(const Dst& dst, const Src& src, const davsim::shmem::Amount& amount,        \
            __gm__ std::int32_t* sig_addr, std::int32_t signal, int sig_op, int pe,     \
            davsim::api::Location where = davsim::api::Location::current()) {           \
    davsim::shmem::put_elements<false>(dst, src, amount.of_elements(bytes), pe, where); \
    davsim::shmem::done_then_signal(sig_addr, signal, sig_op, pe, where);               \
  }

// By the names of this release and of older ones.
#define DAVSIM_SHMEM_COPIES_OF_TYPE(NAME, TYPE)                              \
  DAVSIM_SHMEM_COPY(aclshmem_##NAME##_put, put, true, sizeof(TYPE))          \
  DAVSIM_SHMEM_COPY(aclshmem_##NAME##_put_nbi, put, false, sizeof(TYPE))     \
  DAVSIM_SHMEM_COPY(aclshmem_##NAME##_get, get, true, sizeof(TYPE))          \
  DAVSIM_SHMEM_COPY(aclshmem_##NAME##_get_nbi, get, false, sizeof(TYPE))     \
  DAVSIM_SHMEM_COPY(aclshmem_put_##NAME##_mem, put, true, sizeof(TYPE))      \
  DAVSIM_SHMEM_COPY(aclshmem_put_##NAME##_mem_nbi, put, false, sizeof(TYPE)) \
  DAVSIM_SHMEM_COPY(aclshmem_get_##NAME##_mem, get, true, sizeof(TYPE))      \
  DAVSIM_SHMEM_COPY(aclshmem_get_##NAME##_mem_nbi, get, false, sizeof(TYPE)) \
  DAVSIM_SHMEM_STRIDED(aclshmem_##NAME##_iput, put, sizeof(TYPE))            \
  DAVSIM_SHMEM_STRIDED(aclshmem_##NAME##_iget, get, sizeof(TYPE))            \
  DAVSIM_SHMEM_SIGNALLED(aclshmem_##NAME##_put_signal, sizeof(TYPE))         \
  DAVSIM_SHMEM_SIGNALLED(aclshmem_##NAME##_put_signal_nbi, sizeof(TYPE))     \
  DAVSIM_SHMEM_SIGNALLED(aclshmem_put_##NAME##_mem_signal, sizeof(TYPE))     \
  DAVSIM_SHMEM_SIGNALLED(aclshmem_put_##NAME##_mem_signal_nbi, sizeof(TYPE))
DAVSIM_SHMEM_NUMBERS(DAVSIM_SHMEM_COPIES_OF_TYPE)
DAVSIM_SHMEM_COPIES_OF_TYPE(half, half)
DAVSIM_SHMEM_COPIES_OF_TYPE(bfloat16, bfloat16_t)
DAVSIM_SHMEM_COPIES_OF_TYPE(double, double)

#define DAVSIM_SHMEM_COPIES_OF_SIZE(BITS)                           \
  DAVSIM_SHMEM_COPY(aclshmem_put##BITS, put, true, BITS / 8)        \
  DAVSIM_SHMEM_COPY(aclshmem_put##BITS##_nbi, put, false, BITS / 8) \
  DAVSIM_SHMEM_COPY(aclshmem_get##BITS, get, true, BITS / 8)        \
  DAVSIM_SHMEM_COPY(aclshmem_get##BITS##_nbi, get, false, BITS / 8) \
  DAVSIM_SHMEM_STRIDED(aclshmem_iput##BITS, put, BITS / 8)          \
  DAVSIM_SHMEM_STRIDED(aclshmem_iget##BITS, get, BITS / 8)          \
  DAVSIM_SHMEM_SIGNALLED(aclshmem_put##BITS##_signal, BITS / 8)     \
  DAVSIM_SHMEM_SIGNALLED(aclshmem_put##BITS##_signal_nbi, BITS / 8)
DAVSIM_SHMEM_SIZES(DAVSIM_SHMEM_COPIES_OF_SIZE)

#ifdef DAVSIM_SHMEM_KERNEL
DAVSIM_SHMEM_COPY(aclshmem_putmem, put, true, 1)
DAVSIM_SHMEM_COPY(aclshmem_putmem_nbi, put, false, 1)
DAVSIM_SHMEM_COPY(aclshmem_getmem, get, true, 1)
DAVSIM_SHMEM_COPY(aclshmem_getmem_nbi, get, false, 1)
#endif
DAVSIM_SHMEM_SIGNALLED(aclshmem_putmem_signal, 1)
DAVSIM_SHMEM_SIGNALLED(aclshmem_putmem_signal_nbi, 1)

// One element by the scalar unit.
#define DAVSIM_SHMEM_ELEMENT(NAME, TYPE)                                                          \
  inline void aclshmem_##NAME##_p(                                                                \
      __gm__ TYPE* dst, TYPE value, int pe,                                                       \
      davsim::api::Location where = davsim::api::Location::current()) {                           \
    davsim::shmem::store(                                                                         \
        davsim::shmem::symmetric(reinterpret_cast<std::uint64_t>(dst), pe, where), value, where); \
  }                                                                                               \
  inline TYPE aclshmem_##NAME##_g(                                                                \
      __gm__ TYPE* src, int pe, davsim::api::Location where = davsim::api::Location::current()) { \
    return davsim::shmem::load<TYPE>(                                                             \
        davsim::shmem::symmetric(reinterpret_cast<std::uint64_t>(src), pe, where), where);        \
  }
#ifdef DAVSIM_SHMEM_KERNEL
DAVSIM_SHMEM_NUMBERS(DAVSIM_SHMEM_ELEMENT)
DAVSIM_SHMEM_ELEMENT(double, double)
#endif
DAVSIM_SHMEM_ELEMENT(half, half)
DAVSIM_SHMEM_ELEMENT(bfloat16, bfloat16_t)

#undef DAVSIM_SHMEM_COPY
#undef DAVSIM_SHMEM_STRIDED
#undef DAVSIM_SHMEM_SIGNALLED
#undef DAVSIM_SHMEM_COPIES_OF_TYPE
#undef DAVSIM_SHMEM_COPIES_OF_SIZE
#undef DAVSIM_SHMEM_ELEMENT

#endif  // DAVSIM_SHMEM_DEVICE_RMA_H
