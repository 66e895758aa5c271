// Attention of inference: functions/attention.txt, by davsim's operators.
#include "lists/attention.h"
#include "runtime/basic_operators/attention.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

/// What davsim's operator does not have.
void require_none(const void* given, const char* name) {
  if (given == nullptr) return;
  davsim::runtime::refuse_aclnn(std::string(name) + " is not supported: it is a null pointer");
}

}  // namespace

DAVSIM_FIRST_PHASE(
    FusedInferAttentionScore,
    (const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
     const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
     const aclIntArray* actualSeqLengthsKv, const aclTensor* deqScale1,
     const aclTensor* quantScale1, const aclTensor* deqScale2, const aclTensor* quantScale2,
     const aclTensor* quantOffset2, const aclTensor* antiquantScale,
     const aclTensor* antiquantOffset, const aclTensor* blockTable,
     const aclTensor* queryPaddingSize, const aclTensor* kvPaddingSize, int64_t numHeads,
     double scaleValue, int64_t preTokens, int64_t nextTokens, char* inputLayout,
     int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
     int64_t antiquantMode, bool softmaxLseFlag, const aclTensor* attentionOut,
     const aclTensor* softmaxLse),
    {
      require_none(deqScale1, "deqScale1");
      require_none(quantScale1, "quantScale1");
      require_none(deqScale2, "deqScale2");
      require_none(queryPaddingSize, "queryPaddingSize");
      require_none(kvPaddingSize, "kvPaddingSize");
      Attention call;
      call.query(query, inputLayout);
      call.keys(key, value);
      call.masks(pseShift, "pseShift", attenMask, "attenMask", sparseMode, preTokens, nextTokens);
      call.lengths(actualSeqLengths, actualSeqLengthsKv);
      call.pages(blockTable, "blockTable", blockSize);
      call.quantised_output(quantScale2, "quantScale2", quantOffset2, "quantOffset2");
      call.heads(numHeads, numKeyValueHeads, scaleValue, innerPrecise);
      call.quantised_both(work, antiquantScale, antiquantOffset, antiquantMode);
      call.add(work, attentionOut, softmaxLseFlag ? softmaxLse : nullptr, softmaxLseFlag);
    })

DAVSIM_FIRST_PHASE(
    FusedInferAttentionScoreV2,
    (const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
     const aclTensor* pseShiftOptional, const aclTensor* attenMaskOptional,
     const aclIntArray* actualSeqLengthsOptional, const aclIntArray* actualSeqLengthsKvOptional,
     const aclTensor* deqScale1Optional, const aclTensor* quantScale1Optional,
     const aclTensor* deqScale2Optional, const aclTensor* quantScale2Optional,
     const aclTensor* quantOffset2Optional, const aclTensor* antiquantScaleOptional,
     const aclTensor* antiquantOffsetOptional, const aclTensor* blockTableOptional,
     const aclTensor* queryPaddingSizeOptional, const aclTensor* kvPaddingSizeOptional,
     const aclTensor* keyAntiquantScaleOptional, const aclTensor* keyAntiquantOffsetOptional,
     const aclTensor* valueAntiquantScaleOptional, const aclTensor* valueAntiquantOffsetOptional,
     const aclTensor* keySharedPrefixOptional, const aclTensor* valueSharedPrefixOptional,
     const aclIntArray* actualSharedPrefixLenOptional, int64_t numHeads, double scaleValue,
     int64_t preTokens, int64_t nextTokens, char* inputLayout, int64_t numKeyValueHeads,
     int64_t sparseMode, int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode,
     bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
     const aclTensor* attentionOut, const aclTensor* softmaxLse),
    {
      require_none(deqScale1Optional, "deqScale1Optional");
      require_none(quantScale1Optional, "quantScale1Optional");
      require_none(deqScale2Optional, "deqScale2Optional");
      require_none(queryPaddingSizeOptional, "queryPaddingSizeOptional");
      require_none(kvPaddingSizeOptional, "kvPaddingSizeOptional");
      require_none(keySharedPrefixOptional, "keySharedPrefixOptional");
      require_none(valueSharedPrefixOptional, "valueSharedPrefixOptional");
      require_none(actualSharedPrefixLenOptional, "actualSharedPrefixLenOptional");
      Attention call;
      call.query(query, inputLayout);
      call.keys(key, value);
      call.masks(pseShiftOptional, "pseShiftOptional", attenMaskOptional, "attenMaskOptional",
                 sparseMode, preTokens, nextTokens);
      call.lengths(actualSeqLengthsOptional, actualSeqLengthsKvOptional);
      call.pages(blockTableOptional, "blockTableOptional", blockSize);
      call.quantised_output(quantScale2Optional, "quantScale2Optional", quantOffset2Optional,
                            "quantOffset2Optional");
      call.heads(numHeads, numKeyValueHeads, scaleValue, innerPrecise);
      call.quantised_keys(keyAntiquantScaleOptional, keyAntiquantOffsetOptional, keyAntiquantMode);
      call.quantised_values(valueAntiquantScaleOptional, valueAntiquantOffsetOptional,
                            valueAntiquantMode);
      call.quantised_both(work, antiquantScaleOptional, antiquantOffsetOptional, antiquantMode);
      call.add(work, attentionOut, softmaxLseFlag ? softmaxLse : nullptr, softmaxLseFlag);
    })

