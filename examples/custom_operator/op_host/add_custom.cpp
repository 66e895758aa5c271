// AddCustom: z = x + alpha * y. What it takes, how it is split over the cores, which shape it
// gives.
#include "add_custom_tiling.h"

#include <algorithm>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
namespace {

constexpr uint32_t kBlockBytes = 32;
// x, y and z of a tile, each twice so that copies and arithmetic overlap.
constexpr uint32_t kBuffers = 6;
// Tiling keys: every core has the same share, or the last one has less.
constexpr uint64_t kEvenKey = 1;
constexpr uint64_t kUnevenKey = 2;

ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* x = context->GetInputShape(0);
  const gert::StorageShape* y = context->GetInputShape(1);
  if (x->GetStorageShape() != y->GetStorageShape()) return ge::GRAPH_FAILED;
  const auto total = static_cast<uint32_t>(x->GetStorageShape().GetShapeSize());
  const auto bytes =
      static_cast<uint32_t>(ge::GetSizeByDataType(context->GetInputDesc(0)->GetDataType()));

  const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  uint64_t ub = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
  const uint32_t unit = kBlockBytes / bytes;
  const uint32_t units = (total + unit - 1) / unit;
  const uint32_t most = std::max(std::min(platform.GetCoreNumAiv(), units), 1u);
  const uint32_t length = (units + most - 1) / most * unit;
  const uint32_t cores = std::max((total + length - 1) / std::max(length, 1u), 1u);
  const uint32_t rest = total - (cores - 1) * length;

  AddCustomTilingData tiling;
  tiling.set_alpha(*context->GetAttrs()->GetFloat(0));
  tiling.set_tile(static_cast<uint32_t>(ub) / kBuffers / bytes / unit * unit);
  tiling.full.set_cores(cores - 1);
  tiling.full.set_length(length);
  tiling.last.set_cores(1);
  tiling.last.set_length(rest);
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(cores);
  context->SetTilingKey(rest == length ? kEvenKey : kUnevenKey);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}

}  // namespace
}  // namespace optiling

namespace ge {
namespace {

graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return GRAPH_SUCCESS;
}

graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace
}  // namespace ge

namespace ops {

class AddCustom : public OpDef {
 public:
  explicit AddCustom(const char* name) : OpDef(name) {
    for (const char* input : {"x", "y"}) {
      this->Input(input)
          .ParamType(REQUIRED)
          .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
          .Format({ge::FORMAT_ND, ge::FORMAT_ND})
          .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    }
    this->Output("z")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("alpha").AttrType(OPTIONAL).Float(1.0f);
    this->SetInferShape(ge::InferShape);
    this->SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(AddCustom);

}  // namespace ops
