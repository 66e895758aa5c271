#include "kernels/matmul_collective/problem.hpp"

#include <algorithm>

#include "isa/numeric/dtype.hpp"
#include "kernels/common/require.hpp"
#include "kernels/matmul/tiling.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::matmul_collective {
namespace {

using E = ErrorClass;
using isa::DType;

/// A piece is worth its operation from so many bytes on, and more pieces than this gain nothing.
constexpr std::int64_t kPieceBytes = 4 << 20, kMostChosenPieces = 8;
/// Operations of a launch.
constexpr std::int64_t kMostPieces = 63;
constexpr std::int64_t kRowUnit = 16;

std::int64_t pieces_of(const Problem& p) {
  const std::int64_t rows = p.part_rows();
  const std::int64_t columns = p.kind == Kind::kAllGather ? p.k : p.n;
  const std::int64_t shared = p.kind == Kind::kAllReduce ? 1 : p.ranks;
  const std::int64_t chosen =
      std::clamp<std::int64_t>(rows * columns * shared * 2 / kPieceBytes, 1, kMostChosenPieces);
  return std::min(p.turns > 0 ? p.turns : chosen, rows);
}

/// The product of so many rows of each of `batches` parts of rows.
matmul::Plan product_of(const Problem& p, std::int64_t rows, std::int64_t batches,
                        const matmul::Machine& machine) {
  matmul::Problem product;
  product.batches = batches;
  product.m = rows;
  product.n = p.n;
  product.k = p.k;
  product.c_batch_distance = p.part_rows() * p.n;
  product.a = {false, false, rows, p.k, p.part_rows() * p.k};
  product.b = {p.transposed, false, p.k, p.n, 0};
  if (p.transposed) std::swap(product.b.rows, product.b.cols);
  product.input = product.output = p.type;
  product.bias = p.bias;
  return matmul::plan(product, machine);
}

}  // namespace

std::string name_of(Kind kind) {
  if (kind == Kind::kAllReduce) return "npu_mm_all_reduce_base";
  return kind == Kind::kAllGather ? "npu_all_gather_base_mm" : "npu_mm_reduce_scatter_base";
}
std::string left_name(Kind kind) {
  return kind == Kind::kAllReduce ? "x1" : "input";
}
std::string product_name(Kind kind) {
  return kind == Kind::kAllReduce ? "y" : "output";
}

OperatorInfo describe(Kind kind) {
  constexpr Direction kIn = Direction::kIn, kOut = Direction::kOut;
  const std::vector<DType> types = {DType::kF16, DType::kBF16};
  OperatorInfo info;
  info.name = name_of(kind);
  info.products = {"A2", "A3"};
  info.tensors = {
      {left_name(kind), kIn, types, "ND", "[M, K]", "required", "rows of this rank"},
      {"x2", kIn, types, "ND", "[K, N]; [N, K] with trans_x2", "required", "right factor"}};
  if (kind == Kind::kAllReduce) {
    info.summary = "Sums the products of all ranks, piece by piece while the next is computed.";
    info.tensors.push_back({"bias",
                            kIn,
                            {DType::kF16, DType::kF32},
                            "ND",
                            "[N]",
                            "optional",
                            "added by each rank; float16 with float16 factors, else float32"});
    info.tensors.push_back({"y", kOut, types, "ND", "[M, N]", "always", "the sum"});
  } else if (kind == Kind::kAllGather) {
    info.summary = "Multiplies the rows of all ranks, gathered while the own ones are computed.";
    info.tensors.push_back({"output", kOut, types, "ND", "[R*M, N]", "always", "the products"});
    info.tensors.push_back(
        {"gather_out", kOut, types, "ND", "[R*M, K]", "gather_output", "the rows of all ranks"});
  } else {
    info.summary = "Sums the products of all ranks, of which each keeps its part of the rows.";
    info.tensors.push_back({"output", kOut, types, "ND", "[M/R, N]", "always", "part of the sum"});
  }
  info.attributes = {{"hcom", "string", boost::json::value("hcom"), "name of the group"}};
  if (kind != Kind::kAllReduce) {
    info.attributes.push_back({"world_size", "int", boost::json::value(nullptr), "ranks, R"});
  }
  if (kind != Kind::kAllGather) {
    info.attributes.push_back({"reduce_op", "string", boost::json::value("sum"), "\"sum\""});
  } else {
    info.attributes.push_back(
        {"gather_index", "int", boost::json::value(0), "0: the left factor is gathered"});
    info.attributes.push_back(
        {"gather_output", "bool", boost::json::value(true), "also put out the gathered rows"});
  }
  info.attributes.push_back(
      {"comm_turn", "int", boost::json::value(0), "pieces of the operation; 0: chosen by size"});
  info.attributes.push_back({"trans_x2", "bool", boost::json::value(false), "x2 is [N, K]"});
  info.limits = {"M, N and K are at most 16384.",
                 "Groups of 2, 4 or 8 ranks on an A2, of 2 to 16 on an A3.",
                 "Reduce-scatter: M is a multiple of the number of ranks."};
  return info;
}

