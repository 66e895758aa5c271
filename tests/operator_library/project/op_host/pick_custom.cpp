// PickCustom: y[i] = x[index[i]] + addend + extra. The host reads index, which programs give as an
// array or as a tensor; addend is a scalar; extra is the sum of scales and of the flags that are
// set, and of the length of the text.
#include <cstring>

#include "pick_tiling.h"
#include "register/op_def_registry.h"

static ge::graphStatus Tile(gert::TilingContext* context) {
  const gert::Tensor* index = context->GetInputTensor(1);
  const int64_t* places = index->GetData<int64_t>();
  if (places == nullptr) return ge::GRAPH_FAILED;
  const int64_t count = index->GetShapeSize();
  for (int64_t i = 0; i < count; ++i) {
    if (places[i] >= context->GetInputTensor(0)->GetShapeSize()) return ge::GRAPH_FAILED;
  }
  const gert::RuntimeAttrs* attrs = context->GetAttrs();
  auto* tiling = context->GetTilingData<PickTiling>();
  tiling->length = static_cast<uint32_t>(count);
  tiling->extra = static_cast<int32_t>(std::strlen(attrs->GetStr(0)));
  const auto* scales = attrs->GetListFloat(1);
  for (size_t i = 0; i < scales->GetSize(); ++i) {
    tiling->extra += static_cast<int32_t>(scales->GetData()[i]);
  }
  const auto* flags = attrs->GetAttrPointer<gert::TypedContinuousVector<bool>>(2);
  for (size_t i = 0; i < flags->GetSize(); ++i) tiling->extra += flags->GetData()[i] ? 1 : 0;
  context->SetBlockDim(1);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class PickCustom : public OpDef {
 public:
  explicit PickCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32, ge::DT_FLOAT}).AutoContiguous();
    this->Input("index_list")
        .ParamType(REQUIRED)
        .DataTypeList({ge::DT_INT64})
        .ValueDepend(OPTIONAL);
    this->Input("addend").ParamType(REQUIRED).Follow("x").Scalar();
    this->Output("y").ParamType(REQUIRED).Follow("x");
    this->Attr("text").AttrType(OPTIONAL).String("ab");
    this->Attr("scales").AttrType(OPTIONAL).ListFloat({1.0f, 2.0f});
    this->Attr("flags").AttrType(REQUIRED).ListBool();
    this->AICore().SetTiling(Tile).AddConfig("ascend910b").AddConfig("ascend910_93");
  }
};
OP_ADD(PickCustom);

}  // namespace ops
