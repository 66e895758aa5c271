// References of operators that run on several dies.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/system_operator.hpp"
#include "reference/reference.hpp"

namespace davsim::reference {

class SystemReference {
 public:
  virtual ~SystemReference() = default;
  /// Compares the outputs of a run by rank. `call` is the validated call on the product "A2" or
  /// "A3". The comparison of a rank's tensor is called "x.3".
  virtual std::vector<Comparison> compare_results(const operators::SystemCall& call,
                                                  const std::vector<operators::TensorMap>& outputs,
                                                  const std::string& product) const = 0;
};

/// Registers a reference during static initialisation, under the operator's name.
struct SystemReferenceRegistrar {
  SystemReferenceRegistrar(std::string operator_name, std::unique_ptr<SystemReference> reference);
};
/// nullptr: the operator has none.
const SystemReference* find_system_reference(std::string_view operator_name);

}  // namespace davsim::reference
