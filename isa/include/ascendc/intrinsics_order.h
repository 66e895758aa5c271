// Intrinsics that bring elements into another order: they sort and merge, keep some elements,
// gather DataBlocks and transpose. Types and meaning are those of the API call that the comment of
// each group names.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ascendc/intrinsics_copy.h"
#include "ascendc/intrinsics_vector.h"
#include "ascendc/vector_gather.h"
#include "ascendc/vector_sort.h"
#include "ascendc/vector_transpose.h"

// --- sorting: Sort32, MrgSort -----------------------------------------------------------------

/// Sorts 32 scores a repeat with their indices into pairs of 8 bytes. half, float.
template <typename T>
void vbitsort(T* dst, T* src0, std::uint32_t* src1, const davsim::api::RepeatTime repeat,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::call_as("vbitsort", [&] {
    AscendC::Sort32(davsim::api::ub_at(dst), davsim::api::ub_at(src0), davsim::api::ub_at(src1),
                    static_cast<std::int32_t>(repeat), where);
  });
}

/// Merges queues of pairs. `count` has the pairs of each in 16 bits; `config` the repeats in bits 0
/// to 7, which queues there are in 8 to 11, and in 12 whether to stop when one has nothing left.
template <typename T>
void vmrgsort4(T* dst, T* src[4], std::uint64_t count, std::uint64_t config,
               davsim::api::Location where = davsim::api::Location::current()) {
  const auto queues = static_cast<std::uint16_t>(config >> 8 & 0xf);
  std::uint16_t lengths[4];
  AscendC::LocalTensor<T> tensors[4];
  for (unsigned i = 0; i < 4; ++i) {
    lengths[i] = static_cast<std::uint16_t>(count >> (16 * i));
    tensors[i] = davsim::api::ub_at(src[(queues >> i & 1) != 0 ? i : 0]);
  }
  davsim::api::call_as("vmrgsort4", [&] {
    AscendC::MrgSort<T>(
        davsim::api::ub_at(dst), {tensors[0], tensors[1], tensors[2], tensors[3]},
        {lengths, (config >> 12 & 1) != 0, queues, static_cast<std::uint16_t>(config & 0xff)},
        where);
  });
}
template <typename T>
void vmrgsort4(T* dst, T* src[4], std::uint8_t repeat, std::uint16_t list0, std::uint16_t list1,
               std::uint16_t list2, std::uint16_t list3, bool enable_exh_sus, std::uint8_t mask,
               davsim::api::Location where = davsim::api::Location::current()) {
  const std::uint64_t counts =
      list0 | std::uint64_t{list1} << 16 | std::uint64_t{list2} << 32 | std::uint64_t{list3} << 48;
  vmrgsort4(dst, src, counts,
            repeat | std::uint64_t{mask & 0xfu} << 8 | std::uint64_t{enable_exh_sus} << 12, where);
}
/// The addresses as numbers: those of the queues that `config` names are read, from UB as well.
template <typename T>
void vmrgsort4(T* dst, std::uint64_t* src, std::uint64_t count, std::uint64_t config,
               davsim::api::Location where = davsim::api::Location::current()) {
  T* queues[4] = {};
  for (unsigned i = 0; i < 4; ++i) {
    if ((config >> (8 + i) & 1) != 0) queues[i] = reinterpret_cast<T*>(src[i]);
  }
  vmrgsort4(dst, queues, count, config, where);
}

// --- elements that bits select: GatherMask ----------------------------------------------------

