// Random calls of operators. Legal ones: with time, without time and the reference agree, and the
// checker finds nothing. Others are refused by a rule, or are legal still. DAVSIM_FUZZ_SEED and
// DAVSIM_FUZZ_COUNT choose others and more.
#include <gtest/gtest.h>

#include "checker/checker.hpp"
#include "reference/reference.hpp"
#include "tests/child_process.hpp"
#include "tests/fuzz/call_breaker.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/operators/deepseek_random.hpp"
#include "tests/operators/fused_infer_attention_score_v2_random.hpp"
#include "tests/operators/kv_rmsnorm_rope_cache_call.hpp"
#include "tests/operators/matmul_call.hpp"
#include "tests/operators/paged_attention_random.hpp"
#include "tests/operators/rope_quant_kvcache_call.hpp"

namespace davsim::test {
namespace {

using isa::DType;

struct NamedCall {
  std::string operator_name;
  operators::Call call;
};

/// A call of one of the operators, which come in turn.
class CallGenerator : RandomChoice {
 public:
  CallGenerator(memory::GlobalMemory& memory, std::uint64_t seed)
      : RandomChoice(memory, seed), memory_(memory), seed_(seed) {}

  NamedCall make() {
    static const std::string kPrologs[] = {"mla_prolog_quant", "lightning_indexer_prolog_quant",
                                           "mla_indexer_prolog_quant"};
    switch (seed_ % kOperators) {
      case 0:
        return {"matmul", mm_call(product(), memory_, seed_)};
      case 1:
        return {"fused_infer_attention_score_v2", attention()};
      case 2:
        return {"paged_attention", paged()};
      case 3:
        return {"kv_rmsnorm_rope_cache", cache_rows()};
      case 4:
        return {"rope_quant_kvcache", rope()};
      case 5:
        return {"sparse_flash_attention_quant", sparse()};
      default: {
        const std::string& name = kPrologs[seed_ % kOperators - 6];
        return {name, DeepseekRandom(memory_, seed_).prolog(name)};
      }
    }
  }

 private:
  static constexpr std::uint64_t kOperators = 9;

  MmSizes product() {
    MmSizes s{.m = number(1, 70), .n = number(1, 70), .k = number(1, 70)};
    s.input = one_of({DType::kF16, DType::kBF16, DType::kF32, DType::kI8});
    s.transpose_a = flag(), s.transpose_b = flag();
    if (flag()) s.bias = s.input == DType::kI8 ? DType::kI32 : DType::kF32;
    return s;
  }
  operators::Call attention() {
    FiaRandom random(memory_, seed_);
    for (std::uint64_t skipped = seed_ / kOperators % 8; skipped > 0; --skipped) random.next();
    operators::SeededData data(memory_, seed_);
    operators::Call call = operators::fused_infer_attention_score::make_call(random.next(), data);
    if (seldom()) call.attributes["softmax_scale"] = scale_at_the_edge();
    return call;
  }
  operators::Call paged() {
    PaRandom random(memory_, seed_);
    for (std::uint64_t skipped = seed_ / kOperators % 10; skipped > 0; --skipped) random.next();
    operators::SeededData data(memory_, seed_);
    operators::Call call = operators::paged_attention::make_call(data, random.next());
    if (seldom()) call.attributes["qkScale"] = scale_at_the_edge();
    return call;
  }
  operators::Call sparse() {
    operators::Call call = DeepseekRandom(memory_, seed_).sparse_attention();
    if (seldom()) call.attributes["softmax_scale"] = scale_at_the_edge();
    return call;
  }
  /// What is visible comes from the mask, whatever the scores are. Scores that a float does not
  /// hold are infinite.
  double scale_at_the_edge() { return one_of({0.0, 1e-8, 1e-36, -1e-8, 1e37, 3.4e38, -3.4e38}); }
  operators::Call cache_rows() {
    KvrSizes n{.batch = number(1, 9), .seq = number(1, 5), .pages = number(2, 9)};
    n.mode = one_of({"Norm", "PA", "PA_NZ", "PA_BLK_BNSD", "PA_BLK_NZ"});
    n.quantised = !n.norm() && flag(), n.output_kv = flag(), n.offsets = n.quantised && flag();
    n.pages = std::max(n.pages, n.batch * n.seq);
    operators::Call call = kvr_call(n, seed_, memory_);
    if (!seldom()) return call;
    // Several tokens of one row: the last one stays.
    const operators::Tensor& index = call.tensors.at("index");
    for (std::int64_t i = 0; i < index.elements(); i += 2) index.as<std::int64_t>()[i] = 0;
    return call;
  }
  operators::Call rope() {
    const std::int64_t seq = number(1, 4);
    return rqk_call({.batch = number(1, 6),
                     .seq = seq,
                     .cache_len = seq + number(0, 5),
                     .heads_q = number(1, 9),
                     .heads_kv = number(1, 4),
                     .dim = 32 * number(1, 4),
                     .kv_output = flag()},
                    seed_, memory_);
  }

