// Several dies: operators of expert parallelism, products with collective operations, collective
// operations by the servers, and moves over single links.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "bench/silicon/kernel.hpp"
#include "kernels/registry/system_operator.hpp"
#include "sim/system/communicators.hpp"

namespace davsim::silicon {
namespace {

using operators::SystemCall;
using operators::Tensor;

/// What a rank takes on the average, as tests of such operators report it: the first rank's report
/// with the mean of all cycles.
observe::LaunchReport mean(std::vector<observe::LaunchReport> reports) {
  observe::Cycle all = 0;
  for (const observe::LaunchReport& report : reports) all += report.cycles;
  reports.front().cycles = all / reports.size();
  return reports.front();
}

/// Runs a call again and again.
std::function<observe::LaunchReport()> runs_of(sim::Device& device, const std::string& name,
                                               SystemCall call) {
  const operators::SystemOperator& op = *operators::find_system_operator(name);
  op.number_ranks(call);
  return [&device, &op, call = std::move(call)] {
    return mean(operators::run(op, call, device).reports);
  };
}

// --- expert parallelism --------------------------------------------------------------------------

/// Experts of each token: any, all different, as the tests of the published measurements choose
/// them. So some blocks and ranks have more rows than others.
Tensor random_ids(sim::Device& device, std::uint32_t rank, std::int64_t tokens, std::int64_t k,
                  std::int64_t experts) {
  Tensor ids(device.memory(rank), isa::DType::kI32, {tokens, k}, "expert_ids");
  std::mt19937 random(rank + 1);  // the standard says which numbers come
  std::vector<std::int32_t> all(static_cast<std::size_t>(experts));
  std::iota(all.begin(), all.end(), 0);
  for (std::int64_t token = 0; token < tokens; ++token) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      std::swap(all[i], all[i + random() % (all.size() - i)]);
    }
    std::copy_n(all.begin(), k, ids.as<std::int32_t>() + token * k);
  }
  return ids;
}

SystemCall dispatch_call(sim::Device& device, const Params& params, bool quantised) {
  const std::int64_t tokens = params.size("tokens"), width = params.number("width", 7168);
  const std::int64_t k = params.number("top_k", 8), experts = params.number("experts", 256);
  SystemCall call(device.dies());
  for (std::uint32_t rank = 0; rank < device.dies(); ++rank) {
    // Zeros: rows that are as the windows were take no memory of the host.
    const Tensor x(device.memory(rank), isa::DType::kBF16, {tokens, width}, "x");
    call[rank].tensors = {{"x", x}, {"expert_ids", random_ids(device, rank, tokens, k, experts)}};
    call[rank].attributes = {{"ep_world_size", device.dies()}, {"moe_expert_num", experts}};
    if (quantised) call[rank].attributes["quant_mode"] = 2;
  }
  return call;
}

std::function<observe::LaunchReport()> prepare_dispatch(sim::Device& device, const Params& params) {
  return runs_of(device, "npu_moe_distribute_dispatch_v2",
                 dispatch_call(device, params, params.number("int8", 1) != 0));
}

/// Gives a rank's part of combine the lists that dispatch makes of the experts of all ranks: where
/// its rows come from, by local expert, source and token, and how many there are up to each source.
void add_lists(sim::Device& device, SystemCall& call, std::uint32_t rank, std::int64_t experts) {
  const auto ranks = static_cast<std::int64_t>(call.size());
  const std::int64_t each = experts / ranks;
  const operators::Shape ids = call[rank].tensors.at("expert_ids").shape();
  const std::int64_t most = ranks * ids[0] * std::min(each, ids[1]);
  Tensor ends(device.memory(rank), isa::DType::kI32, {each * ranks}, "ep_send_counts");
  Tensor origins(device.memory(rank), isa::DType::kI32, {most * 128}, "assist_info");
  auto* origin = origins.as<std::int32_t>();
  std::int32_t rows = 0;
  for (std::int64_t word = 0; word < each * ranks; ++word) {
    const std::int64_t expert = rank * each + word / ranks, source = word % ranks;
    const auto* const chosen =
        call[static_cast<std::size_t>(source)].tensors.at("expert_ids").as<std::int32_t>();
    for (std::int64_t i = 0; i < ids[0] * ids[1]; ++i) {
      if (chosen[i] != expert) continue;
      *origin++ = static_cast<std::int32_t>(source);
      *origin++ = static_cast<std::int32_t>(i / ids[1]);
      *origin++ = static_cast<std::int32_t>(i % ids[1]);
      ++rows;
    }
    ends.as<std::int32_t>()[word] = rows;
  }
  call[rank].tensors.insert({{"ep_send_counts", ends}, {"assist_info_for_combine", origins}});
}

