// WrongCustom: y[0] = x[0], by a kernel that then goes wrong in the way that its attribute names.
#include "register/op_def_registry.h"
#include "wrong_tiling.h"

static ge::graphStatus Tile(gert::TilingContext* context) {
  auto* tiling = context->GetTilingData<WrongTiling>();
  tiling->mode = static_cast<int32_t>(*context->GetAttrs()->GetInt(0));
  tiling->length = static_cast<uint32_t>(context->GetInputTensor(0)->GetShapeSize());
  tiling->nowhere = 0;
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class WrongCustom : public OpDef {
 public:
  explicit WrongCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).Follow("x");
    this->Attr("mode").AttrType(OPTIONAL).Int(0);
    this->AICore().SetTiling(Tile).AddConfig("ascend910b");
  }
};
OP_ADD(WrongCustom);

}  // namespace ops
