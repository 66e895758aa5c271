// Matmul tilings: they keep what was set, fit the buffers, and cover the product.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tiling/tiling_api.h"

namespace davsim::op_host {
namespace {

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::TPosition;
using Tiling = AscendC::tiling::TCubeTiling;

template <class Api>
void set_types(Api& api, DataType type, bool trans_a = false, bool trans_b = false) {
  api.SetAType(TPosition::GM, CubeFormat::ND, type, trans_a);
  api.SetBType(TPosition::GM, CubeFormat::ND, type, trans_b);
  api.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
  api.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
}

/// The rules that the kernel relies on.
void expect_legal(const Tiling& t, int bits) {
  const auto bytes = [bits](long elements) { return elements * bits / 8; };
  EXPECT_LE(bytes(long{t.baseM} * t.baseK) * t.dbL0A, 65536);
  EXPECT_LE(bytes(long{t.baseN} * t.baseK) * t.dbL0B, 65536);
  EXPECT_LE(long{t.baseM} * t.baseN * 4 * t.dbL0C, 131072);
  EXPECT_LE(bytes(long{t.depthA1} * t.baseM * t.baseK + long{t.depthB1} * t.baseN * t.baseK),
            524032);
  EXPECT_EQ(t.baseM % 16, 0);
  EXPECT_EQ(t.baseN % 16, 0);
  EXPECT_EQ(t.baseK % 16, 0);
  EXPECT_TRUE(t.depthA1 == t.stepM * t.stepKa || t.depthA1 == 2 * t.stepM * t.stepKa);
  EXPECT_TRUE(t.depthB1 == t.stepN * t.stepKb || t.depthB1 == 2 * t.stepN * t.stepKb);
  EXPECT_TRUE(t.stepKa % t.stepKb == 0 || t.stepKb % t.stepKa == 0);
  EXPECT_LE(t.isBias * t.baseN * 4, 1024);
}

TEST(MatmulTiling, KeepsItsRulesForAnyShapeAndType) {
  const int sizes[] = {1, 15, 16, 33, 100, 128, 500, 1024, 4096};
  for (const auto& [type, bits] : {std::pair(DataType::DT_FLOAT16, 16),
                                   {DataType::DT_FLOAT, 32},
                                   {DataType::DT_INT8, 8},
                                   {DataType::DT_INT4, 4}}) {
    for (const int m : sizes) {
      for (const int n : sizes) {
        for (const int k : {1, 17, 64, 1000, 8192}) {
          matmul_tiling::MatmulApiTiling api;
          set_types(api, type);
          api.SetShape(m, n, k);
          api.SetOrgShape(m, n, k);
          api.EnableBias(m % 2 == 0);
          Tiling t;
          ASSERT_EQ(api.GetTiling(t), 0) << m << ' ' << n << ' ' << k;
          expect_legal(t, bits);
          EXPECT_EQ(t.singleCoreM, m);
          EXPECT_EQ(t.singleCoreN, n);
          EXPECT_EQ(t.singleCoreK, k);
        }
      }
    }
  }
}

TEST(MatmulTiling, CoresCoverTheProductAndAreNoMoreThanSet) {
  for (const int cores : {1, 2, 20, 24, 48}) {
    matmul_tiling::MultiCoreMatmulTiling api;
    set_types(api, DataType::DT_FLOAT16);
    api.SetDim(cores);
    api.SetShape(1000, 640, 256);
    api.SetOrgShape(1000, 640, 256);
    api.SetBufferSpace(-1, -1, -1);
    Tiling t;
    ASSERT_EQ(api.GetTiling(t), 0);
    expect_legal(t, 16);
    int dim = 0, for_m = 0, for_n = 0;
    ASSERT_EQ(api.GetCoreNum(dim, for_m, for_n), 0);
    EXPECT_EQ(dim, t.usedCoreNum);
    EXPECT_EQ(dim, for_m * for_n);
    EXPECT_LE(dim, cores);
    EXPECT_EQ((1000 + t.singleCoreM - 1) / t.singleCoreM, for_m);
    EXPECT_EQ((640 + t.singleCoreN - 1) / t.singleCoreN, for_n);
    EXPECT_EQ(t.singleCoreK, 256);
  }
}

TEST(MatmulTiling, ObeysWhatIsSet) {
  matmul_tiling::MultiCoreMatmulTiling api;
  set_types(api, DataType::DT_FLOAT16);
  api.SetDim(4);
  api.SetShape(1024, 640, 256);
  api.SetOrgShape(2048, 1280, 512, 256);
  api.SetSingleShape(512, 320, -1);
  api.SetFixSplit(128, 64, 32);
  api.SetTraverse(matmul_tiling::MatrixTraverse::FIRSTN);
  api.SetBias(true);
  api.SetBufferSpace(64 * 1024, 64 * 1024, -1);
  Tiling t;
  ASSERT_EQ(api.GetTiling(t), 0);
  EXPECT_EQ(t.M, 2048);
  EXPECT_EQ(t.N, 1280);
  EXPECT_EQ(t.Ka, 512);
  EXPECT_EQ(t.Kb, 256);
  EXPECT_EQ(t.singleCoreM, 512);
  EXPECT_EQ(t.singleCoreN, 320);
  EXPECT_EQ(t.baseM, 128);
  EXPECT_EQ(t.baseN, 64);
  EXPECT_EQ(t.baseK, 32);
  EXPECT_EQ(t.iterateOrder, 1);
  EXPECT_EQ(t.isBias, 1);
  EXPECT_EQ(t.usedCoreNum, 4);
  EXPECT_LE((t.depthA1 * 128 + t.depthB1 * 64) * 32 * 2, 64 * 1024);
}

TEST(MatmulTiling, ALargeProductGetsLargeBlocksBuffersTwiceAndAllCores) {
  matmul_tiling::MultiCoreMatmulTiling api;
  set_types(api, DataType::DT_FLOAT16);
  api.SetDim(24);
  api.SetShape(4096, 4096, 4096);
  Tiling t;
  ASSERT_EQ(api.GetTiling(t), 0);
  EXPECT_GE(t.usedCoreNum, 20);
  EXPECT_GE(t.baseM * t.baseN, 128 * 192);
  EXPECT_EQ(t.depthA1, 2 * t.stepKa);
  EXPECT_EQ(t.dbL0A, 2);
  EXPECT_EQ(t.dbL0B, 2);
}

TEST(MatmulTiling, TilingDataHasTheBytesOfTheKernelsStruct) {
  matmul_tiling::MatmulApiTiling api;
  set_types(api, DataType::DT_FLOAT16);
  api.SetShape(100, 200, 300);
  optiling::TCubeTiling data;
  ASSERT_EQ(api.GetTiling(data), 0);
  data.set_mxTypePara(7);
  ASSERT_EQ(data.GetDataSize(), sizeof(Tiling));
  Tiling t;
  data.SaveToBuffer(&t, sizeof(t));
  EXPECT_EQ(t.singleCoreM, 100);
  EXPECT_EQ(t.N, 200);
  EXPECT_EQ(t.Kb, 300);
  EXPECT_EQ(t.baseK, data.get_baseK());
  EXPECT_EQ(t.dbL0C, data.get_dbL0C());
  EXPECT_EQ(t.mxTypePara, 7);
}

TEST(MatmulTiling, RefusesWhatCannotBeKept) {
  matmul_tiling::MatmulApiTiling api;
  Tiling t;
  EXPECT_EQ(api.GetTiling(t), -1) << "no shape";
  EXPECT_EQ(api.SetShape(0, 16, 16), -1);
  EXPECT_EQ(api.SetFixSplit(100, 16, 16), -1);
  EXPECT_EQ(api.SetBufferSpace(1 << 20, -1, -1), -1);
  EXPECT_EQ(api.SetShape(512, 512, 64), 0);
  EXPECT_EQ(api.SetFixSplit(512, 512, 16), 0);
  EXPECT_EQ(api.GetTiling(t), -1) << "512 x 512 results are 1 MiB";
}

/// A core's part in whole fractals is the largest base block.
TEST(MatmulTiling, RefusesABaseBlockLargerThanThePart) {
  matmul_tiling::MatmulApiTiling api;
  set_types(api, DataType::DT_FLOAT16);
  Tiling t;
  api.SetShape(12, 100, 64);
  api.SetFixSplit(32, 64, -1);
  EXPECT_EQ(api.GetTiling(t), -1) << "32 rows of 12";
  api.SetFixSplit(16, 128, -1);
  EXPECT_EQ(api.GetTiling(t), -1) << "128 columns of 100";
  api.SetFixSplit(16, 112, -1);
  EXPECT_EQ(api.GetTiling(t), 0);
  EXPECT_EQ((std::vector<int>{t.baseM, t.baseN}), (std::vector<int>{16, 112}));
  matmul_tiling::MultiCoreMatmulTiling cores;
  set_types(cores, DataType::DT_FLOAT16);
  cores.SetDim(24);
  cores.SetShape(256, 256, 64);
  cores.SetFixSplit(128, 128, -1);
  EXPECT_EQ(cores.GetTiling(t), 0);
  EXPECT_GE(t.singleCoreM, 128) << "divisions into smaller parts are left out";
  EXPECT_GE(t.singleCoreN, 128);
  cores.SetSingleShape(64, 128, -1);
  EXPECT_EQ(cores.GetTiling(t), -1);
}

/// Layouts say how matrices are stored; the product has their rows and columns.
TEST(MatmulTiling, BatchesOfLayoutsHaveTheSizesOfTheirMatrices) {
  for (const bool trans_a : {false, true}) {
    for (const bool trans_b : {false, true}) {
      matmul_tiling::BatchMatmulTiling api;
      set_types(api, DataType::DT_FLOAT16, trans_a, trans_b);
      const auto of = [](bool turned, int rows, int cols) { return turned ? cols : rows; };
      api.SetALayout(2, of(trans_a, 32, 64), 3, 1, of(trans_a, 64, 32));
      api.SetBLayout(2, of(trans_b, 64, 48), 3, 1, of(trans_b, 48, 64));
      api.SetCLayout(2, 32, 3, 1, 48);
      api.SetBatchNum(3);
      Tiling t;
      ASSERT_EQ(api.GetTiling(t), 0);
      EXPECT_EQ((std::vector<int>{t.singleCoreM, t.singleCoreN, t.singleCoreK}),
                (std::vector<int>{32, 48, 64}));
    }
  }
}

}  // namespace
}  // namespace davsim::op_host
