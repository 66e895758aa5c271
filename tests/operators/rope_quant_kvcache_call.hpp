// Builds calls of rope_quant_kvcache of any size for its tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "isa/numeric/half.hpp"
#include "kernels/common/seeded_data.hpp"
#include "tests/operators/operator_run.hpp"

namespace davsim::test {

struct RqkSizes {
  std::int64_t batch = 1, seq = 1, cache_len = 1, heads_q = 1, heads_kv = 1, dim = 32;
  bool kv_output = false;
};

inline const operators::Operator& rqk() {
  return operators::find_operator("rope_quant_kvcache");
}

/// A legal call with random data. The caches are full of random bytes: stray writes show.
inline operators::Call rqk_call(const RqkSizes& n, std::uint64_t seed,
                                memory::GlobalMemory& memory = device().memory()) {
  using isa::DType;
  operators::SeededData data(memory, seed);
  const std::int64_t row = (n.heads_q + 2 * n.heads_kv) * n.dim;
  const operators::Shape table = {n.batch, n.seq, 1, n.dim};
  const operators::Shape cache = {n.batch, n.cache_len, n.heads_kv, n.dim};
  operators::Call call;
  const auto add = [&](const char* name, operators::Tensor tensor) {
    call.tensors.emplace(name, std::move(tensor));
  };
  add("qkv", data.reals(DType::kF16, {n.batch, n.seq, row}, "qkv"));
  add("cos", data.reals(DType::kF16, table, "cos"));
  add("sin", data.reals(DType::kF16, table, "sin"));
  add("quant_scale", data.reals(DType::kF32, {n.dim}, "quant_scale", -0.02, 0.02));
  add("quant_offset", data.integers(DType::kI32, {n.dim}, "quant_offset", -20, 20));
  add("k_cache", data.integers(DType::kI8, cache, "k_cache", -128, 127));
  add("v_cache", data.integers(DType::kI8, cache, "v_cache", -128, 127));
  add("indice", data.integers(DType::kI32, {n.batch}, "indice", 0, n.cache_len - n.seq));
  call.attributes["size_splits"] = {n.heads_q * n.dim, n.heads_kv * n.dim, n.heads_kv * n.dim};
  call.attributes["kv_output"] = n.kv_output;
  return call;
}

inline operators::RunResult run_and_compare(const operators::Call& call) {
  return run_and_compare(rqk(), call);
}

/// A call of one token, one q head and one kv head whose qkv row is `value` throughout, with
/// cos = 1 and sin = 0, so that k and v are quantised as they are.
inline operators::Call plain_token(float value, float scale, std::int32_t offset) {
  operators::Call call = rqk_call({}, 1);
  const auto fill = [&](const char* name, isa::half with) {
    const operators::Tensor& tensor = call.tensors.at(name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) tensor.as<isa::half>()[i] = with;
  };
  fill("qkv", isa::half(value));
  fill("cos", isa::half(1.0f));
  fill("sin", isa::half(0.0f));
  for (std::int64_t i = 0; i < 32; ++i) {
    call.tensors.at("quant_scale").as<float>()[i] = scale;
    call.tensors.at("quant_offset").as<std::int32_t>()[i] = offset;
  }
  return call;
}

}  // namespace davsim::test
