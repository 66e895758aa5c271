// The two halves of the DeepSeek prolog: tensors, attributes, rules and costs. The operators of
// each half and the fused operator consist of them.
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
  /// Remarks on `outputs`: groups of values that are all zeros, whose scale is 0.
  virtual std::vector<std::string> remarks(const Call& call, const TensorMap& outputs) const = 0;
  /// Seeded tensors of `tokens` tokens whose caches have `pages` pages.
  virtual void add_inputs(Call& call, SeededData& data, std::int64_t tokens,
                          std::int64_t pages) const = 0;
  virtual std::string cache_index() const = 0;  ///< the name of the tensor
  virtual std::string cache() const = 0;        ///< the name of one of the caches that it addresses

  const Naming name;

 protected:
  /// The required tensors and the outputs that are always written, by the part's own names.
  TensorSpec in(const char* tensor, isa::DType type, const char* shape, const char* doc) const;
  TensorSpec cached(const char* tensor, isa::DType type, const char* shape, const char* doc) const;
  TensorSpec out(const char* tensor, isa::DType type, const char* shape, const char* doc) const;
};

/// Adds seeded tensors to a call, by the part's own names.
class PartInputs {
 public:
  PartInputs(const Naming& name, Call& call, SeededData& data)
      : name_(name), call_(call), data_(data) {}

  void reals(const char* tensor, isa::DType type, Shape shape, double low, double high);
  void int8(const char* tensor, Shape shape, int low);  ///< values from `low` to 127
  /// The row of the caches for each token.
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
