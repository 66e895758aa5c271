#include "kernels/fused_infer_attention_score_v2/spec.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace davsim::operators::fused_infer_attention_score {
namespace {

using isa::DType;

// Functions, not constants: operators are described while statics are still being made.
std::vector<DType> halves() {
  return {DType::kF16, DType::kBF16};
}
std::vector<DType> reals() {
  return {DType::kF16, DType::kBF16, DType::kF32};
}
std::vector<DType> query_types() {
  return {DType::kF16, DType::kBF16, DType::kI8};
}
std::vector<DType> key_types() {
  return {DType::kF16, DType::kBF16, DType::kI8, DType::kI32};
}

TensorSpec input(std::string name, std::vector<DType> dtypes, std::string shape, std::string need,
                 std::string doc) {
  return {std::move(name),  Direction::kIn,  std::move(dtypes), "ND",
          std::move(shape), std::move(need), std::move(doc),    false};
}

TensorSpec key_or_value(std::string name, std::string doc) {
  TensorSpec spec = input(std::move(name), key_types(),
                          "by input_layout; paged [nb, bs, Nkv*D], [nb, Nkv, bs, D] or "
                          "[nb, Nkv, D/C0, bs, C0]",
                          "required", std::move(doc));
  spec.format = "ND or NZ";
  spec.list = true;
  return spec;
}

std::vector<TensorSpec> tensors() {
  return {
      input("query", query_types(), "by input_layout", "required",
            "int8 only with rope parts of D = 512"),
      key_or_value("key", "int32: eight int4 each; one tensor, or key.0, key.1, ... of batch 1"),
      key_or_value("value", "as key"),
      input("query_rope", halves(), "that of query, 64 wide", "with key_rope", "MLA: rotated part"),
      input("key_rope", halves(), "that of key, 64 wide", "with query_rope", "MLA: rotated part"),
      input("pse_shift", halves(), "[B or 1, Nq, >= Sq, >= Skv]", "optional",
            "added to the scaled scores"),
      input("atten_mask", {DType::kBool, DType::kI8, DType::kU8},
            "[Sq, Skv], [B or 1, Sq, Skv], [B or 1, 1, Sq, Skv]; sparse 2 to 4 [2048, 2048]",
            "sparse_mode 1 to 4", "not 0: not attended to"),
      input("block_table", {DType::kI32}, "[B, >= maxPages]", "paged caches",
            "page numbers in the order of each batch"),
      input("dequant_scale_query", {DType::kF32}, "[B, Sq, Nq] or [T, Nq]", "int8 query", ""),
      input("dequant_scale_key", reals(), "by key_quant_mode", "quantised key", ""),
      input("dequant_offset_key", reals(), "that of the scale", "optional", "added before scaling"),
      input("dequant_scale_value", reals(), "by value_quant_mode", "quantised value", ""),
      input("dequant_offset_value", reals(), "that of the scale", "optional", "as for key"),
      input("dequant_scale_key_rope", reals(), "-", "reserved", "must not be given"),
      input("quant_scale_out", {DType::kF32, DType::kBF16}, "[1], or Nq*Dv elements", "int8 output",
            "multiplies the result"),
      input("quant_offset_out", {DType::kF32, DType::kBF16}, "that of quant_scale_out", "optional",
            "added to the scaled result"),
      {"attention_out",
       Direction::kOut,
       {DType::kF16, DType::kBF16, DType::kI8},
       "ND",
       "by input_layout",
       "always",
       "int8 with quant_scale_out, bfloat16 of an int8 query, else as query",
       false},
      {"softmax_lse",
       Direction::kOut,
       {DType::kF32},
       "ND",
       "[B, Nq, Sq, 1] or [T, Nq, 1]; [1] unless asked for",
       "always",
       "ln(sum(exp(score))); +inf of a row that sees nothing",
       false},
  };
}

std::vector<AttributeSpec> attributes() {
  const auto none = boost::json::value(nullptr);
  std::vector<AttributeSpec> all = {
      {"actual_seq_qlen", "int list", none, "query rows a batch; TND: running sums"},
      {"actual_seq_kvlen", "int list", none, "key rows a batch; TND, not paged: running sums"},
      {"num_query_heads", "int", boost::json::value(1), "Nq"},
      {"num_key_value_heads", "int", boost::json::value(0), "Nkv; 0: Nq"},
      {"softmax_scale", "float", boost::json::value(1.0), "multiplies query times key"},
      {"pre_tokens", "int", boost::json::value(2147483647), "band, of sparse_mode 0 and 4"},
      {"next_tokens", "int", boost::json::value(2147483647), "band, of sparse_mode 0 and 4"},
      {"input_layout", "string", boost::json::value("BSH"),
       "BSH, BSND, BNSD, BNSD_BSND, BSH_NBSD, BSND_NBSD, BNSD_NBSD, TND, TND_NTD, NTD_TND"},
      {"sparse_mode", "int", boost::json::value(0),
       "0 as the mask says, 1 all, 2 left-up causal, 3 right-down causal, 4 band"},
      {"block_size", "int", boost::json::value(0), "rows a page"},
      {"query_quant_mode", "int", boost::json::value(0), "3 with an int8 query"},
      {"key_quant_mode", "int", boost::json::value(0),
       "0 channel or tensor, 1 token, 2 head, 3 token and head, 4 and 5 as 1 and 3 by page"},
      {"value_quant_mode", "int", boost::json::value(0), "as key_quant_mode"},
      {"inner_precise", "int", boost::json::value(0), "0 to 3; no effect on results"},
      {"return_softmax_lse", "bool", boost::json::value(false), "output softmax_lse"},
  };
  for (const char* name : kReservedTypes) {
    all.push_back({name, "int", none, "reserved, must not be given"});
  }
  return all;
}

}  // namespace

OperatorInfo describe() {
  OperatorInfo info;
  info.name = "fused_infer_attention_score_v2";
  info.summary =
      "Inference attention: softmax(scale * query * key + pse, masked) * value, for prefill and "
      "decode.";
  info.products = {"A2", "A3"};
  info.tensors = tensors();
  info.attributes = attributes();
  info.limits = {
      "Nq is a multiple of Nkv, at most 256; at most 64 query heads share one of key and value "
      "(128 with D = 512 and rope parts).",
      "D is at most 512 and a multiple of 16; of 32 with int8, of 64 with int4 tensors.",
      "Incremental path (one query row): Skv is at most 262144.",
      "docs/operators/fused_infer_attention_score_v2.md holds the rules of every scene.",
  };
  return info;
}

}  // namespace davsim::operators::fused_infer_attention_score
