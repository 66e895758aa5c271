// Types and constants of SHMEM that host programs and kernels share. Names, fields and numbers are
// those of its interface.
#ifndef DAVSIM_SHMEM_TYPES_H
#define DAVSIM_SHMEM_TYPES_H

#include <climits>
#include <cstddef>
#include <cstdint>

#define ACLSHMEM_HOST_API __attribute__((visibility("default")))

#define ACLSHMEM_MAJOR_VERSION 1
#define ACLSHMEM_MINOR_VERSION 1
#define ACLSHMEM_MAX_NAME_LEN 256
#define ACLSHMEM_MAX_IP_PORT_LEN 64
#define ACLSHMEM_MAX_PES 16384
#define ACLSHMEM_MAX_TEAMS 2048
#define ACLSHMEM_MAX_LOCAL_SIZE (40UL * 1024 * 1024 * 1024)
#define ACLSHMEM_SIGNAL_SIZE 8
#define ACLSHMEM_PAGE_SIZE (1024UL * 1024UL * 2)
#define ACLSHMEM_MAX_AIV_PER_NPU 48
#define ACLSHMEM_BARRIER_TG_DISSEM_KVAL 8
#define SCALAR_DATA_CACHELINE_SIZE 64
#define L2_CACHELINE_SIZE 512
#define ACLSHMEMI_SYNCBIT_SIZE SCALAR_DATA_CACHELINE_SIZE

constexpr std::uint16_t ACLSHMEM_UNIQUE_ID_INNER_LEN = 124;
constexpr int DEFAULT_TIMEOUT = 120;  ///< seconds

enum aclshmem_error_code_t : int {
  ACLSHMEM_SUCCESS = 0,
  ACLSHMEM_INVALID_PARAM = -1,
  ACLSHMEM_INVALID_VALUE = -2,
  ACLSHMEM_SMEM_ERROR = -3,
  ACLSHMEM_INNER_ERROR = -4,
  ACLSHMEM_NOT_INITED = -5,
  ACLSHMEM_BOOTSTRAP_ERROR = -6,
  ACLSHMEM_TIMEOUT_ERROR = -7,
  ACLSHMEM_MALLOC_FAILED = -8,
};

/// How the processes of a job find each other.
enum aclshmemx_bootstrap_t : int {
  ACLSHMEMX_INIT_WITH_DEFAULT = 1 << 0,  ///< by ip_port
  ACLSHMEMX_INIT_WITH_MPI = 1 << 1,
  ACLSHMEMX_INIT_WITH_UNIQUEID = 1 << 3,
  ACLSHMEMX_INIT_MAX = 1 << 30,
};

enum aclshmemx_init_status_t {
  ACLSHMEM_STATUS_NOT_INITIALIZED = 0,
  ACLSHMEM_STATUS_SHM_CREATED,
  ACLSHMEM_STATUS_IS_INITIALIZED,
  ACLSHMEM_STATUS_INVALID = INT_MAX,
};

enum aclshmem_transport_t : std::uint8_t {
  ACLSHMEM_TRANSPORT_MTE = 1 << 0,
  ACLSHMEM_TRANSPORT_ROCE = 1 << 1,
  ACLSHMEM_TRANSPORT_SDMA = 1 << 2,
};

/// What moves the bytes. Whatever is asked for, kernels move them by MTE2 and MTE3 here.
enum data_op_engine_type_t {
  ACLSHMEM_DATA_OP_MTE = 0x01,
  ACLSHMEM_DATA_OP_SDMA = 0x02,
  ACLSHMEM_DATA_OP_ROCE = 0x04,
};

enum aclshmem_mem_type_t { HOST_SIDE = 0, DEVICE_SIDE };
enum aclshmem_block_mode_t { NO_NBI = 0, NBI };
enum aclshmem_signal_op_type_t { ACLSHMEM_SIGNAL_SET, ACLSHMEM_SIGNAL_ADD };
enum aclshmem_cmp_op_type_t {
  ACLSHMEM_CMP_EQ = 0,
  ACLSHMEM_CMP_NE,
  ACLSHMEM_CMP_GT,
  ACLSHMEM_CMP_GE,
  ACLSHMEM_CMP_LT,
  ACLSHMEM_CMP_LE
};

using aclshmem_team_t = int;
using aclshmemx_team_uniqueid_t = std::uint64_t;
enum aclshmem_team_index_t { ACLSHMEM_TEAM_INVALID = -1, ACLSHMEM_TEAM_WORLD = 0 };

struct aclshmem_team_config_t {
  std::int32_t version;
  std::int32_t num_contexts;
  aclshmemx_team_uniqueid_t uniqueid;
  char padding[48];
};

/// What handle_wait() waits for.
struct aclshmem_handle_t {
  aclshmem_team_t team_id;
};

struct aclshmem_init_optional_attr_t {
  int version;
  data_op_engine_type_t data_op_engine_type;
  std::uint32_t shm_init_timeout;    ///< seconds
  std::uint32_t shm_create_timeout;  ///< seconds
  std::uint32_t control_operation_timeout;
  std::int32_t sockFd;
};

struct aclshmemx_init_attr_t {
  int my_pe;
  int n_pes;
  char ip_port[ACLSHMEM_MAX_IP_PORT_LEN];  ///< tcp://127.0.0.1:8666, the same for all PEs of a job
  std::uint64_t local_mem_size;            ///< bytes of the symmetric heap of each PE
  aclshmem_init_optional_attr_t option_attr = {(1 << 16) + sizeof(aclshmem_init_optional_attr_t),
                                               ACLSHMEM_DATA_OP_MTE,
                                               DEFAULT_TIMEOUT,
                                               DEFAULT_TIMEOUT,
                                               DEFAULT_TIMEOUT,
                                               -1};
  void* comm_args;  ///< an aclshmemx_uniqueid_t
};

