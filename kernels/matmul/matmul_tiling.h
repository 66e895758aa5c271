// What the host tells the kernel: shared by both, plain integers only.
#pragma once

#include <cstdint>

/// Chunks of one operand in L1, at most.
inline constexpr uint32_t kMatmulMostSlots = 16;

/// Types of a, b and c, as the kernel's entry selects its instance.
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

/// One of the two factors: how it is stored in global memory and how it lies in L1. Stored is the
/// matrix as the tensor holds it, transposed or not.
struct MatmulOperandTiling {
  uint32_t rows, cols;    ///< stored; of NZ: padded to whole fractals
  uint32_t nz;            ///< 1: fractals in global memory, 0: row-major
  uint32_t k_in_columns;  ///< 1: a row of the stored matrix runs along k
  uint32_t chunk_steps;   ///< L1 steps that one chunk of this operand covers
  uint32_t slots;         ///< chunks in L1 at a time
  uint32_t slot_bytes;
  uint32_t l1_base;         ///< byte address of the first slot in L1
  uint32_t batch_distance;  ///< elements between the matrices of two batches; 0: one serves all
};

/// C is cut into tiles, which a core computes one after the other. Neighbouring tiles form units of
/// unit_m x unit_n tiles that share a panel in L1; units are dealt to the cores in turn, in bands
/// of `band` rows of units.
struct MatmulTiling {
  uint32_t batches;  ///< products of this size
  uint32_t m, n, k;
  uint32_t c_cols;                        ///< elements between two rows of C
  uint32_t c_batch_distance;              ///< elements between the results of two batches
  uint32_t tile_m, tile_n;                ///< of C, in one half of L0C or in all of it
  uint32_t step_k;                        ///< k of one step of the L1 pipeline
  uint32_t l0_k;                          ///< k of one Mmad
  uint32_t unit_m, unit_n;                ///< tiles; one of them is 1
  uint32_t band;                          ///< rows of units
  uint32_t l0a_half, l0b_half, l0c_half;  ///< byte distance of the two buffers; 0: only one
  uint32_t bias_base;                     ///< byte address in L1 of two rows of tile_n elements
  MatmulOperandTiling a, b;
  MatmulTypes types;
  MatmulBias bias;
};
