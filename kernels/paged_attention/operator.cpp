// PagedAttention as the registry sees it.
#include "kernels/registry/operator.hpp"

#include <memory>
#include <vector>

#include "kernels/attention/launch.hpp"
#include "kernels/paged_attention/cases.hpp"
#include "kernels/paged_attention/cost.hpp"
#include "kernels/paged_attention/request.hpp"
#include "kernels/paged_attention/spec.hpp"

namespace davsim::ops::pa {
namespace {

class PagedAttention final : public Operator {
 public:
  const OperatorInfo& info() const override { return info_; }

  void check(const Call& call, const sim::SocConfig& soc) const override {
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
  Cost cost(const Call& call) const override { return pa::cost(read(call, series_of(call))); }

  std::vector<ExampleCase> cases() const override { return pa::cases(); }
  Call make_case(std::string_view id, memory::GlobalMemory& memory) const override {
    return pa::make_case(id, memory);
  }

 private:
  const OperatorInfo info_ = describe();
};

const OperatorRegistrar registrar(std::make_unique<PagedAttention>());

}  // namespace
}  // namespace davsim::ops::pa
