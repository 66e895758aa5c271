// The Matmul object of the kernel API.
//
// On a cube core (MatmulImpl, or Matmul where ASCENDC_CUBE_ONLY is defined) its calls are carried
// out at once. In a mixed kernel the object of a vector core sends them to the cube core of its AI
// core, which REGIST_MATMUL_OBJ turns into a server.
#pragma once

#include <memory>

#include "lib/matmul/matmul_settings.h"

namespace davsim::api {

template <bool kMixed, class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE,
          const auto& MM_CFG, class MM_CB>
class MatmulObject : public MatmulSettings<A_TYPE, B_TYPE, BIAS_TYPE> {
  using Location = davsim::api::Location;
  using Settings = MatmulSettings<A_TYPE, B_TYPE, BIAS_TYPE>;
  using Engine = MatmulEngine<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;
  using Message = MatmulMessage;

 public:
  static constexpr bool isMixed = kMixed;
  /// A and B are shared by the two vector cores of an AI core, which call alike: the first one asks
  /// for the product, and both wait for it.
  static constexpr bool kOneProduct = kMixed && Engine::kSharesA && Engine::kSharesB;

  MatmulObject() = default;
  MatmulObject(const MatmulObject&) = delete;
  MatmulObject& operator=(const MatmulObject&) = delete;
  /// Ends what was not ended; the last object of a vector core ends the service of its cube core.
  ~MatmulObject() noexcept(false) {
    if (std::uncaught_exceptions() != unwinding_) return;
    for (auto& worker : workers_) {
      if (worker) worker->engine.end(used_);
    }
    if (client_ != nullptr && --client_->objects == 0) client_->quit(used_);
  }

  /// Takes a tiling over. With REGIST_MATMUL_OBJ this is done there.
  void Init(const TCubeTiling* cubeTiling, AscendC::TPipe* tpipe = nullptr,
            Location where = Location::current()) {
    static_cast<void>(tpipe);
    used_ = where;
    tiling_ = matmul_tiling_with(MM_CFG, cubeTiling != nullptr ? *cubeTiling : TCubeTiling{});
    has_tiling_ = true;
    Settings::set_shape(tiling_);
    if constexpr (!kMixed) {
      if (!on_cube()) return;
      engine().set_tiling(tiling_, where);
      engine().fit_rows(l1_left(where));
      engine().place(reserve_l1(engine().l1_bytes(), where));
    } else if (client_ != nullptr) {
      client_->await_read(where);
      client_->send_tiling(tiling_, where);
      post(MatmulOp::kInit, false, where);
    }
  }
  void Init(const TCubeTiling& cubeTiling, AscendC::TPipe* tpipe = nullptr,
            Location where = Location::current()) {
    Init(&cubeTiling, tpipe, where);
  }

  // --- products ----------------------------------------------------------------------------------

  /// Computes the next base block; false after the last. `Iterate<false>` begins all of them, which
  /// GetTensorC<false> then fetches one after the other.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, Location where = Location::current());
  /// The next base block to `localCmatrix` in L0C, if C is in CO1. The kernel orders what reads it
  /// behind pipe M.
  template <bool sync = true>
  bool Iterate(bool enPartialSum, const AscendC::LocalTensor<typename Engine::Sum>& localCmatrix,
               Location where = Location::current());
  /// Computes all base blocks into C.
  template <bool sync = true>
  void IterateAll(const AscendC::GlobalTensor<DstT>& gm, std::uint8_t enAtomic = 0,
                  bool enSequentialWrite = false, bool waitIterateAll = false, bool fakeMsg = false,
                  Location where = Location::current());
  template <bool sync = true>
  void IterateAll(const AscendC::LocalTensor<DstT>& ubCmatrix, std::uint8_t enAtomic = 0,
                  Location where = Location::current());
  /// Waits for an IterateAll<false> with waitIterateAll.
  void WaitIterateAll(Location where = Location::current()) {
    await_all(where);
    if (client_ != nullptr) client_->completed(this, where);
  }

  template <bool sync = true>
  void GetTensorC(const AscendC::GlobalTensor<DstT>& gm, std::uint8_t enAtomic = 0,
                  bool enSequentialWrite = false, Location where = Location::current());
  template <bool sync = true>
  void GetTensorC(const AscendC::LocalTensor<DstT>& co2Local, std::uint8_t enAtomic = 0,
                  bool enSequentialWrite = false, Location where = Location::current());
  template <bool sync = true>
  void GetTensorC(const AscendC::GlobalTensor<DstT>& gm, const AscendC::LocalTensor<DstT>& co2Local,
                  std::uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  Location where = Location::current());
  /// Of an Iterate<false>: the next block where it lies in the workspace.
  template <bool sync = true>
  AscendC::GlobalTensor<DstT> GetTensorC(std::uint8_t enAtomic = 0, bool enSequentialWrite = false,
                                         Location where = Location::current());
  void AsyncGetTensorC(const AscendC::LocalTensor<DstT>& c, Location where = Location::current()) {
    GetTensorC<false>(c, 0, true, where);
  }
  void WaitGetTensorC(Location where = Location::current()) { await_all(where); }

