// Products with a collective operation: each rank's product in double precision, then summed up or
// put behind each other.
#include <algorithm>
#include <cmath>

#include "reference/system_reference.hpp"

namespace davsim::reference {
namespace {

enum class Then { kSum, kGather, kScatter };

/// Element-wise products of the left factor of one rank with the right factor of another.
std::vector<double> product(const operators::Tensor& a, const operators::Call& of) {
  const operators::Tensor& b = of.tensors.at("x2");
  const bool transposed = of.attributes.at("trans_x2").as_bool();
  const std::int64_t m = a.shape()[0], k = a.shape()[1];
  const std::int64_t n = b.shape()[transposed ? 0 : 1];
  const std::vector<double> left = elements(a), right = elements(b);
  std::vector<double> sums(static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t x = 0; x < k; ++x) {
      const double factor = left[static_cast<std::size_t>(i * k + x)];
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t at = transposed ? j * k + x : x * n + j;
        sums[static_cast<std::size_t>(i * n + j)] += factor * right[static_cast<std::size_t>(at)];
      }
    }
  }
  const auto bias = of.tensors.find("bias");
  for (std::int64_t i = 0; bias != of.tensors.end() && i < m * n; ++i) {
    sums[static_cast<std::size_t>(i)] += element(bias->second, i % n);
  }
  return sums;
}

class MatmulCollectiveReference final : public SystemReference {
 public:
  MatmulCollectiveReference(Then then, std::string left, std::string out)
      : then_(then), left_(std::move(left)), out_(std::move(out)) {}

  std::vector<Comparison> compare_results(const operators::SystemCall& call,
                                          const std::vector<operators::TensorMap>& outputs,
                                          const std::string&) const override {
    std::vector<Comparison> all;
    const std::vector<double> sum = then_ == Then::kGather ? std::vector<double>{} : summed(call);
    for (std::size_t rank = 0; rank < call.size(); ++rank) {
      std::vector<double> expected = sum, gathered;
      if (then_ == Then::kScatter) {
        const auto part = static_cast<std::ptrdiff_t>(sum.size() / call.size());
        const auto begin = sum.begin() + part * static_cast<std::ptrdiff_t>(rank);
        expected.assign(begin, begin + part);
      }
      for (std::size_t source = 0; then_ == Then::kGather && source < call.size(); ++source) {
        const operators::Tensor& rows = call[source].tensors.at(left_);
        const std::vector<double> part = product(rows, call[rank]), copy = elements(rows);
        expected.insert(expected.end(), part.begin(), part.end());
        gathered.insert(gathered.end(), copy.begin(), copy.end());
      }
      const std::string number = "." + std::to_string(rank);
      all.push_back(compare(out_ + number, outputs[rank].at(out_), expected,
                            tolerance(call[rank], call.size())));
      if (outputs[rank].contains("gather_out")) {
        all.push_back(compare("gather_out" + number, outputs[rank].at("gather_out"), gathered, {}));
      }
    }
    return all;
  }

 private:
  std::vector<double> summed(const operators::SystemCall& call) const {
    std::vector<double> sum;
    for (const operators::Call& part : call) {
      const std::vector<double> one = product(part.tensors.at(left_), part);
      sum.resize(one.size());
      for (std::size_t i = 0; i < one.size(); ++i) sum[i] += one[i];
    }
    return sum;
  }
  /// Each rank's product and each partial sum are rounded to the type. Their size is that of
  /// random sums of K products.
  Tolerance tolerance(const operators::Call& part, std::size_t ranks) const {
    const operators::Tensor& left = part.tensors.at(left_);
    const double unit = std::ldexp(1.0, left.dtype() == isa::DType::kF16 ? -11 : -8);
    const double terms = static_cast<double>(left.shape()[1]) * static_cast<double>(ranks);
    return {.rtol = 2 * unit, .atol = 2 * unit * static_cast<double>(ranks) * std::sqrt(terms)};
  }

  const Then then_;
  const std::string left_, out_;
};

const SystemReferenceRegistrar all_reduce("npu_mm_all_reduce_base",
                                          std::make_unique<MatmulCollectiveReference>(Then::kSum,
                                                                                      "x1", "y"));
const SystemReferenceRegistrar all_gather("npu_all_gather_base_mm",
                                          std::make_unique<MatmulCollectiveReference>(Then::kGather,
                                                                                      "input",
                                                                                      "output"));
const SystemReferenceRegistrar reduce_scatter(
    "npu_mm_reduce_scatter_base",
    std::make_unique<MatmulCollectiveReference>(Then::kScatter, "input", "output"));

}  // namespace
}  // namespace davsim::reference
