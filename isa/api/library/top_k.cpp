// The largest or smallest elements of rows: runs of 32 are sorted and merged by fours; of the runs
// that are left then, only the elements that may be among the first k are merged.
#include <algorithm>
#include <cmath>

#include "ascendc/data_copy.h"
#include "ascendc/library_rows.h"
#include "ascendc/vector.h"
#include "isa/api/library/code.hpp"
#include "isa/api/library/typed.hpp"
#include "isa/core/scalar_work.hpp"

namespace davsim::api::lib {

namespace {

/// The elements of `from` that a fixed pattern selects among the first `elements`. How many there
/// are is known, but GatherMask says it, and the scalar unit waits for that.
template <typename T>
void select(const Code& code, const Tensor& to, const Tensor& from, std::uint8_t pattern,
            std::uint32_t elements) {
  std::uint64_t kept = 0;
  AscendC::GatherMask(typed<T>(to), typed<T>(from), pattern, true, elements, {1, 1, 8, 1}, kept,
                      code.call().where);
  code.barrier();
}

/// Elements from `n` to `inner` become smaller than all others. Rows of 32 follow each other where
/// there are several.
void pad(const Code& code, const Tensor& row, std::uint32_t n, std::uint32_t inner,
         std::uint32_t rows = 1) {
  const std::uint32_t lanes = 256 / row.bytes_of(1);
  for (std::uint32_t at = n / lanes * lanes; at < inner; at += lanes) {
    const std::uint32_t from = n > at ? n - at : 0, to = std::min(lanes, inner - at);
    isa::VectorParams params;
    const auto keep = first_lanes(from), all = first_lanes(to);
    params.mask = {all[0] & ~keep[0], all[1] & ~keep[1]};
    params.scalar = scalar_bits(row.type(), -INFINITY);
    params.repeats = static_cast<std::uint16_t>(rows);
    params.dst = {1, static_cast<std::uint16_t>(rows == 1 ? 8 : row.bytes_of(1))};
    code.emit(op::kDuplicate, row.from(at).at, {}, {}, params);
  }
  code.barrier();
}

/// Pairs of one row in two buffers, which hold the same between the steps: what a step leaves alone
/// is where the next one looks for it.
template <typename T>
class RowOfPairs {
 public:
  RowOfPairs(const Code& code, Arena& arena, isa::DType type, std::uint32_t inner)
      : code_(code), inner_(inner) {
    constexpr std::uint32_t kPair = isa::kSortPairBytes / sizeof(T);
    for (Tensor& each : pairs_) each = arena.take(type, inner * kPair);
  }

  /// Sorts and merges until the first `kept` pairs are those of the whole row. Says where they are.
  const Tensor& first(const Tensor& row, const Tensor& index, std::uint32_t kept) {
    now_ = 0;
    AscendC::Sort32(typed<T>(pairs_[0]), typed<T>(row), typed<std::uint32_t>(index),
                    static_cast<std::int32_t>(inner_ / kRun), code_.call().where);
    code_.barrier();
    repeat_in(1, 0);
    std::uint32_t run = kRun;
    for (; kQueues * run <= inner_; run *= kQueues) merge_fours(run);
    merge_rest(run, kept);
    return pairs_[now_];
  }

 private:
  static constexpr std::uint32_t kRun = isa::kSortedPerRepeat, kQueues = 4;

  void repeat_in(std::uint32_t to, std::uint32_t from) {
    code_.copy(pairs_[to].as(isa::DType::kU32), pairs_[from].as(isa::DType::kU32), 2 * inner_);
    code_.barrier();
  }

  AscendC::LocalTensor<T> at(std::uint32_t buffer, std::uint32_t pair) const {
    return typed<T>(pairs_[buffer])[AscendC::GetSortOffset<T>(pair)];
  }

  void merge(std::uint32_t run, const AscendC::MrgSort4Info& info) {
    const auto queue = [&](std::uint32_t q) {
      return at(now_, (info.validBit >> q & 1) != 0 ? q * run : 0);
    };
    AscendC::MrgSort(at(1 - now_, 0), {queue(0), queue(1), queue(2), queue(3)}, info,
                     code_.call().where);
    code_.barrier();
    now_ = 1 - now_;
  }

  void merge_fours(std::uint32_t run) {
    const auto length = static_cast<std::uint16_t>(run);
    const std::uint16_t lengths[kQueues] = {length, length, length, length};
    merge(run, {lengths, false, 0b1111, static_cast<std::uint16_t>(inner_ / (kQueues * run))});
    repeat_in(1 - now_, now_);
  }