  // --- batches -----------------------------------------------------------------------------------

  /// Matrices of A and of B in an IterateBatch; where they differ, the fewer serve several.
  void SetBatchNum(int batchA, int batchB, Location where = Location::current()) {
    require_range("SetBatchNum", "batchA", batchA, 1, UINT16_MAX, where);
    require_range("SetBatchNum", "batchB", batchB, 1, UINT16_MAX, where);
    batch_a_ = static_cast<std::uint32_t>(batchA);
    batch_b_ = static_cast<std::uint32_t>(batchB);
  }
  /// The products of a batch, as the layouts of the operands and of the tiling say where they lie.
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateBatch(const AscendC::GlobalTensor<DstT>& gm, std::uint32_t batchA,
                    std::uint32_t batchB, bool enSequentialWrite,
                    const std::uint32_t matrixStrideA = 0, const std::uint32_t matrixStrideB = 0,
                    const std::uint32_t matrixStrideC = 0, const bool enPartialSum = false,
                    const std::uint8_t enAtomic = 0, Location where = Location::current());
  /// The matrices of C to UB, one behind the other; rows are multiples of 32 bytes.
  template <bool sync = true>
  void IterateBatch(const AscendC::LocalTensor<DstT>& ubCmatrix, std::uint32_t batchA,
                    std::uint32_t batchB, bool enSequentialWrite,
                    const std::uint32_t matrixStrideA = 0, const std::uint32_t matrixStrideB = 0,
                    const std::uint32_t matrixStrideC = 0, const bool enPartialSum = false,
                    const std::uint8_t enAtomic = 0, Location where = Location::current());
  /// The same with the numbers of SetBatchNum.
  template <bool sync = true, bool waitIterateBatch = false, class Flag>
  requires std::is_same_v<Flag, bool>
  void IterateBatch(const AscendC::GlobalTensor<DstT>& gm, Flag enPartialSum, std::uint8_t enAtomic,
                    bool enSequentialWrite, const std::uint32_t matrixStrideA = 0,
                    const std::uint32_t matrixStrideB = 0, const std::uint32_t matrixStrideC = 0,
                    Location where = Location::current()) {
    IterateBatch<sync, waitIterateBatch>(gm, batch_a_, batch_b_, enSequentialWrite, matrixStrideA,
                                         matrixStrideB, matrixStrideC, enPartialSum, enAtomic,
                                         where);
  }
  /// How many products L0C holds at a time; here one.
  void SetNBatchOutNum(int nBatchOutNum, Location where = Location::current()) {
    require_range("SetNBatchOutNum", "nBatchOutNum", nBatchOutNum, 1, UINT16_MAX, where);
  }
  void WaitIterateBatch(Location where = Location::current()) { await_all(where); }
  /// `batchLoop` batches into the workspace of SetWorkspace, from where GetBatchTensorC gives one
  /// after the other.
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateNBatch(const std::uint32_t batchLoop, std::uint32_t batchA, std::uint32_t batchB,
                     bool enSequentialWrite, const std::uint32_t matrixStrideA = 0,
                     const std::uint32_t matrixStrideB = 0, const std::uint32_t matrixStrideC = 0,
                     Location where = Location::current());
  template <bool sync = true>
  AscendC::GlobalTensor<DstT> GetBatchTensorC(std::uint32_t batchA, std::uint32_t batchB,
                                              bool enSequentialWrite = false,
                                              Location where = Location::current());
  /// Older name.
  template <bool sync = true>
  AscendC::GlobalTensor<DstT> GetBatchC(std::uint32_t batchA, std::uint32_t batchB,
                                        bool enSequentialWrite = false,
                                        Location where = Location::current()) {
    return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, where);
  }
  /// To UB.
  template <bool sync = true>
  void GetBatchTensorC(const AscendC::LocalTensor<DstT>& c, std::uint32_t batchA,
                       std::uint32_t batchB, bool enSequentialWrite = false,
                       Location where = Location::current());

  /// Gives buffers and events back; the next call of the object begins anew.
  void End(Location where = Location::current()) {
    if constexpr (!kMixed) {
      if (on_cube() && workers_[0]) workers_[0]->engine.end(where);
    } else if (client_ != nullptr) {
      await_all(where);
      post(MatmulOp::kEnd, false, where);
      client_->ended(this);
    }
    begun_ = false;
  }

  // --- what REGIST_MATMUL_OBJ needs --------------------------------------------------------------

