// Dispatch and combine as the registry sees them.
#include <memory>
#include <string>

#include "kernels/common/require.hpp"
#include "kernels/moe_distribute/problem.hpp"
#include "kernels/registry/system_launch.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using isa::DType;

std::vector<TensorShape> dispatch_outputs(const Interface& of, const Problem& p, const Call& part) {
  const std::int64_t all = p.rows() * p.tp_world;
  std::vector<TensorShape> outputs = {
      {"expand_x", p.quantised ? DType::kI8 : p.type, {all, p.width}}};
  if (p.quantised) outputs.push_back({"dynamic_scales", DType::kF32, {all}});
  outputs.push_back(
      {of.info_name(), DType::kI32, {of.second ? p.rows() * 128 : p.tokens * p.top_k}});
  outputs.push_back({"expert_token_nums", DType::kI64, {p.local_experts()}});
  outputs.push_back({"ep_recv_counts", DType::kI32, {p.ep_counts()}});
  if (p.tp_world > 1) outputs.push_back({"tp_recv_counts", DType::kI32, {p.tp_world}});
  if ((!p.a3 || p.hierarchy) && has_tensor(part, "expert_scales")) {
    outputs.push_back({"expand_scales", DType::kF32, {p.rows()}});
  }
  return outputs;
}

/// A tensor's address, or nullptr for one that is not there.
std::uint8_t* address(const TensorMap& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : found->second.gm();
}

class MoeDistribute final : public SystemOperator {
 public:
  explicit MoeDistribute(const Interface& of) : of_(of), info_(describe(of)) {}

  const OperatorInfo& info() const override { return info_; }
  void number_ranks(SystemCall& call) const override {
    for (std::size_t die = 0; die < call.size(); ++die) {
      const auto* tp = call[die].attributes.if_contains("tp_world_size");
      const bool pairs = tp != nullptr && tp->is_number() && tp->to_number<double>() == 2;
      const auto rank = static_cast<std::int64_t>(die);
      call[die].attributes["ep_rank_id"] = pairs ? rank / 2 : rank;
      call[die].attributes["tp_rank_id"] = pairs ? rank % 2 : 0;
    }
  }
  void validate(const Call& part, const sim::SocConfig& soc, std::uint32_t rank,
                std::uint32_t ranks) const override {
    moe_distribute::validate(of_, part, soc, rank, ranks);
  }
  void validate_together(const SystemCall& call, const sim::SocConfig& soc) const override {
    moe_distribute::validate_together(of_, call, soc.product());
  }

  std::vector<TensorShape> infer(const SystemCall& call, std::uint32_t rank,
                                 const sim::SocConfig& soc) const override {
    const Problem p = problem_of(of_, call[rank], soc.product());
    if (of_.dispatch) return dispatch_outputs(of_, p, call[rank]);
    return {{"x", p.type, {p.tokens, p.width}}};
  }

