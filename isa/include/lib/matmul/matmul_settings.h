// What the setters of a Matmul object say of its next product: operands, sizes, quantisation,
// modes. They fill the message that asks a cube core for the product.
#pragma once

#include <optional>

#include "lib/matmul/matmul_link.h"

namespace davsim::api {

template <class A_TYPE, class B_TYPE, class BIAS_TYPE>
class MatmulSettings {
  using SrcAT = typename A_TYPE::T;
  using SrcBT = typename B_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;
  using Message = MatmulMessage;

 public:
  // --- operands ----------------------------------------------------------------------------------

  void SetTensorA(const AscendC::GlobalTensor<SrcAT>& gm, bool isTransposeA = false,
                  Location where = Location::current()) {
    require_transposable("SetTensorA", isTransposeA, A_TYPE::isTrans, where);
    message_.a = message_.place_of(gm, AscendC::CacheRwMode::READ, Message::kPastL2A);
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
    message_.a = number_bits<A_TYPE>(aScalar);
    a_local_.reset();
    operand_set(Message::kTransA, isTransposeA, where);
    message_.set(Message::kScalarA, true);
  }
  void SetTensorB(const AscendC::GlobalTensor<SrcBT>& gm, bool isTransposeB = false,
                  Location where = Location::current()) {
    require_transposable("SetTensorB", isTransposeB, B_TYPE::isTrans, where);
    message_.b = message_.place_of(gm, AscendC::CacheRwMode::READ, Message::kPastL2B);
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
    message_.b = number_bits<B_TYPE>(bScalar);
    b_local_.reset();
    operand_set(Message::kTransB, isTransposeB, where);
    message_.set(Message::kScalarB, true);
  }
  /// Where the elements of a sparse B stood: two bits each, in fractals of 16 rows by 8 bytes.
  void SetSparseIndex(const AscendC::GlobalTensor<std::uint8_t>& indexGlobal,
                      Location where = Location::current()) {
    static_assert(kMatmulSparse<B_TYPE>, "Matmul: SetSparseIndex needs B of a SparseMatmulType");
    message_.sparse_index = indexGlobal.Operand().addr;
    changed(where);
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

 protected:
  /// The shape of a tiling, until SetTail and SetOrgShape say another one.
  void set_shape(const TCubeTiling& tiling) {
    const auto of = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
    message_.m = of(tiling.singleCoreM);
    message_.n = of(tiling.singleCoreN);
    message_.k = of(tiling.singleCoreK);
    message_.org_m = of(tiling.M);
    message_.org_n = message_.org_kc = of(tiling.N);
    message_.org_ka = of(tiling.Ka);
    message_.org_kb = of(tiling.Kb);
    message_.set(Message::kRestart, true);
  }

  Message message_;
  Location used_;
  std::optional<AscendC::LocalTensor<SrcAT>> a_local_;  ///< operands in UB
  std::optional<AscendC::LocalTensor<SrcBT>> b_local_;
  std::optional<AscendC::LocalTensor<BiasT>> bias_local_;
  std::uint64_t workspace_ = 0;
  bool begun_ = false;  ///< a product runs: Iterate goes on with its next block

 private:
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
  static std::uint64_t number_bits(typename Type::T number) {
    static_assert(kMatmulNumber<Type>,
                  "Matmul: an operand that is one number is half or float, and not in TSCM");
    return Message::bits_of(number);
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
};

}  // namespace davsim::api
