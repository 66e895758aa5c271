// The contexts of tiling and inference: what they show of a call, and what comes back.
#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>

#include "platform/platform_info.h"
#include "runtime/op_host/platform.hpp"
#include "runtime/op_host/tiling.hpp"
#include "sim/soc/soc_config.hpp"
#include "tiling/platform/platform_ascendc.h"

namespace {

// What the functions below saw, because they are functions without state.
std::vector<std::string> seen;
int mode = 0;

struct PlainTiling {
  std::uint64_t rows;
  float alpha;
};
struct CompileInfo {
  std::uint32_t cores = 0;
};

void note(const char* what, double value) {
  seen.push_back(std::string(what) + " " + std::to_string(static_cast<long>(value * 100)));
}

ge::graphStatus parse(gert::TilingParseContext* context) {
  platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  context->GetCompiledInfo<CompileInfo>()->cores = platform.GetCoreNumAiv();
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus tiling(gert::TilingContext* context) {
  if (mode == 1) return ge::GRAPH_FAILED;
  if (mode == 2) throw std::runtime_error("no such shape");
  note("x rows", context->GetInputShape(0)->GetStorageShape().GetDim(0));
  note("mask", context->GetOptionalInputShape(1) == nullptr);
  note("parts", context->GetComputeNodeInfo()->GetInputInstanceInfo(2)->GetInstanceNum());
  note("part 1", context->GetDynamicInputTensor(2, 1)->GetShapeSize());
  note("input 2", context->GetInputTensor(2)->GetShapeSize());
  note("beyond", context->GetInputShape(9) == nullptr);
  note("axis", context->GetInputTensor(0)->GetData<std::int32_t>() == nullptr);
  note("sizes", context->GetRequiredInputTensor(3)->GetData<std::int64_t>()[1]);
  const gert::RuntimeAttrs* attrs = context->GetAttrs();
  note("alpha", *attrs->GetFloat(0));
  note("mode", attrs->GetAttrPointer<char>(1)[0] == 'f');
  note("list", attrs->GetListInt(2)->GetData()[1]);
  note("lists", static_cast<const std::int64_t*>(attrs->GetListListInt(3)->Get(1)->GetData())[0]);
  note("flags", attrs->GetListBool(4)->GetData()[1]);
  note("none", attrs->GetInt(5) == nullptr);
  note("cores", context->GetCompileInfo<CompileInfo>()->cores);
  note("type", context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT16);
  auto* data = context->GetTilingData<PlainTiling>();
  data->rows = 12;
  data->alpha = *attrs->GetFloat(0);
  context->SetBlockDim(mode == 3 ? 0 : 7);
  context->SetTilingKey(10000000000000000001ull);
  std::size_t* workspaces = context->GetWorkspaceSizes(2);
  workspaces[0] = 100;
  workspaces[1] = 28;
  if (mode == 4) context->GetRawTilingData()->SetDataSize(1 << 30);
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus infer(gert::InferShapeContext* context) {
  gert::Shape* z = context->GetOutputShape(0);
  *z = *context->GetInputShape(0);
  z->SetDim(0, z->GetDim(0) * 2);
  return context->GetOutputShape(1) == nullptr ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

}  // namespace

namespace ops {

class WatchedCustom : public OpDef {
 public:
  explicit WatchedCustom(const char* name) : OpDef(name) {
    this->Input("x").DataType({ge::DT_FLOAT16});
    this->Input("mask").ParamType(OPTIONAL).DataType({ge::DT_UINT8});
    this->Input("parts").ParamType(DYNAMIC).DataType({ge::DT_FLOAT16});
    this->Input("sizes").DataType({ge::DT_INT64}).ValueDepend(REQUIRED, DependScope::TILING);
    this->Output("z").DataType({ge::DT_FLOAT16});
    this->Attr("alpha").AttrType(OPTIONAL).Float(0.5f);
    this->Attr("mode").AttrType(OPTIONAL).String("fast");
    this->Attr("list").AttrType(OPTIONAL).ListInt({1, 2});
    this->Attr("lists").AttrType(OPTIONAL).ListListInt({{1}, {5, 6}});
    this->Attr("flags").AttrType(OPTIONAL).ListBool({false, true});
    this->SetInferShape(infer);
    this->AICore().SetTiling(tiling).AddConfig("ascend910b");
  }
};
OP_ADD(WatchedCustom);

}  // namespace ops

IMPL_OP_OPTILING(WatchedCustom)
    .TilingParse<CompileInfo>(parse)
    .HostInputs({0})
    .PrivateAttr("padding", "")
    .PrivateAttr("mode", std::int64_t{-1});

namespace davsim::op_host {
namespace {

class ContextsTest : public testing::Test {
 protected:
  ContextsTest() {
    seen.clear();
    mode = 0;
    arguments.inputs = {{tensor({12, 64})}, {}, {tensor({3}), tensor({5})}, {sizes}};
    arguments.outputs = {{tensor({})}};
    arguments.attributes = {2.5, {}, std::vector<std::int64_t>{7, 8}};
  }

  static TensorArgument tensor(const gert::Shape& shape) {
    return {ge::DT_FLOAT16, ge::FORMAT_ND, shape, &kElements};
  }
  Tiling run() const {
    return run_tiling(definition, arguments, platform_of(sim::SocConfig::named("Ascend910B3")));
  }
  std::string error(int how) const {
    mode = how;
    try {
      run();
    } catch (const FunctionError& error) {
      return error.what();
    }
    return "";
  }

  static constexpr std::int64_t kElements[2] = {4, 9};
  const TensorArgument sizes{ge::DT_INT64, ge::FORMAT_ND, {2}, &kElements};
  const Definition definition = definition_of("WatchedCustom", "ascend910b");
  Arguments arguments;
};

TEST_F(ContextsTest, ShowTheCall) {
  const Tiling result = run();
  EXPECT_EQ(seen, (std::vector<std::string>{"x rows 1200", "mask 100", "parts 200", "part 1 500",
                                            "input 2 500", "beyond 100", "axis 100", "sizes 900",
                                            "alpha 250", "mode 100", "list 800", "lists 500",
                                            "flags 100", "none 100", "cores 4000", "type 100"}));
  EXPECT_EQ(result.block_dim, 7u);
  EXPECT_EQ(result.key, 10000000000000000001ull);
  EXPECT_EQ(result.workspace_bytes, 128u);
  ASSERT_EQ(result.data_bytes, sizeof(PlainTiling));
  const auto* data = reinterpret_cast<const PlainTiling*>(result.data.data());
  EXPECT_EQ(data->rows, 12u);
  EXPECT_EQ(data->alpha, 2.5f);
}

TEST_F(ContextsTest, FailuresOfTheFunctionsNameThem) {
  EXPECT_EQ(error(1), "the tiling function of WatchedCustom succeeds; it returned GRAPH_FAILED");
  EXPECT_EQ(error(2),
            "the tiling function of WatchedCustom throws nothing; it threw 'no such shape'");
  EXPECT_EQ(error(3),
            "the tiling function of WatchedCustom sets a block number from 1 to 65535; it is 0");
  EXPECT_EQ(error(4),
            "the tiling function of WatchedCustom stays within the capacity of the tiling data, "
            "65536 bytes; SetDataSize was given 1073741824");
}

TEST_F(ContextsTest, InferenceSetsTheShapesOfOutputs) {
  const auto shapes = infer_shapes(definition, arguments);
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0], (gert::Shape{24, 64}));
}

struct Sizes {
  const char* soc;
  std::uint32_t aiv, aic;
};
void PrintTo(const Sizes& sizes, std::ostream* out) {
  *out << sizes.soc;
}

class PlatformTest : public testing::TestWithParam<Sizes> {};

TEST_P(PlatformTest, HasTheValuesOfTheSoc) {
  using platform_ascendc::CoreMemType;
  const sim::SocConfig soc = sim::SocConfig::named(GetParam().soc);
  fe::PlatFormInfos info = platform_of(soc);
  platform_ascendc::PlatformAscendC platform(&info);
  EXPECT_EQ(platform.GetCoreNumAiv(), GetParam().aiv);
  EXPECT_EQ(platform.GetCoreNumAic(), GetParam().aic);
  EXPECT_EQ(platform.GetSocVersion(), platform_ascendc::SocVersion::ASCEND910B);
  const auto size = [&](CoreMemType memory) {
    std::uint64_t bytes = 1;
    platform.GetCoreMemSize(memory, bytes);
    return bytes;
  };
  EXPECT_EQ(size(CoreMemType::UB), 196352u);
  EXPECT_EQ(size(CoreMemType::L1), 524032u);
  EXPECT_EQ(size(CoreMemType::L0_A), 65536u);
  EXPECT_EQ(size(CoreMemType::L0_C), 131072u);
  EXPECT_EQ(size(CoreMemType::BT), 1024u);
  EXPECT_EQ(size(CoreMemType::FB), 2048u);
  EXPECT_EQ(size(CoreMemType::HBM), soc.hbm_bytes());
  EXPECT_EQ(size(CoreMemType::L2), soc.l2_bytes());
  platform.ReserveLocalMemory(platform_ascendc::ReservedSize::RESERVED_SIZE_8K);
  EXPECT_EQ(size(CoreMemType::UB), 196352u - 8192);
  EXPECT_EQ(platform.GetLibApiWorkSpaceSize(), 16777216u);
  EXPECT_EQ(platform.GetVecRegLen(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Socs, PlatformTest,
                         testing::Values(Sizes{"Ascend910B1", 48, 24}, Sizes{"Ascend910B3", 40, 20},
                                         Sizes{"Ascend910_9391", 48, 24}));

TEST(Platform, ADescriptionSaysSizesAndCounts) {
  fe::PlatFormInfos info;
  std::uint64_t bytes = 1;
  EXPECT_FALSE(info.GetLocalMemSize(fe::LocalMemType::UB, bytes));
  fe::PlatformInfoManager& manager = fe::PlatformInfoManager::GeInstance();
  EXPECT_EQ(manager.GetRuntimePlatformInfosByDevice(0, info), 0u);
  EXPECT_EQ(info.GetCoreNumByType("aiv"), 40u);
  EXPECT_EQ(info.GetCoreNumByType("VectorCore"), 40u);
  EXPECT_EQ(info.GetCoreNumByType("AiCore"), 20u);
  std::string cubes;
  EXPECT_TRUE(info.GetPlatformRes("SoCInfo", "cube_core_cnt", cubes));
  EXPECT_EQ(cubes, "20");
  EXPECT_TRUE(info.GetLocalMemSize(fe::LocalMemType::UB, bytes));
  EXPECT_EQ(bytes, 196608u);
  EXPECT_TRUE(info.GetLocalMemSize(fe::LocalMemType::L0_C, bytes));
  EXPECT_EQ(bytes, 131072u);
  fe::OptionalInfos optional;
  EXPECT_EQ(manager.GetPlatformInfos("Ascend910B1", info, optional), 0u);
  EXPECT_EQ(info.GetCoreNum(), 24u);
  EXPECT_NE(manager.GetPlatformInfos("Ascend1", info, optional), 0u);
}

TEST(Platform, BlocksOfAMixedLaunchAreRoundedUp) {
  const platform_ascendc::PlatformAscendC platform(nullptr);
  EXPECT_EQ(platform.CalcTschBlockDim(5, 20, 40), 3u);
  EXPECT_EQ(platform.CalcTschBlockDim(41, 20, 40), 0u) << "more than there are";
  EXPECT_EQ(platform.CalcTschBlockDim(5, 0, 40), 5u);
}

}  // namespace
}  // namespace davsim::op_host
