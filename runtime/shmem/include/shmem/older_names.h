// Names of SHMEM's first releases, which had no `acl` before them.
#ifndef DAVSIM_SHMEM_OLDER_NAMES_H
#define DAVSIM_SHMEM_OLDER_NAMES_H

#include <cstring>

#define SHMEM_DEVICE ACLSHMEM_DEVICE
#define SHMEM_GLOBAL ACLSHMEM_GLOBAL
#define SHMEM_HOST_API ACLSHMEM_HOST_API
#define SHMEM_SUCCESS ACLSHMEM_SUCCESS
#define SHMEM_INVALID_PARAM ACLSHMEM_INVALID_PARAM
#define SHMEM_INVALID_VALUE ACLSHMEM_INVALID_VALUE
#define SHMEM_NOT_INITED ACLSHMEM_NOT_INITED
#define SHMEM_TIMEOUT_ERROR ACLSHMEM_TIMEOUT_ERROR
#define SHMEM_INNER_ERROR ACLSHMEM_INNER_ERROR
#define SHMEM_STATUS_NOT_INITALIZED ACLSHMEM_STATUS_NOT_INITIALIZED
#define SHMEM_STATUS_NOT_INITIALIZED ACLSHMEM_STATUS_NOT_INITIALIZED
#define SHMEM_STATUS_SHM_CREATED ACLSHMEM_STATUS_SHM_CREATED
#define SHMEM_STATUS_IS_INITALIZED ACLSHMEM_STATUS_IS_INITIALIZED
#define SHMEM_STATUS_IS_INITIALIZED ACLSHMEM_STATUS_IS_INITIALIZED
#define SHMEM_TEAM_WORLD ACLSHMEM_TEAM_WORLD
#define SHMEM_TEAM_INVALID ACLSHMEM_TEAM_INVALID
#define SHMEM_DATA_OP_MTE ACLSHMEM_DATA_OP_MTE
#define SHMEM_DATA_OP_SDMA ACLSHMEM_DATA_OP_SDMA
#define SHMEM_DATA_OP_ROCE ACLSHMEM_DATA_OP_ROCE
#define SHMEM_SIGNAL_SET ACLSHMEM_SIGNAL_SET
#define SHMEM_SIGNAL_ADD ACLSHMEM_SIGNAL_ADD
#define SHMEM_CMP_EQ ACLSHMEM_CMP_EQ
#define SHMEM_CMP_NE ACLSHMEM_CMP_NE
#define SHMEM_CMP_GT ACLSHMEM_CMP_GT
#define SHMEM_CMP_GE ACLSHMEM_CMP_GE
#define SHMEM_CMP_LT ACLSHMEM_CMP_LT
#define SHMEM_CMP_LE ACLSHMEM_CMP_LE
#define SHMEM_MAX_IP_PORT_LEN ACLSHMEM_MAX_IP_PORT_LEN
#define SHMEM_INTERNAL_UB_BUF_START_ADDR ACLSHMEM_INTERNAL_UB_BUF_START_ADDR

#define shmem_error_code_t aclshmem_error_code_t
#define shmemx_bootstrap_t aclshmemx_bootstrap_t
#define shmem_init_status_t aclshmemx_init_status_t
#define shmem_init_optional_attr_t aclshmem_init_optional_attr_t
#define shmem_init_attr_t aclshmemx_init_attr_t
#define shmem_uniqueid_t aclshmemx_uniqueid_t
#define shmem_team_t aclshmem_team_t
#define shmem_handle_t aclshmem_handle_t
#define shmemi_get_state aclshmemi_get_state

