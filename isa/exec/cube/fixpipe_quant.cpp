#include "isa/exec/cube/fixpipe_quant.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "isa/exec/cube/mmad_convert.hpp"
#include "isa/exec/move/move_operands.hpp"

namespace davsim::isa {
namespace {

/// A scaled value is rounded to an integer of 9 bits before the offset is added.
constexpr float kLowest = -256.0f, kHighest = 255.0f;

/// To nearest even, for |value| < 2^22: the sum has no room for a fraction.
float round_small(float value) {
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23
  return (value + kMagic) - kMagic;
}

bool is_byte(DType type) {
  return type == DType::kI8 || type == DType::kU8;
}

}  // namespace

QuantWord::QuantWord(std::uint64_t word)
    : scale(std::bit_cast<float>(static_cast<std::uint32_t>(word) & 0xffffe000u)),
      shift((word >> 36 & 1u) != 0 ? static_cast<std::uint8_t>((word >> 32 & 0xfu) + 1) : 0),
      offset(static_cast<std::int16_t>(static_cast<std::int16_t>((word >> 37 & 0x1ffu) << 7) >> 7)),
      is_signed((word >> 46 & 1u) != 0) {}

bool takes_words_per_column(QuantMode mode) {
  return mode == QuantMode::kVReq8 || mode == QuantMode::kVDeqF16 || mode == QuantMode::kVQF32ToB8;
}

bool takes_one_word(QuantMode mode) {
  return mode == QuantMode::kReq8 || mode == QuantMode::kDeqF16 || mode == QuantMode::kQF32ToB8;
}

void require_quant_types(QuantMode mode, DType from, DType to) {
  bool legal = false;
  switch (mode) {
    case QuantMode::kNoQuant:
      legal = from == to && (from == DType::kF32 || from == DType::kI32);
      break;
    case QuantMode::kF32ToF16:
      legal = from == DType::kF32 && to == DType::kF16;
      break;
    case QuantMode::kF32ToBF16:
      legal = from == DType::kF32 && to == DType::kBF16;
      break;
    case QuantMode::kVDeqF16:
    case QuantMode::kDeqF16:
      legal = from == DType::kI32 && to == DType::kF16;
      break;
    case QuantMode::kVReq8:
    case QuantMode::kReq8:
      legal = from == DType::kI32 && is_byte(to);
      break;
    case QuantMode::kVQF32ToB8:
    case QuantMode::kQF32ToB8:
      legal = from == DType::kF32 && is_byte(to);
      break;
    default:
      break;  // the 16-bit shifts exist on other architectures
  }
  if (legal) return;
  refuse_operand(
      "quantPre is " + std::to_string(static_cast<int>(mode)) + ", which does not convert " +
      std::string(dtype_name(from)) + " to " + std::string(dtype_name(to)) +
      ": 0 keeps float32 and int32, 1 and 16 make float16 and bfloat16 of float32, 4 and "
      "5 float16 of int32, 2 and 3 bytes of int32, 23 and 24 bytes of float32");
}

void require_scale(std::uint64_t word) {
  const float scale = QuantWord(word).scale;
  if (scale == 0.0f || std::isnormal(scale)) return;
  refuse_operand("the scale of a quantisation word is " + std::to_string(scale) +
                 ", it must not be infinite, NaN or subnormal");
}

RowQuantiser::RowQuantiser(const FixpipeInstrParams& fixpipe, DType from, const std::byte* words)
    : mode_(fixpipe.quant), relu_(fixpipe.relu), from_(from), n_(fixpipe.n) {
  if (fixpipe.floats_saturate) {
    saturate_ = saturate_lanes(mode_ == QuantMode::kF32ToBF16 ? DType::kBF16 : DType::kF16);
  }
  const bool per_column = takes_words_per_column(mode_);
  if (!per_column && !takes_one_word(mode_)) {
    narrow_.resize(mode_ == QuantMode::kNoQuant ? 0 : n_);
    return;
  }
  scale_.resize(n_);
  values_.resize(n_);
  shift_.resize(n_);
  offset_.resize(n_);
  low_.resize(n_);
  high_.resize(n_);
  narrow_.resize(n_);
  bytes_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, words + (per_column ? i * sizeof bits : 0), sizeof bits);
    require_scale(bits);
    const QuantWord word(bits);
    scale_[i] = word.scale;
    shift_[i] = word.shift;
    shifts_ = shifts_ || word.shift != 0;
    offset_[i] = word.offset;
    low_[i] = word.is_signed ? -128 : 0;
    high_[i] = word.is_signed ? 127 : 255;
  }
}

