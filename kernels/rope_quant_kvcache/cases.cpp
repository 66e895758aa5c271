// The documented examples of the operator: sizes in a table, data seeded by the row.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/case_table.hpp"
#include "kernels/rope_quant_kvcache/problem.hpp"

namespace davsim::operators::rope_quant_kvcache {
namespace {

using isa::DType;

/// Full caches get random bytes up to this size; larger ones only near the rows that are written.
constexpr std::int64_t kFilledCacheBytes = 4 << 20;

Tensor cache_tensor(SeededData& data, const Problem& p, const std::string& name,
                    const std::int32_t* positions) {
  const std::int64_t row = p.kv_heads * p.head_dim;
  const Shape shape = {p.batch, p.cache_len, p.kv_heads, p.head_dim};
  if (element_count(shape) <= kFilledCacheBytes) {
    return data.integers(DType::kI8, shape, name, -128, 127);
  }
  Tensor cache = data.zeros(DType::kI8, shape, name);
  for (std::int64_t b = 0; b < p.batch; ++b) {
    const std::int64_t first = std::max<std::int64_t>(0, positions[b] - 1);
    const std::int64_t last = std::min(p.cache_len, positions[b] + p.seq_len + 1);
    std::int8_t* rows = cache.as<std::int8_t>() + b * p.cache_len * row;
    for (std::int64_t i = first * row; i < last * row; ++i) {
      rows[i] = static_cast<std::int8_t>(data.integer(-128, 127));
    }
  }
  return cache;
}

/// indice with the first and the last legal position among its values.
Tensor positions_tensor(SeededData& data, const Problem& p) {
  const std::int64_t last = p.cache_len - p.seq_len;
  Tensor indice = data.integers(DType::kI32, {p.batch}, "indice", 0, last);
  indice.as<std::int32_t>()[0] = 0;
  indice.as<std::int32_t>()[p.batch - 1] = static_cast<std::int32_t>(last);
  return indice;
}

Call plain_call(SeededData& data, const Problem& p) {
  const std::int64_t d = p.head_dim;
  Call call;
  const auto add = [&](const std::string& name, Tensor tensor) {
    call.tensors.emplace(name, std::move(tensor));
  };
  add("qkv", data.reals(DType::kF16, {p.batch, p.seq_len, p.token_heads() * d}, "qkv"));
  add("cos", data.reals(DType::kF16, {p.batch, p.seq_len, 1, d}, "cos"));
  add("sin", data.reals(DType::kF16, {p.batch, p.seq_len, 1, d}, "sin"));
  add("quant_scale", data.reals(DType::kF32, {d}, "quant_scale", 0.005, 0.05));
  add("quant_offset", data.integers(DType::kI32, {d}, "quant_offset", -10, 10));
  add("indice", positions_tensor(data, p));
  const auto* positions = call.tensors.at("indice").as<std::int32_t>();
  add("k_cache", cache_tensor(data, p, "k_cache", positions));
  add("v_cache", cache_tensor(data, p, "v_cache", positions));
  call.attributes["size_splits"] = {p.query_heads * d, p.kv_heads * d, p.kv_heads * d};
  call.attributes["layout"] = "BSND";
  call.attributes["kv_output"] = p.kv_output;
  return call;
}

void replace(Call& call, const std::string& name, Tensor tensor) {
  call.tensors.insert_or_assign(name, std::move(tensor));
}

/// Quotients far beyond int8 and int16 in both directions, offsets that push further.
void saturate(Call& call, SeededData& data) {
  const std::int64_t d = call.tensors.at("quant_scale").elements();
  replace(call, "quant_scale", data.reals(DType::kF32, {d}, "quant_scale", 1e-5, 1e-3));
  auto* offset = call.tensors.at("quant_offset").as<std::int32_t>();
  for (std::int64_t i = 0; i < d; ++i) offset[i] = i % 2 == 0 ? 200 : -200;
  const std::int64_t batch = call.tensors.at("indice").elements();
  const std::int64_t last = call.tensors.at("k_cache").shape()[1] - 1;
  replace(call, "indice", data.integers(DType::kI32, {batch, 1}, "indice", 0, last));
}

void first_position(Call& call, std::int32_t position) {
  call.tensors.at("indice").as<std::int32_t>()[0] = position;
}

std::vector<CaseRow<Problem>> rows() {
  using E = ErrorClass;
  ExampleCase on_a3 = refuses("RQK-N1", "A3 has no such operator", E::kUnsupported);
  on_a3.soc = "Ascend910_9391";
  // Problem: B, S, Smax, Nq, Nkv, D, kv_output.
  const Problem base = {4, 1, 2048, 8, 1, 128, false};
  return {
      {runs("RQK-1", "public unit test"), base, {}},
      {runs("RQK-2", "smallest batch and cache"), {1, 1, 16, 8, 1, 128, false}, {}},
      {runs("RQK-3", "32 query heads, groups of 4"), {32, 1, 4096, 32, 8, 128, false}, {}},
      {runs("RQK-4", "64 query heads, groups of 8"), {64, 1, 8192, 64, 8, 128, false}, {}},
      {runs("RQK-5", "several tokens in a batch, k and v as outputs"),
       {2, 4, 64, 4, 2, 64, true},
       {}},
      {runs("RQK-6", "saturation both ways, offsets of 200, indice [B, 1]"), base, saturate},
      {on_a3, base, {}},
      {refuses("RQK-N2", "size_splits add up to 1279, not 1280", E::kAttr), base,
       [](Call& call, SeededData&) {
         call.attributes["size_splits"] = {1023, 128, 128};
       }},
      {refuses("RQK-N3", "indice[0] is Smax", E::kIndex), base,
       [](Call& call, SeededData&) { first_position(call, 2048); }},
      {refuses("RQK-N4", "indice[0] is -1", E::kIndex), base,
       [](Call& call, SeededData&) { first_position(call, -1); }},
      {refuses("RQK-N5", "D is 48", E::kShape), {4, 1, 2048, 8, 1, 48, false}, {}},
      {refuses("RQK-N6", "qkv is bfloat16", E::kDtype), base,
       [](Call& call, SeededData& data) {
         replace(call, "qkv", data.reals(DType::kBF16, {4, 1, 1280}, "qkv"));
       }},
  };
}

const CaseTable<Problem>& table() {
  static const CaseTable<Problem> all("rope_quant_kvcache", 0x52514b00u, plain_call, {rows()});
  return all;
}

}  // namespace

std::vector<ExampleCase> cases() {
  return table().examples();
}

Call make_case(std::string_view id, memory::GlobalMemory& memory) {
  return table().make(id, memory);
}

}  // namespace davsim::operators::rope_quant_kvcache