  std::vector<observe::LaunchReport> launch(const SystemCall& call, std::vector<TensorMap>& outputs,
                                            sim::Device& device,
                                            const std::vector<std::uint32_t>& dies) const override {
    const std::uint32_t blocks = device.soc().aiv_count();
    std::vector<::MoeDistributeTiling> tilings;
    for (const Call& part : call) {
      tilings.push_back(
          tiling_of(of_, problem_of(of_, part, device.soc().product()), part, blocks));
    }
    const ::MoeDistributeTiling& first = tilings.front();
    const Problem sizes = problem_of(of_, call.front(), device.soc().product());
    std::vector<std::unique_ptr<Group>> ep, tp;
    const std::uint32_t tp_world = first.tp_world;
    for (std::uint32_t i = 0; i < tp_world; ++i) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t rank = 0; rank < first.world; ++rank) {
        const auto of_all = static_cast<std::uint32_t>(rank_left(call.front(), rank));
        members.push_back(dies[of_all * tp_world + i]);
      }
      ep.push_back(std::make_unique<Group>(device, info_.name + " ep " + std::to_string(i), members,
                                           ep_window_bytes(sizes, first)));
    }
    for (std::uint32_t rank = 0; tp_world > 1 && rank < first.world; ++rank) {
      tp.push_back(std::make_unique<Group>(
          device, info_.name + " tp " + std::to_string(rank),
          std::vector<std::uint32_t>{dies[rank * tp_world], dies[rank * tp_world + 1]},
          tp_window_bytes(first)));
    }
    std::vector<sim::DieLaunch> launches;
    std::vector<Tensor> workspaces;
    for (std::uint32_t rank = 0; rank < call.size(); ++rank) {
      const std::uint32_t die = dies[rank];
      const Problem p = problem_of(of_, call[rank], device.soc().product());
      if (p.left_out) continue;
      const ::MoeDistributeTiling& tiling = tilings[rank];
      std::uint8_t* const ep_context = ep[tiling.tp_rank]->context(tiling.rank);
      std::uint8_t* const tp_context =
          tp.empty() ? nullptr : tp[tiling.rank]->context(tiling.tp_rank);
      const Waits waits = waits_of(die, call[rank], tiling, device, workspaces);
      launches.push_back(of_.dispatch ? dispatch(die, call[rank], outputs[rank], tiling, ep_context,
                                                 tp_context, waits, device, workspaces)
                                      : combine(die, call[rank], outputs[rank], tiling, ep_context,
                                                tp_context, waits, p));
    }
    // Combine follows dispatch, which has brought the ranks together.
    if (of_.dispatch) spread_next_launch(device);
    return device.launch(std::move(launches));
  }

  /// The rows of tokens, as libraries of expert parallelism count them: own ones too.
  double received_bytes(const SystemCall& call, const sim::SocConfig& soc) const override {
    double rows = 0;
    for (const Call& part : call) {
      const Problem p = problem_of(of_, part, soc.product());
      if (p.left_out) continue;
      const auto* ids = tensor_of(part, "expert_ids").as<std::int32_t>();
      for (std::int64_t i = 0; i < p.tokens * p.top_k; ++i) rows += ids[i] < p.experts;
      rows += static_cast<double>(p.tokens * p.shared_experts);
    }
    const Problem p = problem_of(of_, call.front(), soc.product());
    return rows * static_cast<double>(p.width * (p.quantised ? 1 : 2)) /
           static_cast<double>(p.world * p.tp_world);
  }

  std::vector<SystemCase> cases() const override { return moe_distribute::cases(of_); }
  SystemCall make_case(std::string_view id,
                       const std::vector<memory::GlobalMemory*>& memories) const override {
    return moe_distribute::make_case(of_, id, memories);
  }

 private:
  /// performance_info and the room that the blocks of a rank need for it.
  struct Waits {
    std::uint8_t *times = nullptr, *workspace = nullptr;
  };
  static Waits waits_of(std::uint32_t die, const Call& part, const ::MoeDistributeTiling& tiling,
                        sim::Device& device, std::vector<Tensor>& workspaces) {
    std::uint8_t* const times = address(part.tensors, "performance_info");
    if (times == nullptr) return {};
    const std::uint64_t bytes = ::moe_distribute::WaitTimesBytes(tiling.blocks, tiling.world);
    workspaces.emplace_back(device.memory(die), DType::kI8, Shape{static_cast<std::int64_t>(bytes)},
                            "workspace of performance_info");
    return {times, workspaces.back().gm()};
  }

  static std::uint8_t* bytes_of(std::int32_t* lists) {
    return reinterpret_cast<std::uint8_t*>(lists);
  }
  sim::DieLaunch dispatch(std::uint32_t die, const Call& part, TensorMap& outputs,
                          const ::MoeDistributeTiling& tiling, std::uint8_t* ep, std::uint8_t* tp,
                          const Waits& waits, sim::Device& device,
                          std::vector<Tensor>& workspaces) const {
    const std::int64_t blocks = tiling.blocks;
    workspaces.emplace_back(
        device.memory(die), DType::kF32,
        Shape{blocks * blocks * static_cast<std::int64_t>(::moe_distribute::kApart / 4)},
        "workspace");
    const Problem p = problem_of(of_, part, device.soc().product());
    const auto in = [&](const char* name) { return address(part.tensors, name); };
    const auto out = [&](const std::string& name) { return address(outputs, name); };
    const auto launch = [&](const char* kernel, const auto&... rest) {
      return kernel_launch(die, kernel, tiling.blocks, in("x"), in("expert_ids"), in("scales"),
                           in("x_active_mask"), in("expert_scales"), workspaces.back().gm(),
                           out("expand_x"), out("dynamic_scales"), out(of_.info_name()),
                           out("expert_token_nums"), out("ep_recv_counts"), out("tp_recv_counts"),
                           out("expand_scales"), ep, tp, rest...);
    };
    if (p.hierarchy) {
      return launch("moe_distribute_dispatch_hierarchy",
                    bytes_of(level_lists(of_, p, out("ep_recv_counts"), out(of_.info_name()))),
                    waits.times, waits.workspace, level_tiling_of(p, tiling));
    }
    // A kernel of its own, so that the others have no instructions for it.
    if (waits.times == nullptr) return launch("moe_distribute_dispatch", tiling);
    return launch("moe_distribute_dispatch_timed", waits.times, waits.workspace, tiling);
  }
  sim::DieLaunch combine(std::uint32_t die, const Call& part, TensorMap& outputs,
                         const ::MoeDistributeTiling& tiling, std::uint8_t* ep, std::uint8_t* tp,
                         const Waits& waits, const Problem& p) const {
    const auto in = [&](const std::string& name) { return address(part.tensors, name); };
    const auto launch = [&](const char* kernel, const auto&... rest) {
      return kernel_launch(die, kernel, tiling.blocks, in("expand_x"), in("expert_ids"),
                           in(of_.info_name()), in("ep_send_counts"), in("expert_scales"),
                           in("tp_send_counts"), in("x_active_mask"), in("shared_expert_x"),
                           in("ori_x"), in("const_expert_alpha_1"), in("const_expert_alpha_2"),
                           in("const_expert_v"), address(outputs, "x"), ep, tp, rest...);
    };
    if (p.hierarchy) {
      return launch("moe_distribute_combine_hierarchy", in("expand_scales"),
                    bytes_of(level_lists(of_, p, in("ep_send_counts"), in(of_.info_name()))),
                    waits.times, waits.workspace, level_tiling_of(p, tiling));
    }
    if (waits.times == nullptr) return launch("moe_distribute_combine", tiling);
    return launch("moe_distribute_combine_timed", waits.times, waits.workspace, tiling);
  }

  const Interface of_;
  const OperatorInfo info_;
};

const SystemOperatorRegistrar dispatch_v1(std::make_unique<MoeDistribute>(Interface{true, false}));
const SystemOperatorRegistrar dispatch_v2(std::make_unique<MoeDistribute>(Interface{true, true}));
const SystemOperatorRegistrar combine_v1(std::make_unique<MoeDistribute>(Interface{false, false}));
const SystemOperatorRegistrar combine_v2(std::make_unique<MoeDistribute>(Interface{false, true}));

}  // namespace
}  // namespace davsim::operators::moe_distribute