  memory::GlobalMemory& memory_;
  std::uint64_t seed_;
};

/// Runs a call under the checker. Returns a digest of all results, or what is wrong.
std::string outcome_of(const operators::Operator& op, const operators::Call& call,
                       sim::Device& device) {
  const operators::Call good = operators::validated(op, call, device.soc());
  const operators::TensorMap before = reference::copy_in_place(op, call, device.memory());
  checker::Checker checker;
  device.check(&checker);
  const operators::RunResult result = operators::run(op, call, device);
  device.check(nullptr);
  std::string wrong;
  const auto comparisons =
      reference::find_reference(op.info().name)->compare_results(good, before, result.outputs);
  for (const auto& comparison : comparisons) {
    if (!comparison.passed) wrong += reference::to_string(comparison) + "\n";
  }
  if (checker.findings().open() > 0) wrong += checker::text_of(checker.findings());
  if (!wrong.empty()) return op.info().name + ": " + wrong;
  std::uint64_t all = 0;
  for (const auto& [name, tensor] : result.outputs) {
    all = digest(tensor.data(), tensor.bytes(), all);
  }
  return "good " + std::to_string(all);
}

/// The outcome of the call of a seed, in a process of its own. `broken`: after random changes; one
/// that is refused gives "refused" and the message.
std::string outcome_of(std::uint64_t seed, sim::Mode mode, bool broken) {
  return in_child([&]() -> std::string {
    sim::DeviceOptions options;
    options.mode = mode;
    sim::Device device(sim::SocConfig::named(kTestSoc), options);
    NamedCall made = CallGenerator(device.memory(), seed).make();
    const operators::Operator& op = operators::find_operator(made.operator_name);
    if (!broken) return outcome_of(op, made.call, device);
    const std::string changes = CallBreaker(device.memory(), seed + 1).change(made.call, op.info());
    try {
      const std::string outcome = outcome_of(op, made.call, device);
      return outcome.starts_with("good ") ? outcome : changes + ": " + outcome;
    } catch (const operators::Refusal& refusal) {
      return "refused " + std::string(refusal.what());
    } catch (const std::exception& error) {
      return made.operator_name + " with " + changes + ": " + error.what();
    }
  });
}

TEST(FuzzCalls, EveryModeAndTheReferenceAgreeAndNothingIsFound) {
  const std::uint64_t first = generator_option("DAVSIM_FUZZ_SEED", 1);
  const std::uint64_t count = generator_option("DAVSIM_FUZZ_COUNT", 18);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string timed = outcome_of(seed, sim::Mode::kTimed, false);
    const std::string functional = outcome_of(seed, sim::Mode::kFunctional, false);
    EXPECT_TRUE(timed.starts_with("good ")) << "seed " << seed << ", timed: " << timed;
    EXPECT_EQ(functional, timed) << "seed " << seed;
  }
}

TEST(FuzzCalls, BrokenOnesAreRefusedByARuleOrAreLegal) {
  const std::uint64_t first = generator_option("DAVSIM_FUZZ_SEED", 1);
  const std::uint64_t count = generator_option("DAVSIM_FUZZ_COUNT", 18);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string functional = outcome_of(seed, sim::Mode::kFunctional, true);
    if (functional.starts_with("refused ")) {
      EXPECT_GT(functional.size(), std::string_view("refused ").size()) << "seed " << seed;
      continue;
    }
    EXPECT_TRUE(functional.starts_with("good ")) << "seed " << seed << ": " << functional;
    EXPECT_EQ(outcome_of(seed, sim::Mode::kTimed, true), functional) << "seed " << seed;
  }
}

}  // namespace
}  // namespace davsim::test
