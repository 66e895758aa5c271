// Products with a collective operation as the registry sees them.
#include <memory>
#include <numeric>

#include "kernels/common/require.hpp"
#include "kernels/matmul_collective/problem.hpp"
#include "kernels/registry/attributes.hpp"
#include "kernels/registry/system_launch.hpp"

namespace davsim::operators::matmul_collective {
namespace {

class MatmulCollective final : public SystemOperator {
 public:
  explicit MatmulCollective(Kind kind) : kind_(kind), info_(describe(kind)) {}

  const OperatorInfo& info() const override { return info_; }
  bool needs_values() const override { return false; }
  void number_ranks(SystemCall&) const override {}

  void validate(const Call& part, const sim::SocConfig& soc, std::uint32_t,
                std::uint32_t ranks) const override {
    matmul_collective::validate(kind_, part, ranks);
    const bool a2 = soc.product() == "A2";
    const std::uint32_t most = a2 ? 8 : 16;
    require(ranks >= 2 && ranks <= most, ErrorClass::kUnsupported,
            a2 ? "a group of an A2 has 2 to 8 ranks" : "a group of an A3 has 2 to 16 ranks",
            "there are " + std::to_string(ranks));
  }
  void validate_together(const SystemCall& call, const sim::SocConfig&) const override {
    const Problem first = problem(call, 0);
    for (std::uint32_t rank = 1; rank < call.size(); ++rank) {
      const Problem p = problem(call, rank);
      const bool alike = p.m == first.m && p.n == first.n && p.k == first.k &&
                         p.type == first.type && p.turns == first.turns;
      require(alike, ErrorClass::kShape, "M, N, K, dtype and comm_turn are the same on all ranks",
              "rank " + std::to_string(rank) + " differs from rank 0");
    }
  }

  std::vector<TensorShape> infer(const SystemCall& call, std::uint32_t rank,
                                 const sim::SocConfig&) const override {
    const Problem p = problem(call, rank);
    const std::int64_t rows = kind_ == Kind::kAllGather ? p.m * p.ranks : p.part_rows();
    std::vector<TensorShape> outputs = {{product_name(kind_), p.type, {rows, p.n}}};
    if (kind_ == Kind::kAllGather && bool_attribute(call[rank], "gather_output")) {
      outputs.push_back({"gather_out", p.type, {rows, p.k}});
    }
    return outputs;
  }

  std::vector<observe::LaunchReport> launch(const SystemCall& call, std::vector<TensorMap>& outputs,
                                            sim::Device& device,
                                            const std::vector<std::uint32_t>& dies) const override {
    const Group group(device, info_.name, dies, 0);
    std::vector<sim::DieLaunch> launches;
    std::vector<Tensor> workspaces;
    for (std::uint32_t rank = 0; rank < call.size(); ++rank) {
      const std::uint32_t die = dies[rank];
      const Problem p = problem(call, rank);
      const Plan plan = matmul_collective::plan(p, device.soc());
      TensorMap& out = outputs[rank];
      Tensor product = out.at(product_name(kind_)), result = product;
      if (kind_ == Kind::kAllGather) {
        const auto gathered = out.find("gather_out");
        result = gathered != out.end()
                     ? gathered->second
                     : workspaces.emplace_back(device.memory(die), p.type,
                                               Shape{p.m * p.ranks, p.k}, "gathered rows");
      } else {
        product = workspaces.emplace_back(device.memory(die), p.type, Shape{p.m, p.n}, "product");
      }
      const Tensor* const bias = optional_tensor(call[rank], "bias");
      std::uint8_t* const no_bias = nullptr;
      launches.push_back(kernel_launch(
          die, "matmul_collective", plan.block_dim, tensor_of(call[rank], left_name(kind_)).gm(),
          tensor_of(call[rank], "x2").gm(), bias != nullptr ? bias->gm() : no_bias, product.gm(),
          result.gm(), group.context(rank), plan.tiling));
    }
    spread_next_launch(device);
    return device.launch(std::move(launches));
  }

  double received_bytes(const SystemCall& call, const sim::SocConfig&) const override {
    const Problem p = problem(call, 0);
    const auto ranks = static_cast<double>(p.ranks);
    const auto rows = static_cast<double>(p.m), bytes = 2.0;
    if (kind_ == Kind::kAllGather) return (ranks - 1) * rows * static_cast<double>(p.k) * bytes;
    const double once = (ranks - 1) / ranks * rows * static_cast<double>(p.n) * bytes;
    return kind_ == Kind::kAllReduce ? 2 * once : once;
  }
  double cube_flops(const SystemCall& call) const override {
    const Problem p = problem(call, 0);
    const double rows =
        static_cast<double>(p.m) * static_cast<double>(kind_ == Kind::kAllGather ? p.ranks : 1);
    return 2 * rows * static_cast<double>(p.n) * static_cast<double>(p.k);
  }

  std::vector<SystemCase> cases() const override { return matmul_collective::cases(kind_); }
  SystemCall make_case(std::string_view id,
                       const std::vector<memory::GlobalMemory*>& memories) const override {
    return matmul_collective::make_case(kind_, id, memories);
  }

 private:
  Problem problem(const SystemCall& call, std::uint32_t rank) const {
    return problem_of(kind_, call[rank], rank, static_cast<std::int64_t>(call.size()));
  }

  const Kind kind_;
  const OperatorInfo info_;
};

const SystemOperatorRegistrar all_reduce(std::make_unique<MatmulCollective>(Kind::kAllReduce));
const SystemOperatorRegistrar all_gather(std::make_unique<MatmulCollective>(Kind::kAllGather));
const SystemOperatorRegistrar reduce_scatter(
    std::make_unique<MatmulCollective>(Kind::kReduceScatter));

}  // namespace
}  // namespace davsim::operators::matmul_collective