struct aclshmemx_uniqueid_t {
  std::int32_t version;
  int my_pe;
  int n_pes;
  char internal[ACLSHMEM_UNIQUE_ID_INNER_LEN];
};
constexpr std::int32_t ACLSHMEM_UNIQUEID_VERSION = (1 << 16) + sizeof(aclshmemx_uniqueid_t);
#define ACLSHMEM_UNIQUEID_INITIALIZER  \
  {                                    \
    ACLSHMEM_UNIQUEID_VERSION, 0, 0, { \
      0                                \
    }                                  \
  }

/// Rows of a copy: `length` elements each, their beginnings `src_ld` and `dst_ld` elements apart.
struct non_contiguous_copy_param {
  std::uint32_t repeat;
  std::uint32_t length;
  std::uint32_t src_ld;
  std::uint32_t dst_ld;
};

/// UB that copies between global memories go through, and the event that orders them.
struct aclshmem_ub_config_t {
  std::int64_t aclshmem_ub;  ///< address in UB
  std::uint32_t ub_size;     ///< bytes
  union {
    std::uint32_t sync_id;
    std::uint32_t event_id;  ///< the older name
  };
};
using aclshmem_mte_config_t = aclshmem_ub_config_t;
using aclshmem_sdma_config_t = aclshmem_ub_config_t;
using aclshmem_rdma_config_t = aclshmem_ub_config_t;
constexpr std::uint64_t ACLSHMEM_INTERNAL_UB_BUF_START_ADDR = 188 * 1024;
constexpr std::uint32_t UB_ALIGN_SIZE = 32;

/// PEs of a team: `start` and every `stride`-th one behind it.
struct aclshmemx_team_t {
  int mype;  ///< this PE's number in the team
  int start;
  int stride;
  int size;
  int team_idx;
  aclshmem_team_config_t config;
};

/// What a PE's kernels know of the job. It lies in global memory before the PE's heap, at the same
/// distance from it on every PE.
struct aclshmem_device_host_state_t {
  int version;
  int mype;
  int npes;
  void* heap_base;
  void* host_heap_base;         ///< null: there is no memory of the host's
  void** p2p_device_heap_base;  ///< by PE
  void** rdma_device_heap_base;
  void** sdma_device_heap_base;
  std::size_t heap_size;  ///< bytes
  aclshmemx_team_t* team_pools[ACLSHMEM_MAX_TEAMS];
  std::uint64_t sync_pool;     ///< flags that barriers raise, by team
  std::uint64_t sync_counter;  ///< barriers that were done, by team
  bool is_aclshmem_initialized;
  bool is_aclshmem_created;
  aclshmem_mte_config_t mte_config;
  aclshmem_sdma_config_t sdma_config;
  aclshmem_rdma_config_t rdma_config;
};

/// The types of elements, for programs that make functions of them.
#define ACLSHMEM_TYPE_FUNC(FUNC) \
  FUNC(half, half);              \
  FUNC(float, float);            \
  FUNC(double, double);          \
  FUNC(int8, int8_t);            \
  FUNC(int16, int16_t);          \
  FUNC(int32, int32_t);          \
  FUNC(int64, int64_t);          \
  FUNC(uint8, uint8_t);          \
  FUNC(uint16, uint16_t);        \
  FUNC(uint32, uint32_t);        \
  FUNC(uint64, uint64_t);        \
  FUNC(char, char);              \
  FUNC(bfloat16, bfloat16_t)

namespace davsim::shmem {

/// Bytes of a team's flags for barriers: a line for each flag of each step, of which there are five
/// for ACLSHMEM_MAX_PES.
inline constexpr std::uint64_t kBarrierBytes =
    5 * ACLSHMEM_BARRIER_TG_DISSEM_KVAL * ACLSHMEMI_SYNCBIT_SIZE;

/// The number of a team's PE among all; -1: it has no such PE, or there is no team.
inline int pe_of_team(const aclshmemx_team_t* team, int pe) {
  if (team == nullptr || pe < 0 || pe >= team->size) return -1;
  return team->start + pe * team->stride;
}
/// The number in `to` of PE `pe` of `from`; -1: it is not in both.
inline int translated(const aclshmemx_team_t* from, int pe, const aclshmemx_team_t* to) {
  const int among_all = pe_of_team(from, pe);
  if (among_all < 0 || to == nullptr || among_all < to->start) return -1;
  const int behind = among_all - to->start;
  if (behind % to->stride != 0 || behind / to->stride >= to->size) return -1;
  return behind / to->stride;
}

}  // namespace davsim::shmem

/// Calls FUNC(name, type) for each type whose elements have a size that copies can move.
#define DAVSIM_SHMEM_NUMBERS(FUNC) \
  FUNC(float, float)               \
  FUNC(int8, std::int8_t)          \
  FUNC(int16, std::int16_t)        \
  FUNC(int32, std::int32_t)        \
  FUNC(int64, std::int64_t)        \
  FUNC(uint8, std::uint8_t)        \
  FUNC(uint16, std::uint16_t)      \
  FUNC(uint32, std::uint32_t)      \
  FUNC(uint64, std::uint64_t)      \
  FUNC(char, char)
/// The same for bytes of a number of bits.
#define DAVSIM_SHMEM_SIZES(FUNC) FUNC(8) FUNC(16) FUNC(32) FUNC(64) FUNC(128)

#endif  // DAVSIM_SHMEM_TYPES_H
