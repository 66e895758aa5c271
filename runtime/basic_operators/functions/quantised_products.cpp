// Products of whole numbers that stand for others, and of groups: functions/quantised_products.txt.
#include "lists/quantised_products.h"
#include "runtime/basic_operators/grouped_products.hpp"
#include "runtime/basic_operators/quantised_products.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

Named factor(WorkList& work, const aclTensor* tensor, const char* name, bool is_transposed) {
  const std::size_t rank = required(tensor, name).GetViewShape().GetDimNum();
  if (!is_transposed || rank < 2) return {tensor, name};
  return {transposed(work, *tensor, rank - 2, rank - 1), name};
}

/// 0 and 1 ask for a tensor a group, 2 and 3 for one: which it is shows in the lists.
void require_split(std::int64_t item) {
  if (item >= 0 && item <= 3) return;
  davsim::runtime::refuse_aclnn("splitItem is 0 to 3, not " + std::to_string(item));
}

void refuse_given(const void* given, const char* name) {
  if (given == nullptr) return;
  davsim::runtime::refuse_aclnn(std::string(name) + " is not supported: it is a null pointer");
}

}  // namespace

DAVSIM_FIRST_PHASE(QuantMatmulV3,
                   (const aclTensor* x1, const aclTensor* x2, const aclTensor* scale,
                    const aclTensor* offset, const aclTensor* bias, bool transposeX1,
                    bool transposeX2, const aclTensor* out),
                   {
                     QuantisedProduct product{factor(work, x1, "x1", transposeX1),
                                              factor(work, x2, "x2", transposeX2),
                                              {scale, "scale"},
                                              {offset, "offset"},
                                              {nullptr, "pertokenScaleOptional"},
                                              {bias, "bias"}};
                     add_quantised_product(work, product, required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(QuantMatmulV4,
                   (const aclTensor* x1, const aclTensor* x2, const aclTensor* scale,
                    const aclTensor* offset, const aclTensor* pertokenScaleOptional,
                    const aclTensor* bias, bool transposeX1, bool transposeX2,
                    const aclTensor* out),
                   {
                     QuantisedProduct product{factor(work, x1, "x1", transposeX1),
                                              factor(work, x2, "x2", transposeX2),
                                              {scale, "scale"},
                                              {offset, "offset"},
                                              {pertokenScaleOptional, "pertokenScaleOptional"},
                                              {bias, "bias"}};
                     add_quantised_product(work, product, required(out, "out"));
                   })

DAVSIM_FIRST_PHASE(
    WeightQuantBatchMatmulV2,
    (const aclTensor* x, const aclTensor* weight, const aclTensor* antiquantScale,
     const aclTensor* antiquantOffsetOptional, const aclTensor* quantScaleOptional,
     const aclTensor* quantOffsetOptional, const aclTensor* biasOptional, int antiquantGroupSize,
     const aclTensor* y),
    {
      refuse_given(quantScaleOptional, "quantScaleOptional");
      refuse_given(quantOffsetOptional, "quantOffsetOptional");
      require_type(required(x, "x"), "x", {ge::DT_FLOAT16, ge::DT_BF16});
      const QuantisedWeight of{{weight, "weight"},
                               {antiquantScale, "antiquantScale"},
                               {antiquantOffsetOptional, "antiquantOffsetOptional"},
                               antiquantGroupSize};
      const Named factor{dequantised(work, of, x->GetDataType()), "weight"};
      Named bias{nullptr, "biasOptional"};
      if (biasOptional != nullptr) bias.tensor = as(work, *biasOptional, ge::DT_FLOAT);
      add_product_with_bias(work, {x, "x"}, factor, bias, required(y, "y"), CubeMath::kKeep);
    })

DAVSIM_FIRST_PHASE(GroupedMatmulV2,
                   (const aclTensorList* x, const aclTensorList* weight,
                    const aclTensorList* biasOptional, const aclTensorList* scaleOptional,
                    const aclTensorList* offsetOptional,
                    const aclTensorList* antiquantScaleOptional,
                    const aclTensorList* antiquantOffsetOptional,
                    const aclIntArray* groupListOptional, int64_t splitItem, int64_t groupType,
                    const aclTensorList* y),
                   {
                     GroupedProduct call;
                     call.x = x;
                     call.weight = weight;
                     call.bias = biasOptional;
                     call.scale = scaleOptional;
                     call.offset = offsetOptional;
                     call.antiquant_scale = antiquantScaleOptional;
                     call.antiquant_offset = antiquantOffsetOptional;
                     if (groupListOptional != nullptr && groupListOptional->Size() > 0) {
                       call.groups.assign(groupListOptional->GetData(),
                                          groupListOptional->GetData() + groupListOptional->Size());
                       call.has_groups = true;
                     }
                     call.group_type = groupType;
                     call.out = y;
                     require_split(splitItem);
                     add_grouped_product(work, call);
                   })

DAVSIM_FIRST_PHASE(GroupedMatmulV3,
                   (const aclTensorList* x, const aclTensorList* weight,
                    const aclTensorList* biasOptional, const aclTensorList* scaleOptional,
                    const aclTensorList* offsetOptional,
                    const aclTensorList* antiquantScaleOptional,
                    const aclTensorList* antiquantOffsetOptional,
                    const aclTensor* groupListOptional, int64_t splitItem, int64_t groupType,
                    const aclTensorList* y),
                   {
                     GroupedProduct call;
                     call.x = x;
                     call.weight = weight;
                     call.bias = biasOptional;
                     call.scale = scaleOptional;
                     call.offset = offsetOptional;
                     call.antiquant_scale = antiquantScaleOptional;
                     call.antiquant_offset = antiquantOffsetOptional;
                     if (groupListOptional != nullptr) {
                       call.groups = group_ends(*groupListOptional, false);
                       call.has_groups = true;
                     }
                     call.group_type = groupType;
                     call.out = y;
                     require_split(splitItem);
                     add_grouped_product(work, call);
                   })

DAVSIM_FIRST_PHASE(
    GroupedMatmulV4,
    (const aclTensorList* x, const aclTensorList* weight, const aclTensorList* biasOptional,
     const aclTensorList* scaleOptional, const aclTensorList* offsetOptional,
     const aclTensorList* antiquantScaleOptional, const aclTensorList* antiquantOffsetOptional,
     const aclTensorList* perTokenScaleOptional, const aclTensor* groupListOptional,
     const aclTensorList* activationInputOptional,
     const aclTensorList* activationQuantScaleOptional,
     const aclTensorList* activationQuantOffsetOptional, int64_t splitItem, int64_t groupType,
     int64_t groupListType, int64_t actType, aclTensorList* out,
     aclTensorList* activationFeatureOutOptional, aclTensorList* dynQuantScaleOutOptional),
    {
      GroupedProduct call;
      call.x = x;
      call.weight = weight;
      call.bias = biasOptional;
      call.scale = scaleOptional;
      call.offset = offsetOptional;
      call.antiquant_scale = antiquantScaleOptional;
      call.antiquant_offset = antiquantOffsetOptional;
      call.per_token = perTokenScaleOptional;
      if (groupListOptional != nullptr) {
        call.groups = group_ends(*groupListOptional, groupListType == 1);
        call.has_groups = true;
      }
      call.group_type = groupType;
      call.activation = actType;
      call.out = out;
      refuse_given(activationQuantScaleOptional, "activationQuantScaleOptional");
      refuse_given(activationQuantOffsetOptional, "activationQuantOffsetOptional");
      refuse_given(activationInputOptional, "activationInputOptional");
      refuse_given(activationFeatureOutOptional, "activationFeatureOutOptional");
      refuse_given(dynQuantScaleOutOptional, "dynQuantScaleOutOptional");
      require_split(splitItem);
      add_grouped_product(work, call);
    })
