// A Matmul object's work on a cube core.
//
// Scalar code runs ahead and hands instructions to the pipes, which events order:
//
//   GM --MTE2--> L1 --MTE1--> L0A, L0B --M--> L0C --FIX--> GM
//
// The buffers are those of TCubeTiling. An operand's chunks in L1 are a MatmulPanel. The halves of
// L0A and L0B and the bias table have the events 0 to 2 of M_MTE1, which TPipe holds set. The
// results of a block stay in L0C until GetTensorC.
#pragma once

#include "isa/core/scalar_work.hpp"
#include "lib/matmul/matmul_panel.h"
#include "lib/matmul/matmul_static_tiling.h"
#include "lib/matmul/matmul_store.h"

namespace davsim::api {

template <class AType, class BType, class CType, class BiasType, const auto& CFG, class CallBack>
class MatmulEngine {
 public:
  using TA = typename AType::T;
  using TB = typename BType::T;
  using TC = typename CType::T;
  using TBias = typename BiasType::T;
  using AOperand = AType;
  using BOperand = BType;
  using COperand = CType;
  using Sum = MatmulSum<TA>;
  static constexpr AscendC::MatmulConfig kConfig = matmul_config(CFG);
  using Store = MatmulStore<CType, Sum, kConfig.isEnableChannelSplit>;
  static constexpr std::uint32_t kColumnsOfC = Store::kColumns;
  static constexpr bool kMdl = kConfig.doMultiDataLoad || kConfig.doSpecialMDL;
  static constexpr bool kConstantTiling =
      !std::is_same_v<std::remove_cvref_t<decltype(CFG)>, AscendC::MatmulConfig>;
  static constexpr isa::ScalarCall kScalarStep = kConstantTiling
                                                     ? isa::ScalarCall::kMatmulStepConstant
                                                 : kMdl ? isa::ScalarCall::kMatmulStepMdl
                                                        : isa::ScalarCall::kMatmulStep;
  static constexpr MatmulTriangle kTriangle = matmul_triangle<CallBack>();
  /// C stays in L0C, where the kernel says: Iterate(enPartialSum, co1Local).
  static constexpr bool kToL0c = CType::pos == AscendC::TPosition::CO1;
  static_assert(!kToL0c || (std::is_same_v<TC, Sum> && CType::format == AscendC::CubeFormat::NZ),
                "Matmul: C in CO1 is NZ of float, or of int32_t for int8_t and int4b_t");
  /// Mmad and Fixpipe hand L0C over block by block. What is left in CO1 has no Fixpipe here, and
  /// Fixpipe has no unit flag where it splits fractals.
  static constexpr bool kUnitFlag = kConfig.enUnitFlag && !kToL0c && !kConfig.isEnableChannelSplit;
  /// An Iterate computes one step of k of a base block, not their sum.
  static constexpr bool kPartialOutput = kConfig.isPartialOutput;
  static_assert(!kPartialOutput || kMdl, "Matmul: isPartialOutput is of the MDL template alone");
  static_assert(!kConfig.intraBlockPartSum && !kConfig.enableRelu,
                "Matmul: intraBlockPartSum and enableRelu of a configuration, which change "
                "results, are not supported");
  static_assert(kMmadTypes<Sum, TA, TB>,
                "Matmul: A and B are both half, bfloat16_t, float, int8_t or int4b_t");
  static_assert(kMatmulResult<TA, TC>,
                "Matmul: on architecture 2201 C is float, half or bfloat16_t for A and B of float, "
                "also int8_t for half and bfloat16_t; int32_t, half or int8_t for int8_t; int32_t "
                "or half for int4b_t");
  static_assert(!std::is_same_v<TA, AscendC::int4b_t> || !AType::isTrans,
                "Matmul: a transposed A of int4b_t has no load on architecture 2201");

  static constexpr bool kSparse = kMatmulSparse<BType>;
  static_assert(!kSparse || kMdl, "Matmul: a sparse B is of the MDL template alone");

  MatmulPanel<AType, true, CallBack::CopyA1Ptr> a;
  MatmulPanel<BType, false, CallBack::CopyB1Ptr> b;
  AscendC::GlobalTensor<TBias> bias;
  MatmulConversion conversion;
  MatmulShape shape;
  bool has_bias = false;
  bool hf32 = false, hf32_away = false;
  std::uint64_t user_info = 0, self_data = 0;

