// SHMEM for host programs: a processing element (PE) is the device that the calling thread has set.
// Calls return ACLSHMEM_SUCCESS or an aclshmem_error_code_t; what failed is told on standard error.
// Those marked as collective are made by all PEs in the same order. Names that kernels have as well
// are left out in the halves of a kernel.
#ifndef DAVSIM_SHMEM_HOST_H
#define DAVSIM_SHMEM_HOST_H

#include "shmem/types.h"
#if __has_include("acl/acl.h")
#include "acl/acl.h"
#else
typedef void* aclrtStream;  // halves of kernels may be compiled without the host's headers
#endif

#ifdef __cplusplus
extern "C" {
#endif

// --- the job ------------------------------------------------------------------------------------

/// Collective. Makes the PEs of a job with a symmetric heap of local_mem_size bytes each; returns
/// when all are there. They find each other by ip_port, which has the form of an address and is
/// only compared, or by the unique id in comm_args.
ACLSHMEM_HOST_API int aclshmemx_init_attr(aclshmemx_bootstrap_t bootstrap_flags,
                                          aclshmemx_init_attr_t* attributes);
/// An id for the jobs of one process, which hands it to the others.
ACLSHMEM_HOST_API int aclshmemx_get_uniqueid(aclshmemx_uniqueid_t* uid);
ACLSHMEM_HOST_API int aclshmemx_set_attr_uniqueid_args(int my_pe, int n_pes,
                                                       std::int64_t local_mem_size,
                                                       aclshmemx_uniqueid_t* uid,
                                                       aclshmemx_init_attr_t* aclshmem_attr);
/// An aclshmemx_init_status_t.
ACLSHMEM_HOST_API int aclshmemx_init_status(void);
/// Collective. The heap and all that was allocated in it go.
ACLSHMEM_HOST_API int aclshmem_finalize(void);
ACLSHMEM_HOST_API void aclshmem_global_exit(int status);
ACLSHMEM_HOST_API void aclshmem_info_get_version(int* major, int* minor);
/// `name` has room for ACLSHMEM_MAX_NAME_LEN bytes.
ACLSHMEM_HOST_API void aclshmem_info_get_name(char* name);
/// Connections between processes of one machine are not encrypted; the settings have no effect.
ACLSHMEM_HOST_API std::int32_t aclshmemx_set_conf_store_tls(bool enable, const char* tls_info,
                                                            const std::uint32_t tls_info_len);
using aclshmem_decrypt_handler = int (*)(const char* cipherText, std::size_t cipherTextLen,
                                         char* plainText, std::size_t& plainTextLen);
ACLSHMEM_HOST_API std::int32_t aclshmemx_set_config_store_tls_key(
    const char* tls_pk, const std::uint32_t tls_pk_len, const char* tls_pk_pw,
    const std::uint32_t tls_pk_pw_len, const aclshmem_decrypt_handler decrypt_handler);
/// Errors are always told; other levels have nothing to tell.
ACLSHMEM_HOST_API std::int32_t aclshmemx_set_log_level(int level);
ACLSHMEM_HOST_API std::int32_t aclshmemx_set_extern_logger(void (*func)(int level,
                                                                        const char* msg));
/// What kernels hand to util_set_ffts_config.
ACLSHMEM_HOST_API std::uint64_t util_get_ffts_config(void);

// --- PEs and teams ------------------------------------------------------------------------------

#ifndef DAVSIM_SHMEM_KERNEL
ACLSHMEM_HOST_API int aclshmem_my_pe(void);
ACLSHMEM_HOST_API int aclshmem_n_pes(void);
#endif
/// Collective. A team of PEs pe_start, pe_start + pe_stride and so on of another one;
/// ACLSHMEM_TEAM_INVALID for PEs that are not in it.
ACLSHMEM_HOST_API int aclshmem_team_split_strided(aclshmem_team_t parent_team, int pe_start,
                                                  int pe_stride, int pe_size,
                                                  aclshmem_team_t* new_team);
/// Collective. The PEs of a team as rows of x_range: the own row and the own column.
ACLSHMEM_HOST_API int aclshmem_team_split_2d(aclshmem_team_t parent_team, int x_range,
                                             aclshmem_team_t* x_team, aclshmem_team_t* y_team);
ACLSHMEM_HOST_API int aclshmem_team_get_config(aclshmem_team_t team,
                                               aclshmem_team_config_t* config);
/// Collective.
ACLSHMEM_HOST_API void aclshmem_team_destroy(aclshmem_team_t team);
#ifndef DAVSIM_SHMEM_KERNEL
/// -1 for a team that this PE is not in.
ACLSHMEM_HOST_API int aclshmem_team_my_pe(aclshmem_team_t team);
ACLSHMEM_HOST_API int aclshmem_team_n_pes(aclshmem_team_t team);
ACLSHMEM_HOST_API int aclshmem_team_translate_pe(aclshmem_team_t src_team, int src_pe,
                                                 aclshmem_team_t dest_team);
#endif

// --- the symmetric heap
// ---------------------------------------------------------------------------

/// Collective, as are those that follow: each PE gets memory at the same distance from the start of
/// its heap. Null where the heap has no such room, or for 0 bytes.
ACLSHMEM_HOST_API void* aclshmem_malloc(std::size_t size);
ACLSHMEM_HOST_API void* aclshmem_calloc(std::size_t nmemb, std::size_t size);
ACLSHMEM_HOST_API void* aclshmem_align(std::size_t alignment, std::size_t size);
ACLSHMEM_HOST_API void aclshmem_free(void* ptr);
/// The same; there is no memory of HOST_SIDE.
ACLSHMEM_HOST_API void* aclshmemx_malloc(std::size_t size,
                                         aclshmem_mem_type_t mem_type = DEVICE_SIDE);
ACLSHMEM_HOST_API void* aclshmemx_calloc(std::size_t count, std::size_t size,
                                         aclshmem_mem_type_t mem_type = DEVICE_SIDE);
ACLSHMEM_HOST_API void* aclshmemx_align(std::size_t alignment, std::size_t size,
                                        aclshmem_mem_type_t mem_type = DEVICE_SIDE);
ACLSHMEM_HOST_API void aclshmemx_free(void* ptr, aclshmem_mem_type_t mem_type = DEVICE_SIDE);
#ifndef DAVSIM_SHMEM_KERNEL
/// Where kernels find what PE `pe` has at `ptr` of the own heap; null for an address outside it.
ACLSHMEM_HOST_API void* aclshmem_ptr(void* ptr, int pe);
#endif

// --- barriers
// ---------------------------------------------------------------------------------------

#ifndef DAVSIM_SHMEM_KERNEL
/// Collective of the team: waits for the default stream of each PE, and for all of them.
ACLSHMEM_HOST_API void aclshmem_barrier(aclshmem_team_t team);
ACLSHMEM_HOST_API void aclshmem_barrier_all(void);
ACLSHMEM_HOST_API void aclshmem_sync(aclshmem_team_t team);
ACLSHMEM_HOST_API void aclshmem_sync_all(void);
#endif
/// The same as work of a stream.
ACLSHMEM_HOST_API void aclshmemx_barrier_on_stream(aclshmem_team_t team, aclrtStream stream);
ACLSHMEM_HOST_API void aclshmemx_barrier_all_on_stream(aclrtStream stream);
ACLSHMEM_HOST_API void aclshmemx_handle_wait(aclshmem_handle_t handle, aclrtStream stream);

// --- copies
// -----------------------------------------------------------------------------------------

/// Bytes between own memory and the heap of PE `pe`, behind what the stream has. Those without a
/// stream take the default one and return when they are done; those of `_nbi` are done behind
/// aclshmem_quiet or a barrier.
#ifndef DAVSIM_SHMEM_KERNEL
ACLSHMEM_HOST_API void aclshmem_putmem(void* dst, void* src, std::size_t elem_size, int pe);
ACLSHMEM_HOST_API void aclshmem_getmem(void* dst, void* src, std::size_t elem_size, int pe);
ACLSHMEM_HOST_API void aclshmem_putmem_nbi(void* dst, void* src, std::size_t elem_size, int pe);
ACLSHMEM_HOST_API void aclshmem_getmem_nbi(void* dst, void* src, std::size_t elem_size, int pe);
ACLSHMEM_HOST_API void aclshmem_quiet(void);
ACLSHMEM_HOST_API void aclshmem_fence(void);
#endif
ACLSHMEM_HOST_API void aclshmemx_putmem_on_stream(void* dst, void* src, std::size_t elem_size,
                                                  int pe, aclrtStream stream);
ACLSHMEM_HOST_API void aclshmemx_getmem_on_stream(void* dst, void* src, std::size_t elem_size,
                                                  int pe, aclrtStream stream);
/// Copies with a signal of type int32_t, which is set or added to behind them.
ACLSHMEM_HOST_API void aclshmemx_putmem_signal(void* dst, void* src, std::size_t elem_size,
                                               void* sig_addr, std::int32_t signal, int sig_op,
                                               int pe);
ACLSHMEM_HOST_API void aclshmemx_putmem_signal_nbi(void* dst, void* src, std::size_t elem_size,
                                                   void* sig_addr, std::int32_t signal, int sig_op,
                                                   int pe);
ACLSHMEM_HOST_API void aclshmemx_signal_op_on_stream(std::int32_t* sig_addr, std::int32_t signal,
                                                     int sig_op, int pe, aclrtStream stream);
/// The UB that copies of kernels go through which name none: offset, bytes and event.
ACLSHMEM_HOST_API std::int32_t aclshmemx_mte_set_ub_params(std::uint64_t offset,
                                                           std::uint32_t ub_size,
                                                           std::uint32_t event_id);

#ifndef DAVSIM_SHMEM_KERNEL
#define DAVSIM_SHMEM_HOST_OF_TYPE(NAME, TYPE)                                                      \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_put(TYPE* dest, TYPE* source, std::size_t nelems,       \
                                               int pe);                                            \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_put_nbi(TYPE* dest, TYPE* source, std::size_t nelems,   \
                                                   int pe);                                        \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_get(TYPE* dest, TYPE* source, std::size_t nelems,       \
                                               int pe);                                            \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_get_nbi(TYPE* dest, TYPE* source, std::size_t nelems,   \
                                                   int pe);                                        \
  ACLSHMEM_HOST_API void aclshmem_put_##NAME##_mem(TYPE* dest, TYPE* source, std::size_t nelems,   \
                                                   int pe);                                        \
  ACLSHMEM_HOST_API void aclshmem_put_##NAME##_mem_nbi(TYPE* dest, TYPE* source,                   \
                                                       std::size_t nelems, int pe);                \
  ACLSHMEM_HOST_API void aclshmem_get_##NAME##_mem(TYPE* dest, TYPE* source, std::size_t nelems,   \
                                                   int pe);                                        \
  ACLSHMEM_HOST_API void aclshmem_get_##NAME##_mem_nbi(TYPE* dest, TYPE* source,                   \
                                                       std::size_t nelems, int pe);                \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_put_signal(TYPE* dst, TYPE* src, std::size_t elem_size, \
                                                      std::uint8_t* sig_addr, std::int32_t signal, \
                                                      int sig_op, int pe);                         \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_put_signal_nbi(                                         \
      TYPE* dst, TYPE* src, std::size_t elem_size, std::uint8_t* sig_addr, std::int32_t signal,    \
      int sig_op, int pe);                                                                         \
  ACLSHMEM_HOST_API void aclshmem_##NAME##_p(TYPE* dst, const TYPE value, int pe);                 \
  ACLSHMEM_HOST_API TYPE aclshmem_##NAME##_g(TYPE* src, int pe);
DAVSIM_SHMEM_NUMBERS(DAVSIM_SHMEM_HOST_OF_TYPE)
DAVSIM_SHMEM_HOST_OF_TYPE(double, double)
#undef DAVSIM_SHMEM_HOST_OF_TYPE

#define DAVSIM_SHMEM_HOST_OF_SIZE(BITS)                                                        \
  ACLSHMEM_HOST_API void aclshmem_put##BITS(void* dst, void* src, std::size_t nelems, int pe); \
  ACLSHMEM_HOST_API void aclshmem_put##BITS##_nbi(void* dst, void* src, std::size_t nelems,    \
                                                  int pe);                                     \
  ACLSHMEM_HOST_API void aclshmem_get##BITS(void* dst, void* src, std::size_t nelems, int pe); \
  ACLSHMEM_HOST_API void aclshmem_get##BITS##_nbi(void* dst, void* src, std::size_t nelems, int pe);
DAVSIM_SHMEM_SIZES(DAVSIM_SHMEM_HOST_OF_SIZE)
#undef DAVSIM_SHMEM_HOST_OF_SIZE
#endif

#ifdef __cplusplus
}
#endif

#endif  // DAVSIM_SHMEM_HOST_H
