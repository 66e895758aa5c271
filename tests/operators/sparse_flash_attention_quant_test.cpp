// sparse_flash_attention_quant: every documented case, and what must not matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "isa/numeric/bfloat16.hpp"
#include "tests/operators/operator_run.hpp"

namespace davsim::test {
namespace {

const operators::Operator& sfa() {
  return operators::find_operator("sparse_flash_attention_quant");
}

class SparseFlashAttentionQuantCase : public testing::TestWithParam<const char*> {};

TEST_P(SparseFlashAttentionQuantCase, GivesWhatTheReferenceGives) {
  run_and_compare(sfa(), sfa().make_case(GetParam(), device().memory()));
}

/// A process has one device; here it is another SoC.
TEST_P(SparseFlashAttentionQuantCase, GivesItOnAnA3) {
  sim::Device a3(sim::SocConfig::named("Ascend910_9392"));
  run_and_compare(sfa(), sfa().make_case(GetParam(), a3.memory()), a3);
}

std::string name_of(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Quick, SparseFlashAttentionQuantCase,
                         testing::Values("SFA-5", "SFA-6", "SFA-7", "SFA-8", "SFA-9"), name_of);
INSTANTIATE_TEST_SUITE_P(Slow, SparseFlashAttentionQuantCase,
                         testing::Values("SFA-1", "SFA-2", "SFA-3", "SFA-4"), name_of);

TEST(SparseFlashAttentionQuant, RefusesWhatItMustWithTheClassOfTheRule) {
  for (const operators::ExampleCase& example : sfa().cases()) {
    if (!example.refused) continue;
    EXPECT_EQ(refusal_of(sfa(), sfa().make_case(example.id, device().memory())), example.refused)
        << example.id;
  }
}

std::vector<std::uint16_t> bits_of(const operators::Tensor& tensor) {
  const auto* first = tensor.as<std::uint16_t>();
  return {first, first + tensor.elements()};
}

operators::Tensor run(const operators::Call& call) {
  return operators::run(sfa(), call, device()).outputs.at("attention_out");
}

/// With one key its weight is 1, and the output its value row.
TEST(SparseFlashAttentionQuant, OneKeyIsTheOutput) {
  const operators::Call call = sfa().make_case("SFA-5", device().memory());
  const operators::Tensor out = run(call);
  const std::int64_t row = call.tensors.at("block_table").as<std::int32_t>()[0] * 128;
  const auto* key = call.tensors.at("key_nope_2d").as<std::int8_t>() + row * 512;
  const auto* scale = call.tensors.at("k_nope_scales").as<float>() + row * 4;
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    const std::int64_t d = i % 512;
    const isa::bfloat16_t value(static_cast<float>(key[d]) * scale[d / 128]);
    ASSERT_EQ(static_cast<float>(out.as<isa::bfloat16_t>()[i]), static_cast<float>(value)) << i;
  }
}

/// Bit patterns of NaN in everything that no token uses: rows, pages, entries of the lists.
TEST(SparseFlashAttentionQuant, WhatIsNotUsedIsNotRead) {
  const operators::Call call = sfa().make_case("SFA-9", device().memory());
  const std::vector<std::uint16_t> before = bits_of(run(call));
  const auto* table = call.tensors.at("block_table").as<std::int32_t>();
  const std::int64_t blocks = call.tensors.at("block_table").shape()[1];
  const auto* lengths = call.tensors.at("kv_act_seqs").as<std::int32_t>();
  auto* listed = call.tensors.at("topk_indices").as<std::int32_t>();
  auto* nope = call.tensors.at("key_nope_2d").as<std::uint16_t>();
  auto* rope = call.tensors.at("key_rope_2d").as<std::uint16_t>();
  const std::int64_t rows = call.tensors.at("key_rope_2d").shape()[0];
  std::vector<bool> used(static_cast<std::size_t>(rows));
  for (std::int64_t token = 0; token < 4; ++token) {
    const std::int64_t n = lengths[token / 2] - 1 + token % 2;
    for (std::int64_t i = 0; i < 2048; ++i) {
      std::int32_t& position = listed[token * 2048 + i];
      if (i >= n) {
        position = std::numeric_limits<std::int32_t>::min();
      } else {
        used[static_cast<std::size_t>(table[token / 2 * blocks + position / 128] * 128 +
                                      position % 128)] = true;
      }
    }
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    if (used[static_cast<std::size_t>(row)]) continue;
    std::fill_n(nope + row * 512, 512, std::uint16_t{0x7fff});
    std::fill_n(rope + row * 64, 64, std::uint16_t{0x7fff});
  }
  EXPECT_EQ(bits_of(run(call)), before);
}

TEST(SparseFlashAttentionQuant, ScalesBesideBfloatKeysAreIgnored) {
  operators::Call call = sfa().make_case("SFA-9", device().memory());
  const std::vector<std::uint16_t> before = bits_of(run(call));
  const std::int64_t rows = call.tensors.at("key_rope_2d").shape()[0];
  operators::Tensor scales(device().memory(), isa::DType::kF32, {rows, 4}, "k_nope_scales");
  std::fill_n(scales.as<float>(), rows * 4, std::numeric_limits<float>::quiet_NaN());
  call.tensors.emplace("k_nope_scales", scales);
  EXPECT_EQ(bits_of(run(call)), before);
}

/// Three of ten entries name the same position: its weight counts three times.
TEST(SparseFlashAttentionQuant, RepeatedPositionsCountEachTime) {
  const operators::Call call = sfa().make_case("SFA-8", device().memory());
  auto* listed = call.tensors.at("topk_indices").as<std::int32_t>();
  for (std::int64_t token = 0; token < 3; ++token) {
    for (const int i : {1, 7, 30, 64}) listed[token * 2048 + i] = listed[token * 2048];
  }
  run_and_compare(sfa(), call);
}

TEST(SparseFlashAttentionQuant, OrderOfTheListDoesNotMatterBeyondRounding) {
  const operators::Call call = sfa().make_case("SFA-7", device().memory());
  const operators::Tensor before = run(call);
  auto* listed = call.tensors.at("topk_indices").as<std::int32_t>();
  std::reverse(listed, listed + 129);
  const operators::Tensor after = run(call);
  for (std::int64_t i = 0; i < before.elements(); ++i) {
    const float a = static_cast<float>(before.as<isa::bfloat16_t>()[i]);
    ASSERT_NEAR(static_cast<float>(after.as<isa::bfloat16_t>()[i]), a, 1e-3 + 0.008 * std::fabs(a));
  }
}

/// Queries of zeros: every key has the same weight. Queries of 1000: one key has all of it.
TEST(SparseFlashAttentionQuant, UniformAndOneSided) {
  for (const char* id : {"SFA-7", "SFA-9"}) {
    for (const float query : {0.0f, 1000.0f}) {
      const operators::Call call = sfa().make_case(id, device().memory());
      for (const char* name : {"query_nope", "query_rope"}) {
        const operators::Tensor& tensor = call.tensors.at(name);
        for (std::int64_t i = 0; i < tensor.elements(); ++i) {
          auto& value = tensor.as<isa::bfloat16_t>()[i];
          value = isa::bfloat16_t(query * static_cast<float>(value));
        }
      }
      run_and_compare(sfa(), call);
    }
  }
}

/// Batches of one query token each, whose pages are any of `pages` and whose lists any `listed`
/// positions or all there are.
operators::Call random_call(const std::vector<std::int32_t>& lengths, std::int64_t columns,
                            std::int64_t pages, std::int64_t listed) {
  std::mt19937 random(20);
  const auto batches = static_cast<std::int64_t>(lengths.size());
  operators::Call call;
  const auto add = [&](const char* name, isa::DType type,
                       operators::Shape shape) -> operators::Tensor& {
    operators::Tensor tensor(device().memory(), type, std::move(shape), name);
    return call.tensors.emplace(name, std::move(tensor)).first->second;
  };
  const auto add_reals = [&](const char* name, operators::Shape shape) {
    operators::Tensor& tensor = add(name, isa::DType::kBF16, std::move(shape));
    std::uniform_real_distribution<float> value(-1, 1);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.as<isa::bfloat16_t>()[i] = isa::bfloat16_t(value(random));
    }
  };
  const auto below = [&](std::int64_t end) { return static_cast<std::int32_t>(random() % end); };
  add_reals("query_nope", {batches * 128, 512});
  add_reals("query_rope", {batches * 128, 64});
  add_reals("key_nope_2d", {pages * 128, 512});
  add_reals("key_rope_2d", {pages * 128, 64});
  auto* list = add("topk_indices", isa::DType::kI32, {batches, 2048}).as<std::int32_t>();
  auto* table = add("block_table", isa::DType::kI32, {batches, columns}).as<std::int32_t>();
  auto* length = add("kv_act_seqs", isa::DType::kI32, {batches}).as<std::int32_t>();
  for (std::int64_t b = 0; b < batches; ++b) {
    length[b] = lengths[static_cast<std::size_t>(b)];
    for (std::int64_t i = 0; i < columns; ++i) table[b * columns + i] = below(pages);
    for (std::int64_t i = 0; i < 2048; ++i) {
      list[b * 2048 + i] = length[b] == 0 ? -1 : below(length[b]);
    }
  }
  call.attributes["topk"] = listed;
  return call;
}

