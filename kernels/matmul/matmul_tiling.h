// The tiling that the host passes to the kernel. Both include this file. It has plain integers
// only.
#pragma once

#include <cstdint>

/// The largest number of chunks of one operand in L1.
inline constexpr uint32_t kMatmulMostSlots = 16;

/// The types of a, b and c. They select an instance of the kernel.
enum class MatmulTypes : uint32_t {
  kHalfToHalf,
  kHalfToFloat,
  kBfloatToBfloat,
  kBfloatToFloat,
  kFloatToFloat,
  kInt8ToInt32,
};

enum class MatmulBias : uint32_t {
  kNone,
  kAsAccumulator,  ///< float for float types, int32 for int8
  kHalf,
};

/// One of the two factors: how it is stored in global memory and how it lies in L1. The stored
/// matrix is the matrix as the tensor holds it, transposed or not.
struct MatmulOperandTiling {
  uint32_t rows, cols;    ///< of the stored matrix; NZ: padded to whole fractals
  uint32_t nz;            ///< 1: fractals in global memory, 0: row-major
  uint32_t k_in_columns;  ///< 1: a row of the stored matrix runs along k
  uint32_t chunk_steps;   ///< L1 steps that one chunk of this operand covers
  uint32_t slots;         ///< chunks that L1 holds at a time
  uint32_t slot_bytes;
  uint32_t l1_base;         ///< byte address of the first slot in L1
  uint32_t batch_distance;  ///< elements from one batch to the next; 0: one matrix for all
};

/// C is cut into tiles. A core computes its tiles one after the other. unit_m x unit_n neighbouring
/// tiles form a unit, which shares a panel in L1. The units are assigned to the cores in turn, in
/// bands of `band` rows of units.
struct MatmulTiling {
  uint32_t batches;  ///< the number of products of this size
  uint32_t m, n, k;
  uint32_t c_cols;            ///< elements between two rows of C
  uint32_t c_batch_distance;  ///< elements between the results of two batches
  uint32_t tile_m, tile_n;    ///< size of a tile of C, which takes half of L0C or all of it
  uint32_t step_k;            ///< the part of k of one step of the L1 pipeline
  uint32_t l0_k;              ///< the part of k of one Mmad
  uint32_t unit_m, unit_n;    ///< in tiles; one of them is 1
  uint32_t band;              ///< in rows of units
  uint32_t l0a_half, l0b_half, l0c_half;  ///< bytes between the two buffers; 0: one buffer
  uint32_t bias_base;                     ///< byte address in L1 of two rows of tile_n elements
  MatmulOperandTiling a, b;
  MatmulTypes types;
  MatmulBias bias;
};