  /// One run after the other to those before it, at most `kept` pairs of each.
  void merge_rest(std::uint32_t run, std::uint32_t kept) {
    for (std::uint32_t done = run; done < inner_;) {
      while (run > inner_ - done) run /= kQueues;
      const auto some = [&](std::uint32_t pairs) {
        return static_cast<std::uint16_t>(std::min(pairs, kept));
      };
      const std::uint16_t lengths[kQueues] = {some(done), some(run), 0, 0};
      merge(done, {lengths, false, 0b0011, 1});
      done += run;
    }
  }

  const Code& code_;
  std::uint32_t inner_, now_ = 0;  ///< the buffer with what the last step left
  Tensor pairs_[2];
};

template <typename T>
void top_k_of(const Code& code, const Tensor& values, const Tensor& indices, const Tensor& src,
              const Tensor& index, Arena& arena, const TopKShape& s) {
  const std::uint32_t value_pitch = round_up(s.k, 32 / sizeof(T)), index_pitch = round_up(s.k, 8);
  const isa::DType type = src.type();
  const std::uint32_t pair = isa::kSortPairBytes / sizeof(T);
  RowOfPairs<T> pairs(code, arena, type, s.inner);
  const Tensor changed = arena.take(type, s.inner);
  Tensor numbers = index.as(isa::DType::kU32);
  if (!s.has_index) {
    numbers = arena.take(isa::DType::kU32, s.inner);
    AscendC::CreateVecIndex(typed<std::int32_t>(numbers), std::int32_t{0}, s.inner,
                            code.call().where);
    code.barrier();
  }
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    isa::note_scalar_call(isa::ScalarCall::kTopKRow);
    Tensor row = src.from(r * s.inner);
    if (!s.largest || s.n < s.inner) {
      code.muls(changed, row, s.largest ? 1 : -1, s.n);
      if (s.n < s.inner) pad(code, changed, s.n, s.inner);
      row = changed;
    }
    const Tensor& sorted = pairs.first(row, numbers, std::max(value_pitch, index_pitch));
    // Whole DataBlocks, because kernels copy rows out with their padding: it holds what follows.
    const Tensor best = values.from(r * value_pitch);
    select<T>(code, best, sorted, sizeof(T) == 2 ? 3 : 1, value_pitch * pair);
    select<std::uint32_t>(code, indices.from(r * index_pitch).as(isa::DType::kU32),
                          sorted.as(isa::DType::kU32), 2, index_pitch * 2);
    if (!s.largest) code.muls(best, best, -1, value_pitch);
  }
}

/// Rows of 32, all sorted by one instruction; results of a row follow those of the row before.
template <typename T>
class SmallRows {
 public:
  SmallRows(const Code& code, Arena& arena, const TopKShape& s)
      : code_(code),
        s_(s),
        once_(fitting(arena, std::min(s.rows, kMost), sizes::kSmallTopKRows, sizes::small_top_k)) {
    if (once_ < s.rows && once_ % sizes::kSmallTopKRows != 0) {
      arena.need(sizes::small_top_k(std::min(s.rows, sizes::kSmallTopKRows)));
    }
    constexpr isa::DType kType = sizeof(T) == 2 ? isa::DType::kF16 : isa::DType::kF32;
    pairs_ = arena.take(kType, once_ * kWidth * kPair);
    changed_ = arena.take(kType, once_ * kWidth);
    places_ = arena.take(isa::DType::kU32, once_ * kWidth);
  }

  void run(const Tensor& values, const Tensor& indices, const Tensor& src, const Tensor& index) {
    if (!s_.has_index) count_places();
    for (std::uint32_t first = 0; first < s_.rows; first += once_) {
      const std::uint32_t rows = std::min(once_, s_.rows - first), at = first * kWidth;
      isa::note_scalar_call(isa::ScalarCall::kTopKRow);
      Tensor from = src.from(at);
      if (!s_.largest || s_.n < kWidth) {
        code_.muls(changed_, from, s_.largest ? 1 : -1, rows * kWidth);
        if (s_.n < kWidth) pad(code_, changed_, s_.n, kWidth, rows);
        from = changed_;
      }
      const Tensor numbers = s_.has_index ? index.from(at).as(isa::DType::kU32) : places_;
      AscendC::Sort32(typed<T>(pairs_), typed<T>(from), typed<std::uint32_t>(numbers),
                      static_cast<std::int32_t>(rows), code_.call().where);
      code_.barrier();
      const Tensor best = values.from(first * s_.k);
      firsts<T>(best, pairs_, sizeof(T) == 2 ? 3 : 1, kPair, rows);
      firsts<std::uint32_t>(indices.from(first * s_.k).as(isa::DType::kU32),
                            pairs_.as(isa::DType::kU32), 2, 2, rows);
      if (!s_.largest) code_.muls(best, best, -1, rows * s_.k);
    }
  }

