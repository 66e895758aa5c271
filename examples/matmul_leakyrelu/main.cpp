// Host side of matmul_leakyrelu: the tiling, matrices and bias, one launch, a check of every
// element.
#include "examples/common/matmul_data.hpp"
#include "tiling/tiling_api.h"

namespace {

constexpr std::uint32_t kBlocks = 4, kM = 192, kN = 384, kK = 256;

AscendC::tiling::TCubeTiling make_tiling() {
  using namespace matmul_tiling;
  MultiCoreMatmulTiling api;
  api.SetDim(2 * kBlocks);  // every vector core is a client
  api.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  api.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  api.SetCType(TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
  api.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
  api.SetShape(kM, kN, kK);
  api.SetOrgShape(kM, kN, kK);
  api.EnableBias(true);
  api.SetFixSplit(64, 64, -1);
  api.SetTraverse(MatrixTraverse::FIRSTM);
  AscendC::tiling::TCubeTiling tiling;
  if (api.GetTiling(tiling) != 0) throw std::runtime_error("no tiling fits");
  return tiling;
}

bool matmul_leakyrelu(example::Device& device) {
  const example::Matrices data = example::matrices(device, kM, kN, kK);
  const auto bias =
      example::tensor<float>(device, kN, "bias", [](auto i) { return float(i % 9) - 4; });
  const auto tiling = example::tensor<AscendC::tiling::TCubeTiling>(
      device, 1, "tiling", [](auto) { return make_tiling(); });

  const auto report =
      device.launch("matmul_leakyrelu_custom", kBlocks, example::gm(data.a), example::gm(data.b),
                    example::gm(bias), example::gm(data.c), example::gm(tiling));

  for (std::size_t i = 0; i < data.c.size(); ++i) {
    const float sum = data.expected(i / kN, i % kN) + bias[i % kN];
    const float expected = sum < 0 ? 0.25f * sum : sum;
    if (!example::right(data.c[i] != expected, "matmul_leakyrelu", i, expected, data.c[i])) {
      return false;
    }
  }
  example::print("matmul_leakyrelu", report);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, matmul_leakyrelu);
}