Problem problem_of(Kind kind, const Call& part, std::int64_t rank, std::int64_t ranks) {
  const Tensor& left = tensor_of(part, left_name(kind));
  const Shape& right = tensor_of(part, "x2").shape();
  Problem p;
  p.kind = kind;
  p.rank = rank;
  p.ranks = ranks;
  p.m = left.shape()[0];
  p.k = left.shape()[1];
  p.transposed = bool_attribute(part, "trans_x2");
  p.n = right[p.transposed ? 0 : 1];
  p.turns = int_attribute(part, "comm_turn");
  p.type = left.dtype();
  if (const Tensor* bias = optional_tensor(part, "bias")) p.bias = bias->dtype();
  return p;
}

void validate(Kind kind, const Call& part, std::int64_t ranks) {
  const std::string left = left_name(kind);
  require(tensor_of(part, "x2").dtype() == tensor_of(part, left).dtype(), E::kDtype,
          "the dtype of x2 is that of " + left,
          "found " + std::string(isa::dtype_name(tensor_of(part, "x2").dtype())));
  const Tensor* bias = optional_tensor(part, "bias");
  if (bias != nullptr) {
    const bool half = tensor_of(part, left).dtype() == DType::kF16;
    require(half || bias->dtype() == DType::kF32, E::kDtype,
            "bias is float32 with bfloat16 factors",
            "found " + std::string(isa::dtype_name(bias->dtype())));
  }
  require_rank(part, left, {2});
  require_rank(part, "x2", {2});
  if (bias != nullptr) require_rank(part, "bias", {1});
  require_not_empty(part, left);
  require_not_empty(part, "x2");
  const Problem p = problem_of(kind, part, 0, ranks);
  const Shape& right = tensor_of(part, "x2").shape();
  require(right[p.transposed ? 1 : 0] == p.k, E::kShape, "K is the same of both factors",
          left + " is " + to_string(tensor_of(part, left).shape()) + ", x2 is " + to_string(right));
  if (bias != nullptr) require_shape(part, "bias", {p.n}, "[N]");
  for (const std::int64_t extent : {p.m, p.n, p.k}) {
    require(extent <= matmul::kMostExtent, E::kShape, "M, N and K are at most 16384",
            "found " + std::to_string(extent));
  }
  require(kind != Kind::kReduceScatter || p.m % ranks == 0, E::kShape,
          "M is a multiple of the number of ranks",
          "M is " + std::to_string(p.m) + ", ranks are " + std::to_string(ranks));
  if (has_attribute(part, "world_size")) {
    const std::int64_t world = int_attribute(part, "world_size");
    require(world == ranks, E::kAttr, "world_size is the number of ranks",
            "found " + std::to_string(world) + ", ranks are " + std::to_string(ranks));
  }
  if (kind != Kind::kAllGather) {
    const std::string op = string_attribute(part, "reduce_op");
    require(op == "sum", E::kAttr, "reduce_op is \"sum\"", "found \"" + op + "\"");
  } else {
    const std::int64_t index = int_attribute(part, "gather_index");
    require(index == 0 || index == 1, E::kAttr, "gather_index is 0 or 1",
            "found " + std::to_string(index));
    require(index == 0, E::kUnsupported, "gather_index is 0: the left factor is gathered",
            "found 1");
  }
  require(p.turns >= 0 && p.turns <= kMostPieces, E::kAttr, "comm_turn is 0 to 63",
          "found " + std::to_string(p.turns));
}

Plan plan(const Problem& p, const sim::SocConfig& soc) {
  const matmul::Machine machine = matmul::Machine::of(soc);
  const auto word = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const std::int64_t rows = p.part_rows();
  const std::int64_t batches = p.kind == Kind::kAllReduce   ? 1
                               : p.kind == Kind::kAllGather ? p.ranks - 1
                                                            : p.ranks;
  std::int64_t pieces = pieces_of(p);
  const std::int64_t each = (((rows + pieces - 1) / pieces) + kRowUnit - 1) / kRowUnit * kRowUnit;
  pieces = (rows + each - 1) / each;
  const matmul::Plan piece = product_of(p, std::min(each, rows), batches, machine);
  const matmul::Plan last = product_of(p, rows - (pieces - 1) * each, batches, machine);
  Plan plan;
  ::MatmulCollectiveTiling& t = plan.tiling;
  plan.block_dim = std::max(piece.block_dim, last.block_dim);
  t.kind = p.kind;
  t.rank = word(p.rank);
  t.ranks = word(p.ranks);
  t.pieces = word(pieces);
  t.piece_rows = word(each);
  t.rows = word(rows);
  t.width = word(p.n);
  t.inner = word(p.k);
  constexpr std::uint32_t kHcclHalf = 3, kHcclBfloat = 11;
  t.data_type = p.type == DType::kF16 ? kHcclHalf : kHcclBfloat;
  t.piece = piece.tiling;
  t.last = last.tiling;
  if (p.kind == Kind::kAllGather) {
    const matmul::Plan own = product_of(p, rows, 1, machine);
    t.own = own.tiling;
    plan.block_dim = std::max(plan.block_dim, own.block_dim);
  }
  return plan;
}

}  // namespace davsim::operators::matmul_collective