DAVSIM_FIRST_PHASE(
    FusedInferAttentionScoreV3,
    (const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
     const aclTensor* pseShiftOptional, const aclTensor* attenMaskOptional,
     const aclIntArray* actualSeqLengthsOptional, const aclIntArray* actualSeqLengthsKvOptional,
     const aclTensor* deqScale1Optional, const aclTensor* quantScale1Optional,
     const aclTensor* deqScale2Optional, const aclTensor* quantScale2Optional,
     const aclTensor* quantOffset2Optional, const aclTensor* antiquantScaleOptional,
     const aclTensor* antiquantOffsetOptional, const aclTensor* blockTableOptional,
     const aclTensor* queryPaddingSizeOptional, const aclTensor* kvPaddingSizeOptional,
     const aclTensor* keyAntiquantScaleOptional, const aclTensor* keyAntiquantOffsetOptional,
     const aclTensor* valueAntiquantScaleOptional, const aclTensor* valueAntiquantOffsetOptional,
     const aclTensor* keySharedPrefixOptional, const aclTensor* valueSharedPrefixOptional,
     const aclIntArray* actualSharedPrefixLenOptional, const aclTensor* queryRopeOptional,
     const aclTensor* keyRopeOptional, const aclTensor* keyRopeAntiquantScaleOptional,
     int64_t numHeads, double scaleValue, int64_t preTokens, int64_t nextTokens, char* inputLayout,
     int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
     int64_t antiquantMode, bool softmaxLseFlag, int64_t keyAntiquantMode,
     int64_t valueAntiquantMode, const aclTensor* attentionOut, const aclTensor* softmaxLse),
    {
      require_none(deqScale1Optional, "deqScale1Optional");
      require_none(quantScale1Optional, "quantScale1Optional");
      require_none(deqScale2Optional, "deqScale2Optional");
      require_none(queryPaddingSizeOptional, "queryPaddingSizeOptional");
      require_none(kvPaddingSizeOptional, "kvPaddingSizeOptional");
      require_none(keySharedPrefixOptional, "keySharedPrefixOptional");
      require_none(valueSharedPrefixOptional, "valueSharedPrefixOptional");
      require_none(actualSharedPrefixLenOptional, "actualSharedPrefixLenOptional");
      require_none(keyRopeAntiquantScaleOptional, "keyRopeAntiquantScaleOptional");
      Attention call;
      call.query(query, inputLayout);
      call.keys(key, value);
      call.masks(pseShiftOptional, "pseShiftOptional", attenMaskOptional, "attenMaskOptional",
                 sparseMode, preTokens, nextTokens);
      call.lengths(actualSeqLengthsOptional, actualSeqLengthsKvOptional);
      call.pages(blockTableOptional, "blockTableOptional", blockSize);
      call.quantised_output(quantScale2Optional, "quantScale2Optional", quantOffset2Optional,
                            "quantOffset2Optional");
      call.heads(numHeads, numKeyValueHeads, scaleValue, innerPrecise);
      call.quantised_keys(keyAntiquantScaleOptional, keyAntiquantOffsetOptional, keyAntiquantMode);
      call.quantised_values(valueAntiquantScaleOptional, valueAntiquantOffsetOptional,
                            valueAntiquantMode);
      call.quantised_both(work, antiquantScaleOptional, antiquantOffsetOptional, antiquantMode);
      call.rope(queryRopeOptional, keyRopeOptional);
      call.add(work, attentionOut, softmaxLseFlag ? softmaxLse : nullptr, softmaxLseFlag);
    })

DAVSIM_FIRST_PHASE(PromptFlashAttention,
                   (const aclTensor* query, const aclTensor* key, const aclTensor* value,
                    const aclTensor* pseShift, const aclTensor* attenMask,
                    const aclIntArray* actualSeqLengths, int64_t numHeads, double scaleValue,
                    int64_t preTokens, int64_t nextTokens, char* inputLayout,
                    int64_t numKeyValueHeads, const aclTensor* attentionOut),
                   {
                     Attention call;
                     call.query(query, inputLayout);
                     call.keys(key, value);
                     call.masks(pseShift, "pseShift", attenMask, "attenMask", 0, preTokens,
                                nextTokens);
                     call.lengths(actualSeqLengths, nullptr);
                     call.heads(numHeads, numKeyValueHeads, scaleValue, 0);
                     call.add(work, attentionOut, nullptr, false);
                   })

