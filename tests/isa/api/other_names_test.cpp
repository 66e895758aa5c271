// The names by which kernels include parts of the API, each bringing all of it.
#include <gtest/gtest.h>

#include "adv_api/activation/softmax.h"
#include "adv_api/index/arange.h"
#include "adv_api/matmul/matmul_intf.h"
#include "adv_api/utils/init_global_memory.h"
#include "basic_api/kernel_basic_intf.h"
#include "basic_api/kernel_operator_vec_gather_intf.h"
#include "impl/kernel_utils.h"
#include "kernel_basic_intf.h"
#include "kernel_check.h"
#include "kernel_common.h"
#include "kernel_cube_intf.h"
#include "kernel_event.h"
#include "kernel_log.h"
#include "kernel_macros.h"
#include "kernel_operator_intf.h"
#include "kernel_operator_list_tensor_intf.h"
#include "kernel_operator_proposal_intf.h"
#include "kernel_operator_set_atomic_intf.h"
#include "kernel_operator_vec_mulcast_intf.h"
#include "kernel_struct_unary.h"
#include "kernel_tensor.h"
#include "kernel_tensor_impl.h"
#include "kernel_tiling/kernel_tiling.h"
#include "kernel_tpipe_impl.h"
#include "kernel_type.h"
#include "kernel_utils.h"
#include "kernel_vec_intf.h"
#include "lib/matmul_intf.h"
#include "tikcfw/impl/kernel_utils.h"
#include "tikcfw/interface/kernel_operator_vec_binary_intf.h"
#include "tikcfw/kernel_operator.h"
#include "tikcfw/lib/matmul_intf.h"
#include "tikcpp/tikcfw/kernel_operator.h"
#include "utils/debug/asc_printf.h"

namespace {

TEST(OtherNames, OfHeadersBringTheKernelApi) {
  const AscendC::LocalTensor<half> tensor(AscendC::TPosition::VECIN, 64, 32);
  EXPECT_EQ(tensor.GetSize(), 32u);
}

[aicore] inline float32_t twice(float32_t x) {
  return x + x;
}

TEST(OtherNames, OfTypesAndQualifiers) {
  EXPECT_EQ(twice(1.5f), 3.0f);
  static_assert(AscendC::SupportType<int, half, int>() && !AscendC::SupportType<int, half>());
  static_assert(AscendC::Std::is_tuple_v<AscendC::Std::tuple<int>> &&
                AscendC::Std::Int<3>::value == 3);
  constexpr auto kPlain =
      AscendC::MakeLayout(AscendC::MakeShape(3, 4, 5), AscendC::MakeStride(20, 5, 1));
  static_assert(AscendC::Crd2Idx(AscendC::MakeCoord(1, 2, 3), kPlain) == 33);
  // Numbers in nested dimensions: (11 % 2, 11 / 2) and (12 % 3, 12 / 3).
  constexpr auto kNested = AscendC::MakeLayout(
      AscendC::MakeShape(AscendC::MakeShape(2, 4), AscendC::MakeShape(3, 5)),
      AscendC::MakeStride(AscendC::MakeStride(3, 6), AscendC::MakeStride(1, 24)));
  static_assert(kNested(AscendC::MakeCoord(11, 12)) == 129);
  static_assert(kNested(AscendC::MakeCoord(AscendC::MakeCoord(1, 5), 12)) == 129);
  static_assert(AscendC::Crd2Idx(5, AscendC::MakeShape(2, 4), AscendC::MakeStride(3, 6)) == 15);
  static_assert(std::is_same_v<float16_t, half> && AscendC::Std::IsSame<int, int>::value);
}

// As sources of kernels define it, with the word struct.
inline __gm__ struct OpSystemRunCfg g_opSystemRunCfg { 7 };

TEST(OtherNames, OfChoicesAndBits) {
  using namespace AscendC;
  static_assert(std::is_same_v<Conditional<(sizeof(half) > 2), float, half>::type, half>);
  static_assert(std::is_same_v<EnableIf<true, int>::type, int>);
  static_assert(SizeOfBits<int4b_t>::value == 4 && SizeOfBits<half>::value == 16);
  static_assert(IsHalfByteDataType<int4b_t>() && !IsHalfByteDataType<int8_t>());
  EXPECT_EQ((GetScalarBitcodeValue<uint32_t, float>(0x3fc00000)), 1.5f);
  EXPECT_EQ((GetScalarBitcodeValue<float, uint32_t>(-2.0f)), 0xc0000000u);
  EXPECT_EQ(GetScalarBitcodeValue(half(1.0f)), 0x3c00u);
  EXPECT_EQ(GetScalarBitcodeValue(int8_t(-1)), 0xffu) << "zeros above, whatever the sign";
  EXPECT_EQ(g_opSystemRunCfg.l2Cacheoffset, 7u);
}

TEST(OtherNames, OfSizesAndMasks) {
  using namespace AscendC;
  static_assert(FULL_MASK_LEN == 128 && HLAF_MASK_LEN == 64);
  static_assert(B16_DATA_NUM_PER_BLOCK == 16 && B32_DATA_NUM_PER_BLOCK == 8);
  static_assert(B16_DATA_NUM_PER_REPEAT == 128 && B32_DATA_NUM_PER_REPEAT == 64);
  static_assert(std::is_same_v<decltype(1 / PI), float> && PI == 3.14159265f);
  static_assert(ONE_BLK_FLOAT_NUM == 8 && ONE_BLK_HALF_NUM == 16);
  static_assert(ONE_REPEAT_FLOAT_SIZE == 64 && MAX_REPEAT_HALF_SIZE == 128 * 255);
  static_assert(B8_BYTE_SIZE + B64_BYTE_SIZE == 9 && ONE_FOURTH_DEFAULT_REPEAT_STRIDE == 2);
  static_assert(TOTAL_VEC_LOCAL_SIZE + TMP_UB_SIZE == TOTAL_UB_SIZE);
  static_assert(SupportEnum<CMPMODE::LT, CMPMODE::EQ, CMPMODE::LT>());
  static_assert(!SupportEnum<CMPMODE::LT, CMPMODE::EQ>());
  InitDump(false, nullptr, 0);
  const std::uint64_t* const both = MASK_PLACEHOLDER_LIST;
  EXPECT_EQ(both[0] | both[1], MASK_PLACEHOLDER);
}

TEST(OtherNames, OfMatmulInItsTwoNamespaces) {
  using A = matmul::MatmulType<AscendC::TPosition::GM, AscendC::CubeFormat::ND, half>;
  static_assert(std::is_same_v<A::T, half>);
  static_assert(std::is_same_v<matmul::Matmul<A, A, A>, AscendC::Matmul<A, A, A>>);
  EXPECT_EQ(static_cast<int>(AscendC::CubeFormat::NZ), 1);
}

}  // namespace
