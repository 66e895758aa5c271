// The calls of a Matmul object that compute several products. Included by matmul_object.h.
#pragma once

namespace davsim::api {

DAVSIM_MATMUL_TEMPLATE
template <bool sync, bool waitIterateBatch>
void DAVSIM_MATMUL::IterateBatch(const AscendC::GlobalTensor<DstT>& gm, std::uint32_t batchA,
                                 std::uint32_t batchB, bool enSequentialWrite,
                                 const std::uint32_t matrixStrideA,
                                 const std::uint32_t matrixStrideB,
                                 const std::uint32_t matrixStrideC, const bool enPartialSum,
                                 const std::uint8_t enAtomic, Location where) {
  if (kMixed == on_cube()) return;
  require_ready("Matmul::IterateBatch", where);
  require_range("Matmul::IterateBatch", "enPartialSum", enPartialSum, 0, 0, where);
  require_range("Matmul::IterateBatch", "batchA", batchA, 1, UINT16_MAX, where);
  require_range("Matmul::IterateBatch", "batchB", batchB, 1, UINT16_MAX, where);
  const std::uint32_t more = std::max(batchA, batchB), fewer = std::min(batchA, batchB);
  if (more % fewer != 0) {
    refuse("Matmul::IterateBatch", "batchA and batchB differ: the greater", more,
           {"multiples of the lesser, ", fewer}, where);
  }
  message_.c = message_.place_of(gm, AscendC::CacheRwMode::WRITE, Message::kPastL2C);
  message_.atomic = enAtomic;
  message_.set(Message::kSequential, enSequentialWrite);
  message_.batches_a = static_cast<std::uint16_t>(batchA);
  message_.batches_b = batchB;
  message_.stride_a = matrixStrideA;
  message_.stride_b = matrixStrideB;
  message_.stride_c = matrixStrideC;
  post(MatmulOp::kBatch, sync || waitIterateBatch || sends_operands(), where);
  message_.atomic = 0;
  begun_ = false;
  if (sync) await_all(where);
}

DAVSIM_MATMUL_TEMPLATE
std::uint64_t DAVSIM_MATMUL::batch_in_ub(const char* call, std::uint32_t matrices,
                                         Location where) const {
  require_ub(call, where);
  if (message_.n * sizeof(DstT) % isa::kBlockBytes != 0) {
    refuse(call, "bytes of a row of C in UB", static_cast<std::int64_t>(message_.n * sizeof(DstT)),
           "multiples of 32", where);
  }
  return std::uint64_t{matrices} * message_.m * message_.n;
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
void DAVSIM_MATMUL::IterateBatch(const AscendC::LocalTensor<DstT>& ubCmatrix, std::uint32_t batchA,
                                 std::uint32_t batchB, bool enSequentialWrite,
                                 const std::uint32_t matrixStrideA,
                                 const std::uint32_t matrixStrideB,
                                 const std::uint32_t matrixStrideC, const bool enPartialSum,
                                 const std::uint8_t enAtomic, Location where) {
  if (kMixed == on_cube()) return;
  require_ready("Matmul::IterateBatch", where);
  require_range("Matmul::IterateBatch (to UB)", "enAtomic", enAtomic, 0, 0, where);
  const std::uint64_t elements =
      batch_in_ub("Matmul::IterateBatch (to UB)", std::max(batchA, batchB), where);
  if constexpr (kMixed) {
    constexpr std::uint64_t kRoom = MatmulMailbox::kOperandsAt - MatmulMailbox::kResultsAt;
    if (elements * sizeof(DstT) > kRoom) {
      refuse("Matmul::IterateBatch (to UB)", "bytes of C",
             static_cast<std::int64_t>(elements * sizeof(DstT)), {"up to ", kRoom}, where);
    }
    const std::uint64_t at = client_->box().at(MatmulMailbox::kResultsAt);
    AscendC::GlobalTensor<DstT> gm;
    gm.SetGlobalBuffer(reinterpret_cast<DstT*>(at));
    IterateBatch<true, false>(gm, batchA, batchB, enSequentialWrite, matrixStrideA, matrixStrideB,
                              matrixStrideC, enPartialSum, enAtomic, where);
    to_ub(ubCmatrix, at, elements, where);
  }
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync, bool waitIterateBatch>
void DAVSIM_MATMUL::IterateNBatch(const std::uint32_t batchLoop, std::uint32_t batchA,
                                  std::uint32_t batchB, bool enSequentialWrite,
                                  const std::uint32_t matrixStrideA,
                                  const std::uint32_t matrixStrideB,
                                  const std::uint32_t matrixStrideC, Location where) {
  if (workspace_ == 0) {
    fail(isa::FaultClass::kParameter, "Matmul::IterateNBatch",
         {"its results need room in global memory: SetWorkspace"}, where);
  }
  AscendC::GlobalTensor<DstT> all;
  all.SetGlobalBuffer(reinterpret_cast<DstT*>(workspace_));
  IterateBatch<sync, true>(all, batchLoop * batchA, batchLoop * batchB, enSequentialWrite,
                           matrixStrideA, matrixStrideB, matrixStrideC, false, 0, where);
  batches_left_ = batchLoop;
  batches_taken_ = 0;
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
AscendC::GlobalTensor<typename C_TYPE::T> DAVSIM_MATMUL::GetBatchTensorC(std::uint32_t batchA,
                                                                         std::uint32_t batchB, bool,
                                                                         Location where) {
  AscendC::GlobalTensor<DstT> batch;
  if (kMixed == on_cube()) return batch;
  if (batches_left_ == 0) {
    fail(isa::FaultClass::kParameter, "Matmul::GetBatchTensorC",
         {"there is no batch to get: IterateNBatch comes first"}, where);
  }
  await_all(where);
  const std::uint64_t size =
      std::uint64_t{std::max(batchA, batchB)} * message_.org_m * message_.org_kc;
  batch.SetGlobalBuffer(reinterpret_cast<DstT*>(workspace_) + batches_taken_ * size, size);
  ++batches_taken_;
  --batches_left_;
  return batch;
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
void DAVSIM_MATMUL::GetBatchTensorC(const AscendC::LocalTensor<DstT>& c, std::uint32_t batchA,
                                    std::uint32_t batchB, bool enSequentialWrite, Location where) {
  if (kMixed == on_cube()) return;
  const std::uint64_t elements =
      batch_in_ub("Matmul::GetBatchTensorC (to UB)", std::max(batchA, batchB), where);
  const auto batch = GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, where);
  to_ub(c, batch.Operand().addr, elements, where);
}

}  // namespace davsim::api
