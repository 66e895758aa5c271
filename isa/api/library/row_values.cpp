#include "isa/api/library/row_values.hpp"

namespace davsim::api::lib {

namespace {

Tensor in_blocks(const Tensor& tensor, std::uint32_t block) {
  Tensor part = tensor;
  part.at.addr += std::uint64_t{block} * isa::kBlockBytes;
  return part;
}

}  // namespace

RowValues::RowValues(const Code& code, Arena& arena, std::uint32_t rows, bool blocks)
    : code_(&code), blocks_(blocks) {
  const std::uint32_t eights = round_up(rows, 8);
  dense_ = arena.floats(eights);
  half_ = arena.floats(eights);
  staged_ = arena.floats(eights * 8);
  code.fill(dense_, 0, eights);
  code.fill(half_, 0, eights);
}

void RowValues::load(const Tensor& blocks, const Tensor& user, std::uint32_t first,
                     std::uint32_t rows) {
  const bool is_float = user.type() == isa::DType::kF32;
  if (!blocks_) {
    const Tensor from = user.from(first);
    if (is_float) {
      code_->copy(dense_, from, rows);
    } else {
      code_->cast(dense_, from, isa::RoundMode::kNone, rows);
    }
    code_->spread(blocks, dense_, rows);
  } else if (is_float) {
    code_->copy(blocks, in_blocks(user, first), rows * 8);
  } else {
    code_->cast_rows(rows, 8, matrix(blocks, 8), matrix(in_blocks(user, first), 16),
                     isa::RoundMode::kNone);
  }
}

void RowValues::store(const Tensor& user, const Tensor& blocks, std::uint32_t first,
                      std::uint32_t rows) {
  const bool is_float = user.type() == isa::DType::kF32;
  if (blocks_ && is_float) {
    code_->copy(in_blocks(user, first), blocks, rows * 8);
    return;
  }
  // The first element of each DataBlock.
  code_->reduce_rows(op::kMaxOfRow, dense_, rows, 8, matrix(blocks, 8), {});
  if (!blocks_) {
    if (is_float) {
      code_->copy(user.from(first), dense_, rows);
    } else {
      code_->cast(user.from(first), dense_, isa::RoundMode::kRint, rows);
    }
    return;
  }
  const Tensor half = half_.as(user.type()), staged = staged_.as(user.type());
  code_->cast(half, dense_, isa::RoundMode::kRint, rows);
  code_->spread(staged, half, rows);
  code_->copy(in_blocks(user, first), staged, rows * 16);
}

}  // namespace davsim::api::lib