DAVSIM_FIRST_PHASE(
    PromptFlashAttentionV2,
    (const aclTensor* query, const aclTensor* key, const aclTensor* value,
     const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
     const aclIntArray* actualSeqLengthsKv, const aclTensor* deqScale1,
     const aclTensor* quantScale1, const aclTensor* deqScale2, const aclTensor* quantScale2,
     const aclTensor* quantOffset2, int64_t numHeads, double scaleValue, int64_t preTokens,
     int64_t nextTokens, char* inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
     const aclTensor* attentionOut),
    {
      require_none(deqScale1, "deqScale1");
      require_none(quantScale1, "quantScale1");
      require_none(deqScale2, "deqScale2");
      Attention call;
      call.query(query, inputLayout);
      call.keys(key, value);
      call.masks(pseShift, "pseShift", attenMask, "attenMask", sparseMode, preTokens, nextTokens);
      call.lengths(actualSeqLengths, actualSeqLengthsKv);
      call.quantised_output(quantScale2, "quantScale2", quantOffset2, "quantOffset2");
      call.heads(numHeads, numKeyValueHeads, scaleValue, 0);
      call.add(work, attentionOut, nullptr, false);
    })

DAVSIM_FIRST_PHASE(
    PromptFlashAttentionV3,
    (const aclTensor* query, const aclTensor* key, const aclTensor* value,
     const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
     const aclIntArray* actualSeqLengthsKv, const aclTensor* deqScale1,
     const aclTensor* quantScale1, const aclTensor* deqScale2, const aclTensor* quantScale2,
     const aclTensor* quantOffset2, int64_t numHeads, double scaleValue, int64_t preTokens,
     int64_t nextTokens, char* inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
     int64_t innerPrecise, const aclTensor* attentionOut),
    {
      require_none(deqScale1, "deqScale1");
      require_none(quantScale1, "quantScale1");
      require_none(deqScale2, "deqScale2");
      Attention call;
      call.query(query, inputLayout);
      call.keys(key, value);
      call.masks(pseShift, "pseShift", attenMask, "attenMask", sparseMode, preTokens, nextTokens);
      call.lengths(actualSeqLengths, actualSeqLengthsKv);
      call.quantised_output(quantScale2, "quantScale2", quantOffset2, "quantOffset2");
      call.heads(numHeads, numKeyValueHeads, scaleValue, innerPrecise);
      call.add(work, attentionOut, nullptr, false);
    })

DAVSIM_FIRST_PHASE(IncreFlashAttention,
                   (const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
                    const aclTensor* pseShift, const aclTensor* attenMask,
                    const aclIntArray* actualSeqLengths, int64_t numHeads, double scaleValue,
                    char* inputLayout, int64_t numKeyValueHeads, const aclTensor* attentionOut),
                   {
                     Attention call;
                     call.query(query, inputLayout);
                     call.keys(key, value);
                     call.masks(pseShift, "pseShift", attenMask, "attenMask", 0, kAllTokens,
                                kAllTokens);
                     call.lengths(nullptr, actualSeqLengths);
                     call.heads(numHeads, numKeyValueHeads, scaleValue, 0);
                     call.add(work, attentionOut, nullptr, false);
                   })

DAVSIM_FIRST_PHASE(
    IncreFlashAttentionV2,
    (const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
     const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
     const aclTensor* dequantScale1, const aclTensor* quantScale1, const aclTensor* dequantScale2,
     const aclTensor* quantScale2, const aclTensor* quantOffset2, int64_t numHeads,
     double scaleValue, char* inputLayout, int64_t numKeyValueHeads, const aclTensor* attentionOut),
    {
      require_none(dequantScale1, "dequantScale1");
      require_none(quantScale1, "quantScale1");
      require_none(dequantScale2, "dequantScale2");
      Attention call;
      call.query(query, inputLayout);
      call.keys(key, value);
      call.masks(pseShift, "pseShift", attenMask, "attenMask", 0, kAllTokens, kAllTokens);
      call.lengths(nullptr, actualSeqLengths);
      call.quantised_output(quantScale2, "quantScale2", quantOffset2, "quantOffset2");
      call.heads(numHeads, numKeyValueHeads, scaleValue, 0);
      call.add(work, attentionOut, nullptr, false);
    })