std::function<observe::LaunchReport()> prepare_combine(sim::Device& device, const Params& params) {
  SystemCall call = dispatch_call(device, params, false);
  const std::int64_t experts = params.number("experts", 256);
  for (std::uint32_t rank = 0; rank < device.dies(); ++rank) {
    add_lists(device, call, rank, experts);
    operators::TensorMap& tensors = call[rank].tensors;
    const Tensor x = tensors.at("x"), ids = tensors.at("expert_ids");
    const std::int64_t rows = tensors.at("assist_info_for_combine").elements() / 128;
    tensors.emplace("expand_x", Tensor(device.memory(rank), isa::DType::kBF16, {rows, x.shape()[1]},
                                       "expand_x"));
    tensors.emplace("expert_scales",
                    Tensor(device.memory(rank), isa::DType::kF32, ids.shape(), "expert_scales"));
    tensors.erase("x");
  }
  return runs_of(device, "npu_moe_distribute_combine_v2", std::move(call));
}

// --- products ------------------------------------------------------------------------------------

/// Which of `known` the parameter `kind` names. Throws std::invalid_argument naming all of them.
template <class What>
const What& kind_of(const Params& params, const std::map<std::string, What>& known) {
  const std::string kind = params.text("kind", "all_reduce");
  const auto at = known.find(kind);
  if (at != known.end()) return at->second;
  std::string all;
  for (const auto& [name, what] : known) all += (all.empty() ? "" : ", ") + name;
  throw std::invalid_argument("kind=" + kind + "; known are " + all);
}

std::function<observe::LaunchReport()> prepare_product(sim::Device& device, const Params& params) {
  static const std::map<std::string, std::string> kKinds = {
      {"all_reduce", "npu_mm_all_reduce_base"},
      {"all_gather", "npu_all_gather_base_mm"},
      {"reduce_scatter", "npu_mm_reduce_scatter_base"}};
  const std::string& name = kind_of(params, kKinds);
  const std::int64_t m = params.size("m"), n = params.size("n"), k = params.size("k");
  const bool reduces = name == "npu_mm_all_reduce_base", gathers = name == "npu_all_gather_base_mm";
  SystemCall call(device.dies());
  for (std::uint32_t rank = 0; rank < device.dies(); ++rank) {
    const auto tensor = [&](std::int64_t rows, std::int64_t cols, const char* name) {
      return Tensor(device.memory(rank), isa::DType::kF16, {rows, cols}, name);
    };
    call[rank].tensors = {
        {reduces ? "x1" : "input", tensor(gathers ? m / device.dies() : m, k, "a")},
        {"x2", tensor(k, n, "x2")}};
  }
  return runs_of(device, name, std::move(call));
}

// --- collective operations -----------------------------------------------------------------------

/// `count` elements of half on each rank: what it sends, or what AllGather gives it.
std::function<observe::LaunchReport()> prepare_collective(sim::Device& device,
                                                          const Params& params) {
  using isa::CollectiveKind;
  static const std::map<std::string, CollectiveKind> kKinds = {
      {"all_reduce", CollectiveKind::kAllReduce},
      {"all_gather", CollectiveKind::kAllGather},
      {"reduce_scatter", CollectiveKind::kReduceScatter},
      {"all_to_all", CollectiveKind::kAllToAll},
      {"broadcast", CollectiveKind::kBroadcast}};
  const CollectiveKind kind = kind_of(params, kKinds);
  const bool whole = kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kBroadcast;
  const std::uint64_t each = whole ? params.size("count") : params.size("count") / device.dies();
  if (each == 0) {
    throw std::invalid_argument("count is below the " + std::to_string(device.dies()) +
                                " ranks that share it");
  }
  const std::uint64_t count = whole ? each : each * device.dies();
  std::vector<std::uint32_t> dies;
  std::vector<isa::Collective> ranks;
  for (std::uint32_t die = 0; die < device.dies(); ++die) {
    dies.push_back(die);
    isa::Collective& of = ranks.emplace_back();
    of.kind = kind;
    of.count = each;
    of.type = 3;  // HCCL_DATA_TYPE_FP16
    of.send = reinterpret_cast<std::uint64_t>(device.memory(die).allocate(count * 2, "send"));
    of.recv = reinterpret_cast<std::uint64_t>(device.memory(die).allocate(count * 2, "recv"));
  }
  device.communicators()->create("world", dies,
                                 device.communicators()->system().collectives().window);
  return [&device, ranks] {
    device.communicators()->run("world", ranks);
    observe::LaunchReport report;
    report.cycles = device.finish_transfers();
    report.frequency_mhz = device.soc().frequency_mhz();
    return report;
  };
}

const KernelRegistrar dispatch(
    {"moe_dispatch", "dispatch of a mixture of experts: tokens [width top_k experts int8]",
     prepare_dispatch, true});
const KernelRegistrar combine({"moe_combine",
                               "combine of a mixture of experts: tokens [width top_k experts]",
                               prepare_combine, true});
const KernelRegistrar product({"matmul_collective",
                               "a product with a collective operation: m n k "
                               "[kind=all_reduce|all_gather|reduce_scatter]",
                               prepare_product});
const KernelRegistrar collective(
    {"collective",
     "a collective operation of half by the servers: count [kind=all_reduce|"
     "all_gather|reduce_scatter|all_to_all|broadcast]",
     prepare_collective});

}  // namespace
}  // namespace davsim::silicon
