// kv_rmsnorm_rope_cache: RMSNorm of 512 and rope of 64 values a token, written down element by
// element, with the place of every element in its cache.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "reference/reference.hpp"

namespace davsim::reference {
namespace {

constexpr std::int64_t kLatent = 512, kRope = 64, kRow = kLatent + kRope;

struct Sizes {
  std::int64_t batch, seq, page_rows;
  std::string mode;
  bool output_kv;

  bool norm() const { return mode == "Norm"; }
  bool nz() const { return mode == "PA_NZ" || mode == "PA_BLK_NZ"; }
  bool blocks() const { return mode == "PA_BLK_BNSD" || mode == "PA_BLK_NZ"; }
};

Sizes sizes_of(const operators::Call& call) {
  const auto& kv = call.tensors.at("kv").shape();
  const auto& cache = call.tensors.at("k_cache").shape();
  Sizes n{kv[0], kv[2], 0, std::string(call.attributes.at("cache_mode").as_string()), false};
  n.page_rows = n.norm() ? cache[2] : cache[1];
  n.output_kv = !n.norm() && call.attributes.at("is_output_kv").as_bool();
  return n;
}

/// Where token (b, s) goes: a page and a row of it; page -1: nowhere. In Norm a page is a batch.
struct Place {
  std::int64_t page = -1, row = 0;
};

Place place_of(const Sizes& n, const std::int64_t* index, std::int64_t b, std::int64_t s) {
  if (n.blocks()) {
    const std::int64_t blocks = (n.seq + n.page_rows - 1) / n.page_rows;
    const std::int64_t i = index[b * blocks + s / n.page_rows];
    return i < 0 ? Place{} : Place{i / n.page_rows, s % n.page_rows};
  }
  const std::int64_t i = index[b * n.seq + s];
  if (i < 0) return {};
  return n.norm() ? Place{b, i} : Place{i / n.page_rows, i % n.page_rows};
}

/// Element of a cache with rows of `width`.
std::int64_t cell(const Sizes& n, const Place& to, std::int64_t d, std::int64_t width,
                  std::int64_t element_bytes) {
  if (!n.nz()) return (to.page * n.page_rows + to.row) * width + d;
  const std::int64_t c0 = 32 / element_bytes;
  return ((to.page * (width / c0) + d / c0) * n.page_rows + to.row) * c0 + d % c0;
}

/// Products and sums are fp32 numbers: beyond its range they are infinite or zero.
double float_range(double x) {
  return static_cast<double>(static_cast<float>(x));
}

/// One normalised row.
std::vector<double> normalised(const operators::Tensor& kv, const operators::Tensor& gamma,
                               std::int64_t token, double epsilon) {
  double sum = 0;
  for (std::int64_t i = 0; i < kLatent; ++i) {
    const double x = element(kv, token * kRow + i);
    sum += float_range(x * x);
  }
  const double rms = std::sqrt(float_range(sum) / kLatent + epsilon);
  std::vector<double> y;
  for (std::int64_t i = 0; i < kLatent; ++i) {
    y.push_back(element(kv, token * kRow + i) / rms * element(gamma, i));
  }
  return y;
}

/// One rotated row; row `cos_row` of cos and `sin_row` of sin belong to it.
std::vector<double> rotated(const operators::Call& call, std::int64_t token, std::int64_t cos_row,
                            std::int64_t sin_row) {
  const operators::Tensor& kv = call.tensors.at("kv");
  const auto cos = [&](std::int64_t i) {
    return element(call.tensors.at("cos"), cos_row * kRope + i);
  };
  const auto sin = [&](std::int64_t i) {
    return element(call.tensors.at("sin"), sin_row * kRope + i);
  };
  std::vector<double> z(kRope);
  for (std::int64_t i = 0; i < kRope / 2; ++i) {
    const double even = element(kv, token * kRow + kLatent + 2 * i);
    const double odd = element(kv, token * kRow + kLatent + 2 * i + 1);
    z[static_cast<std::size_t>(i)] = float_range(even * cos(i)) - float_range(odd * sin(i));
    z[static_cast<std::size_t>(i + kRope / 2)] =
        float_range(odd * cos(i + kRope / 2)) + float_range(even * sin(i + kRope / 2));
  }
  return z;
}

/// One cache or output: what is expected of its elements, unrounded.
struct Expected {
  const char* name;
  const char* scale;
  const char* offset;
  std::int64_t width;
  std::vector<Write> writes;  ///< of the cache
  std::vector<double> out;    ///< of the output
};

const operators::Tensor* given(const operators::Call& call, const char* name) {
  const auto found = call.tensors.find(name);
  return found == call.tensors.end() ? nullptr : &found->second;
}

/// What half or bfloat16 make infinite is so here, too; the rest of the rounding is tolerance.
double in_range_of(isa::DType dtype, double x) {
  const double limit = dtype == isa::DType::kF16 ? 65520.0 : 0x1.ffp127;
  return std::fabs(x) >= limit ? std::copysign(INFINITY, x) : x;
}

/// Adds the row `values` of a token.
void add_row(Expected& to, const Sizes& n, const operators::Call& call, const Place& place,
             const std::vector<double>& values) {
  const operators::Tensor& cache = call.tensors.at(to.name);
  const operators::Tensor* scale = given(call, to.scale);
  const operators::Tensor* offset = given(call, to.offset);
  const isa::DType dtype = call.tensors.at("kv").dtype();
  const auto bytes = static_cast<std::int64_t>(isa::dtype_bytes(cache.dtype()));
  for (std::int64_t d = 0; d < to.width; ++d) {
    const double value = values[static_cast<std::size_t>(d)];
    to.out.push_back(in_range_of(dtype, value));
    if (place.page < 0) continue;
    Write write{cell(n, place, d, to.width, bytes), in_range_of(dtype, value)};
    if (scale != nullptr) {
      const double scaled = value * element(*scale, d);
      const double shifted = scaled + (offset == nullptr ? 0 : element(*offset, d));
      write.value = std::isnan(shifted) ? 0 : std::clamp(shifted, -128.0, 127.0);
      // A tie may fall either way after a few fp32 roundings of what is scaled.
      if (std::isfinite(scaled)) write.atol = std::fabs(scaled) * 0x1p-20;
    }
    to.writes.push_back(write);
  }
}

/// An int8 value is the one nearest to the exact number.
const Tolerance kInt8 = {.rtol = 0, .atol = 0.5};

/// Half a unit in the last place, and a little for the fp32 arithmetic before it.
Tolerance rounding_to(isa::DType dtype) {
  const bool half = dtype == isa::DType::kF16;
  const double smallest = half ? 0x1p-24 : 0x1p-133;
  return {.rtol = (half ? 0x1p-11 : 0x1p-8) * (1 + 0x1p-8), .atol = smallest};
}

class KvRmsnormRopeCacheReference final : public Reference {
 public:
  std::vector<Comparison> compare_results(const operators::Call& call,
                                          const operators::TensorMap& before,
                                          const operators::TensorMap& outputs) const override {
    const Sizes n = sizes_of(call);
    const auto* index = call.tensors.at("index").as<std::int64_t>();
    const double epsilon = float_range(call.attributes.at("epsilon").as_double());
    const bool cos_per_token = call.tensors.at("cos").shape()[2] == n.seq;
    const bool sin_per_token = call.tensors.at("sin").shape()[2] == n.seq;
    Expected k = {"k_cache", "k_rope_scale", "k_rope_offset", kRope, {}, {}};
    Expected ckv = {"ckv_cache", "c_kv_scale", "c_kv_offset", kLatent, {}, {}};
    for (std::int64_t b = 0; b < n.batch; ++b) {
      for (std::int64_t s = 0; s < n.seq; ++s) {
        const std::int64_t token = b * n.seq + s;
        const Place place = place_of(n, index, b, s);
        add_row(ckv, n, call, place,
                normalised(call.tensors.at("kv"), call.tensors.at("gamma"), token, epsilon));
        add_row(k, n, call, place,
                rotated(call, token, cos_per_token ? token : b, sin_per_token ? token : b));
      }
    }

    const isa::DType dtype = call.tensors.at("kv").dtype();
    std::vector<Comparison> comparisons;
    for (Expected* cache : {&k, &ckv}) {
      const bool int8 = call.tensors.at(cache->name).dtype() == isa::DType::kI8;
      comparisons.push_back(compare_in_place(cache->name, before.at(cache->name),
                                             outputs.at(cache->name), std::move(cache->writes),
                                             int8 ? kInt8 : rounding_to(dtype)));
    }
    if (n.output_kv) {
      comparisons.push_back(compare_named(outputs, "k_embed_out", k.out, rounding_to(dtype)));
      comparisons.push_back(compare_named(outputs, "y_out", ckv.out, rounding_to(dtype)));
    }
    return comparisons;
  }
};

const ReferenceRegistrar registrar("kv_rmsnorm_rope_cache",
                                   std::make_unique<KvRmsnormRopeCacheReference>());

}  // namespace
}  // namespace davsim::reference
