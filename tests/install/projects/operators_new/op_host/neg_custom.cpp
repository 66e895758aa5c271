#include "adv_api/hccl/hccl_tiling.h"
#include "adv_api/matmul/matmul_tiling.h"
#include "neg_custom_tiling.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/platform_util.h"
#include "op_host/infershape_elewise_util.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "util/math_util.h"

#ifndef NEG_FACTOR
#define NEG_FACTOR -1.0f
#endif

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  NegTilingData tiling;
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint32_t total = context->GetInputShape(0)->GetOriginShape().GetShapeSize();
  uint32_t cores = platform.GetCoreNumAiv() >= 8 ? 8 : 1;
  context->SetBlockDim(cores);
  OP_CHECK_IF(Ops::Base::GetUbBlockSize(context) != 32, OP_LOGE(context, "blocks of 32 bytes"),
              return ge::GRAPH_FAILED);
  tiling.set_length(Ops::Base::CeilDiv(total, cores));
  const auto* times = context->GetAttrs()->GetListListInt(0);
  tiling.set_factor(NEG_FACTOR *
                    static_cast<float>(static_cast<const int64_t*>(times->Get(0)->GetData())[0]));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = platform.GetLibApiWorkSpaceSize();
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  OP_LOGD(context->GetNodeName(), "shape %s",
          Ops::Base::ToString(*context->GetInputShape(0)).c_str());
  return Ops::Base::InferShape4Elewise(context);
}
static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class NegCustom : public OpDef {
 public:
  explicit NegCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("times").AttrType(OPTIONAL).ListListInt({{1}});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(NegCustom);
}  // namespace ops
