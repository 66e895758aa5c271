// The Matmul object of the kernel API.
//
// On a cube core (MatmulImpl, or Matmul where ASCENDC_CUBE_ONLY is defined) its calls are carried
// out at once. In a mixed kernel the object of a vector core sends them to the cube core of its AI
// core, which REGIST_MATMUL_OBJ turns into a server.
#pragma once

#include <memory>
#include <optional>

#include "lib/matmul/matmul_link.h"

namespace davsim::api {

template <bool kMixed, class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE,
          const auto& MM_CFG, class MM_CB>
class MatmulObject {
  using Location = davsim::api::Location;
  using Engine = MatmulEngine<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;
  using SrcAT = typename A_TYPE::T;
  using SrcBT = typename B_TYPE::T;
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
    if (client_ != nullptr && --client_->objects == 0) post(MatmulOp::kQuit, false, used_);
  }

  /// Takes a tiling over. With REGIST_MATMUL_OBJ this is done there.
  void Init(const TCubeTiling* cubeTiling, AscendC::TPipe* tpipe = nullptr,
            Location where = Location::current()) {
    static_cast<void>(tpipe);
    used_ = where;
    tiling_ = matmul_tiling_with(MM_CFG, cubeTiling != nullptr ? *cubeTiling : TCubeTiling{});
    has_tiling_ = true;
    set_shape_of_tiling();
    if constexpr (!kMixed) {
      if (!on_cube()) return;
      engine().set_tiling(tiling_, where);
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

  // --- operands ----------------------------------------------------------------------------------

  void SetTensorA(const AscendC::GlobalTensor<SrcAT>& gm, bool isTransposeA = false,
                  Location where = Location::current()) {
    require_transposable("SetTensorA", isTransposeA, A_TYPE::isTrans, where);
    message_.a = gm.Operand().addr;
    a_local_.reset();
    operand_set(Message::kTransA, isTransposeA, where);
  }
  void SetTensorA(const AscendC::LocalTensor<SrcAT>& leftMatrix, bool isTransposeA = false,
                  Location where = Location::current()) {
    require_transposable("SetTensorA", isTransposeA, A_TYPE::isTrans, where);
    take_local(leftMatrix, message_.a, a_local_);
    operand_set(Message::kTransA, isTransposeA, where);
  }
  /// All elements of A are this number, so that the product sums B up along k.
  void SetTensorA(SrcAT aScalar, bool isTransposeA = false, Location where = Location::current()) {
    require_transposable("SetTensorA", isTransposeA, A_TYPE::isTrans, where);
    take_number<A_TYPE>(aScalar, message_.a);
    a_local_.reset();
    operand_set(Message::kTransA, isTransposeA, where);
    message_.set(Message::kScalarA, true);
  }
  void SetTensorB(const AscendC::GlobalTensor<SrcBT>& gm, bool isTransposeB = false,
                  Location where = Location::current()) {
    require_transposable("SetTensorB", isTransposeB, B_TYPE::isTrans, where);
    message_.b = gm.Operand().addr;
    b_local_.reset();
    operand_set(Message::kTransB, isTransposeB, where);
  }
  void SetTensorB(const AscendC::LocalTensor<SrcBT>& rightMatrix, bool isTransposeB = false,
                  Location where = Location::current()) {
    require_transposable("SetTensorB", isTransposeB, B_TYPE::isTrans, where);
    take_local(rightMatrix, message_.b, b_local_);
    operand_set(Message::kTransB, isTransposeB, where);
  }
  /// All elements of B are this number.
  void SetTensorB(SrcBT bScalar, bool isTransposeB = false, Location where = Location::current()) {
    require_transposable("SetTensorB", isTransposeB, B_TYPE::isTrans, where);
    take_number<B_TYPE>(bScalar, message_.b);
    b_local_.reset();
    operand_set(Message::kTransB, isTransposeB, where);
    message_.set(Message::kScalarB, true);
  }
  void SetBias(const AscendC::GlobalTensor<BiasT>& biasGlobal,
               Location where = Location::current()) {
    require_bias_type<BiasT>();
    message_.bias = biasGlobal.Operand().addr;
    bias_local_.reset();
    operand_set(Message::kBias, true, where);
  }
  void SetBias(const AscendC::LocalTensor<BiasT>& inputBias, Location where = Location::current()) {
    require_bias_type<BiasT>();
    take_local(inputBias, message_.bias, bias_local_);
    operand_set(Message::kBias, true, where);
  }
  void ClearBias(Location where = Location::current()) {
    bias_local_.reset();
    operand_set(Message::kBias, false, where);
  }
  void DisableBias(Location where = Location::current()) { ClearBias(where); }

  // --- sizes -------------------------------------------------------------------------------------

  void SetOrgShape(int orgM, int orgN, int orgK, Location where = Location::current()) {
    SetOrgShape(orgM, orgN, orgK, orgK, 0, where);
  }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0,
                   Location where = Location::current()) {
    const int sizes[] = {orgM, orgN, orgKa, orgKb};
    for (const int size : sizes) require_range("SetOrgShape", "size", size, 1, INT32_MAX, where);
    message_.org_m = static_cast<std::uint32_t>(orgM);
    message_.org_n = static_cast<std::uint32_t>(orgN);
    message_.org_ka = static_cast<std::uint32_t>(orgKa);
    message_.org_kb = static_cast<std::uint32_t>(orgKb);
    message_.org_kc = static_cast<std::uint32_t>(orgKc > 0 ? orgKc : orgN);
    changed(where);
  }
  /// The sizes of this call; -1 leaves one as it is.
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1,
               Location where = Location::current()) {
    const auto take = [&](const char* name, int size, std::uint32_t& to) {
      if (size == -1) return;
      require_range("SetSingleShape", name, size, 1, INT32_MAX, where);
      to = static_cast<std::uint32_t>(size);
    };
    take("singleM", tailM, message_.m);
    take("singleN", tailN, message_.n);
    take("singleK", tailK, message_.k);
    changed(where);
  }
  void SetSingleShape(int singleMIn, int singleNIn, int singleKIn,
                      Location where = Location::current()) {
    SetTail(singleMIn, singleNIn, singleKIn, where);
  }

