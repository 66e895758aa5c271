// The SoC that a user chooses by name or file, with the parameters that the user replaces.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/soc/soc_config.hpp"

namespace davsim::session {

/// The choice is wrong; what() says in which way and what may have been meant.
class WrongChoice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The SoC where the user names none.
inline constexpr const char* kDefaultSoc = "Ascend910B3";

/// A built-in SoC by name, or a description file (anything with a '/' or ending in ".ini"), with
/// the parameters of `set`, each "NAME=VALUE", replaced. `option` is where the user wrote these.
/// Throws WrongChoice.
sim::SocConfig chosen_soc(const std::string& soc, const std::vector<std::string>& set,
                          const std::string& option);

/// "; did you mean 'x'?" for a name that is neither a SoC's nor one of `others`, or nothing.
/// Families of SoCs have names of their own: 910C, A3, Ascend910C.
std::string meant_soc(const std::string& name, const std::vector<std::string>& others = {});

}  // namespace davsim::session