#define shmem_init_status aclshmemx_init_status
#define shmem_get_uniqueid aclshmemx_get_uniqueid
#define shmem_set_attr_uniqueid_args aclshmemx_set_attr_uniqueid_args
#define shmem_finalize aclshmem_finalize
#define shmem_global_exit aclshmem_global_exit
#define shmem_info_get_version aclshmem_info_get_version
#define shmem_info_get_name aclshmem_info_get_name
#define shmem_set_conf_store_tls aclshmemx_set_conf_store_tls
#define shmem_set_config_store_tls_key aclshmemx_set_config_store_tls_key
#define shmem_set_log_level aclshmemx_set_log_level
#define shmem_set_extern_logger aclshmemx_set_extern_logger
#define shmem_my_pe aclshmem_my_pe
#define shmem_n_pes aclshmem_n_pes
#define shmem_team_split_strided aclshmem_team_split_strided
#define shmem_team_split_2d aclshmem_team_split_2d
#define shmem_team_translate_pe aclshmem_team_translate_pe
#define shmem_team_destroy aclshmem_team_destroy
#define shmem_team_my_pe aclshmem_team_my_pe
#define shmem_team_n_pes aclshmem_team_n_pes
#define shmem_team_get_config aclshmem_team_get_config
#define shmem_malloc aclshmem_malloc
#define shmem_calloc aclshmem_calloc
#define shmem_align aclshmem_align
#define shmem_free aclshmem_free
#define shmem_ptr aclshmem_ptr
#define shmem_barrier aclshmem_barrier
#define shmem_barrier_all aclshmem_barrier_all
#define shmem_sync aclshmem_sync
#define shmem_sync_all aclshmem_sync_all
#define smem_shm_get_global_rank aclshmem_my_pe
#define smem_shm_get_global_rank_size aclshmem_n_pes
#define shmem_quiet aclshmem_quiet
#define shmem_fence aclshmem_fence
#define shmemx_barrier_vec aclshmemx_barrier_vec
#define shmemx_barrier_all_vec aclshmemx_barrier_all_vec
#define shmemx_barrier_on_stream aclshmemx_barrier_on_stream
#define shmemx_barrier_all_on_stream aclshmemx_barrier_all_on_stream
#define shmem_barrier_on_stream aclshmemx_barrier_on_stream
#define shmem_barrier_all_on_stream aclshmemx_barrier_all_on_stream
#define shmem_handle_wait aclshmemx_handle_wait
#define shmemx_get_ffts_config util_get_ffts_config
#define shmemx_set_ffts_config util_set_ffts_config
#define shmem_putmem aclshmem_putmem
#define shmem_getmem aclshmem_getmem
#define shmem_putmem_nbi aclshmem_putmem_nbi
#define shmem_getmem_nbi aclshmem_getmem_nbi
#define shmem_mte_set_ub_params aclshmemx_mte_set_ub_params
#define shmem_mte_put_mem_nbi aclshmemx_mte_put_nbi
#define shmem_mte_get_mem_nbi aclshmemx_mte_get_nbi
#define shmemx_signal_op aclshmemx_signal_op
#define shmem_signal_op aclshmemx_signal_op
#define shmem_signal_wait_until aclshmem_signal_wait_until

#define shmem_put_float_mem aclshmem_float_put
#define shmem_put_float_mem_nbi aclshmem_float_put_nbi
#define shmem_get_float_mem aclshmem_float_get
#define shmem_get_float_mem_nbi aclshmem_float_get_nbi
#define shmem_put_float_mem_signal aclshmem_float_put_signal
#define shmem_put_float_mem_signal_nbi aclshmem_float_put_signal_nbi
#define shmem_float_p aclshmem_float_p
#define shmem_float_g aclshmem_float_g

#define shmem_put_double_mem aclshmem_double_put
#define shmem_put_double_mem_nbi aclshmem_double_put_nbi
#define shmem_get_double_mem aclshmem_double_get
#define shmem_get_double_mem_nbi aclshmem_double_get_nbi
#define shmem_put_double_mem_signal aclshmem_double_put_signal
#define shmem_put_double_mem_signal_nbi aclshmem_double_put_signal_nbi
#define shmem_double_p aclshmem_double_p
#define shmem_double_g aclshmem_double_g

#define shmem_put_int8_mem aclshmem_int8_put
#define shmem_put_int8_mem_nbi aclshmem_int8_put_nbi
#define shmem_get_int8_mem aclshmem_int8_get
#define shmem_get_int8_mem_nbi aclshmem_int8_get_nbi
#define shmem_put_int8_mem_signal aclshmem_int8_put_signal
#define shmem_put_int8_mem_signal_nbi aclshmem_int8_put_signal_nbi
#define shmem_int8_p aclshmem_int8_p
#define shmem_int8_g aclshmem_int8_g

