// Attention with numbers of 8 bits: quantised keys and values, an int8 output, an int8 query.
//
// The expected results come from the problem that the definition makes of the quantised one: keys
// and values as real numbers.
#include <gtest/gtest.h>

#include "tests/operators/attention_call.hpp"

namespace davsim::test {
namespace {

using attention::Antiquant;
using attention::KvTensor;

/// Which parameters a quantised tensor has: one for each of these.
struct Granularity {
  bool head = false, token = false, channel = false, paged = false;
  DType type = DType::kF32;
  DType elements = DType::kI8;
};

/// Replaces key and value of a problem by int8 ones; returns the problem with the exact numbers,
/// contiguous, in float32.
class Quantised {
 public:
  Quantised(AttnCase& c, std::uint64_t seed) : c_(c), data_(device().memory(), seed) {
    exact_ = c.problem;
  }

  void quantise(bool is_key, const Granularity& g, bool offset) {
    attention::Problem& p = c_.problem;
    KvTensor& tensor = is_key ? p.key : p.value;
    const std::int64_t width = is_key ? p.key_width : p.value_width;
    // As many elements as the 16-bit tensor has, in the same places; fractals are twice as wide.
    const auto elements = elements_of(tensor);
    operators::Tensor& narrow = keep(data_.integers(DType::kI8, {elements}, "narrow", -128, 127));
    tensor.data = {narrow.gm()};
    tensor.type = g.elements;  // of int4, two are in a byte
    Antiquant& quant = is_key ? p.key_quant : p.value_quant;
    quant = parameters(g, width, offset);
    KvTensor& exact = is_key ? exact_.key : exact_.value;
    exact = dense(tensor, quant, width);
  }

  attention::Problem& exact() { return exact_; }

 private:
  operators::Tensor& keep(operators::Tensor tensor) {
    return c_.tensors.emplace_back(std::move(tensor));
  }
  std::int64_t batches() const { return static_cast<std::int64_t>(c_.problem.batches.size()); }
  std::int64_t most_rows() const {
    std::int64_t most = 0;
    for (const auto& batch : c_.problem.batches) most = std::max(most, batch.kv_rows);
    return most;
  }

  std::int64_t elements_of(const KvTensor& tensor) const {
    for (const operators::Tensor& t : c_.tensors) {
      if (t.gm() == tensor.data[0]) return t.elements();
    }
    return 0;
  }

  Antiquant parameters(const Granularity& g, std::int64_t width, bool offset) {
    const attention::Problem& p = c_.problem;
    Antiquant quant;
    quant.type = g.type;
    quant.paged = g.paged;
    const std::int64_t channels = g.channel ? width : 1;
    const std::int64_t tokens = !g.token ? 1 : g.paged ? p.pages.page_rows : most_rows() + 3;
    const std::int64_t heads = g.head ? p.kv_heads : 1;
    quant.channel = g.channel ? 1 : 0;
    quant.token = g.token ? 1 : 0;
    quant.head = g.head ? channels * tokens : 0;
    quant.batch = g.token ? channels * tokens * heads : 0;
    std::int64_t pages = batches();
    if (g.paged)
      pages = *std::max_element(p.pages.table, p.pages.table + batches() * p.pages.columns) + 1;
    const std::int64_t elements = channels * tokens * heads * pages;
    quant.scale = keep(data_.reals(g.type, {elements}, "scale", 0.002, 0.02)).gm();
    if (offset) quant.offset = keep(data_.reals(g.type, {elements}, "offset", -20, 20)).gm();
    return quant;
  }

  /// [batch][head][row][width] floats, as the definition dequantises them.
  KvTensor dense(const KvTensor& tensor, const Antiquant& quant, std::int64_t width) {
    const attention::Problem& p = c_.problem;
    const std::int64_t rows = most_rows();
    operators::Tensor& t =
        keep(data_.zeros(DType::kF32, {batches() * p.kv_heads * rows * width}, "exact"));
    KvTensor exact;
    exact.data = {t.gm()};
    exact.type = DType::kF32;
    exact.strides = {p.kv_heads * rows * width, rows * width, width};
    float* to = t.as<float>();
    for (std::int64_t b = 0; b < batches(); ++b) {
      for (std::int64_t h = 0; h < p.kv_heads; ++h) {
        for (std::int64_t j = 0; j < p.batches[static_cast<std::size_t>(b)].kv_rows; ++j) {
          for (std::int64_t d = 0; d < width; ++d) {
            to[((b * p.kv_heads + h) * rows + j) * width + d] =
                static_cast<float>(value(tensor, quant, b, h, j, d));
          }
        }
      }
    }
    return exact;
  }

