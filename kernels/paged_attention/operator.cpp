// PagedAttention as the registry sees it.
#include "kernels/registry/operator.hpp"

#include <memory>
#include <vector>

#include "kernels/attention/launch.hpp"
#include "kernels/paged_attention/cases.hpp"
#include "kernels/paged_attention/cost.hpp"
#include "kernels/paged_attention/request.hpp"
#include "kernels/paged_attention/spec.hpp"

namespace davsim::operators::paged_attention {
namespace {

class PagedAttention final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void validate(const Call& call, const sim::SocConfig& soc) const override {
    read(call, series_of(soc));
  }
  std::vector<TensorShape> infer(const Call& call) const override {
    return output_shapes(read(call, series_of(call)));
  }
  observe::LaunchReport launch(const Call& call, TensorMap& outputs,
                               sim::Device& device) const override {
    const Request r = read(call, series_of(device.soc()));
    return attention::launch(problem_with(r, outputs), device);
  }
  Cost cost(const Call& call) const override {
    return paged_attention::cost(read(call, series_of(call)));
  }

  std::vector<ExampleCase> cases() const override { return paged_attention::cases(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return paged_attention::make_case(id, memory);
  }

 private:
  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<PagedAttention>());

}  // namespace
}  // namespace davsim::operators::paged_attention
