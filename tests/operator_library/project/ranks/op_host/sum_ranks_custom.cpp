// SumRanksCustom: y = the sum of all ranks' x, by a communicator whose name the attribute `group`
// has. The communicator's tiling is part of tiling data in the form of macros.
#include "register/op_def_registry.h"
#include "tiling/tiling_api.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(SumRanksTiling)
TILING_DATA_FIELD_DEF_STRUCT(Mc2InitTiling, init);
TILING_DATA_FIELD_DEF_STRUCT(Mc2CcTiling, sum);
TILING_DATA_FIELD_DEF(uint32_t, length);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SumRanksCustom, SumRanksTiling)

static ge::graphStatus Tile(gert::TilingContext* context) {
  constexpr uint32_t kAllReduce = HCCL_CMD_ALLREDUCE;
  SumRanksTiling tiling;
  AscendC::Mc2CcTilingConfig config(context->GetAttrs()->GetStr(0), kAllReduce,
                                    "AllReduce=level0:doublering", HCCL_REDUCE_SUM);
  if (config.GetTiling(tiling.init) != 0 || config.GetTiling(tiling.sum) != 0) {
    return ge::GRAPH_FAILED;
  }
  tiling.set_length(static_cast<uint32_t>(context->GetInputTensor(0)->GetShapeSize()));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(2);
  context->SetTilingKey(3);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ops {

class SumRanksCustom : public OpDef {
 public:
  explicit SumRanksCustom(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
    this->Attr("group").AttrType(REQUIRED).String();
    this->AICore().SetTiling(optiling::Tile);
    this->AICore().AddConfig("ascend910b").AddConfig("ascend910_93");
    this->MC2().HcclGroup("group");
  }
};
OP_ADD(SumRanksCustom);

}  // namespace ops
