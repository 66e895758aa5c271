// Combine: each token is the weighted sum of the rows that its experts sent back.
#include <algorithm>
#include <cmath>
#include <map>

#include "reference/moe_distribute_group.hpp"
#include "reference/rounding.hpp"
#include "reference/system_reference.hpp"

namespace davsim::reference {
namespace {

/// `x` to the nearest of the numbers with 11 significant bits: fp16 that is neither very small nor
/// very large.
double to_11_bits(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const double step = std::ldexp(1.0, exponent - 11);
  return std::nearbyint(x / step) * step;
}

/// The row of expand_x, and the rank that has it, by source rank, token and k.
using Places = std::map<std::vector<std::int64_t>, std::pair<std::int64_t, std::int64_t>>;

Places places_of(const MoeGroup& group) {
  Places places;
  for (std::int64_t rank = 0; rank < group.world; ++rank) {
    std::int64_t row = 0;
    for (std::int64_t local = 0; local < group.local_experts(rank); ++local) {
      for (std::int64_t source = 0; source < group.world; ++source) {
        for (const MoePair& pair : group.received(rank, local, source)) {
          places[{pair.rank, pair.token, pair.k}] = {rank, row++};
        }
      }
    }
  }
  return places;
}

class CombineReference final : public SystemReference {
 public:
  std::vector<Comparison> compare_results(const operators::SystemCall& call,
                                          const std::vector<operators::TensorMap>& outputs,
                                          const std::string& product) const override {
    std::vector<Comparison> all;
    for (std::int64_t tp = 0; tp < MoeGroup(call, 0).tp_world; ++tp) {
      const MoeGroup group(call, tp);
      const Places places = places_of(group);
      const std::int64_t server = product == "A2" ? 8 : 16;
      for (std::int64_t rank = 0; rank < group.world; ++rank) {
        const operators::TensorMap& of = outputs[group.die(rank)];
        all.push_back(group.by_levels(product)
                          ? compare_levels(call, group, places, rank, server, of)
                          : compare_rank(call, group, places, rank, of));
      }
    }
    return all;
  }

 private:
  /// The row that an expert sent back, as it arrives.
  static std::vector<double> returned(const operators::SystemCall& call, const MoeGroup& group,
                                      std::int64_t rank, std::int64_t row) {
    const operators::Tensor& rows = group.part(rank).tensors.at("expand_x");
    const std::int64_t width = rows.shape()[1];
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < width; ++i) numbers.push_back(element(rows, row * width + i));
    if (group.tp_world > 1) {  // the other rank has its share behind its own rows
      const MoeGroup other(call, 1 - group.tp_rank);
      const operators::Call& part = other.part(rank);
      const std::int64_t first =
          part.tensors.at("tp_send_counts").as<std::int32_t>()[other.tp_rank];
      for (std::int64_t i = 0; i < width; ++i) {
        double& sum = numbers[static_cast<std::size_t>(i)];
        sum += element(part.tensors.at("expand_x"), (first + row) * width + i);
        sum = rows.dtype() == isa::DType::kBF16 ? to_bf16(sum) : to_11_bits(sum);
      }
    }
    return numbers;
  }
  static bool is_quantised(const operators::Call& part) {
    const auto* mode = part.attributes.if_contains("comm_quant_mode");
    return mode != nullptr && mode->to_number<int>() == 2;
  }

  /// Eight numbers share a scale. Quotients pass through float16.
  static void through_int8(std::vector<double>& numbers) {
    for (std::size_t at = 0; at < numbers.size(); at += 8) {
      const std::size_t end = std::min(numbers.size(), at + 8);
      double largest = 0;
      for (std::size_t i = at; i < end; ++i) largest = std::max(largest, std::fabs(numbers[i]));
      const double scale = largest / 127;
      for (std::size_t i = at; i < end && scale > 0; ++i) {
        numbers[i] = std::nearbyint(to_11_bits(numbers[i] / scale)) * scale;
      }
    }
  }

  static double special(const operators::Call& part, const MoeGroup& group, const MoePair& pair,
                        std::int64_t i, std::int64_t width) {
    const auto count = [&](const char* name) {
      return part.attributes.at(name).to_number<std::int64_t>();
    };
    std::int64_t id = group.expert(pair) - group.experts - count("zero_expert_num");
    if (id < 0) return 0;
    const double x = element(part.tensors.at("ori_x"), pair.token * width + i);
    id -= count("copy_expert_num");
    if (id < 0) return x;
    return element(part.tensors.at("const_expert_alpha_1"), id) * x +
           element(part.tensors.at("const_expert_alpha_2"), id) *
               element(part.tensors.at("const_expert_v"), id * width + i);
  }

