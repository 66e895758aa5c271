// JoinCustom: adds the sums of all parts, and the optional offset, to the first element of total,
// which it updates in place; sizes gets the number of elements of each part. A part of one
// dimension may be a view.
#include "register/op_def_registry.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(JoinTiling)
TILING_DATA_FIELD_DEF(uint8_t, hasOffset);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 4, lengths);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 4, steps);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(JoinCustom, JoinTiling)

static ge::graphStatus Tile(gert::TilingContext* context) {
  JoinTiling tiling;
  const size_t parts = context->GetComputeNodeInfo()->GetInputInstanceInfo(0)->GetInstanceNum();
  if (parts > 4) return ge::GRAPH_FAILED;
  uint16_t lengths[4] = {}, steps[4] = {};
  for (size_t i = 0; i < parts; ++i) {
    lengths[i] = static_cast<uint16_t>(
        context->GetDynamicInputShape(0, i)->GetStorageShape().GetShapeSize());
    const gert::Stride* stride = context->GetDynamicInputStride(0, i);
    steps[i] = stride == nullptr ? 1 : static_cast<uint16_t>(stride->GetStride(0));
  }
  tiling.set_lengths(lengths);
  tiling.set_steps(steps);
  tiling.set_hasOffset(context->GetOptionalInputTensor(1) != nullptr);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  const size_t parts = context->GetComputeNodeInfo()->GetInputInstanceInfo(0)->GetInstanceNum();
  // What the kernel does not take leaves the sizes open.
  *context->GetOutputShape(1) =
      parts > 4 ? gert::Shape({-1, -1}) : gert::Shape({static_cast<int64_t>(parts)});
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class JoinCustom : public OpDef {
 public:
  explicit JoinCustom(const char* name) : OpDef(name) {
    this->Input("parts")
        .ParamType(DYNAMIC)
        .DataType({ge::DT_INT32})
        .Format({ge::FORMAT_ND})
        .IgnoreContiguous();
    this->Input("offset").ParamType(OPTIONAL).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Input("total").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Output("total").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Output("sizes")
        .ParamType(REQUIRED)
        .DataType({ge::DT_INT64})
        .Format({ge::FORMAT_ND})
        .InitValue(0);
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(optiling::Tile).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(JoinCustom);

}  // namespace ops
