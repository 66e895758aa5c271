// The SIMD C API: numbers that calls of cube cores take together.
#pragma once

#include <cstdint>

/// Of asc_fill_l1 and its like: `repeat` runs of `blk_num` blocks, with `dst_gap` blocks between
/// two. A block has 32 bytes in L1 and 512 in L0A and L0B.
union asc_fill_value_config {
  std::uint64_t config = 0;
  struct {
    std::uint64_t repeat : 15, : 1, blk_num : 15, : 1, dst_gap : 15, : 17;
  };
};

/// Of asc_set_l13d_rpt: loads of a call, their distance, and in which direction they follow.
union asc_load3d_v2_config {
  std::uint64_t config = 0x10000;
  struct {
    std::uint64_t rpt_stride : 16, rpt_time : 8, rpt_mode : 1, : 39;
  };
};

/// Of asc_set_l13d_fmatrix. The register has the width of the feature map in its lowest bits: those
/// are published under the name l1_height.
union asc_l13d_fmatrix_config {
  std::uint64_t config = 0;
  struct {
    std::uint16_t l1_height, l1_width;
    std::uint8_t padding_left_size, padding_right_size, padding_top_size, padding_bottom_size;
  };
};
