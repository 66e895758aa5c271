// RopeQuantKvcache: rotation in fp16 arithmetic, static int8 quantisation in fp32, written down
// element by element.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/reference.hpp"

namespace davsim::reference {
namespace {

/// `x` to the nearest fp16, ties to even; from 65520 on infinity.
double to_fp16(double x) {
  if (!std::isfinite(x) || x == 0) return x;
  int exponent = 0;
  std::frexp(x, &exponent);  // 2^(exponent-1) <= |x| < 2^exponent
  const double ulp = std::ldexp(1.0, std::max(exponent - 11, -24));
  const double rounded = std::nearbyint(x / ulp) * ulp;  // the default mode is ties to even
  return std::fabs(rounded) > 65504 ? std::copysign(INFINITY, x) : rounded;
}

/// x / scale + offset in fp32, to int8 with ties to even and saturation; NaN becomes 0.
double quantise(double x, float scale, std::int32_t offset) {
  const float quotient = static_cast<float>(x) / scale;
  const float shifted = quotient + static_cast<float>(offset);
  if (std::isnan(shifted)) return 0;
  return std::clamp(std::nearbyint(static_cast<double>(shifted)), -128.0, 127.0);
}

struct Sizes {
  std::int64_t batch, seq, cache_len, heads_q, heads_kv, dim;
  bool kv_output;
};

Sizes sizes_of(const operators::Call& call) {
  const auto& qkv = call.tensors.at("qkv").shape();
  const auto& cache = call.tensors.at("k_cache").shape();
  const auto& splits = call.attributes.at("size_splits").as_array();
  return {qkv[0],
          qkv[1],
          cache[1],
          splits[0].to_number<std::int64_t>() / cache[3],
          cache[2],
          cache[3],
          call.attributes.at("kv_output").as_bool()};
}

/// What a call must leave: its outputs, and the elements that it writes to the caches.
struct Expected {
  std::vector<double> q, k, v;
  std::vector<Write> k_writes, v_writes;
};

Expected evaluate(const operators::Call& call, const Sizes& n) {
  const operators::Tensor& qkv = call.tensors.at("qkv");
  const operators::Tensor& cos = call.tensors.at("cos");
  const operators::Tensor& sin = call.tensors.at("sin");
  const auto* scale = call.tensors.at("quant_scale").as<float>();
  const auto* offset = call.tensors.at("quant_offset").as<std::int32_t>();
  const auto* indice = call.tensors.at("indice").as<std::int32_t>();
  const std::int64_t half = n.dim / 2;
  const std::int64_t row = (n.heads_q + 2 * n.heads_kv) * n.dim;
  Expected expected;
  for (std::int64_t token = 0; token < n.batch * n.seq; ++token) {
    const std::int64_t b = token / n.seq, s = token % n.seq;
    const auto x = [&](std::int64_t head, std::int64_t i) {
      return element(qkv, token * row + head * n.dim + i);
    };
    const auto rotated = [&](std::int64_t head, std::int64_t i) {
      const double c = element(cos, token * n.dim + i), d = element(sin, token * n.dim + i);
      const double partner =
          i < half ? to_fp16(x(head, i + half) * -d) : to_fp16(x(head, i - half) * d);
      return to_fp16(partner + to_fp16(x(head, i) * c));
    };
    const std::int64_t cache_row = b * n.cache_len + indice[b] + s;
    for (std::int64_t head = 0; head < n.heads_q; ++head) {
      for (std::int64_t i = 0; i < n.dim; ++i) expected.q.push_back(rotated(head, i));
    }
    for (std::int64_t head = 0; head < n.heads_kv; ++head) {
      for (std::int64_t i = 0; i < n.dim; ++i) {
        const double key = rotated(n.heads_q + head, i);
        const double value = x(n.heads_q + n.heads_kv + head, i);
        const std::int64_t cell = (cache_row * n.heads_kv + head) * n.dim + i;
        expected.k.push_back(key);
        expected.v.push_back(value);
        expected.k_writes.push_back({cell, quantise(key, scale[i], offset[i])});
        expected.v_writes.push_back({cell, quantise(value, scale[i], offset[i])});
      }
    }
  }
  return expected;
}

class RopeQuantKvcacheReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call,
                                          const operators::TensorMap& before,
                                          const operators::TensorMap& outputs) const override {
    const Sizes n = sizes_of(call);
    Expected expected = evaluate(call, n);
    // The three fp16 roundings and the fp32 division are reproduced: nothing may differ.
    const Tolerance exact;
    std::vector<Comparison> comparisons;
    const auto output = [&](const char* name, const std::vector<double>& numbers) {
      comparisons.push_back(compare_named(outputs, name, numbers, exact));
    };
    const auto cache = [&](const char* name, std::vector<Write>& writes) {
      comparisons.push_back(
          compare_in_place(name, before.at(name), outputs.at(name), std::move(writes), exact));
    };
    output("q", expected.q);
    if (n.kv_output) {
      output("k", expected.k);
      output("v", expected.v);
    }
    cache("k_cache", expected.k_writes);
    cache("v_cache", expected.v_writes);
    for (const auto& [name, tensor] : outputs) {
      if (n.kv_output || (name != "k" && name != "v")) continue;
      Comparer unwanted(name, exact);
      unwanted.fail("is put out although kv_output is false");
      comparisons.push_back(unwanted.result());
    }
    return comparisons;
  }
};

const ReferenceRegistrar registrar("rope_quant_kvcache",
                                   std::make_unique<RopeQuantKvcacheReference>());

}  // namespace
}  // namespace davsim::reference