DAVSIM_FIRST_PHASE(
    IncreFlashAttentionV3,
    (const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
     const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
     const aclTensor* dequantScale1, const aclTensor* quantScale1, const aclTensor* dequantScale2,
     const aclTensor* quantScale2, const aclTensor* quantOffset2, const aclTensor* antiquantScale,
     const aclTensor* antiquantOffset, const aclTensor* blocktable, int64_t numHeads,
     double scaleValue, char* inputLayout, int64_t numKeyValueHeads, int64_t blockSize,
     int64_t innerPrecise, const aclTensor* attentionOut),
    {
      require_none(dequantScale1, "dequantScale1");
      require_none(quantScale1, "quantScale1");
      require_none(dequantScale2, "dequantScale2");
      Attention call;
      call.query(query, inputLayout);
      call.keys(key, value);
      call.masks(pseShift, "pseShift", attenMask, "attenMask", 0, kAllTokens, kAllTokens);
      call.lengths(nullptr, actualSeqLengths);
      call.quantised_output(quantScale2, "quantScale2", quantOffset2, "quantOffset2");
      call.quantised_both(work, antiquantScale, antiquantOffset, 0);
      call.pages(blocktable, "blocktable", blockSize);
      call.heads(numHeads, numKeyValueHeads, scaleValue, innerPrecise);
      call.add(work, attentionOut, nullptr, false);
    })

DAVSIM_FIRST_PHASE(
    IncreFlashAttentionV4,
    (const aclTensor* query, const aclTensorList* key, const aclTensorList* value,
     const aclTensor* pseShift, const aclTensor* attenMask, const aclIntArray* actualSeqLengths,
     const aclTensor* dequantScale1, const aclTensor* quantScale1, const aclTensor* dequantScale2,
     const aclTensor* quantScale2, const aclTensor* quantOffset2, const aclTensor* antiquantScale,
     const aclTensor* antiquantOffset, const aclTensor* blocktable, const aclTensor* kvPaddingSize,
     int64_t numHeads, double scaleValue, char* inputLayout, int64_t numKeyValueHeads,
     int64_t blockSize, int64_t innerPrecise, const aclTensor* attentionOut),
    {
      require_none(dequantScale1, "dequantScale1");
      require_none(quantScale1, "quantScale1");
      require_none(dequantScale2, "dequantScale2");
      require_none(kvPaddingSize, "kvPaddingSize");
      Attention call;
      call.query(query, inputLayout);
      call.keys(key, value);
      call.masks(pseShift, "pseShift", attenMask, "attenMask", 0, kAllTokens, kAllTokens);
      call.lengths(nullptr, actualSeqLengths);
      call.quantised_output(quantScale2, "quantScale2", quantOffset2, "quantOffset2");
      call.quantised_both(work, antiquantScale, antiquantOffset, 0);
      call.pages(blocktable, "blocktable", blockSize);
      call.heads(numHeads, numKeyValueHeads, scaleValue, innerPrecise);
      call.add(work, attentionOut, nullptr, false);
    })

DAVSIM_FIRST_PHASE(
    KvRmsNormRopeCache,
    (const aclTensor* kv, const aclTensor* gamma, const aclTensor* cos, const aclTensor* sin,
     const aclTensor* index, aclTensor* kCacheRef, aclTensor* ckvCacheRef,
     const aclTensor* kRopeScaleOptional, const aclTensor* cKvScaleOptional,
     const aclTensor* kRopeOffsetOptional, const aclTensor* cKvOffsetOptional, double epsilon,
     char* cacheModeOptional, bool isOutputKv, const aclTensor* kRopeOut, const aclTensor* cKvOut),
    {
      OperatorCall call{"kv_rmsnorm_rope_cache", {}, {}, {}};
      call.inputs = {{"kv", kv, "kv"},
                     {"gamma", gamma, "gamma"},
                     {"cos", cos, "cos"},
                     {"sin", sin, "sin"},
                     {"index", index, "index"},
                     {"k_cache", kCacheRef, "kCacheRef"},
                     {"ckv_cache", ckvCacheRef, "ckvCacheRef"},
                     {"k_rope_scale", kRopeScaleOptional, "kRopeScaleOptional"},
                     {"c_kv_scale", cKvScaleOptional, "cKvScaleOptional"},
                     {"k_rope_offset", kRopeOffsetOptional, "kRopeOffsetOptional"},
                     {"c_kv_offset", cKvOffsetOptional, "cKvOffsetOptional"}};
      call.outputs = {{"k_embed_out", kRopeOut, "kRopeOut"}, {"y_out", cKvOut, "cKvOut"}};
      call.attributes = {{"epsilon", epsilon}, {"is_output_kv", isOutputKv}};
      if (cacheModeOptional != nullptr && *cacheModeOptional != 0)
        call.attributes["cache_mode"] = cacheModeOptional;
      add_device_operator(work, call);
    })
