// The largest or smallest elements of rows: a full sort of each row, and its head.
#include <algorithm>
#include <cmath>

#include "ascendc/data_copy.h"
#include "ascendc/library_rows.h"
#include "ascendc/vector.h"
#include "isa/api/library/code.hpp"
#include "isa/api/library/typed.hpp"

namespace davsim::api::lib {

namespace {

/// The elements of `from` that a fixed pattern selects among the first `elements`.
void select(const Code& code, const Tensor& to, const Tensor& from, std::uint8_t pattern,
            std::uint32_t elements) {
  isa::VectorParams params;
  params.mask_mode = isa::MaskMode::kCounter;
  params.mask = {elements, 0};
  params.pattern = pattern;
  params.src0 = {1, 8};
  code.emit(op::kGatherMask, to.at, from.at, {}, params);
}

/// Elements from `n` to `inner` become smaller than all others.
void pad(const Code& code, const Tensor& row, std::uint32_t n, std::uint32_t inner) {
  const std::uint32_t lanes = 256 / row.bytes_of(1);
  for (std::uint32_t at = n / lanes * lanes; at < inner; at += lanes) {
    const std::uint32_t from = n > at ? n - at : 0, to = std::min(lanes, inner - at);
    isa::VectorParams params;
    const auto keep = first_lanes(from), all = first_lanes(to);
    params.mask = {all[0] & ~keep[0], all[1] & ~keep[1]};
    params.scalar = scalar_bits(row.type(), -INFINITY);
    params.dst = {1, 8};
    code.emit(op::kDuplicate, row.from(at).at, {}, {}, params);
  }
  code.barrier();
}

template <typename T>
void top_k_of(const Code& code, const Tensor& values, const Tensor& indices, const Tensor& src,
              const Tensor& index, Arena& arena, const TopKShape& s) {
  const std::uint32_t value_pitch = round_up(s.k, 32 / sizeof(T)), index_pitch = round_up(s.k, 8);
  const isa::DType type = src.type();
  const std::uint32_t pair = isa::kSortPairBytes / sizeof(T);
  const Tensor sorted = arena.take(type, s.inner * pair), tmp = arena.take(type, s.inner * pair);
  const Tensor row = arena.take(type, s.inner), numbers = arena.take(isa::DType::kU32, s.inner);
  const Location where = code.call().where;
  if (!s.has_index) {
    AscendC::CreateVecIndex(typed<std::int32_t>(numbers), std::int32_t{0}, s.inner, where);
  }
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    code.muls(row, src.from(r * s.inner), s.largest ? 1 : -1, s.n);
    if (s.n < s.inner) pad(code, row, s.n, s.inner);
    if (s.has_index) code.copy(numbers, index.as(isa::DType::kU32), s.inner);
    AscendC::LocalTensor<T> pairs = typed<T>(sorted), other = typed<T>(tmp);
    AscendC::Sort<T, true>(pairs, typed<T>(row), typed<std::uint32_t>(numbers), other,
                           static_cast<std::int32_t>(s.inner / 32), where);
    code.barrier();
    // Whole DataBlocks, because kernels copy rows out with their padding: it holds what follows.
    const Tensor best = values.from(r * value_pitch);
    select(code, best, sorted, sizeof(T) == 2 ? 3 : 1, value_pitch * pair);
    select(code, indices.from(r * index_pitch).as(isa::DType::kU32), sorted.as(isa::DType::kU32), 2,
           index_pitch * 2);
    code.barrier();
    if (!s.largest) code.muls(best, best, -1, value_pitch);
  }
}

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
  require("elements of srcLocal", src, std::uint64_t{s.rows} * s.inner);
  const std::uint32_t block = 32 / src.bytes_of(1);
  require("elements of dstValueLocal", values, std::uint64_t{s.rows} * round_up(s.k, block));
  require("elements of dstIndexLocal", indices, std::uint64_t{s.rows} * round_up(s.k, 8));
  if (s.has_index) require("elements of srcIndexLocal", index, s.inner);
  const Code code(call);
  Arena arena(call, scratch);
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
