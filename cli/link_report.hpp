// What passed the links of a system in a run, summed up by class of link and direction.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "sim/device/device.hpp"

namespace davsim::cli {

struct LinkReport {
  boost::json::object json;  ///< by "ub out" and so on
  std::string text;          ///< a table
};

/// Of the last launch or transfer of the device, which took so many cycles.
LinkReport link_report(const sim::Device& device, double cycles);

}  // namespace davsim::cli