/// More tokens than cores, of unequal length: each core has some to itself and shares in others,
/// and some see nothing.
TEST(SparseFlashAttentionQuant, TokensThatAreWholeAndTokensThatAreSplit) {
  std::vector<std::int32_t> lengths(20, 330);
  for (const std::int32_t length : {90, 0, 1, 17, 300, 64, 65}) lengths.push_back(length);
  run_and_compare(sfa(), random_call(lengths, 3, 5, 2048));
}

/// Short tokens behind long ones, one step each.
TEST(SparseFlashAttentionQuant, ManyTokensOfAStepEach) {
  std::vector<std::int32_t> lengths(4, 520);
  lengths.resize(90, 30);
  run_and_compare(sfa(), random_call(lengths, 5, 5, 2048));
}

/// A block table that is longer than what the cores keep of it.
TEST(SparseFlashAttentionQuant, PositionsFarBehind) {
  const operators::Call call = random_call({1100 * 128}, 1100, 3, 40);
  auto* list = call.tensors.at("topk_indices").as<std::int32_t>();
  for (const int i : {0, 3, 39}) list[i] = 1099 * 128 + i;
  run_and_compare(sfa(), call);
}

TEST(SparseFlashAttentionQuant, ScalesThatTurnTheOrderAround) {
  for (const double scale : {-0.1, 0.0, 1e-6, 1e37, 3.4e38, -3.4e38}) {
    operators::Call call = sfa().make_case("SFA-7", device().memory());
    call.attributes["softmax_scale"] = scale;
    run_and_compare(sfa(), call);
  }
}

TEST(SparseFlashAttentionQuant, CachesStayAsTheyAre) {
  const operators::Call call = sfa().make_case("SFA-8", device().memory());
  operators::TensorMap before;
  for (const auto& [name, tensor] : call.tensors) {
    before.emplace(name, tensor.clone(device().memory(), name));
  }
  run(call);
  for (const auto& [name, tensor] : call.tensors) {
    EXPECT_EQ(std::memcmp(before.at(name).data(), tensor.data(), tensor.bytes()), 0) << name;
  }
}

}  // namespace
}  // namespace davsim::test