#define shmem_put_int16_mem aclshmem_int16_put
#define shmem_put_int16_mem_nbi aclshmem_int16_put_nbi
#define shmem_get_int16_mem aclshmem_int16_get
#define shmem_get_int16_mem_nbi aclshmem_int16_get_nbi
#define shmem_put_int16_mem_signal aclshmem_int16_put_signal
#define shmem_put_int16_mem_signal_nbi aclshmem_int16_put_signal_nbi
#define shmem_int16_p aclshmem_int16_p
#define shmem_int16_g aclshmem_int16_g

#define shmem_put_int32_mem aclshmem_int32_put
#define shmem_put_int32_mem_nbi aclshmem_int32_put_nbi
#define shmem_get_int32_mem aclshmem_int32_get
#define shmem_get_int32_mem_nbi aclshmem_int32_get_nbi
#define shmem_put_int32_mem_signal aclshmem_int32_put_signal
#define shmem_put_int32_mem_signal_nbi aclshmem_int32_put_signal_nbi
#define shmem_int32_p aclshmem_int32_p
#define shmem_int32_g aclshmem_int32_g

#define shmem_put_int64_mem aclshmem_int64_put
#define shmem_put_int64_mem_nbi aclshmem_int64_put_nbi
#define shmem_get_int64_mem aclshmem_int64_get
#define shmem_get_int64_mem_nbi aclshmem_int64_get_nbi
#define shmem_put_int64_mem_signal aclshmem_int64_put_signal
#define shmem_put_int64_mem_signal_nbi aclshmem_int64_put_signal_nbi
#define shmem_int64_p aclshmem_int64_p
#define shmem_int64_g aclshmem_int64_g

#define shmem_put_uint8_mem aclshmem_uint8_put
#define shmem_put_uint8_mem_nbi aclshmem_uint8_put_nbi
#define shmem_get_uint8_mem aclshmem_uint8_get
#define shmem_get_uint8_mem_nbi aclshmem_uint8_get_nbi
#define shmem_put_uint8_mem_signal aclshmem_uint8_put_signal
#define shmem_put_uint8_mem_signal_nbi aclshmem_uint8_put_signal_nbi
#define shmem_uint8_p aclshmem_uint8_p
#define shmem_uint8_g aclshmem_uint8_g

#define shmem_put_uint16_mem aclshmem_uint16_put
#define shmem_put_uint16_mem_nbi aclshmem_uint16_put_nbi
#define shmem_get_uint16_mem aclshmem_uint16_get
#define shmem_get_uint16_mem_nbi aclshmem_uint16_get_nbi
#define shmem_put_uint16_mem_signal aclshmem_uint16_put_signal
#define shmem_put_uint16_mem_signal_nbi aclshmem_uint16_put_signal_nbi
#define shmem_uint16_p aclshmem_uint16_p
#define shmem_uint16_g aclshmem_uint16_g

#define shmem_put_uint32_mem aclshmem_uint32_put
#define shmem_put_uint32_mem_nbi aclshmem_uint32_put_nbi
#define shmem_get_uint32_mem aclshmem_uint32_get
#define shmem_get_uint32_mem_nbi aclshmem_uint32_get_nbi
#define shmem_put_uint32_mem_signal aclshmem_uint32_put_signal
#define shmem_put_uint32_mem_signal_nbi aclshmem_uint32_put_signal_nbi
#define shmem_uint32_p aclshmem_uint32_p
#define shmem_uint32_g aclshmem_uint32_g

#define shmem_put_uint64_mem aclshmem_uint64_put
#define shmem_put_uint64_mem_nbi aclshmem_uint64_put_nbi
#define shmem_get_uint64_mem aclshmem_uint64_get
#define shmem_get_uint64_mem_nbi aclshmem_uint64_get_nbi
#define shmem_put_uint64_mem_signal aclshmem_uint64_put_signal
#define shmem_put_uint64_mem_signal_nbi aclshmem_uint64_put_signal_nbi
#define shmem_uint64_p aclshmem_uint64_p
#define shmem_uint64_g aclshmem_uint64_g

