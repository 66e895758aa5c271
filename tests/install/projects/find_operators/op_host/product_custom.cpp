#include "product_custom_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

using namespace matmul_tiling;

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::Shape a = context->GetInputTensor(0)->GetOriginShape();
  const gert::Shape b = context->GetInputTensor(1)->GetOriginShape();
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  MultiCoreMatmulTiling cubeTiling(platform);
  cubeTiling.SetDim(4);
  cubeTiling.SetAType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cubeTiling.SetBType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
  cubeTiling.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
  cubeTiling.SetBiasType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
  cubeTiling.SetShape(a.GetDim(0), b.GetDim(1), a.GetDim(1));
  cubeTiling.SetOrgShape(a.GetDim(0), b.GetDim(1), a.GetDim(1));
  cubeTiling.EnableBias(true);
  cubeTiling.SetBufferSpace(-1, -1, -1);
  ProductTilingData tiling;
  if (cubeTiling.GetTiling(tiling.cubeTilingData) == -1) {
    return ge::GRAPH_FAILED;
  }
  tiling.set_slope(*context->GetAttrs()->GetFloat(0));
  tiling.set_behind(0x123456789);
  context->SetBlockDim((tiling.cubeTilingData.get_usedCoreNum() + 1) / 2);
  context->SetTilingKey(1);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class ProductCustom : public OpDef {
 public:
  explicit ProductCustom(const char* name) : OpDef(name) {
    this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("b").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
    this->Input("bias").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("c").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("slope").AttrType(OPTIONAL).Float(0.5);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ProductCustom);
}  // namespace ops
