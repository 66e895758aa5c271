// The attention operator of this project, for attention whose kernel is a vendor's or somebody
// else's: dense keys and values, or, with rope parts, one paged cache for both (MLA).
#include <cmath>
#include <numeric>

#include "bench/silicon/kernels/gm.hpp"
#include "bench/silicon/kernels/operator_type.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::silicon {
namespace {

constexpr std::int64_t kRopeWidth = 64, kPageRows = 128, kSquareMask = 2048;

struct Attention {
  std::int64_t batches, query_rows, kv_rows, heads, kv_heads, width;
  isa::DType type;
  bool rope;

  static Attention of(const Params& p) {
    return {p.number("b"),
            p.number("sq"),
            p.number("skv"),
            p.number("nq"),
            p.number("nkv", p.number("nq")),
            p.number("d"),
            type_named(p.text("type", "half")),
            p.number("rope", 0) != 0};
  }
};

boost::json::array lengths(std::int64_t batches, std::int64_t rows) {
  boost::json::array all;
  for (std::int64_t i = 0; i < batches; ++i) all.push_back(rows);
  return all;
}

class CallMaker {
 public:
  CallMaker(const Attention& a, memory::GlobalMemory& memory) : a_(a), memory_(memory) {}

  ops::Call make() {
    call_.attributes["input_layout"] = "BSND";
    call_.attributes["num_query_heads"] = a_.heads;
    call_.attributes["num_key_value_heads"] = a_.kv_heads;
    call_.attributes["softmax_scale"] = 1 / std::sqrt(static_cast<double>(a_.width));
    add("query", a_.type, {a_.batches, a_.query_rows, a_.heads, a_.width});
    if (a_.rope) {
      add_cache();
    } else {
      add("key", a_.type, {a_.batches, a_.kv_rows, a_.kv_heads, a_.width});
      add("value", a_.type, {a_.batches, a_.kv_rows, a_.kv_heads, a_.width});
    }
    return std::move(call_);
  }

 private:
  void add(const std::string& name, isa::DType type, const ops::Shape& shape) {
    call_.tensors[name] = ops::Tensor(memory_, type, shape, name);
  }

  /// Key and value are the same rows.
  void add_cache() {
    const auto pages = static_cast<std::int64_t>(
        ceil_div(static_cast<std::uint64_t>(a_.kv_rows), static_cast<std::uint64_t>(kPageRows)));
    add("query_rope", a_.type, {a_.batches, a_.query_rows, a_.heads, kRopeWidth});
    add("key", a_.type, {a_.batches * pages, kPageRows, a_.width});
    add("key_rope", a_.type, {a_.batches * pages, kPageRows, kRopeWidth});
    call_.tensors["value"] = call_.tensors["key"];
    add("block_table", isa::DType::kI32, {a_.batches, pages});
    auto* table = call_.tensors["block_table"].as<std::int32_t>();
    std::iota(table, table + a_.batches * pages, 0);
    call_.attributes["block_size"] = kPageRows;
    call_.attributes["actual_seq_kvlen"] = lengths(a_.batches, a_.kv_rows);
    if (a_.query_rows == 1) return;
    // Several rows of one sequence do not see what comes behind them.
    add("atten_mask", isa::DType::kI8, {kSquareMask, kSquareMask});
    call_.attributes["sparse_mode"] = 3;
  }

  const Attention& a_;
  memory::GlobalMemory& memory_;
  ops::Call call_;
};

std::function<traces::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const Attention attention = Attention::of(params);
  const ops::Call call = CallMaker(attention, device.memory()).make();
  return [=, &device] {
    return ops::run(ops::find_operator("fused_infer_attention_score_v2"), call, device).report;
  };
}

const KernelRegistrar g_attention(
    {"attention", "the operator fused_infer_attention_score_v2: b sq skv nq d [nkv type rope]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
