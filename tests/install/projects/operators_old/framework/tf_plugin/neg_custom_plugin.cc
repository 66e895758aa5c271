// Translates an operator of a framework, as plugins of such projects do.
#include "graph/operator_reg.h"
#include "register/register.h"

namespace ge {
REG_OP(NegCustomProto)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT16, DT_FLOAT}))
    .ATTR(factor, Float, 1.0)
    .OP_END_FACTORY_REG(NegCustomProto)
}

namespace domi {
static Status Translate(const google::protobuf::Message* from, ge::Operator& to) {
  if (AutoMappingFn(from, to) != SUCCESS) return FAILED;
  to.SetAttr("factor", 2.0f);
  return SUCCESS;
}

REGISTER_CUSTOM_OP("NegCustom")
    .FrameworkType(TENSORFLOW)
    .OriginOpType("NegCustom")
    .ParseParamsFn(Translate)
    .ImplyType(ImplyType::TVM);
REGISTER_CUSTOM_OP("NegCustom")
    .FrameworkType(ONNX)
    .OriginOpType({"ai.onnx::11::Neg", "ai.onnx::13::Neg"})
    .ParseParamsByOperatorFn(AutoMappingByOpFn);
}  // namespace domi