  /// int4: the even ones are in the low bits.
  static double element(const KvTensor& tensor, std::int64_t at) {
    const auto* bytes = reinterpret_cast<const std::int8_t*>(tensor.data[0]);
    if (tensor.type == DType::kI8) return bytes[at];
    const int nibble = (bytes[at / 2] >> (at % 2 * 4)) & 15;
    return nibble < 8 ? nibble : nibble - 16;
  }

  double value(const KvTensor& tensor, const Antiquant& quant, std::int64_t b, std::int64_t h,
               std::int64_t j, std::int64_t d) const {
    const attention::Problem& p = c_.problem;
    const auto& batch = p.batches[static_cast<std::size_t>(b)];
    std::int64_t at = b * tensor.strides.batch + h * tensor.strides.head +
                      (batch.first_kv_row + j) * tensor.strides.row + d;
    std::int64_t page = 0;
    if (tensor.storage != attention::Storage::kContiguous) {
      page = p.pages.table[b * p.pages.columns + j / p.pages.page_rows];
      const std::int64_t row = j % p.pages.page_rows;
      at = page * tensor.strides.batch + h * tensor.strides.head;
      at += tensor.storage == attention::Storage::kPagedNz
                ? (d / 32 * p.pages.page_rows + row) * 32 + d % 32
                : row * tensor.strides.row + d;
    }
    const std::int64_t parameter = (quant.paged ? page : b) * quant.batch + h * quant.head +
                                   (quant.paged ? j % p.pages.page_rows : j) * quant.token +
                                   d * quant.channel;
    double x = element(tensor, at);
    if (quant.offset != nullptr) x += real_at(quant.offset, quant.type, parameter);
    if (quant.scale != nullptr) x *= real_at(quant.scale, quant.type, parameter);
    return x;
  }

