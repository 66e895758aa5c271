// Kernels that use SHMEM, in the forms of public ones.
#include "kernel_operator.h"
#include "shmem.h"

using namespace AscendC;

/// Every PE puts `n` numbers to all, the cores take PEs in turn.
extern "C" __global__ __aicore__ void shmem_gather_custom(GM_ADDR heap, GM_ADDR x, int n) {
  auto* rows = reinterpret_cast<__gm__ int32_t*>(heap);
  __gm__ aclshmem_device_host_state_t* state = aclshmemi_get_state();
  const int me = aclshmem_my_pe(), pes = aclshmem_n_pes();
  for (int i = static_cast<int>(GetBlockIdx()); i < pes; i += static_cast<int>(GetBlockNum())) {
    aclshmemx_mte_put_nbi(rows + me * n, reinterpret_cast<__gm__ int32_t*>(x),
                          reinterpret_cast<__ubuf__ int32_t*>(state->mte_config.aclshmem_ub),
                          state->mte_config.ub_size, n, (me + i) % pes, EVENT_ID0);
  }
  aclshmem_barrier_all();
}

/// Round a ring: numbers with a signal behind them, then the signal's value, then a count at PE 0.
extern "C" __global__ __aicore__ void shmem_ring_custom(GM_ADDR heap, GM_ADDR signals, GM_ADDR y,
                                                        int n) {
  if (GetBlockIdx() != 0) return;
  auto* numbers = reinterpret_cast<__gm__ int32_t*>(heap);
  auto* signal = reinterpret_cast<__gm__ int32_t*>(signals);
  const int me = aclshmem_my_pe(), pes = aclshmem_n_pes(), next = (me + 1) % pes;
  aclshmem_int32_put_signal(numbers + n, numbers, n, signal, 100 + me, ACLSHMEM_SIGNAL_SET, next);
  const int32_t got = aclshmem_signal_wait_until(signal, ACLSHMEM_CMP_GE, 100);
  aclshmem_int32_get(reinterpret_cast<__gm__ int32_t*>(y), numbers + n, n, me);
  aclshmem_int32_p(signal + 16, got, next);
  aclshmemx_signal_op(signal + 32, 1, ACLSHMEM_SIGNAL_ADD, 0);
  if (me == 0) aclshmem_int32_wait_until(signal + 32, ACLSHMEM_CMP_EQ, pes);
}

/// A put of the first of two kernels, which the second one awaits.
extern "C" __global__ __aicore__ void shmem_send_custom(GM_ADDR heap, GM_ADDR signal, int n,
                                                        int to) {
  auto* numbers = reinterpret_cast<__gm__ int32_t*>(heap);
  aclshmem_int32_put_nbi(numbers, numbers + n, n, to);
  aclshmem_quiet();
  aclshmemx_signal_op(reinterpret_cast<__gm__ int32_t*>(signal), 1, ACLSHMEM_SIGNAL_SET, to);
}
extern "C" __global__ __aicore__ void shmem_receive_custom(GM_ADDR signal, GM_ADDR heap, GM_ADDR y,
                                                           int n) {
  aclshmem_signal_wait_until(reinterpret_cast<__gm__ int32_t*>(signal), ACLSHMEM_CMP_EQ, 1);
  LocalTensor<int32_t> ub(TPosition::VECCALC, 0, n);
  GlobalTensor<int32_t> from, to;
  from.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(heap));
  to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(y));
  DataCopy(ub, from, n);
  SetFlag<HardEvent::MTE2_MTE3>(0);
  WaitFlag<HardEvent::MTE2_MTE3>(0);
  DataCopy(to, ub, n);
}

