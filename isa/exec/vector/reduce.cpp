// Reductions of repeats, DataBlocks and pairs: their limits and their meaning.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "isa/core/registers.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/vector/reduce_lanes.hpp"
#include "isa/exec/vector/vector_check.hpp"
#include "isa/exec/vector/vector_lanes.hpp"
#include "isa/exec/vector/vector_stage.hpp"
#include "isa/instr/vector_types.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::isa {
namespace {

/// Repeats that are reduced together.
constexpr std::uint32_t kBatch = 64;

/// Element that changes no result, for lanes that the mask keeps out: -0, -infinity, +infinity.
std::uint32_t neutral_bits(Reduction kind, DType type) {
  const bool half = type == DType::kF16;
  switch (kind) {
    case Reduction::kMax:
      return half ? 0xfc00u : 0xff800000u;
    case Reduction::kMin:
      return half ? 0x7c00u : 0x7f800000u;
    case Reduction::kSum:
      break;
  }
  return half ? 0x8000u : 0x80000000u;
}

/// One instruction under way. `Bits` is the unsigned integer as wide as an element.
template <class Bits>
class Reducer {
 public:
  Reducer(const DecodedInstr& instr, const CoreMemory& memory)
      : memory_(memory),
        params_(vector_params(instr)),
        shape_(instr.shape),
        mask_(params_.mask),
        kind_(facts(instr.op).reduces),
        lanes_(reduce_lanes(instr.src0.type)),
        neutral_(static_cast<Bits>(neutral_bits(kind_, instr.src0.type))),
        saturate_(params_.overflow.floats_saturate ? saturate_lanes(instr.src0.type) : nullptr),
        group_(lanes_per_result(instr.op, sizeof(Bits))),
        result_bytes_(result_bytes(instr.op, params_.order, sizeof(Bits))),
        whole_(group_ == kLanes),
        ub_(memory.host(Space::kUb, 0)) {}

  void run() {
    const std::uint32_t batch = batch_is_safe() ? kBatch : 1;
    for (std::uint32_t first = 0; first < shape_.repeats; first += batch) {
      run_batch(first, std::min(batch, shape_.repeats - first));
    }
    if (params_.accumulate) {
      store_register(kSprAccVal, accumulated_);
    } else if (whole_ && kind_ != Reduction::kSum) {
      saturate(&best_, 1);
      store_register(kSprMaxMinValue, best_);
      store_register(kSprMaxMinIndex, best_index_);
    }
  }

 private:
  static constexpr std::uint32_t kLanes = kRepeatBytes / sizeof(Bits);

  /// Repeats that are reduced before the ones ahead of them are written must not read what those
  /// write. In place is safe: results are shorter than what they are made of.
  bool batch_is_safe() const {
    const VectorOperandShape& dst = shape_.dst;
    const VectorOperandShape& src = shape_.src0;
    if (!dst.used()) return true;
    const std::uint64_t dst_end = dst.addr + end_of(dst), src_end = src.addr + end_of(src);
    if (dst_end <= src.addr || src_end <= dst.addr) return true;
    const std::uint32_t repeat_bytes = kLanes / group_ * result_bytes_;
    return dst.addr <= src.addr && dst.repeat_pitch <= src.repeat_pitch &&
           repeat_bytes <= src.repeat_pitch;
  }

  /// No byte of the operand lies as far as this from its start.
  std::uint64_t end_of(const VectorOperandShape& operand) const {
    return operand.offset(shape_.repeats - 1, kBlocksPerRepeat - 1) + kBlockBytes;
  }

  void run_batch(std::uint32_t first, std::uint32_t repeats) {
    const std::byte* lanes = packed_lanes(first, repeats);
    const std::size_t groups = std::size_t{repeats} * (kLanes / group_);
    const auto reduce = kind_ == Reduction::kSum   ? sum()
                        : kind_ == Reduction::kMax ? lanes_.max
                                                   : lanes_.min;
    reduce(lanes, results_.data(), groups, group_);
    if (whole_ && kind_ != Reduction::kSum) {
      note_extreme(lanes, first, repeats);
      find_indices(lanes, repeats);
      saturate(results_.data(), groups);
      store_extremes(first, repeats);
      return;
    }
    if (params_.accumulate) {
      accumulate(repeats, first == 0);
    } else {
      store_batch(first, repeats);
    }
  }

  /// The lanes of some repeats, kLanes each: where they lie, or copied and filled up.
  const std::byte* packed_lanes(std::uint32_t first, std::uint32_t repeats) {
    const VectorOperandShape& src = shape_.src0;
    const bool full = shape_.prefix() && shape_.lanes_per_repeat == kLanes &&
                      shape_.lanes_of(first + repeats - 1) == kLanes;
    if (full && src.block_pitch == kBlockBytes &&
        (repeats == 1 || src.repeat_pitch == kRepeatBytes)) {
      return ub_ + src.block_addr(first, 0);
    }
    for (std::uint32_t r = 0; r < repeats; ++r) pack(first + r, stage_.data() + r * kLanes);
    return reinterpret_cast<const std::byte*>(stage_.data());
  }

