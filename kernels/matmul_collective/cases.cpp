// The documented examples: sizes in a table, data seeded by row and rank.
#include <functional>
#include <stdexcept>

#include "kernels/common/seeded_data.hpp"
#include "kernels/matmul_collective/problem.hpp"

namespace davsim::operators::matmul_collective {
namespace {

using isa::DType;

struct Sizes {
  std::int64_t m = 128, n = 128, k = 128;
  DType type = DType::kF16;
  std::int64_t turns = 0;
  bool bias = false, transposed = false;
};
struct Row {
  SystemCase shown;
  Sizes sizes;
  std::function<void(Call&)> change;
};

std::vector<Row> rows_of(Kind kind) {
  const std::string prefix = kind == Kind::kAllReduce   ? "MAR-"
                             : kind == Kind::kAllGather ? "AGM-"
                                                        : "MRS-";
  std::vector<Row> rows;
  const auto add = [&](const char* id, const char* note, const char* system, std::uint32_t ranks,
                       const Sizes& n, std::function<void(Call&)> change = {},
                       std::optional<ErrorClass> refused = std::nullopt) {
    rows.push_back({{{prefix + id, note, refused, ""}, system, ranks}, n, std::move(change)});
  };
  add("1", "2 ranks, one piece", "ascend_910c", 2, {});
  add("2", "4 ranks of an A2, 3 pieces of different size", "atlas_a2_server", 4,
      {.m = 320, .n = 256, .k = 192, .type = DType::kBF16, .turns = 3});
  add("3", "4 ranks, x2 transposed", "atlas_a3_server", 4,
      {.m = 256,
       .n = 384,
       .k = 256,
       .turns = 2,
       .bias = kind == Kind::kAllReduce,
       .transposed = true});
  add("4", "8 ranks of an A2", "atlas_a2_server", 8, {.m = 256, .n = 512, .k = 256, .turns = 4});
  add(
      "N1", "x2 is missing", "ascend_910c", 2, {}, [](Call& part) { part.tensors.erase("x2"); },
      ErrorClass::kNull);
  add(
      "N2", "K of the factors differs", "ascend_910c", 2, {},
      [](Call& part) {
        const Tensor x2 = part.tensors.at("x2");
        part.tensors.insert_or_assign("x2", x2.view(x2.dtype(), {64, 128}));
      },
      ErrorClass::kShape);
  add("N3", "64 pieces", "ascend_910c", 2, {.turns = 64}, {}, ErrorClass::kAttr);
  return rows;
}

}  // namespace

std::vector<SystemCase> cases(Kind kind) {
  std::vector<SystemCase> all;
  for (const Row& row : rows_of(kind)) all.push_back(row.shown);
  return all;
}

SystemCall make_case(Kind kind, std::string_view id,
                     const std::vector<memory::GlobalMemory*>& memories) {
  const std::vector<Row> rows = rows_of(kind);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].shown.example.id != id) continue;
    if (memories.size() != rows[i].shown.ranks) {
      throw std::invalid_argument("case " + std::string(id) + " has " +
                                  std::to_string(rows[i].shown.ranks) + " ranks");
    }
    const Sizes& n = rows[i].sizes;
    SystemCall call(memories.size());
    for (std::size_t rank = 0; rank < memories.size(); ++rank) {
      SeededData data(*memories[rank], 0x46554e00u + i * 1024 + rank);
      Call& part = call[rank];
      part.tensors.emplace(left_name(kind), data.reals(n.type, {n.m, n.k}, left_name(kind)));
      const Shape right = n.transposed ? Shape{n.n, n.k} : Shape{n.k, n.n};
      part.tensors.emplace("x2", data.reals(n.type, right, "x2"));
      if (n.bias) part.tensors.emplace("bias", data.reals(n.type, {n.n}, "bias"));
      if (n.turns > 0) part.attributes["comm_turn"] = n.turns;
      if (n.transposed) part.attributes["trans_x2"] = true;
      if (rows[i].change) rows[i].change(part);
    }
    return call;
  }
  throw std::invalid_argument(name_of(kind) + " has no case '" + std::string(id) + "'");
}

}  // namespace davsim::operators::matmul_collective
