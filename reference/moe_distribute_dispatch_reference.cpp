// Dispatch: the rows of each rank, one after the other.
#include <algorithm>
#include <cmath>

#include "reference/moe_distribute_group.hpp"
#include "reference/system_reference.hpp"

namespace davsim::reference {
namespace {

/// What a rank gets without its tensor-parallel group.
struct Received {
  std::vector<MoePair> rows;
  std::vector<double> ends, of_expert;  ///< running sums by word; rows by local expert
};

Received receive(const MoeGroup& group, std::int64_t rank) {
  Received all;
  for (std::int64_t local = 0; local < group.local_experts(rank); ++local) {
    const std::size_t before = all.rows.size();
    for (std::int64_t source = 0; source < group.world; ++source) {
      const std::vector<MoePair> pairs = group.received(rank, local, source);
      all.rows.insert(all.rows.end(), pairs.begin(), pairs.end());
      all.ends.push_back(static_cast<double>(all.rows.size()));
    }
    all.of_expert.push_back(static_cast<double>(all.rows.size() - before));
  }
  return all;
}

/// A row as it arrives, and its scale: float32 arithmetic, as documented.
struct Arrived {
  std::vector<double> numbers;
  double scale = 0;
};

Arrived arrived(const MoeGroup& group, const MoePair& pair, bool quantised) {
  const operators::Call& part = group.part(pair.rank);
  const operators::Tensor& x = part.tensors.at("x");
  const std::int64_t width = x.shape()[1];
  Arrived row;
  for (std::int64_t i = 0; i < width; ++i) {
    row.numbers.push_back(element(x, pair.token * width + i));
  }
  if (!quantised) return row;
  const auto scales = part.tensors.find("scales");
  const std::int64_t scale_row =
      pair.k < group.top_k ? group.shared_experts + group.expert(pair) : pair.k - group.top_k;
  float largest = 0;
  std::vector<float> wide;
  for (std::int64_t i = 0; i < width; ++i) {
    float value = static_cast<float>(row.numbers[static_cast<std::size_t>(i)]);
    if (scales != part.tensors.end()) {
      value *= scales->second.as<float>()[scale_row * width + i];
    }
    largest = std::max(largest, std::fabs(value));
    wide.push_back(value);
  }
  const float factor = 127.0f / largest;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const float product = wide[i] * factor;
    row.numbers[i] = std::isnan(product) ? 0 : std::clamp(std::nearbyint(product), -128.0f, 127.0f);
  }
  row.scale = 1.0f / factor;
  return row;
}

/// Compares the first numbers of a tensor: what lies behind is not written.
void compare_first(std::vector<Comparison>& to, const operators::TensorMap& outputs,
                   const std::string& name, std::size_t die, const std::vector<double>& expected) {
  Comparer comparer(name + "." + std::to_string(die), Tolerance{});
  const auto found = outputs.find(name);
  if (found == outputs.end() ||
      found->second.elements() < static_cast<std::int64_t>(expected.size())) {
    comparer.fail("it is missing or too short");
  } else {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      comparer.add(at, element(found->second, at), expected[i]);
    }
  }
  to.push_back(comparer.result());
}

class DispatchReference final : public SystemReference {
 public:
  explicit DispatchReference(bool second) : second_(second) {}

  std::vector<Comparison> compare_results(const operators::SystemCall& call,
                                          const std::vector<operators::TensorMap>& outputs,
                                          const std::string& product) const override {
    const std::int64_t tp_world = MoeGroup(call, 0).tp_world;
    std::vector<MoeGroup> groups;
    for (std::int64_t tp = 0; tp < tp_world; ++tp) groups.emplace_back(call, tp);
    std::vector<Comparison> all;
    for (std::int64_t rank = 0; rank < groups.front().world; ++rank) {
      for (std::int64_t tp = 0; tp < tp_world; ++tp) {
        compare_rank(all, groups, rank, tp, outputs, product);
      }
    }
    return all;
  }