  // --- quantisation, modes -----------------------------------------------------------------------

  void SetQuantScalar(const std::uint64_t quantScalar) {
    message_.quant = MatmulQuant::kScalar;
    message_.quant_word = quantScalar;
  }
  void SetQuantVector(const AscendC::GlobalTensor<std::uint64_t>& quantTensor) {
    message_.quant = MatmulQuant::kVector;
    message_.quant_word = quantTensor.Operand().addr;
    message_.set(Message::kWordsInL1, false);
  }
  void SetQuantVector(const AscendC::LocalTensor<std::uint64_t>& quantTensor) {
    message_.quant = MatmulQuant::kVector;
    message_.quant_word = quantTensor.Operand().addr;
    message_.set(Message::kWordsInL1, true);
  }
  void SetHF32(bool enableHF32 = false, int transMode = 0) {
    message_.set(Message::kHf32, enableHF32);
    message_.set(Message::kHf32Away, transMode != 0);
  }
  /// Vector cores are told apart by their own index here.
  void SetSubBlockIdx(std::uint8_t) {}
  std::uint8_t GetSubBlockIdx() const {
    return static_cast<std::uint8_t>(isa::current_core().identity().sub_block_idx);
  }
  void SetUserDefInfo(const std::uint64_t tilingPtr) { message_.user_info = tilingPtr; }
  template <class T>
  void SetSelfDefineData(T dataPtr) {
    static_assert(sizeof(T) <= sizeof(message_.self_data), "SetSelfDefineData takes 64 bits");
    message_.self_data = 0;
    std::memcpy(&message_.self_data, &dataPtr, sizeof(T));
  }
  /// Global memory for the blocks of an Iterate<false>.
  template <class T>
  void SetWorkspace(const AscendC::GlobalTensor<T>& addr) {
    workspace_ = addr.Operand().addr;
  }
  template <class T>
  void SetWorkspace(__gm__ T* addr, int size = 0) {
    static_cast<void>(size);
    workspace_ = reinterpret_cast<std::uint64_t>(addr);
  }
  /// The device's library may take UB from here; davsim's needs none.
  void SetLocalWorkspace(const AscendC::LocalTensor<std::uint8_t>&) {}

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
    client_ = std::move(client);
    ++client_->objects;
    message_.object = number;
    used_ = where;
    if (tiling == nullptr && !has_static_tiling()) return;
    tiling_ = matmul_tiling_with(MM_CFG, tiling != nullptr ? *tiling : TCubeTiling{});
    has_tiling_ = true;
    set_shape_of_tiling();
  }
  static constexpr bool has_static_tiling() {
    return !std::is_same_v<std::remove_cvref_t<decltype(MM_CFG)>, AscendC::MatmulConfig>;
  }
  static std::uint32_t reserve_l1(std::uint32_t bytes, Location where) {
    AscendC::TPipe* pipe = AscendC::GetTPipePtr(where);
    const std::uint64_t size = isa::current_core().buffer_size(isa::Space::kL1);
    const std::uint32_t used = matmul_up(pipe->used(isa::Space::kL1), 32);
    if (used + bytes > size) {
      refuse("Matmul::Init", "bytes of L1 for depthA1, depthB1 and the bias", bytes,
             {"up to ", size - used, ", what is left of L1"}, where);
    }
    return pipe->reserve(AscendC::TPosition::A1, bytes, where).start;
  }

 private:
  static bool on_cube() { return isa::current_core().identity().type == isa::CoreType::AIC; }

  static void require_transposable(const char* call, bool asked, bool possible, Location where) {
    if (asked && !possible) {
      fail(isa::FaultClass::kParameter, call,
           {"a transposed matrix needs isTrans = true in its MatmulType"}, where);
    }
  }
  template <class T>
  static void take_local(const AscendC::LocalTensor<T>& tensor, std::uint64_t& address,
                         std::optional<AscendC::LocalTensor<T>>& local) {
    address = tensor.Operand().addr;
    local.reset();
    if (tensor.Operand().space == isa::Space::kUb) local = tensor;
  }
  /// An object that has no bias may say any type for it.
  template <class T>
  static constexpr void require_bias_type() {
    static_assert(kMatmulBias<SrcAT, T>,
                  "Matmul: on architecture 2201 the bias is float or half for A and B of float, "
                  "half and bfloat16_t, int32_t for int8_t and int4b_t");
  }
  template <class Type>
  static void take_number(typename Type::T number, std::uint64_t& bits) {
    using T = typename Type::T;
    static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>,
                  "Matmul: an operand that is one number is half or float");
    static_assert(Type::pos != AscendC::TPosition::TSCM,
                  "Matmul: an operand that is one number does not lie in TSCM");
    bits = 0;
    std::memcpy(&bits, &number, sizeof(T));
  }
  void operand_set(Message::Flag flag, bool on, Location where) {
    message_.set(flag, on);
    if (flag == Message::kTransA) message_.set(Message::kScalarA, false);
    if (flag == Message::kTransB) message_.set(Message::kScalarB, false);
    changed(where);
  }
  void changed(Location where) {
    message_.set(Message::kRestart, true);
    begun_ = false;
    used_ = where;
  }
  void set_shape_of_tiling() {
    const auto of = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
    message_.m = of(tiling_.singleCoreM);
    message_.n = of(tiling_.singleCoreN);
    message_.k = of(tiling_.singleCoreK);
    message_.org_m = of(tiling_.M);
    message_.org_n = message_.org_kc = of(tiling_.N);
    message_.org_ka = of(tiling_.Ka);
    message_.org_kb = of(tiling_.Kb);
    message_.set(Message::kRestart, true);
  }
  std::uint32_t base_m() const { return static_cast<std::uint32_t>(tiling_.baseM); }
  std::uint32_t base_n() const { return static_cast<std::uint32_t>(tiling_.baseN); }
  std::uint64_t block_size() const { return std::uint64_t{base_m()} * base_n(); }
  MatmulWalk walk() const;
  std::uint32_t blocks() const { return walk().count(); }

  /// Carries a call out here, or sends it; what a product needs of UB goes along.
  bool post(MatmulOp op, bool answer, Location where);
  /// Whether the other vector core asks for this product.
  static bool is_asked_by_other() {
    return kOneProduct && isa::current_core().identity().sub_block_idx == 1;
  }
  void await_all(Location where) {
    if (client_ != nullptr) client_->await(client_->expected(), where);
  }
  void require_ready(const char* call, Location where) const;
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
  MatmulBlock place_of(std::uint32_t block) const { return walk().at(block); }

  int unwinding_ = std::uncaught_exceptions();
  TCubeTiling tiling_;
  bool has_tiling_ = false;
  Message message_;
  Location used_;
  std::optional<AscendC::LocalTensor<SrcAT>> a_local_;
  std::optional<AscendC::LocalTensor<SrcBT>> b_local_;
  std::optional<AscendC::LocalTensor<BiasT>> bias_local_;
  std::uint64_t sent_a_ = 0, sent_b_ = 0, sent_bias_ = 0;  ///< where operands in UB were sent
  std::uint64_t workspace_ = 0;
  std::uint32_t batch_a_ = 1, batch_b_ = 1;
  std::uint32_t batches_left_ = 0, batches_taken_ = 0;  ///< of an IterateNBatch

  // Of the product that runs.
  bool begun_ = false;
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
