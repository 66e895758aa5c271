// The operator Matmul: its description, and its registration.
#include "kernels/registry/operator.hpp"

#include <memory>

#include "kernels/matmul/problem.hpp"
#include "kernels/matmul/tiling.hpp"

namespace davsim::operators {
namespace matmul {
namespace {

using isa::DType;

std::vector<TensorSpec> tensors() {
  constexpr Direction kIn = Direction::kIn, kOut = Direction::kOut;
  const std::vector<DType> factors = {DType::kF16, DType::kBF16, DType::kF32, DType::kI8};
  return {
      {"a", kIn, factors, "ND or NZ",
       "[M, K], [K, M] with transpose_a; NZ: [cols/C0, rows/16, 16, C0] of that", "required",
       "left factor"},
      {"b", kIn, factors, "ND or NZ",
       "[K, N], [N, K] with transpose_b; NZ: [cols/C0, rows/16, 16, C0] of that", "required",
       "right factor, of a's dtype"},
      {"bias",
       kIn,
       {DType::kF32, DType::kF16, DType::kI32},
       "ND",
       "[N]",
       "optional",
       "added to every row; float32 (float16 beside float16 factors), int32 beside int8 ones"},
      {"c",
       kOut,
       {DType::kF16, DType::kBF16, DType::kF32, DType::kI32},
       "ND",
       "[M, N]",
       "always",
       "a x b + bias, summed in float32 or int32 and rounded once"},
  };
}

std::vector<AttributeSpec> attributes() {
  using boost::json::value;
  return {
      {"transpose_a", "bool", value(false), "a holds [K, M]"},
      {"transpose_b", "bool", value(false), "b holds [N, K]"},
      {"a_format", "string", value("ND"), "\"ND\" row-major, \"NZ\" fractals"},
      {"b_format", "string", value("ND"), "\"ND\" row-major, \"NZ\" fractals"},
      {"output_dtype", "string", value("auto"),
       "\"float16\", \"bfloat16\", \"float32\" or \"int32\"; auto: that of the factors, int32 of "
       "int8"},
      {"m", "int", value(0),
       "M, if only a padded NZ tensor could tell it; 0: the size that the shapes give"},
      {"n", "int", value(0), "N, as m"},
      {"k", "int", value(0), "K, as m"},
  };
}

OperatorInfo describe() {
  OperatorInfo info;
  info.name = "matmul";
  info.summary = "Multiplies two matrices, each transposed or not, row-major or in fractals.";
  info.products = {"A2", "A3"};
  info.tensors = tensors();
  info.attributes = attributes();
  info.limits = {
      "M, N and K are 1 to 16384.",
      "float16 and bfloat16 give their own type or float32, float32 gives float32, int8 int32.",
      "C0 is the number of elements in 32 bytes. The padding of NZ tensors to whole fractals is "
      "not read.",
  };
  return info;
}

class MatmulOperator final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void validate(const Call& call, const sim::SocConfig&) const override { matmul::validate(call); }

  std::vector<TensorShape> infer(const Call& call) const override {
    const Problem p = problem_of(call);
    return {{"c", p.output, {p.m, p.n}}};
  }

  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    const Problem p = problem_of(call);
    const Plan plan = matmul::plan(p, Machine::of(device.soc(), device.timing()));
    std::uint8_t* bias = p.has_bias() ? call.tensors.at("bias").gm() : nullptr;
    return device.launch("matmul", plan.block_dim, call.tensors.at("a").gm(),
                         call.tensors.at("b").gm(), bias, outputs.at("c").gm(), plan.tiling);
  }

  Cost cost(const Call& call) const override {
    const Problem p = problem_of(call);
    const double flops = 2 * p.macs();
    const auto area = [](std::int64_t rows, std::int64_t cols) {
      return static_cast<double>(rows) * static_cast<double>(cols);
    };
    const auto bytes = [](DType type) { return static_cast<double>(isa::dtype_bytes(type)); };
    Cost cost;
    if (p.input == DType::kI8) {
      cost.cube_flops_8bit = flops;
    } else if (p.input == DType::kF32) {
      cost.cube_flops_32bit = flops;
    } else {
      cost.cube_flops_16bit = flops;
    }
    cost.min_written_bytes = area(p.m, p.n) * bytes(p.output);
    cost.min_bytes = (area(p.m, p.k) + area(p.k, p.n)) * bytes(p.input) + cost.min_written_bytes;
    if (p.has_bias()) cost.min_bytes += static_cast<double>(p.n) * bytes(p.bias);
    return cost;
  }

  std::vector<ExampleCase> cases() const override { return matmul::cases(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return matmul::make_case(id, memory);
  }

 private:
  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<MatmulOperator>());

}  // namespace
}  // namespace matmul
}  // namespace davsim::operators