  /// Takes the tiling over. Throws Fault where it does not fit the buffers.
  void set_tiling(const TCubeTiling& tiling, Location where);
  /// Bytes of L1 that the tiling needs, without those of another engine's where `own_only`.
  std::uint32_t l1_bytes(bool own_only = false) const {
    const auto bytes = [&](const auto& panel) {
      return own_only && panel.borrows() ? 0 : panel.l1_bytes();
    };
    return bytes(a) + bytes(b) + rows_bytes();
  }
  /// Leaves out the rows of bias and of words where the operands leave no room for them: tilings
  /// that fill L1 with operands may allow for a bias that nobody sets.
  void fit_rows(std::uint64_t room) {
    has_rows_ = true;
    has_rows_ = l1_bytes() <= room;
  }
  std::uint32_t l0c_bytes() const {
    return kToL0c ? 0 : results_ * matmul_up(base_m() * base_n(), 256) * 4;
  }
  /// Where these bytes are.
  void place(std::uint32_t address, std::uint32_t l0c_address = 0, bool own_only = false) {
    l0c_at_ = l0c_address;
    const auto take = [&](auto& panel) {
      if (own_only && panel.borrows()) return;
      panel.place(address);
      address += panel.l1_bytes();
    };
    take(a);
    take(b);
    bias_ring_.set_up(2, address, bias_bytes());
    words_at_ = address + 2 * bias_bytes();
    ready_ = true;
  }
  bool ready() const { return ready_; }

  /// The configuration lets the engines of the two vector cores of an AI core share A or B in L1.
  static constexpr bool kSharesA = kMatmulShared<AType>;
  static constexpr bool kSharesB = kMatmulShared<BType>;
  /// `owner` is the engine of the other vector core, with the same tiling.
  void share(MatmulEngine& owner) {
    if constexpr (kSharesA) a.share(owner.a);
    if constexpr (kSharesB) b.share(owner.b);
  }
  void unshare(Location where) {
    a.unshare(where);
    b.unshare(where);
  }
  const TCubeTiling& tiling() const { return tiling_; }

  /// The shape of the tiling.
  void reset_shape() {
    const auto of = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
    shape = {
        of(tiling_.singleCoreM), of(tiling_.singleCoreN), of(tiling_.singleCoreK), of(tiling_.M),
        of(tiling_.N),           of(tiling_.Ka),          of(tiling_.Kb),          of(tiling_.N)};
  }
  /// The next Iterate begins with the first block.
  void restart() { begun_ = false; }
  /// Where the next block goes if C is in CO1.
  void set_result(const AscendC::LocalTensor<Sum>& l0c) {
    result_ = l0c;
    has_result_ = true;
  }

  /// Computes the next base block; false if there is none. `partial` adds to the block in L0C.
  bool iterate(bool partial, Location where);
  /// Iterates that a base block takes where the part of k is `k`.
  static std::uint32_t iterates(std::uint32_t k, const TCubeTiling& tiling) {
    return kPartialOutput ? matmul_parts(k, static_cast<std::uint32_t>(tiling.baseK)) : 1;
  }
  /// The block that iterate() computed goes to C at `gm`.
  void get(const AscendC::GlobalTensor<TC>& gm, std::uint8_t atomic, bool sequential,
           Location where);
  /// Awaits all that is queued and gives events and buffers back.
  void end(Location where, bool all = true) {
    leave(where, all);
    begun_ = waits_for_get_ = false;
  }
  /// Lets another engine have buffers and events, but for what the two share unless `all`; the
  /// product goes on with its next block.
  void leave(Location where, bool all = false);
  /// Whether L0C holds a block that get() has not fetched.
  bool holds_block() const { return waits_for_get_; }

  /// Elements between rows of C in global memory.
  std::uint64_t c_pitch = 0;  ///< 0: as shape says

