// ScaleCustom: y = x * factor, negated where the attribute says so. Only -3 is compiled.
#include "register/op_def_registry.h"
#include "scale_template.h"
#include "scale_tiling.h"

static ge::graphStatus Tile(gert::TilingContext* context) {
  const gert::RuntimeAttrs* attrs = context->GetAttrs();
  const auto type = static_cast<uint32_t>(context->GetInputDesc(0)->GetDataType());
  const auto factor = static_cast<uint32_t>(*attrs->GetInt(0));
  const uint32_t negate = *attrs->GetBool(1) ? 1 : 0;
  ASCENDC_TPL_SEL_PARAM(context, type, factor, negate);
  context->GetTilingData<ScaleTiling>()->length =
      static_cast<uint32_t>(context->GetInputTensor(0)->GetShapeSize());
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class ScaleCustom : public OpDef {
 public:
  explicit ScaleCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).Follow("x");
    this->Attr("factor").AttrType(OPTIONAL).Int(3);
    this->Attr("negate").AttrType(OPTIONAL).Bool(true);
    this->AICore().SetTiling(Tile).AddConfig("ascend910b");
  }
};
OP_ADD(ScaleCustom);

}  // namespace ops
