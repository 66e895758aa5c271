// The two halves of the DeepSeek prolog as tables: tensors, attributes, rules, costs. Their own
// operators and the fused one put them together.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/common/seeded_data.hpp"
#include "kernels/prolog/naming.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::ops::prolog {

/// From hidden states to absorbed queries and the compressed, quantised key in the paged caches.
struct MlaPart {
  explicit MlaPart(Naming naming) : name(std::move(naming)) {}

  std::vector<TensorSpec> inputs() const;
  std::vector<TensorSpec> outputs() const;
  std::vector<AttributeSpec> attributes() const;
  void check_ranks(const Call& call) const;
  void check_shapes(const Call& call) const;
  void check_attributes(const Call& call) const;
  void check_indices(const Call& call) const;
  std::vector<TensorShape> infer(const Call& call) const;
  Cost cost(std::int64_t tokens) const;
  /// Seeded tensors of `tokens` tokens whose caches have `pages` pages.
  void add_inputs(Call& call, SeededData& data, std::int64_t tokens, std::int64_t pages) const;

  Naming name;
};

/// The indexer's queries, keys and head weights.
struct IndexerPart {
  explicit IndexerPart(Naming naming) : name(std::move(naming)) {}

  std::vector<TensorSpec> inputs() const;
  std::vector<TensorSpec> outputs() const;
  std::vector<AttributeSpec> attributes() const;
  void check_ranks(const Call& call) const;
  void check_shapes(const Call& call) const;
  void check_attributes(const Call& call) const;
  void check_indices(const Call& call) const;
  std::vector<TensorShape> infer(const Call& call) const;
  Cost cost(std::int64_t tokens) const;
  void add_inputs(Call& call, SeededData& data, std::int64_t tokens, std::int64_t pages) const;

  Naming name;
};

}  // namespace davsim::ops::prolog