  AttnCase& c_;
  operators::SeededData data_;
  attention::Problem exact_;
};

/// Compares every valid row with the definition on `exact`.
void expect_rows(const attention::Problem& p, const attention::Problem& exact,
                 double (*tolerance)(double)) {
  attention::launch(p, device());
  const AttnReference reference(exact);
  int wrong = 0;
  for (std::size_t b = 0; b < p.batches.size(); ++b) {
    for (std::int64_t n = 0; n < p.query_heads; ++n) {
      for (std::int64_t i = 0; i < p.batches[b].query_rows; ++i) {
        const auto batch = static_cast<std::int64_t>(b);
        const AttnReference::Row want = reference.row(batch, n, i);
        const std::int64_t at = reference.query_index(p.out, batch, n, i);
        for (std::int64_t d = 0; d < p.value_width && wrong < 5; ++d) {
          const double good = want.out[static_cast<std::size_t>(d)];
          const double got = real_at(p.out.data, p.out.type, at + d);
          const bool near = std::abs(got - good) <= tolerance(good);
          EXPECT_TRUE(near) << "out[" << b << ", " << n << ", " << i << ", " << d << "] is " << got
                            << " instead of " << good;
          wrong += near ? 0 : 1;
        }
      }
    }
  }
}

/// Keys and values are rounded to 16 bits before they are multiplied.
double antiquant_tolerance(double want) {
  return 4e-3 + std::abs(want) / 64;
}

TEST(AttentionQuant, ParametersOfEveryGranularity) {
  const Granularity all[] = {
      {.head = true, .channel = true, .type = DType::kBF16},  // per channel
      {.type = DType::kBF16},                                 // per tensor
      {.token = true},                                        // per token
      {.head = true, .type = DType::kBF16},                   // per head
      {.head = true, .token = true},                          // per token and head
  };
  for (const Granularity& g : all) {
    for (const bool offset : {false, true}) {
      SCOPED_TRACE(std::to_string(g.head) + std::to_string(g.token) + std::to_string(g.channel));
      AttnCase c = AttnBuilder({.query_heads = 4,
                                .kv_heads = 2,
                                .query_rows = {1, 3},
                                .kv_rows = {150, 40},
                                .type = DType::kBF16,
                                .layout = Layout::kBnsd},
                               21)
                       .build();
      Quantised quantised(c, 22);
      quantised.quantise(true, g, offset);
      quantised.quantise(false, g, offset);
      expect_rows(c.problem, quantised.exact(), antiquant_tolerance);
    }
  }
}

TEST(AttentionQuant, KeyByChannelAndValueByToken) {
  AttnCase c =
      AttnBuilder({.query_heads = 4, .kv_heads = 2, .query_rows = {1}, .kv_rows = {150}}, 23)
          .build();
  Quantised quantised(c, 24);
  quantised.quantise(true, {.head = true, .channel = true, .type = DType::kF16}, true);
  quantised.quantise(false, {.token = true}, true);
  expect_rows(c.problem, quantised.exact(), antiquant_tolerance);
}

TEST(AttentionQuant, Int4) {
  for (const Layout layout : {Layout::kBnsd, Layout::kBsnd}) {
    AttnCase c = AttnBuilder({.query_heads = 4,
                              .kv_heads = 2,
                              .query_rows = {1, 1},
                              .kv_rows = {150, 33},
                              .layout = layout},
                             33)
                     .build();
    Quantised quantised(c, 34);
    quantised.quantise(
        true, {.head = true, .channel = true, .type = DType::kF16, .elements = DType::kI4}, true);
    quantised.quantise(false, {.head = true, .token = true, .elements = DType::kI4}, false);
    expect_rows(c.problem, quantised.exact(), antiquant_tolerance);
  }
}

TEST(AttentionQuant, PagesAndTheirParameters) {
  for (const Cache cache : {Cache::kBnBsH, Cache::kBnNBsD, Cache::kNz}) {
    for (const Granularity& g : {Granularity{.head = true, .channel = true, .type = DType::kBF16},
                                 Granularity{.token = true, .paged = true},
                                 Granularity{.head = true, .token = true, .paged = true},
                                 Granularity{.head = true, .token = true}}) {
      AttnCase c = AttnBuilder({.query_heads = 10,
                                .kv_heads = 2,
                                .query_rows = {1, 1},
                                .kv_rows = {70, 33},
                                .type = DType::kBF16,
                                .cache = cache,
                                .page_rows = 32},
                               25)
                       .build();
      Quantised quantised(c, 26);
      quantised.quantise(true, g, false);
      quantised.quantise(false, g, false);
      quantised.exact().pages = c.problem.pages;
      expect_rows(c.problem, quantised.exact(), antiquant_tolerance);
    }
  }
}

TEST(AttentionQuant, Int8Output) {
  for (const bool per_channel : {false, true}) {
    for (const DType type : {DType::kF32, DType::kBF16}) {
      AttnCase c = AttnBuilder({.query_heads = 6,
                                .kv_heads = 2,
                                .query_rows = {20, 1},
                                .kv_rows = {60, 33},
                                .type = DType::kBF16,
                                .layout = per_channel ? Layout::kBsnd : Layout::kBnsd},
                               27)
                       .build();
      attention::Problem& p = c.problem;
      operators::SeededData data(device().memory(), 28);
      const std::int64_t numbers = per_channel ? p.query_heads * p.value_width : 1;
      const operators::Tensor scale = data.reals(type, {numbers}, "scale", 100, 400);
      const operators::Tensor offset = data.reals(type, {numbers}, "offset", -9, 9);
      p.post_quant = {scale.gm(), offset.gm(), type, per_channel};
      p.out.type = DType::kI8;
      attention::launch(p, device());
      const AttnReference reference(p);
      int beside = 0, all = 0;
      for (std::size_t b = 0; b < p.batches.size(); ++b) {
        for (std::int64_t n = 0; n < p.query_heads; ++n) {
          for (std::int64_t i = 0; i < p.batches[b].query_rows; ++i) {
            const auto batch = static_cast<std::int64_t>(b);
            const AttnReference::Row want = reference.row(batch, n, i);
            const std::int64_t at = reference.query_index(p.out, batch, n, i);
            for (std::int64_t d = 0; d < p.value_width; ++d, ++all) {
              const std::int64_t number = per_channel ? n * p.value_width + d : 0;
              const double exact =
                  want.out[static_cast<std::size_t>(d)] * real_at(scale.gm(), type, number) +
                  real_at(offset.gm(), type, number);
              const double good = std::clamp(std::nearbyint(exact), -128.0, 127.0);
              const int got = reinterpret_cast<const std::int8_t*>(p.out.data)[at + d];
              // Probabilities are bfloat16: a step of the result is off now and then.
              ASSERT_NEAR(got, good, 2)
                  << per_channel << " " << b << " " << n << " " << i << " " << d;
              beside += std::abs(got - good) > 1;
            }
          }
        }
      }
      EXPECT_LE(beside * 200, all);
    }
  }
}

/// Full quantisation of latent attention: 1e-2 of the value and 1.2e-2.
double latent_tolerance(double want) {
  return 1.2e-2 + 1e-2 * std::abs(want);
}

TEST(AttentionQuant, Int8Query) {
  AttnCase c = AttnBuilder({.query_heads = 32,
                            .kv_heads = 1,
                            .key_width = 512,
                            .rope_width = 64,
                            .value_width = 512,
                            .query_rows = {1, 2},
                            .kv_rows = {150, 300},
                            .type = DType::kBF16,
                            .layout = Layout::kTnd,
                            .cache = Cache::kNz,
                            .window = {attention::Window::kUnbounded, 0, true},
                            .shared_value = true,
                            .scale = 0.07},
                           29)
                   .build();
  attention::Problem& p = c.problem;
  Quantised quantised(c, 30);
  quantised.quantise(true, {}, false);
  // The parameters of an int8 query are its own.
  p.key_quant = {};
  p.value = p.key;
  operators::SeededData data(device().memory(), 31);
  const operators::Tensor query = data.integers(DType::kI8, {3 * 32 * 512}, "query", -127, 127);
  const operators::Tensor scales = data.reals(DType::kF32, {3 * 32}, "query_scale", 0.004, 0.012);
  const operators::Tensor key_scale = data.reals(DType::kF32, {1}, "key_scale", 0.008, 0.009);
  const operators::Tensor value_scale = data.reals(DType::kF32, {1}, "value_scale", 0.006, 0.007);
  p.query.data = query.gm();
  p.query.type = DType::kI8;
  p.query_quant = {.query_scale = scales.gm(),
                   .query_strides = {0, 1, 32},
                   .key_scale = key_scale.as<float>(),
                   .value_scale = value_scale.as<float>()};

  // As the definition has it: the rope part is multiplied by the scales too.
  attention::Problem exact = quantised.exact();
  operators::Tensor wide = data.zeros(DType::kF32, {3 * 32 * 512}, "wide_query");
  operators::Tensor rope = data.zeros(DType::kF32, {3 * 32 * 64}, "wide_rope");
  for (std::int64_t row = 0; row < 3 * 32; ++row) {
    const float scale = scales.as<float>()[row] * key_scale.as<float>()[0];
    for (std::int64_t d = 0; d < 512; ++d) {
      wide.as<float>()[row * 512 + d] = scale * float(query.as<std::int8_t>()[row * 512 + d]);
    }
    for (std::int64_t d = 0; d < 64; ++d) {
      rope.as<float>()[row * 64 + d] =
          scale * float(real_at(p.query_rope.data, DType::kBF16, row * 64 + d));
    }
  }
  exact.query.data = wide.gm();
  exact.query_rope.data = rope.gm();
  exact.query.type = exact.query_rope.type = DType::kF32;
  const std::int64_t rows = 300, all = 2 * rows * 512;
  operators::Tensor integers = data.zeros(DType::kF32, {all}, "integers");
  operators::Tensor values = data.zeros(DType::kF32, {all}, "values");
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t j = 0; j < p.batches[static_cast<std::size_t>(b)].kv_rows; ++j) {
      const std::int64_t page = p.pages.table[b * p.pages.columns + j / 128];
      for (std::int64_t d = 0; d < 512; ++d) {
        const auto x = reinterpret_cast<const std::int8_t*>(
            p.key.data[0])[page * 128 * 512 + (d / 32 * 128 + j % 128) * 32 + d % 32];
        integers.as<float>()[(b * rows + j) * 512 + d] = x;
        values.as<float>()[(b * rows + j) * 512 + d] = float(x) * value_scale.as<float>()[0];
      }
    }
  }
  exact.key.data = {integers.gm()};
  exact.value = exact.key;
  exact.value.data = {values.gm()};
  expect_rows(p, exact, latent_tolerance);
}

}  // namespace
}  // namespace davsim::test