  void pack(std::uint32_t repeat, Bits* to) const {
    const std::uint32_t lanes = shape_.lanes_of(repeat);
    pack_lanes(ub_, shape_.src0, {repeat, 0, lanes}, reinterpret_cast<std::byte*>(to));
    std::fill(to + lanes, to + kLanes, neutral_);
    if (shape_.prefix()) return;
    for (std::uint32_t word = 0; word < lanes; word += 64) {
      const std::uint32_t here = std::min(64u, lanes - word);
      const std::uint64_t all = ~std::uint64_t{0} >> (64 - here);
      for (std::uint64_t left_out = all & ~shape_.active_lanes(mask_, word, here); left_out != 0;
           left_out &= left_out - 1) {
        to[word + static_cast<std::uint32_t>(std::countr_zero(left_out))] = neutral_;
      }
    }
  }

  std::byte* result_addr(std::uint32_t repeat, std::uint32_t result) const {
    return ub_ + shape_.dst.block_addr(repeat, 0) + result * result_bytes_;
  }

  bool any_active(std::uint32_t repeat, std::uint32_t result) const {
    const std::uint32_t first = result * group_;
    const std::uint32_t end = std::min(first + group_, shape_.lanes_of(repeat));
    if (shape_.prefix()) return first < end;
    for (std::uint32_t word = first; word < end; word += 64) {
      if (shape_.active_lanes(mask_, word, std::min(64u, end - word)) != 0) return true;
    }
    return false;
  }

  void store_batch(std::uint32_t first, std::uint32_t repeats) {
    const std::uint32_t results = kLanes / group_;
    const bool all_active = whole_ || (shape_.prefix() && shape_.lanes_per_repeat == kLanes &&
                                       shape_.lanes_of(first + repeats - 1) == kLanes);
    if (all_active && shape_.dst.repeat_pitch == results * sizeof(Bits)) {
      std::memcpy(result_addr(first, 0), results_.data(), repeats * results * sizeof(Bits));
      return;
    }
    for (std::uint32_t r = 0; r < repeats; ++r) store_values(first + r, r);
  }

  /// Results of lanes that are all masked off are not written.
  void store_values(std::uint32_t repeat, std::uint32_t in_batch) {
    const std::uint32_t results = kLanes / group_;
    const Bits* from = results_.data() + in_batch * results;
    if (shape_.prefix() && shape_.lanes_of(repeat) == kLanes) {
      std::memcpy(result_addr(repeat, 0), from, results * sizeof(Bits));
      return;
    }
    for (std::uint32_t i = 0; i < results; ++i) {
      if (any_active(repeat, i)) std::memcpy(result_addr(repeat, i), from + i, sizeof(Bits));
    }
  }

  ReduceLanes::Reduce sum() const { return saturate_ != nullptr ? lanes_.finite_sum : lanes_.sum; }

  void saturate(Bits* results, std::size_t count) const {
    if (saturate_ != nullptr) saturate_(results, count);
  }

  /// Where the batch's results lie in their repeats, if that is to be written.
  void find_indices(const std::byte* lanes, std::uint32_t repeats) {
    if (params_.order == ReduceOrder::kOnlyValue) return;
    lanes_.find(lanes, results_.data(), indices_.data(), repeats, group_);
    for (std::uint32_t r = 0; r < repeats; ++r) indices_[r] = unmasked(lanes, r, indices_[r]);
  }

  void store_extremes(std::uint32_t first, std::uint32_t repeats) {
    if (params_.order == ReduceOrder::kOnlyValue) return store_batch(first, repeats);
    for (std::uint32_t r = 0; r < repeats; ++r) store_extreme(first + r, results_[r], indices_[r]);
  }

  /// Where the result of repeat `r` of the batch lies, which was found at `index`: a masked-off
  /// lane was filled with infinity, which may be the result all the same.
  std::uint32_t unmasked(const std::byte* lanes, std::uint32_t r, std::uint32_t index) const {
    if (shape_.lane_active(mask_, index)) return index;
    return first_active(reinterpret_cast<const Bits*>(lanes) + std::size_t{r} * kLanes,
                        results_[r]);
  }

  std::uint32_t first_active(const Bits* lanes, Bits value) const {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (shape_.lane_active(mask_, lane) && lanes[lane] == value) return lane;
    }
    return 0;
  }

  void store_extreme(std::uint32_t repeat, Bits value, std::uint32_t index) const {
    const auto narrow_index = static_cast<Bits>(index);
    std::byte* to = result_addr(repeat, 0);
    switch (params_.order) {
      case ReduceOrder::kOnlyValue:
        std::memcpy(to, &value, sizeof value);
        return;
      case ReduceOrder::kOnlyIndex:
        std::memcpy(to, &index, sizeof index);
        return;
      case ReduceOrder::kValueIndex:
        std::memcpy(to, &value, sizeof value);
        std::memcpy(to + sizeof value, &narrow_index, sizeof narrow_index);
        return;
      case ReduceOrder::kIndexValue:
        std::memcpy(to, &narrow_index, sizeof narrow_index);
        std::memcpy(to + sizeof value, &value, sizeof value);
        return;
    }
  }

