// ModeCustom: y = x + 10 in mode 1, y = x * factor in mode 2, by way of a workspace, which has room
// for each vector core in mode 1. Other modes
// set a tiling key that the kernel does not have, or fail.
#include "acl/acl_rt.h"
#include "mode_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {

ge::graphStatus Tile(gert::TilingContext* context) {
  const int64_t mode = *context->GetAttrs()->GetInt(0);
  if (mode < 0) return ge::GRAPH_FAILED;
  const auto length = static_cast<uint32_t>(context->GetInputTensor(0)->GetShapeSize());
  if (mode == 2) {
    auto* tiling = context->GetTilingData<DoubleModeTiling>();
    const auto* factors = context->GetAttrs()->GetListInt(1);
    tiling->factor = static_cast<int32_t>(factors->GetData()[factors->GetSize() - 1]);
    tiling->length = length;
  } else {
    auto* tiling = context->GetTilingData<ModeTiling>();
    tiling->length = length;
    tiling->addend = FIRST_OF_MODE;
  }
  context->SetBlockDim(1);
  context->SetTilingKey(static_cast<uint64_t>(mode));
  const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
  const uint32_t parts = mode == 1 ? platform.GetCoreNumAiv() : 1;
  context->GetWorkspaceSizes(1)[0] = parts * length * sizeof(int32_t);
  return ge::GRAPH_SUCCESS;
}

// As projects do that describe failures of their kernels, by the type that programs have of
// acl_rt.h.
void DescribeFailure(aclrtExceptionInfo*, void*) {}

__attribute__((constructor)) void RegisterDescription() {
  IMPL_OP(ModeCustom).ExceptionDumpParseFunc(DescribeFailure);
}

}  // namespace

namespace ops {

class ModeCustom : public OpDef {
 public:
  explicit ModeCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Attr("mode").AttrType(REQUIRED).Int();
    this->Attr("factors").AttrType(OPTIONAL).ListInt({2, 3});
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ModeCustom);

}  // namespace ops

IMPL_OP_OPTILING(ModeCustom).Tiling(Tile);