  static Comparison compare_rank(const operators::SystemCall& call, const MoeGroup& group,
                                 const Places& places, std::int64_t rank,
                                 const operators::TensorMap& outputs) {
    const operators::Call& part = group.part(rank);
    const operators::Tensor& x = outputs.at("x");
    const std::int64_t width = x.shape()[1];
    const bool is_half = x.dtype() == isa::DType::kF16;
    // The sum is rounded to the type once; float32 adds little. Rows of int8 may fall to the other
    // side of a tie, a step of 1/127 of the largest of eight numbers.
    const double step = is_quantised(part) ? 0.01 : 0;
    const Tolerance tolerance{.rtol = std::ldexp(1.0, is_half ? -10 : -7), .atol = 1e-3 + step};
    Comparer comparer("x." + std::to_string(group.die(rank)), tolerance);
    for (std::int64_t token = 0; token < group.tokens(rank); ++token) {
      std::vector<double> sum(static_cast<std::size_t>(width));
      for (std::int64_t k = 0; k < group.top_k + group.shared_experts; ++k) {
        const MoePair pair = {rank, token, k};
        if (!group.takes_part(pair)) continue;
        const bool is_shared = k >= group.top_k;
        const double weight =
            is_shared ? 1 : element(part.tensors.at("expert_scales"), token * group.top_k + k);
        const auto place = places.find({rank, token, k});
        std::vector<double> row;
        if (place != places.end()) {
          row = returned(call, group, place->second.first, place->second.second);
          if (is_quantised(part)) through_int8(row);
        } else {
          for (std::int64_t i = 0; i < width; ++i) {
            row.push_back(special(part, group, pair, i, width));
          }
        }
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * row[i];
      }
      const auto shared = part.tensors.find("shared_expert_x");
      for (std::int64_t i = 0; i < width; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (shared != part.tensors.end() && group.takes_part({rank, token, group.top_k})) {
          sum[at] += element(shared->second, token * width + i);
        }
        comparer.add(token * width + i, element(x, token * width + i), sum[at]);
      }
    }
    return comparer.result();
  }

  /// The rows of a server are added up, by the weights that came with them, and rounded to the type
  /// before they leave it; as int8 to another server. The sums are added up as floats.
  static Comparison compare_levels(const operators::SystemCall& call, const MoeGroup& group,
                                   const Places& places, std::int64_t rank, std::int64_t server,
                                   const operators::TensorMap& outputs) {
    const operators::Call& part = group.part(rank);
    const operators::Tensor& x = outputs.at("x");
    const std::int64_t width = x.shape()[1];
    const bool is_bf16 = x.dtype() == isa::DType::kBF16;
    // A sum near the middle of two numbers of the type may be rounded to the other one.
    const double step = is_quantised(part) ? 0.02 : 0;
    const Tolerance tolerance{.rtol = std::ldexp(1.0, is_bf16 ? -7 : -10),
                              .atol = std::ldexp(1.0, is_bf16 ? -7 : -10) + step};
    Comparer comparer("x." + std::to_string(group.die(rank)), tolerance);
    for (std::int64_t token = 0; token < group.tokens(rank); ++token) {
      std::map<std::int64_t, std::vector<double>> sums;
      for (std::int64_t k = 0; k < group.top_k; ++k) {
        const auto place = places.find({rank, token, k});
        if (place == places.end()) continue;
        const auto [from, row_number] = place->second;
        const double weight = element(group.part(from).tensors.at("expand_scales"), row_number);
        std::vector<double>& sum = sums[from / server];
        sum.resize(static_cast<std::size_t>(width));
        const std::vector<double> row = returned(call, group, from, row_number);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * row[i];
      }
      const auto shared = part.tensors.find("shared_expert_x");
      for (auto& [of_server, sum] : sums) {
        if (is_quantised(part) && of_server != rank / server) {
          through_int8(sum);
        } else {
          for (double& number : sum) number = is_bf16 ? to_bf16(number) : to_11_bits(number);
        }
      }
      for (std::int64_t i = 0; i < width; ++i) {
        double expected = 0;
        for (const auto& [of_server, sum] : sums) expected += sum[static_cast<std::size_t>(i)];
        if (shared != part.tensors.end() && group.takes_part({rank, token, group.top_k})) {
          expected += element(shared->second, token * width + i);
        }
        comparer.add(token * width + i, element(x, token * width + i), expected);
      }
    }
    return comparer.result();
  }
};

const SystemReferenceRegistrar v1("npu_moe_distribute_combine",
                                  std::make_unique<CombineReference>());
const SystemReferenceRegistrar v2("npu_moe_distribute_combine_v2",
                                  std::make_unique<CombineReference>());

}  // namespace
}  // namespace davsim::reference
