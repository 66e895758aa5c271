// What `davsim describe` tells about dispatch and combine.
#include "kernels/moe_distribute/problem.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using isa::DType;
constexpr Direction kIn = Direction::kIn, kOut = Direction::kOut;
const std::vector<DType> kReal = {DType::kBF16, DType::kF16};

/// The second versions of both have it.
TensorSpec elastic_info() {
  return {"elastic_info",
          kIn,
          {DType::kI32},
          "ND",
          "[4 + 2*ep_world_size]",
          "optional",
          "A3: which ranks are left when others have failed; docs/operators/moe_distribute.md"};
}

/// So do these.
TensorSpec performance_info() {
  return {"performance_info",
          Direction::kInOut,
          {DType::kI64},
          "ND",
          "[ep_world_size]",
          "optional",
          "microseconds that this rank waited for each rank are added to it"};
}

std::vector<TensorSpec> dispatch_inputs(const Interface& of) {
  const std::string mask = of.second ? "[BS] or [BS, K]" : "[BS]";
  std::vector<TensorSpec> all = {
      {"x", kIn, kReal, "ND", "[BS, H]", "required", "tokens of this rank"},
      {"expert_ids", kIn, {DType::kI32}, "ND", "[BS, K]", "required", "experts of each token"},
      {"scales",
       kIn,
       {DType::kF32},
       "ND",
       "[shared_expert_num + moe_expert_num, H]",
       "optional",
       "smooth factors of each expert; the shared ones only where ranks have shared experts"},
      {"x_active_mask",
       kIn,
       {DType::kBool, DType::kU8, DType::kI8},
       "ND",
       mask,
       "optional",
       "which tokens, or which of their experts, take part"},
      {"expert_scales",
       kIn,
       {DType::kF32},
       "ND",
       "[BS, K]",
       "optional",
       "weights; on an A2 and by levels they travel with the rows"}};
  if (of.second) {
    all.push_back(elastic_info());
    all.push_back(performance_info());
  }
  return all;
}

/// Rows by expert and by rank.
std::vector<TensorSpec> dispatch_counts() {
  return {{"expert_token_nums",
           kOut,
           {DType::kI64},
           "ND",
           "[local experts]",
           "always",
           "rows of each local expert, or their prefix sums"},
          {"ep_recv_counts",
           kOut,
           {DType::kI32},
           "ND",
           "[ep_world_size*local experts*max(tp_world_size, 1)]",
           "always",
           "prefix sums of rows by local expert and source; longer on an A2"},
          {"tp_recv_counts",
           kOut,
           {DType::kI32},
           "ND",
           "[tp_world_size]",
           "tp_world_size 2",
           "rows that each rank of the group received"}};
}

std::vector<TensorSpec> dispatch_tensors(const Interface& of) {
  std::vector<TensorSpec> all = dispatch_inputs(of);
  all.push_back({"expand_x",
                 kOut,
                 {DType::kBF16, DType::kF16, DType::kI8},
                 "ND",
                 "[max(tp_world_size, 1)*A, H]",
                 "always",
                 "received rows: by local expert, then source rank, then token"});
  all.push_back({"dynamic_scales",
                 kOut,
                 {DType::kF32},
                 "ND",
                 "[max(tp_world_size, 1)*A]",
                 "quant_mode 2",
                 "by which rows of int8 are multiplied to get them back"});
  if (of.second) {
    all.push_back({"assist_info_for_combine",
                   kOut,
                   {DType::kI32},
                   "ND",
                   "[A*128]",
                   "always",
                   "source rank, token and k of each row, one behind the other"});
  } else {
    all.push_back({"expand_idx",
                   kOut,
                   {DType::kI32},
                   "ND",
                   "[BS*K]",
                   "always",
                   "how many rows this rank sent to the same expert before"});
  }
  const std::vector<TensorSpec> counts = dispatch_counts();
  all.insert(all.end(), counts.begin(), counts.end());
  all.push_back({"expand_scales",
                 kOut,
                 {DType::kF32},
                 "ND",
                 "[A]",
                 "A2 with expert_scales, comm_alg hierarchy",
                 "the weight of each row"});
  return all;
}