/// Ways of a copy to the next PE: from `numbers` to `numbers + 4096`.
extern "C" __global__ __aicore__ void shmem_copy_custom(GM_ADDR heap, int way) {
  auto* from = reinterpret_cast<__gm__ float*>(heap);
  __gm__ float* to = from + 4096;
  const int next = (aclshmem_my_pe() + 1) % aclshmem_n_pes();
  GlobalTensor<float> source, target;
  source.SetGlobalBuffer(from);
  target.SetGlobalBuffer(to);
  LocalTensor<float> ub(TPosition::VECCALC, 0, 64), middle(TPosition::VECCALC, 16384, 1024);
  const non_contiguous_copy_param rows{5, 7, 11, 13}, wide{3, 600, 700, 800};
  switch (way) {
    case 0:  // through 256 bytes
      aclshmemx_mte_put_nbi(target, source, ub, 1001, next, EVENT_ID1);
      break;
    case 1:
      aclshmem_float_put_nbi(to, from, rows, next);
      break;
    case 2:  // rows that are wider than the UB
      aclshmemx_mte_put_nbi(target, source, ub, wide, next, EVENT_ID1);
      break;
    case 3:
      aclshmem_float_iput(to, from, 3, 2, 50, next);
      break;
    case 4:  // by way of the own UB
      aclshmemx_mte_get_nbi(middle, source, 1024, next, EVENT_ID0);
      SetFlag<HardEvent::MTE2_MTE3>(0);
      WaitFlag<HardEvent::MTE2_MTE3>(0);
      aclshmem_float_put_nbi(target, middle, 1024, next);
      break;
    case 5:
      aclshmem_put64(to, from, 100, next);
      break;
    case 6:
      aclshmem_putmem(to, from, 37, next);
      break;
    case 7:  // names of the first releases
      shmem_put_float_mem_nbi(to, from, 9, next);
      break;
    case 8:
      *reinterpret_cast<__gm__ float*>(aclshmem_ptr(to, aclshmem_my_pe())) = 5.0f;
      aclshmem_quiet();
      aclshmem_float_atomic_add(to, 2.5f, next);
      break;
    case 9:
      aclshmem_float_put(to, from, 1, 77);  // no such PE
      break;
    default:  // rows that lie within each other
      aclshmem_float_put_nbi(to, from, non_contiguous_copy_param{2, 8, 4, 8}, next);
  }
  aclshmem_quiet();
  aclshmem_barrier_all();
}

/// What a kernel knows of a team; barriers of it, with cubes.
extern "C" __global__ __aicore__ void shmem_team_custom(GM_ADDR heap, int team, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  auto* numbers = reinterpret_cast<__gm__ int32_t*>(heap);
  auto* out = reinterpret_cast<__gm__ int32_t*>(y);
  const int own = aclshmem_team_my_pe(team), size = aclshmem_team_n_pes(team);
  if (own >= 0) {
    for (int round = 1; round <= 3; ++round) {
      if ASCEND_IS_AIV {
        const int core = static_cast<int>(GetBlockIdx());
        const int next = aclshmem_team_pe_mapping(team, (own + 1) % size);
        aclshmem_int32_p(numbers + 16 * core, 10 * round + own, next);
      }
      aclshmem_barrier(team);
      if ASCEND_IS_AIV {
        // What another core of the PE before has put.
        const int other = 1 - static_cast<int>(GetBlockIdx());
        const int32_t got = aclshmem_int32_g(numbers + 16 * other, aclshmem_my_pe());
        if (got != 10 * round + (own + size - 1) % size) out[8] = got;
      }
      aclshmem_barrier(team);
    }
  }
  if ASCEND_IS_AIV {
    if (GetBlockIdx() == 0) {
      out[0] = own;
      out[1] = size;
      out[2] = aclshmem_team_translate_pe(team, 0, ACLSHMEM_TEAM_WORLD);
      out[3] = aclshmem_team_translate_pe(ACLSHMEM_TEAM_WORLD, 3, team);
    }
  }
}

/// Waits for lists of flags.
extern "C" __global__ __aicore__ void shmem_wait_custom(GM_ADDR heap, GM_ADDR y) {
  auto* flags = reinterpret_cast<__gm__ int32_t*>(heap);
  auto* out = reinterpret_cast<__gm__ int32_t*>(y);
  const int me = aclshmem_my_pe(), pes = aclshmem_n_pes();
  for (int pe = 0; pe < pes; ++pe) aclshmem_int32_p(flags + me, 7 + me, pe);
  int status[8] = {0, 1};  // the flag of PE 1 does not count
  size_t indices[8];
  out[0] = static_cast<int32_t>(
      aclshmem_int32_wait_until_some(flags, 2, indices, status, ACLSHMEM_CMP_GE, 7));
  out[1] = static_cast<int32_t>(indices[0]);
  aclshmem_int32_wait_until_all(flags, pes, nullptr, ACLSHMEM_CMP_GE, 7);
  out[2] = aclshmem_int32_test(flags + 1, ACLSHMEM_CMP_EQ, 8);
  out[3] = aclshmem_int32_test(flags + 1, ACLSHMEM_CMP_LT, 8);
}