 private:
  void compare_rank(std::vector<Comparison>& all, const std::vector<MoeGroup>& groups,
                    std::int64_t rank, std::int64_t tp,
                    const std::vector<operators::TensorMap>& outputs,
                    const std::string& product) const {
    const MoeGroup& own = groups[static_cast<std::size_t>(tp)];
    const operators::Call& part = own.part(rank);
    const std::size_t die = own.die(rank);
    const bool quantised = part.attributes.at("quant_mode").to_number<int>() == 2;
    std::vector<double> numbers, scales, ends, of_expert, totals, origins, weights;
    // The rows of the own group come first, then those of the other rank's.
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const MoeGroup& group = groups[(static_cast<std::size_t>(tp) + i) % groups.size()];
      const Received received = receive(group, rank);
      for (const MoePair& pair : received.rows) {
        const Arrived row = arrived(group, pair, quantised);
        numbers.insert(numbers.end(), row.numbers.begin(), row.numbers.end());
        scales.push_back(row.scale);
        if (i > 0) continue;
        for (const std::int64_t origin : {pair.rank, pair.token, pair.k}) {
          origins.push_back(static_cast<double>(origin));
        }
        const auto found = group.part(pair.rank).tensors.find("expert_scales");
        if (found == group.part(pair.rank).tensors.end() || pair.k >= group.top_k) continue;
        weights.push_back(element(found->second, pair.token * group.top_k + pair.k));
      }
      ends.insert(ends.end(), received.ends.begin(), received.ends.end());
      of_expert.resize(received.of_expert.size());
      for (std::size_t e = 0; e < of_expert.size(); ++e) of_expert[e] += received.of_expert[e];
      totals.push_back(static_cast<double>(received.rows.size()));
    }
    if (tp == 1) std::swap(totals.front(), totals.back());
    if (part.attributes.at("expert_token_nums_type").to_number<int>() == 0) {
      for (std::size_t e = 1; e < of_expert.size(); ++e) of_expert[e] += of_expert[e - 1];
    }
    const operators::TensorMap& of = outputs[die];
    compare_first(all, of, "expand_x", die, numbers);
    if (quantised) compare_first(all, of, "dynamic_scales", die, scales);
    compare_first(all, of, "expert_token_nums", die, of_expert);
    compare_first(all, of, "ep_recv_counts", die, ends);
    if (groups.size() > 1) compare_first(all, of, "tp_recv_counts", die, totals);
    if (second_) {
      compare_first(all, of, "assist_info_for_combine", die, origins);
    } else {
      compare_first(all, of, "expand_idx", die, indices(own, rank));
    }
    if ((product == "A2" || own.by_levels(product)) && part.tensors.contains("expert_scales")) {
      compare_first(all, of, "expand_scales", die, weights);
    }
  }

  /// How many rows this rank sent to the expert of each pair before; 0 for pairs that send none.
  static std::vector<double> indices(const MoeGroup& group, std::int64_t rank) {
    std::vector<double> all, sent(static_cast<std::size_t>(group.experts));
    for (std::int64_t token = 0; token < group.tokens(rank); ++token) {
      for (std::int64_t k = 0; k < group.top_k; ++k) {
        const MoePair pair = {rank, token, k};
        const bool sends = group.takes_part(pair) && group.expert(pair) < group.experts;
        const auto expert = static_cast<std::size_t>(group.expert(pair));
        all.push_back(sends ? sent[expert]++ : 0);
      }
    }
    return all;
  }

  const bool second_;
};

const SystemReferenceRegistrar v1("npu_moe_distribute_dispatch",
                                  std::make_unique<DispatchReference>(false));
const SystemReferenceRegistrar v2("npu_moe_distribute_dispatch_v2",
                                  std::make_unique<DispatchReference>(true));

}  // namespace
}  // namespace davsim::reference