std::vector<TensorSpec> combine_tensors(const Interface& of) {
  std::vector<TensorSpec> all = {
      {"expand_x", kIn, kReal, "ND", "[max(tp_world_size, 1)*A, H]", "required",
       "what the experts made of the rows of dispatch"},
      {"expert_ids", kIn, {DType::kI32}, "ND", "[BS, K]", "required", "as dispatch had them"},
      {of.info_name(),
       kIn,
       {DType::kI32},
       "ND",
       of.second ? "[A*128]" : "[BS*K]",
       "required",
       "of dispatch"},
      {"ep_send_counts",
       kIn,
       {DType::kI32},
       "ND",
       "[ep_world_size*local experts*max(tp_world_size, 1)]",
       "required",
       "ep_recv_counts of dispatch"},
      {"expert_scales", kIn, {DType::kF32}, "ND", "[BS, K]", "required", "weights"},
      {"tp_send_counts",
       kIn,
       {DType::kI32},
       "ND",
       "[tp_world_size]",
       "tp_world_size 2",
       "tp_recv_counts of dispatch"},
      {"x_active_mask",
       kIn,
       {DType::kBool, DType::kU8, DType::kI8},
       "ND",
       of.second ? "[BS] or [BS, K]" : "[BS]",
       "optional",
       "as dispatch had it"},
      {"expand_scales",
       kIn,
       {DType::kF32},
       "ND",
       "[A]",
       "A2, comm_alg hierarchy",
       "of dispatch; the weights of rows by levels, else not needed here"},
      {"shared_expert_x", kIn, kReal, "ND", "[BS, H] or [*, *, H]", "optional",
       "added with weight 1, where no rank has shared experts"}};
  if (of.second) {
    all.push_back(elastic_info());
    all.push_back(performance_info());
    all.push_back({"ori_x", kIn, kReal, "ND", "[BS, H]", "copy or constant experts",
                   "tokens as they were before dispatch"});
    all.push_back({"const_expert_alpha_1", kIn, kReal, "ND", "[const_expert_num]",
                   "constant experts", "factor of ori_x"});
    all.push_back({"const_expert_alpha_2", kIn, kReal, "ND", "[const_expert_num]",
                   "constant experts", "factor of const_expert_v"});
    all.push_back({"const_expert_v", kIn, kReal, "ND", "[const_expert_num, H]", "constant experts",
                   "the constants"});
  }
  all.push_back({"x", kOut, kReal, "ND", "[BS, H]", "always", "tokens of this rank"});
  return all;
}

std::vector<AttributeSpec> attributes(const Interface& of) {
  const auto number = [](const char* name, std::int64_t def, const char* doc) {
    return AttributeSpec{name, "int", boost::json::value(def), doc};
  };
  std::vector<AttributeSpec> all = {
      {"group_ep", "string", boost::json::value("ep"), "name of the expert-parallel group"},
      {"ep_world_size", "int", std::nullopt, "its ranks"},
      {"ep_rank_id", "int", boost::json::value(0),
       "rank in it; `davsim run-system` fills it in: die / tp_world_size"},
      {"moe_expert_num", "int", std::nullopt, "experts of all ranks, without shared ones"},
      {"group_tp", "string", boost::json::value(""), "name of the tensor-parallel group"},
      number("tp_world_size", 0, "0 or 1: no such group; 2"),
      number("tp_rank_id", 0, "rank in it; filled in: die % tp_world_size"),
      number("expert_shard_type", 0, "0: ranks of shared experts come first"),
      number("shared_expert_num", 1, "0 to 4"),
      number("shared_expert_rank_num", 0, "ranks that have shared experts"),
      number("global_bs", 0, "largest BS of a rank times ep_world_size; 0: all BS are alike")};
  if (of.dispatch) {
    all.push_back(number("quant_mode", 0, "0: none; 2: int8 with a scale for each row"));
    all.push_back(number("expert_token_nums_type", 1, "0: prefix sums; 1: counts"));
  } else {
    all.push_back(number("comm_quant_mode", 0, "2: rows travel as int8 with a scale for each 8"));
    if (!of.second) {
      all.push_back(number("out_dtype", 0, "0: that of expand_x"));
      all.push_back(number("group_list_type", 0, "reserved: 0"));
    }
  }
  if (of.second) {
    all.push_back({"comm_alg", "string", boost::json::value(""),
                   "\"\", fullmesh, fullmesh_v1, fullmesh_v2, hierarchy"});
    all.push_back(number("zero_expert_num", 0, "experts that give 0, behind the MoE experts"));
    all.push_back(number("copy_expert_num", 0, "experts that give the token, behind these"));
    all.push_back(number("const_expert_num", 0, "experts that mix in a constant, behind these"));
  }
  return all;
}

}  // namespace

OperatorInfo describe(const Interface& of) {
  OperatorInfo info;
  info.name = of.name();
  info.summary = of.dispatch ? "Sends each token to the ranks of its experts."
                             : "Brings the rows of the experts back and adds them up by token.";
  info.products = {"A2", "A3"};
  info.tensors = of.dispatch ? dispatch_tensors(of) : combine_tensors(of);
  info.attributes = attributes(of);
  info.limits = {
      "A3: ep_world_size 2 to 768, BS at most 512, H 1024 to 8192, K at most 16.",
      "A3: ep_world_size * local experts at most 2048; with tp_world_size 2, one local expert.",
      "A2: 2 to 8 ranks, or a multiple of 16 up to 256; BS at most 256, H at most 7168 and a "
      "multiple of 32.",
      "A2: no shared or constant experts, no tensor-parallel group, comm_quant_mode by levels "
      "only.",
      "elastic_info: A3 without a tensor-parallel group; local experts stay as they were.",
      "comm_alg hierarchy: whole servers, 16, 32 or 64 ranks of an A2, a multiple of 16 up to 256 "
      "of "
      "an A3; moe_expert_num at most 512, no shared or special experts, no tensor-parallel group.",
      "comm_alg fullmesh_v2 runs as fullmesh_v1: K at most 12, BS at most 256.",
      "comm_quant_mode 2 needs a multiple of 64 as H.",
  };
  return info;
}

}  // namespace davsim::operators::moe_distribute