  /// On a cube core: the work for one of its vector cores.
  static constexpr std::uint32_t kMostVectors = 2;
  Engine& engine(std::uint32_t vector = 0) { return worker(vector).engine; }
  MatmulWorker<Engine>& worker(std::uint32_t vector = 0) {
    if (!workers_[vector]) workers_[vector].emplace();
    return *workers_[vector];
  }
  void connect(std::shared_ptr<MatmulClient> client, std::uint8_t number, const TCubeTiling* tiling,
               Location where) {
    if (client_ != nullptr) --client_->objects;
    client_ = std::move(client);
    ++client_->objects;
    message_.object = number;
    used_ = where;
    if (tiling == nullptr && !has_static_tiling()) return;
    tiling_ = matmul_tiling_with(MM_CFG, tiling != nullptr ? *tiling : TCubeTiling{});
    has_tiling_ = true;
    Settings::set_shape(tiling_);
  }
  static constexpr bool has_static_tiling() { return Engine::kConstantTiling; }
  static std::uint32_t reserve_l1(std::uint32_t bytes, Location where) {
    if (bytes > l1_left(where)) {
      refuse("Matmul::Init", "bytes of L1 for depthA1, depthB1 and the bias", bytes,
             {"up to ", l1_left(where), ", what is left of L1"}, where);
    }
    return AscendC::GetTPipePtr(where)->reserve(AscendC::TPosition::A1, bytes, where).start;
  }
  static std::uint64_t l1_left(Location where) {
    const std::uint64_t size = isa::current_core().buffer_size(isa::Space::kL1);
    return size - matmul_up(AscendC::GetTPipePtr(where)->used(isa::Space::kL1), 32);
  }

 private:
  static bool on_cube() { return isa::current_core().identity().type == isa::CoreType::AIC; }

  std::uint32_t base_m() const { return static_cast<std::uint32_t>(tiling_.baseM); }
  std::uint32_t base_n() const { return static_cast<std::uint32_t>(tiling_.baseN); }
  std::uint64_t block_size() const { return std::uint64_t{base_m()} * base_n(); }
  MatmulWalk walk() const;
  /// Blocks that Iterate computes; with isPartialOutput, each of them in its steps of k.
  std::uint32_t blocks() const { return walk().count() * Engine::iterates(message_.k, tiling_); }

  /// Carries a call out here, or sends it; what a product needs of UB goes along.
  bool post(MatmulOp op, bool answer, Location where);
  /// Whether the other vector core asks for this product.
  static bool is_asked_by_other() {
    return kOneProduct && isa::current_core().identity().sub_block_idx == 1;
  }
  void await_all(Location where) {
    if (client_ != nullptr) client_->await_all(where);
  }
  void require_ready(const char* call, Location where) const;
  /// Operands in UB lie in the vector core's part of global memory until they have been read, so
  /// that a product of them is always answered.
  bool sends_operands() const { return a_local_ || b_local_ || bias_local_; }
  void send_operands(Message& message, Location where);
  template <class T>
  std::uint64_t send_operand(const AscendC::LocalTensor<T>& local, std::uint64_t bytes,
                             std::uint64_t& room, Location where);
  void copy_block(const AscendC::LocalTensor<DstT>& ub, std::uint64_t from, bool sequential,
                  Location where);
  void to_ub(const AscendC::LocalTensor<DstT>& ub, std::uint64_t from, std::uint64_t elements,
             Location where);
  /// Elements of the matrices of C of a batch on their way to UB, whose rows have to fill 32 bytes.
  std::uint64_t batch_in_ub(const char* call, std::uint32_t matrices, Location where) const;
  void require_ub(const char* call, Location where) const;
  MatmulBlock place_of(std::uint32_t block) const {
    return walk().at(block / Engine::iterates(message_.k, tiling_));
  }

  int unwinding_ = std::uncaught_exceptions();
  TCubeTiling tiling_;
  bool has_tiling_ = false;
  using Settings::a_local_;
  using Settings::b_local_;
  using Settings::begun_;
  using Settings::bias_local_;
  using Settings::message_;
  using Settings::used_;
  using Settings::workspace_;
  std::uint64_t sent_a_ = 0, sent_b_ = 0, sent_bias_ = 0;  ///< where operands in UB were sent
  std::uint32_t batch_a_ = 1, batch_b_ = 1;
  std::uint32_t batches_left_ = 0, batches_taken_ = 0;  ///< of an IterateNBatch

  // Of the product that runs.
  bool ahead_ = false;         ///< Iterate<false> began all blocks
  bool has_block_ = false;     ///< Iterate computed a block that nobody fetched
  std::uint32_t block_ = 0;    ///< blocks that Iterate has computed
  std::uint32_t fetched_ = 0;  ///< blocks of an Iterate<false> that were fetched
  std::uint64_t before_ = 0;   ///< answers expected before it

  std::optional<MatmulWorker<Engine>> workers_[kMostVectors];  ///< on a cube core
  std::shared_ptr<MatmulClient> client_;                       ///< on a vector core
};

}  // namespace davsim::api

// The names that members have outside the class.
#define DAVSIM_MATMUL_TEMPLATE                                                      \
  template <bool kMixed, class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, \
            const auto& MM_CFG, class MM_CB>
#define DAVSIM_MATMUL MatmulObject<kMixed, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>

#include "lib/matmul/matmul_object_batch.h"
#include "lib/matmul/matmul_object_run.h"

#undef DAVSIM_MATMUL
#undef DAVSIM_MATMUL_TEMPLATE