/// Keeps elements of src0: those whose bits are set in src1 (`patternMode` 0), or those of a fixed
/// pattern (1 to 7). The mask register counts the elements of a repeat in counter mode. 16 and 32
/// bits.
template <typename T>
void vreducev2(T* dst, T* src0, std::type_identity_t<T>* src1, const davsim::api::RepeatTime repeat,
               std::uint8_t src0BlockStride, const davsim::api::ModeNumber patternMode,
               std::uint16_t src0RepeatStride, std::uint8_t src1RepeatStride,
               davsim::api::Location where = davsim::api::Location::current()) {
  using namespace davsim;
  static_assert(isa::type_exists(isa::Opcode::kGatherMask, api::dtype_of<T>()),
                "vreducev2: elements of 16 or 32 bits");
  const api::VectorCall call{"vreducev2", isa::Opcode::kGatherMask, where};
  api::require_range(call.name, "patternMode", patternMode, 0, 7, where);
  api::require_range(call.name, "repeat", repeat, 0, 255, where);
  if (!api::core_has(isa::Pipe::V)) return;
  isa::VectorParams params;
  params.mask_mode = api::registers().mask_mode;
  if (params.mask_mode == isa::MaskMode::kCounter) params.mask = {api::registers().mask[0], 0};
  params.repeats = static_cast<std::uint16_t>(repeat);
  params.src0 = {src0BlockStride, src0RepeatStride};
  params.src1 = {1, src1RepeatStride};
  params.pattern = patternMode;
  const isa::Operand bits = patternMode == 0 ? api::ub_at(src1).Operand() : isa::Operand{};
  api::emit_vector(call, api::ub_at(dst).Operand(), api::ub_at(src0).Operand(), bits, params);
}

/// RSVD_CNT: elements that the last vreducev2 that has ended kept.
inline std::int64_t get_rsvd_cnt(davsim::api::Location where = davsim::api::Location::current()) {
  return AscendC::GetGatherMaskRemainCount(where);
}
/// VMS4_SR: pairs that the last vmrgsort4 took of each queue, 16 bits each.
inline std::uint64_t get_vms4_sr(davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::api::read_vector_register<std::uint64_t>(davsim::isa::kSprMergeCounts, where);
}
/// ACC_VAL, and the value (bits 0 to 31) and index (32 to 63) of the last vcmax or vcmin.
inline std::int64_t get_acc_val(davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::api::read_vector_register<std::int64_t>(davsim::isa::kSprAccVal, where);
}
inline std::int64_t get_max_min_cnt(
    davsim::api::Location where = davsim::api::Location::current()) {
  return davsim::api::read_vector_register<std::int64_t>(davsim::isa::kSprMaxMinValue, where);
}

/// A fractal of 16 x 16 elements of 16 bits: Transpose.
template <typename T>
void vtranspose(T* dst, T* src, davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(sizeof(T) == 2, "vtranspose: elements of 16 bits");
  davsim::api::call_as("vtranspose", [&] {
    AscendC::Transpose(davsim::api::ub_at(dst), davsim::api::ub_at(src), where);
  });
}

// --- DataBlocks: Gatherb ----------------------------------------------------------------------

/// Blocks of dst = the DataBlocks at bytes `base` + offsets[i] of UB, eight a repeat.
template <typename T>
void vgatherb(T* dst, std::uint32_t* offsets, std::uint64_t base, std::uint16_t dstRepeatStride,
              std::uint8_t dstBlockStride, const davsim::api::RepeatTime repeat,
              davsim::api::Location where = davsim::api::Location::current()) {
  using namespace davsim;
  static_assert(std::is_same_v<T, std::uint16_t> || std::is_same_v<T, std::uint32_t>,
                "vgatherb: uint16_t and uint32_t");
  const api::VectorCall call{"vgatherb", isa::Opcode::kGatherb, where};
  api::require_range(call.name, "repeat", repeat, 0, 255, where);
  isa::VectorParams params;
  params.repeats = static_cast<std::uint16_t>(repeat);
  params.dst = {std::max<std::uint16_t>(dstBlockStride, 1), dstRepeatStride};
  isa::Operand table = api::ub_at(dst).Operand();
  table.addr = base;
  api::emit_vector(call, api::ub_at(dst).Operand(), api::ub_at(offsets).Operand(), table, params);
}

