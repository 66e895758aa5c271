// The two halves of the DeepSeek prolog as tables: tensors, attributes, rules, costs. Their own
// operators and the fused one put them together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/common/seeded_data.hpp"
#include "kernels/prolog/naming.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators::prolog {

class Part {
 public:
  explicit Part(Naming naming) : name(std::move(naming)) {}
  virtual ~Part() = default;

  virtual std::vector<TensorSpec> inputs() const = 0;
  virtual std::vector<TensorSpec> outputs() const = 0;
  virtual std::vector<AttributeSpec> attributes() const = 0;
  virtual void validate_ranks(const Call& call) const = 0;
  virtual void validate_shapes(const Call& call) const = 0;
  virtual void validate_attributes(const Call& call) const = 0;
  virtual std::int64_t tokens(const Call& call) const = 0;
  virtual std::vector<TensorShape> infer(const Call& call) const = 0;
  virtual Cost cost(std::int64_t tokens) const = 0;
  /// Of what `outputs` holds: groups of values that are all zeros, whose scale is 0.
  virtual std::vector<std::string> remarks(const Call& call, const TensorMap& outputs) const = 0;
  /// Seeded tensors of `tokens` tokens whose caches have `pages` pages.
  virtual void add_inputs(Call& call, SeededData& data, std::int64_t tokens,
                          std::int64_t pages) const = 0;
  virtual std::string cache_index() const = 0;  ///< name of the tensor
  virtual std::string cache() const = 0;        ///< one of those it is about

  const Naming name;

 protected:
  /// Required tensors and those that are always put out, by the part's own names for them.
  TensorSpec in(const char* tensor, isa::DType type, const char* shape, const char* doc) const;
  TensorSpec cached(const char* tensor, isa::DType type, const char* shape, const char* doc) const;
  TensorSpec out(const char* tensor, isa::DType type, const char* shape, const char* doc) const;
};

/// Puts seeded tensors into a call, by a part's own names for them.
class PartInputs {
 public:
  PartInputs(const Naming& name, Call& call, SeededData& data)
      : name_(name), call_(call), data_(data) {}

  void reals(const char* tensor, isa::DType type, Shape shape, double low, double high);
  void int8(const char* tensor, Shape shape, int low);  ///< from `low` to 127
  /// Row of the caches for each token.
  void rows(const char* tensor, std::int64_t tokens, std::int64_t pages);

 private:
  void add(const char* tensor, Tensor value);

  const Naming& name_;
  Call& call_;
  SeededData& data_;
};

/// From hidden states to absorbed queries and the compressed, quantised key in the paged caches.
std::unique_ptr<Part> mla_part(Naming naming);
/// The indexer's queries, keys and head weights.
std::unique_ptr<Part> indexer_part(Naming naming);

}  // namespace davsim::operators::prolog