#define shmem_put_char_mem aclshmem_char_put
#define shmem_put_char_mem_nbi aclshmem_char_put_nbi
#define shmem_get_char_mem aclshmem_char_get
#define shmem_get_char_mem_nbi aclshmem_char_get_nbi
#define shmem_put_char_mem_signal aclshmem_char_put_signal
#define shmem_put_char_mem_signal_nbi aclshmem_char_put_signal_nbi
#define shmem_char_p aclshmem_char_p
#define shmem_char_g aclshmem_char_g

#define shmem_put_half_mem aclshmem_half_put
#define shmem_put_half_mem_nbi aclshmem_half_put_nbi
#define shmem_get_half_mem aclshmem_half_get
#define shmem_get_half_mem_nbi aclshmem_half_get_nbi
#define shmem_put_half_mem_signal aclshmem_half_put_signal
#define shmem_put_half_mem_signal_nbi aclshmem_half_put_signal_nbi
#define shmem_half_p aclshmem_half_p
#define shmem_half_g aclshmem_half_g

#define shmem_put_bfloat16_mem aclshmem_bfloat16_put
#define shmem_put_bfloat16_mem_nbi aclshmem_bfloat16_put_nbi
#define shmem_get_bfloat16_mem aclshmem_bfloat16_get
#define shmem_get_bfloat16_mem_nbi aclshmem_bfloat16_get_nbi
#define shmem_put_bfloat16_mem_signal aclshmem_bfloat16_put_signal
#define shmem_put_bfloat16_mem_signal_nbi aclshmem_bfloat16_put_signal_nbi
#define shmem_bfloat16_p aclshmem_bfloat16_p
#define shmem_bfloat16_g aclshmem_bfloat16_g
#define shmem_int8_atomic_add aclshmem_int8_atomic_add
#define shmem_int16_atomic_add aclshmem_int16_atomic_add
#define shmem_int32_atomic_add aclshmem_int32_atomic_add
#define shmem_half_atomic_add aclshmem_half_atomic_add
#define shmem_bfloat16_atomic_add aclshmem_bfloat16_atomic_add
#define shmem_float_atomic_add aclshmem_float_atomic_add

/// The first releases had no flags.
inline int shmem_init_attr(aclshmemx_init_attr_t* attributes) {
  return aclshmemx_init_attr(ACLSHMEMX_INIT_WITH_DEFAULT, attributes);
}
inline int shmem_init_attr(aclshmemx_bootstrap_t bootstrap_flags,
                           aclshmemx_init_attr_t* attributes) {
  return aclshmemx_init_attr(bootstrap_flags, attributes);
}
/// `*attributes` becomes a description of the calling thread's, which its next call changes.
inline int shmem_set_attr(int my_rank, int n_ranks, std::uint64_t local_mem_size,
                          const char* ip_port, aclshmemx_init_attr_t** attributes) {
  static thread_local aclshmemx_init_attr_t attr;
  if (ip_port == nullptr || attributes == nullptr) return ACLSHMEM_INVALID_PARAM;
  attr = aclshmemx_init_attr_t{};
  attr.my_pe = my_rank;
  attr.n_pes = n_ranks;
  attr.local_mem_size = local_mem_size;
  if (std::strlen(ip_port) >= sizeof attr.ip_port) return ACLSHMEM_INVALID_VALUE;
  std::strcpy(attr.ip_port, ip_port);
  *attributes = &attr;
  return ACLSHMEM_SUCCESS;
}
inline int shmem_set_data_op_engine_type(aclshmemx_init_attr_t* attributes,
                                         data_op_engine_type_t value) {
  if (attributes == nullptr) return ACLSHMEM_INVALID_PARAM;
  attributes->option_attr.data_op_engine_type = value;
  return ACLSHMEM_SUCCESS;
}
inline int shmem_set_timeout(aclshmemx_init_attr_t* attributes, std::uint32_t value) {
  if (attributes == nullptr) return ACLSHMEM_INVALID_PARAM;
  attributes->option_attr.shm_init_timeout = value;
  attributes->option_attr.shm_create_timeout = value;
  attributes->option_attr.control_operation_timeout = value;
  return ACLSHMEM_SUCCESS;
}

#endif  // DAVSIM_SHMEM_OLDER_NAMES_H
