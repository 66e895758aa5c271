// The img2col matrix [Ho * Wo, C1 * Kh * Kw * C0] of a feature map [C1, H, W, C0] in L1. A row is
// one place of the filter, a column one point of the filter in one channel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/instr/params.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {

/// The img2col matrix of a feature map at `map`, as rows of C0 blocks. Elements have whole bytes.
class Img2col {
 public:
  Img2col(const Load3dParams& load, DType type, const std::byte* map)
      : load_(load),
        map_(map),
        element_(dtype_bytes(type)),
        c0_(c0_elements(type)),
        out_w_(places_per_row(load)),
        out_h_(positions(load.l1_h + load.pad[2] + load.pad[3], load.filter_h, load.dilation_h,
                         load.stride_h)),
        whole_blocks_(load.channels / c0_),
        tail_channels_(load.channels % c0_),
        plain_(load.filter_w == 1 && load.filter_h == 1 && load.stride_w == 1 &&
               load.stride_h == 1 && load.pad == std::array<std::uint8_t, 4>{0, 0, 0, 0}) {
    for (std::size_t at = 0; at < kBlockBytes; at += element_) {
      std::memcpy(pad_block_ + at, &load.pad_value, element_);
    }
  }

  /// Positions of the filter along a row of the padded feature map.
  static std::int64_t places_per_row(const Load3dParams& load) {
    return positions(load.l1_w + load.pad[0] + load.pad[1], load.filter_w, load.dilation_w,
                     load.stride_w);
  }

  /// A 1 x 1 filter over whole C0 blocks: rows of a block follow each other in L1.
  bool is_plain() const { return plain_ && tail_channels_ == 0; }
  std::int64_t rows() const { return out_w_ * out_h_; }
  std::int64_t columns() const { return std::int64_t{load_.channels} * points(); }
  /// Bytes of the feature map, from its start to the end of the block of channels with column
  /// `last`.
  std::uint64_t map_bytes(std::int64_t last_column) const {
    const std::uint64_t pixels = std::uint64_t{load_.l1_h} * load_.l1_w;
    const auto whole_columns = static_cast<std::int64_t>(whole_blocks_ * c0_) * points();
    if (last_column >= whole_columns) {
      return pixels * (whole_blocks_ * kBlockBytes + tail_channels_ * element_);
    }
    return pixels * kBlockBytes * static_cast<std::uint64_t>(last_column / (points() * c0_) + 1);
  }

  /// Rows [row, row + 16) of the C0 block at `column` where they follow each other in L1 - a 1 x 1
  /// filter, which is how matrix products load their operands; else nullptr.
  const std::byte* dense(std::int64_t row, std::int64_t column) const {
    const auto block = static_cast<std::size_t>(column / c0_);
    if (!plain_ || row + kFractalRows > rows() || block >= whole_blocks_) return nullptr;
    return map_ +
           (block * static_cast<std::size_t>(rows()) + static_cast<std::size_t>(row)) * kBlockBytes;
  }

  /// Writes columns [column, column + C0) of `row` to `block`; what lies outside the matrix is 0.
  void fetch(std::int64_t row, std::int64_t column, std::byte* block) const {
    if (row >= rows()) {
      std::memset(block, 0, kBlockBytes);
      return;
    }
    const std::int64_t point = column / c0_;
    if (point / points() < static_cast<std::int64_t>(whole_blocks_)) {
      fetch_point(row, point, block);
    } else {
      fetch_tail(row, column, block);
    }
  }

 private:
  /// How often the filter fits into one side.
  static std::int64_t positions(std::int64_t size, std::int64_t filter, std::int64_t dilation,
                                std::int64_t stride) {
    const std::int64_t reach = (filter - 1) * dilation + 1;
    return size < reach ? 0 : (size - reach) / stride + 1;
  }

  std::int64_t points() const { return std::int64_t{load_.filter_w} * load_.filter_h; }

  /// Pixel under point `point` of the filter at place `row`; nullptr in the padding.
  const std::byte* pixel(std::int64_t row, std::int64_t point, std::size_t block_offset,
                         std::size_t pixel_bytes) const {
    std::int64_t h = row / out_w_, w = row % out_w_;
    if (!plain_) {
      h = h * load_.stride_h - load_.pad[2] + point / load_.filter_w * load_.dilation_h;
      w = w * load_.stride_w - load_.pad[0] + point % load_.filter_w * load_.dilation_w;
      if (h < 0 || w < 0 || h >= load_.l1_h || w >= load_.l1_w) return nullptr;
    }
    return map_ + block_offset + static_cast<std::size_t>(h * load_.l1_w + w) * pixel_bytes;
  }

  void fetch_point(std::int64_t row, std::int64_t point, std::byte* block) const {
    const auto block_index = static_cast<std::size_t>(point / points());
    const std::size_t plane = std::size_t{load_.l1_h} * load_.l1_w * kBlockBytes;
    const std::byte* from = pixel(row, point % points(), block_index * plane, kBlockBytes);
    std::memcpy(block, from == nullptr ? pad_block_ : from, kBlockBytes);
  }

  /// The last block of channels where it is not full: its pixels are `tail_channels_` wide, and a
  /// C0 block of the matrix holds several points.
  void fetch_tail(std::int64_t row, std::int64_t column, std::byte* block) const {
    const std::size_t plane = std::size_t{load_.l1_h} * load_.l1_w * kBlockBytes;
    const auto tail = static_cast<std::int64_t>(tail_channels_);
    const std::int64_t start = column - static_cast<std::int64_t>(whole_blocks_ * c0_) * points();
    for (std::int64_t i = 0; i < c0_; ++i) {
      std::byte* to = block + static_cast<std::size_t>(i) * element_;
      if (column + i >= columns()) {
        std::memset(to, 0, element_);
        continue;
      }
      const std::byte* from =
          pixel(row, (start + i) / tail, whole_blocks_ * plane, tail_channels_ * element_);
      from = from == nullptr ? pad_block_
                             : from + static_cast<std::size_t>((start + i) % tail) * element_;
      std::memcpy(to, from, element_);
    }
  }

  const Load3dParams& load_;
  const std::byte* map_;
  std::size_t element_;
  std::int64_t c0_, out_w_, out_h_;
  std::size_t whole_blocks_, tail_channels_;
  bool plain_;
  std::byte pad_block_[kBlockBytes];
};

}  // namespace davsim::isa
