// The base of the three prolog operators. An operator consists of one half or of both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/case_table.hpp"
#include "kernels/prolog/part.hpp"

namespace davsim::operators::prolog {

/// The sizes of an example case: tokens, and pages of the caches.
struct Sizes {
  std::int64_t tokens, pages;
};
using Rows = std::vector<CaseRow<Sizes>>;
using Change = std::function<void(Call&, SeededData&)>;

/// Keeps the tokens 0, 5 and 16 out of the caches.
Change skip_some(const Part& part);
/// Replaces a tensor by a tensor of zeros.
Change replaced(std::string name, isa::DType dtype, Shape shape);
/// Sets row 1 of a tensor to zeros.
Change zero_token(std::string name);
/// Fills these tensors uniformly from [-most, most).
Change uniform(std::vector<std::string> names, double most);
/// Lets the index of token 1 point behind the only page.
Change behind_the_pages(const Part& part);
Change with_attribute(std::string name, std::string value);

class PrologOperator : public Operator {
 public:
  struct About {
    const char* name;
    const char* summary;
    std::vector<std::string> limits;
    std::uint64_t seed;  ///< of the first example
  };
  /// `parts` must outlive the operator. Both parts share the tokens and the cache index.
  PrologOperator(About about, std::vector<const Part*> parts, Rows rows);

  const OperatorInfo& info() const override { return info_; }
  void validate(const Call& call, const sim::SocConfig& soc) const override;
  std::vector<std::string> warnings(const Call& call, bool thorough) const override;
  std::vector<std::string> remarks(const Call& call, const TensorMap& outputs) const override;
  std::vector<TensorShape> infer(const Call& call) const override;
  Cost cost(const Call& call) const override;
  std::vector<ExampleCase> cases() const override { return table_.examples(); }
  /// A legal call with seeded tensors, as the examples have them before their changes.
  Call make_call(SeededData& data, const Sizes& sizes) const;
  std::string cache_index() const { return parts_.front()->cache_index(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return table_.make(id, memory);
  }

 protected:
  std::int64_t tokens_of(const Call& call) const { return parts_.front()->tokens(call); }

 private:
  /// One index addresses the caches of all halves.
  void validate_pages(const Call& call) const;

  std::vector<const Part*> parts_;
  OperatorInfo info_;
  CaseTable<Sizes> table_;
};

}  // namespace davsim::operators::prolog