const std::byte* RowQuantiser::convert(std::byte* row) {
  switch (mode_) {
    case QuantMode::kF32ToF16:
      return narrow_floats(row, false);
    case QuantMode::kF32ToBF16:
      return narrow_floats(row, true);
    case QuantMode::kDeqF16:
    case QuantMode::kVDeqF16:
      return dequantise(row);
    case QuantMode::kNoQuant:
      return rectify(row);
    default:
      return quantise(row);
  }
}

const std::byte* RowQuantiser::rectify(std::byte* row) {
  if (!relu_) return row;
  if (from_ == DType::kI32) {
    auto* values = reinterpret_cast<std::int32_t*>(row);
    for (std::size_t i = 0; i < n_; ++i) values[i] = std::max(values[i], 0);
  } else {
    auto* values = reinterpret_cast<float*>(row);
    for (std::size_t i = 0; i < n_; ++i) values[i] = values[i] < 0.0f ? 0.0f : values[i];
  }
  return row;
}

const std::byte* RowQuantiser::narrow_floats(std::byte* row, bool bfloat) {
  rectify(row);
  const auto* values = reinterpret_cast<const float*>(row);
  if (bfloat) {
    to_bfloats(narrow_.data(), values, n_);
  } else {
    to_halves(narrow_.data(), values, n_);
  }
  return narrowed();
}

const std::byte* RowQuantiser::narrowed() {
  if (saturate_ != nullptr) saturate_(narrow_.data(), n_);
  return reinterpret_cast<const std::byte*>(narrow_.data());
}

void RowQuantiser::load_floats(const std::byte* row) {
  if (from_ == DType::kF32) {
    std::memcpy(values_.data(), row, n_ * sizeof(float));
    return;
  }
  const auto* integers = reinterpret_cast<const std::int32_t*>(row);
  for (std::size_t i = 0; i < n_; ++i) values_[i] = static_cast<float>(integers[i]);
  for (std::size_t i = 0; shifts_ && i < n_; ++i) {
    if (shift_[i] == 0) continue;
    values_[i] = static_cast<float>(std::clamp(integers[i] >> shift_[i], -32768, 32767));
  }
}

const std::byte* RowQuantiser::dequantise(std::byte* row) {
  load_floats(row);
  for (std::size_t i = 0; i < n_; ++i) {
    const float scaled = values_[i] * scale_[i];
    values_[i] = relu_ && values_[i] < 0.0f ? 0.0f : scaled;
  }
  to_halves(narrow_.data(), values_.data(), n_);
  return narrowed();
}

const std::byte* RowQuantiser::quantise(std::byte* row) {
  load_floats(row);
  for (std::size_t i = 0; i < n_; ++i) {
    float scaled = relu_ && values_[i] < 0.0f ? 0.0f : values_[i] * scale_[i];
    scaled = std::isnan(scaled) ? 0.0f : scaled;
    scaled = scaled < kLowest ? kLowest : scaled;
    scaled = scaled > kHighest ? kHighest : scaled;
    const std::int32_t value = static_cast<std::int32_t>(round_small(scaled)) + offset_[i];
    bytes_[i] = static_cast<std::uint8_t>(std::clamp(value, low_[i], high_[i]));
  }
  return reinterpret_cast<const std::byte*>(bytes_.data());
}

}  // namespace davsim::isa