  /// Whether `value` beats the best so far; of equal ones the first stays.
  bool better(Bits value) const {
    const float is = number(value), best = number(best_);
    if (std::isnan(is) || std::isnan(best)) return !std::isnan(best);
    if (is == best)
      return std::signbit(is) != std::signbit(best) &&
             std::signbit(best) == (kind_ == Reduction::kMax);
    return kind_ == Reduction::kMax ? is > best : is < best;
  }
  static float number(Bits bits) {
    if constexpr (sizeof(Bits) == 2) {
      return float_from_half_bits(bits);
    } else {
      return std::bit_cast<float>(bits);
    }
  }

  /// Keeps the best of all repeats; the index counts lanes as if repeats followed each other.
  void note_extreme(const std::byte* lanes, std::uint32_t first, std::uint32_t repeats) {
    const auto padded = std::max(std::bit_ceil(repeats), 2u);
    std::fill(results_.begin() + repeats, results_.begin() + padded, neutral_);
    Bits value = 0;
    (kind_ == Reduction::kMax ? lanes_.max : lanes_.min)(results_.data(), &value, 1, padded);
    if (first > 0 && !better(value)) return;
    std::uint32_t repeat = 0, index = 0;
    lanes_.find(results_.data(), &value, &repeat, 1, padded);
    lanes_.find(lanes + std::size_t{repeat} * kRepeatBytes, &value, &index, 1, kLanes);
    best_ = value;
    best_index_ = (first + repeat) * kLanes + unmasked(lanes, repeat, index);
  }

  /// One repeat after the other.
  void accumulate(std::uint32_t repeats, bool first) {
    std::uint32_t r = 0;
    if (first) accumulated_ = results_[r++];
    for (; r < repeats; ++r) {
      const Bits pair[2] = {accumulated_, results_[r]};
      sum()(pair, &accumulated_, 1, 2);
    }
  }

  template <class T>
  void store_register(std::uint64_t offset, T value) const {
    const std::uint64_t cleared = 0;
    const std::size_t bytes = offset == kSprAccVal ? sizeof cleared : sizeof(std::uint32_t);
    std::byte* to = memory_.at(Space::kSpr, offset, bytes);
    std::memcpy(to, &cleared, bytes);
    std::memcpy(to, &value, sizeof value);
  }

  const CoreMemory& memory_;
  const VectorParams& params_;
  const VectorShape& shape_;
  const LaneMask& mask_;
  Reduction kind_;
  const ReduceLanes& lanes_;
  Bits neutral_;
  SaturateFn saturate_;  ///< makes results finite where CTRL[48] says so; else null
  std::uint32_t group_, result_bytes_;
  bool whole_;
  std::byte* ub_;
  Bits accumulated_ = 0, best_ = 0;
  std::uint32_t best_index_ = 0;
  alignas(64) std::array<Bits, std::size_t{kBatch} * kLanes> stage_;
  std::array<Bits, std::size_t{kBatch} * kLanes / 2> results_;
  std::array<std::uint32_t, kBatch> indices_;
};

void decode_reduction(DecodedInstr& instr, const CoreMemory& memory) {
  const VectorParams& params = vector_params(instr);
  if (!types_exist(instr.op, instr.dst.type, instr.src0.type)) {
    refuse_vector(instr, FaultClass::kParameter,
                  "there is no such instruction for " + std::string(dtype_name(instr.dst.type)) +
                      " from " + std::string(dtype_name(instr.src0.type)));
  }
  if (params.order > ReduceOrder::kOnlyIndex) {
    refuse_vector(
        instr, FaultClass::kParameter,
        "order is " + std::to_string(static_cast<int>(params.order)) + ", allowed are 0 to 3");
  }
  if (params.accumulate && facts(instr.op).writes != VectorRegister::kAccVal) {
    refuse_vector(instr, FaultClass::kParameter, "only VCADD adds its repeats up");
  }
  decode_shape(instr, memory);
}

void execute_reduction(const DecodedInstr& instr, const CoreMemory& memory) {
  if (instr.shape.repeats == 0) return;
  if (instr.src0.type == DType::kF16) {
    Reducer<std::uint16_t>(instr, memory).run();
  } else {
    Reducer<std::uint32_t>(instr, memory).run();
  }
}

}  // namespace

void add_reduce_rows(ExecTable& table) {
  for (std::size_t op = 0; op < kOpcodeCount; ++op) {
    const auto opcode = static_cast<Opcode>(op);
    if (is_reduction(opcode)) table.set(opcode, {&decode_reduction, &execute_reduction});
  }
}

}  // namespace davsim::isa