 private:
  std::uint32_t base_m() const { return static_cast<std::uint32_t>(tiling_.baseM); }
  std::uint32_t base_n() const { return static_cast<std::uint32_t>(tiling_.baseN); }
  std::uint32_t base_k() const { return static_cast<std::uint32_t>(tiling_.baseK); }
  /// Elements of B along `k`.
  static std::uint32_t k_of_b(std::uint32_t k) { return kSparse ? k / 2 : k; }
  std::uint32_t bias_bytes() const { return tiling_.isBias != 0 ? matmul_up(base_n() * 4, 64) : 0; }
  static constexpr bool kMayQuantise = kMatmulWords<TA, TC>;
  std::uint32_t words_bytes() const { return kMayQuantise ? matmul_up(base_n() * 8, 128) : 0; }
  /// Of L1, beside the operands.
  std::uint32_t rows_bytes() const { return has_rows_ ? 2 * bias_bytes() + words_bytes() : 0; }
  void require_rows(const char* call, const char* what, std::uint32_t bytes, Location where) const {
    if (has_rows_) return;
    refuse(call, what, bytes, "none: depthA1 and depthB1 of the tiling leave no room in L1", where);
  }

  void begin(Location where);
  void compute(bool partial, bool unit_flags, Location where);
  void load_bias(Location where);
  void copy_bias(Location where);
  void multiply(std::uint32_t step, bool adds, std::uint8_t unit_flag, std::int32_t half,
                Location where);
  void fetch_words(const MatmulTarget& to, Location where);
  void call_out(const AscendC::GlobalTensor<TC>& gm, const MatmulTarget& to);
  MatmulTarget target(bool sequential) const;
  AscendC::LocalTensor<TBias> bias_row() const {
    return AscendC::LocalTensor<TBias>(AscendC::TPosition::C1, bias_ring_.address_of(bias_slot_),
                                       base_n());
  }
  AscendC::LocalTensor<Sum> bias_table() const {
    return AscendC::LocalTensor<Sum>(AscendC::TPosition::C2, 0, base_n());
  }
  AscendC::LocalTensor<std::uint64_t> words() const {
    return AscendC::LocalTensor<std::uint64_t>(AscendC::TPosition::A1, words_at_,
                                               kMayQuantise ? base_n() : 0);
  }
  template <class T>
  AscendC::LocalTensor<T> l0(AscendC::TPosition position, std::int32_t half) const {
    const std::uint32_t bytes = halves_ ? 32768u : 65536u;
    return AscendC::LocalTensor<T>(position, static_cast<std::uint32_t>(half) * bytes,
                                   bytes * 8 / isa::dtype_bits(dtype_of<T>()));
  }
  AscendC::LocalTensor<Sum> sums() const {
    if constexpr (kToL0c) return result_;
    const std::uint32_t size = matmul_up(base_m() * base_n(), 256);
    return AscendC::LocalTensor<Sum>(AscendC::TPosition::CO1,
                                     l0c_at_ + (block_ % results_) * size * 4, size);
  }
  void take_events(Location where);

  TCubeTiling tiling_;
  MatmulRing bias_ring_;
  MatmulWalk walk_;
  bool ready_ = false, begun_ = false, halves_ = true, has_events_ = false;
  bool has_rows_ = true;        ///< L1 has room for rows of bias and of words
  bool waits_for_get_ = false;  ///< L0C holds a block that GetTensorC has not fetched
  std::uint32_t results_ = 1;   ///< blocks that L0C holds
  std::uint32_t words_at_ = 0, l0c_at_ = 0;
  std::uint32_t block_ = 0;     ///< the block in L0C
  std::uint32_t computed_ = 0;  ///< Iterates of this product
  std::uint32_t iterates_ = 1;  ///< of a block
  std::uint32_t steps_ = 0;
  std::uint32_t products_ = 0;
  std::uint32_t stored_ = 0, awaited_stores_ = 0;
  bool partial_ = false;      ///< the last Iterate added to a block that was not stored yet
  bool handed_over_ = false;  ///< blocks left L0C by their unit flags
  bool written_ = false;      ///< the last block was stored, not added
  MatmulBlock at_;
  std::uint32_t rows_ = 0, cols_ = 0;  ///< of the block in L0C
  std::uint32_t bias_slot_ = 0;
  AscendC::TEventID loaded_ = 0, summed_ = 0, emptied_ = 0, words_in_ = 0, words_out_ = 0;
  Location iterated_;
  AscendC::LocalTensor<Sum> result_;  ///< if C is in CO1
  bool has_result_ = false;
};

}  // namespace davsim::api

#include "lib/matmul/matmul_engine_run.h"