 private:
  static constexpr std::uint32_t kWidth = isa::kSortedPerRepeat, kMost = 240;
  static constexpr std::uint32_t kPair = isa::kSortPairBytes / sizeof(T);

  /// 0 to 31 for each row.
  void count_places() {
    AscendC::CreateVecIndex(typed<std::int32_t>(places_), std::int32_t{0}, kWidth,
                            code_.call().where);
    code_.barrier();
    if (once_ == 1) return;
    AscendC::Copy(typed<std::int32_t>(places_.from(kWidth)), typed<std::int32_t>(places_),
                  std::uint64_t{kWidth}, static_cast<std::uint8_t>(once_ - 1), {1, 1, 4, 0},
                  code_.call().where);
    code_.barrier();
  }

  /// One element of each of the first k pairs of the rows.
  template <typename U>
  void firsts(const Tensor& to, const Tensor& from, std::uint8_t pattern, std::uint32_t a_pair,
              std::uint32_t rows) {
    std::uint64_t kept = 0;
    AscendC::GatherMask(typed<U>(to), typed<U>(from), pattern, true, s_.k * a_pair,
                        {1, static_cast<std::uint16_t>(rows), 8, 1}, kept, code_.call().where);
    code_.barrier();
  }

  const Code& code_;
  const TopKShape& s_;
  std::uint32_t once_;  ///< rows at a time
  Tensor pairs_, changed_, places_;
};

}  // namespace

void top_k(const Call& call, const Tensor& values, const Tensor& indices, const Tensor& src,
           const Tensor& index, const Tensor& finished, const Tensor& scratch, const TopKShape& s) {
  if (!core_has(isa::Pipe::V) || s.rows == 0) return;
  if (s.inner == 0 || s.inner % 32 != 0 || s.inner > 4096) {
    refuse(call.name, "inner", s.inner, "multiples of 32 up to 4096", call.where);
  }
  require_range(call.name, "n", s.n, 1, s.inner, call.where);
  require_range(call.name, "k", s.k, 1, s.n, call.where);
  const auto require = [&](const char* name, const Tensor& tensor, std::uint64_t elements) {
    if (tensor.elements() < elements) {
      refuse(call.name, name, tensor.elements(), {static_cast<std::int64_t>(elements), " and more"},
             call.where);
    }
  };
  const auto pitch = [&](std::uint32_t block) { return s.small ? s.k : round_up(s.k, block); };
  require("elements of srcLocal", src, std::uint64_t{s.rows} * s.inner);
  const std::uint32_t block = 32 / src.bytes_of(1);
  require("elements of dstValueLocal", values, std::uint64_t{s.rows} * pitch(block));
  require("elements of dstIndexLocal", indices, std::uint64_t{s.rows} * pitch(8));
  if (s.has_index) {
    require("elements of srcIndexLocal", index, std::uint64_t{s.inner} * (s.small ? s.rows : 1));
  }
  const Code code(call);
  Arena arena(call, scratch);
  if (s.small) {
    if (src.type() == isa::DType::kF16) {
      SmallRows<isa::half>(code, arena, s).run(values, indices, src, index);
    } else {
      SmallRows<float>(code, arena, s).run(values, indices, src, index);
    }
    return;
  }
  arena.need(sizes::top_k(s.inner));
  if (src.type() == isa::DType::kF16) {
    top_k_of<isa::half>(code, values, indices, src, index, arena, s);
  } else {
    top_k_of<float>(code, values, indices, src, index, arena, s);
  }
  if (!finished.present()) return;
  // Rows that are finished have the index n.
  code.vector_to_scalar();
  bool any = false;
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    isa::Operand flag = finished.at;
    flag.addr += r;
    std::uint8_t done = 0;
    isa::current_core().scalar_load(flag, &done, 1, call.where);
    if (done == 0) continue;
    any = true;
    code.fill(indices.from(r * round_up(s.k, 8)).as(isa::DType::kI32), s.n, s.k);
  }
  if (any) code.barrier();
}

}  // namespace davsim::api::lib