// --- transposition: TransDataTo5HD ------------------------------------------------------------

/// Registers of eight addresses; an operand of a transposition is such a register and the next.
enum ub_addr8_t : std::uint8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

/// Addresses from an array of the kernel, and from one in UB.
inline void set_va_reg_sb(ub_addr8_t addr, std::uint64_t* array,
                          davsim::api::Location where = davsim::api::Location::current()) {
  auto& va = davsim::api::registers().va;
  for (unsigned i = 0; i < 8; ++i) va[8u * addr + i] = static_cast<std::uint32_t>(array[i]);
  davsim::api::emit_set_register(where);
}
inline void set_va_reg(ub_addr8_t addr, __ubuf__ std::uint64_t* array,
                       davsim::api::Location where = davsim::api::Location::current()) {
  std::uint64_t values[8];
  davsim::isa::current_core().scalar_load(davsim::api::operand_at(davsim::isa::Space::kUb, array),
                                          values, sizeof values, where);
  set_va_reg_sb(addr, values, where);
}

namespace davsim::api {

template <typename T>
void transpose_registers(const char* name, ub_addr8_t dst, ub_addr8_t src,
                         const AscendC::TransDataTo5HDParams& params, Location where) {
  require_range(name, "dst", dst, VA0, VA6, where);
  require_range(name, "src", src, VA0, VA6, where);
  if (!core_has(isa::Pipe::V)) return;
  std::uint64_t to[AscendC::NCHW_CONV_ADDR_LIST_SIZE], from[AscendC::NCHW_CONV_ADDR_LIST_SIZE];
  for (unsigned i = 0; i < AscendC::NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = registers().va[8u * dst + i];
    from[i] = registers().va[8u * src + i];
  }
  call_as(name, [&] { AscendC::TransDataTo5HD<T>(to, from, params, where); });
}

}  // namespace davsim::api

/// Defines the transposition of elements of one size. In one number: dstStride from bit 0 on,
/// srcStride 16, repeat 56.
#define DAVSIM_TRANSPOSE(name, T)                                                                \
  inline void name(ub_addr8_t dst, ub_addr8_t src, std::uint8_t repeat, std::uint16_t dstStride, \
                   std::uint16_t srcStride,                                                      \
                   davsim::api::Location where = davsim::api::Location::current()) {             \
    davsim::api::transpose_registers<T>(#name, dst, src,                                         \
                                        {false, false, repeat, dstStride, srcStride}, where);    \
  }                                                                                              \
  inline void name(ub_addr8_t dst, ub_addr8_t src, std::uint64_t config,                         \
                   davsim::api::Location where = davsim::api::Location::current()) {             \
    name(dst, src, static_cast<std::uint8_t>(config >> 56), static_cast<std::uint16_t>(config),  \
         static_cast<std::uint16_t>(config >> 16), where);                                       \
  }
DAVSIM_TRANSPOSE(scatter_vnchwconv_b16, std::uint16_t)
DAVSIM_TRANSPOSE(scatter_vnchwconv_b32, std::uint32_t)
#undef DAVSIM_TRANSPOSE

/// Of 8 bits, which takes halves of DataBlocks.
inline void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, std::uint8_t repeat,
                                 std::uint16_t dstStride, std::uint16_t srcStride, bool dstHighHalf,
                                 bool srcHighHalf,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::transpose_registers<std::uint8_t>(
      "scatter_vnchwconv_b8", dst, src, {dstHighHalf, srcHighHalf, repeat, dstStride, srcStride},
      where);
}
inline void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, std::uint64_t config,
                                 bool dstHighHalf, bool srcHighHalf,
                                 davsim::api::Location where = davsim::api::Location::current()) {
  scatter_vnchwconv_b8(dst, src, static_cast<std::uint8_t>(config >> 56),
                       static_cast<std::uint16_t>(config), static_cast<std::uint16_t>(config >> 16),
                       dstHighHalf, srcHighHalf, where);
}
