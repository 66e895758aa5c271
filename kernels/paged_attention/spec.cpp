#include "kernels/paged_attention/spec.hpp"

#include <string>
#include <utility>
#include <vector>

namespace davsim::operators::paged_attention {
namespace {

using isa::DType;

// Functions, not constants: operators are described while statics are still being made.
std::vector<DType> elements() {
  return {DType::kF16, DType::kBF16, DType::kI8};
}
std::vector<DType> halves() {
  return {DType::kF16, DType::kBF16};
}
std::vector<DType> scales() {
  return {DType::kF32, DType::kI64};
}

TensorSpec input(std::string name, std::vector<DType> dtypes, std::string shape, std::string need,
                 std::string doc) {
  return {std::move(name),  Direction::kIn,  std::move(dtypes), "ND",
          std::move(shape), std::move(need), std::move(doc),    false};
}

TensorSpec cache(std::string name, std::string shape, std::string need, std::string doc) {
  TensorSpec spec =
      input(std::move(name), elements(), std::move(shape), std::move(need), std::move(doc));
  spec.format = "ND or NZ";
  return spec;
}

std::vector<TensorSpec> tensors() {
  const std::string quantised = "quantType not 0";
  const std::string offsets = "quantType 1 and hasQuantOffset";
  return {
      input("query", elements(), "[numTokens, headNum, D]", "required",
            "int8 with quantType 2 and 3"),
      cache("keyCache",
            "[nb, bs, kvH, D]; inputLayout 1: [nb, kvH, bs, D]; 310P: [nb, kvH*D/16, bs, 16]",
            "required", "dtype of query; int8 with quantType not 0"),
      cache("valueCache", "as keyCache, Dv wide", "mlaVHeadSize 0", "dtype of keyCache"),
      input("blockTables", {DType::kI32}, "[batch, maxPages]", "required",
            "page numbers; entries behind a batch's last page are not read"),
      input("contextLens", {DType::kI32}, "[batch]", "required", "rows of key and value; 0: none"),
      input("mask", halves(), "by maskType", "maskType not 0", "added to the scaled scores"),
      input("batchRunStatus", {DType::kI32}, "[batch]", "batchRunStatusEnable",
            "contextLens are multiplied by it already"),
      input("kDescale", scales(), "[kvH*D]; quantType 2 and 3: [headNum]", quantised, ""),
      input("kOffset", {DType::kI32}, "[kvH*D]", offsets, "added before scaling"),
      input("vDescale", scales(), "[kvH*Dv]; quantType 2 and 3: [headNum]", quantised, ""),
      input("vOffset", {DType::kI32}, "[kvH*Dv]", offsets, "added before scaling"),
      input("qSeqLens", {DType::kI32}, "[batch]", "calcType 1", "query rows a batch"),
      input("razorOffset", {DType::kF32}, "[nb, bs]", "compressType 2",
            "added to query times key, before the scale"),
      input("pScale", {DType::kF32}, "[headNum]", "quantType 2", "multiplies the probabilities"),
      input("logN", {DType::kF32, DType::kF16}, "[batch]", "scaleType 1", "multiplies qkScale"),
      {"attnOut", Direction::kOut, halves(), "ND", "[numTokens, headNum, Dv]", "always",
       "dtype of query; of an int8 query outDataType", false},
  };
}

AttributeSpec integer(const char* name, std::int64_t def, const char* doc) {
  return {name, "int", boost::json::value(def), doc};
}
AttributeSpec real(const char* name, const char* doc) {
  return {name, "float", boost::json::value(1.0), doc};
}
AttributeSpec flag(const char* name, const char* doc) {
  return {name, "bool", boost::json::value(false), doc};
}

std::vector<AttributeSpec> attributes() {
  return {
      integer("headNum", 0, "query heads, above 0"),
      real("qkScale", "multiplies query times key"),
      integer("kvHeadNum", 0, "key and value heads; 0: headNum"),
      integer("maskType", 0, "0 none, 1 NORM, 2 ALIBI, 3 SPEC; 310P: 4 MASK_FREE, 5 NORM_COMPRESS"),
      flag("batchRunStatusEnable", "only batches with a context have query rows"),
      integer("quantType", 0, "0 none, 1 int8 cache, 2 and 3 all int8: pScale given, computed"),
      {"outDataType", "string", boost::json::value(""), "fp16 or bf16, of quantType 2 and 3"},
      flag("hasQuantOffset", "kOffset and vOffset are given"),
      integer("compressType", 0, "0 none, 1 KVHEAD, 2 KVHEAD_ROPE: a sequence a kv head"),
      integer("calcType", 0, "1 SPEC: qSeqLens rows a batch"),
      integer("scaleType", 0, "1 LOGN: logN multiplies qkScale"),
      integer("inputLayout", 0, "0 BSND, 1 BNSD: of the caches"),
      integer("mlaVHeadSize", 0, "above 0: value is the head of each row of keyCache"),
      real("qScale", "multiplies query; 0 and 1: off"),
  };
}

}  // namespace

OperatorInfo describe() {
  OperatorInfo info;
  info.name = "paged_attention";
  info.summary =
      "Attention of decode over paged caches: softmax(qkScale * query * key + mask) * value.";
  info.products = {"A2", "A3", "310P"};
  info.tensors = tensors();
  info.attributes = attributes();
  info.limits = {
      "headNum is a multiple of kvHeadNum.",
      "D and Dv are at most 576 and multiples of 16.",
      "bs is a multiple of 16; at most 128 where D or Dv is above 256 (256 with 16 or 32 heads, "
      "mlaVHeadSize 512 and D 576).",
      "D*bs is at most 16384 where D = Dv, unless both are 256 and nothing is combined.",
      "calcType 1: at most 2000 batches, bs at most 128; without mlaVHeadSize at most 256 heads, "
      "D*headNum at most 16384.",
      "Tensors whose condition does not hold are not given.",
      "What may be combined is in docs/operators/paged_attention.md.",
  };
  return info;
}

}  // namespace davsim::operators::paged_attention
