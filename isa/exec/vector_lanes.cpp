#include "isa/exec/vector_lanes.hpp"

namespace davsim::isa {

const LaneTable& lane_table() {
  static const LaneTable table = [] {
    LaneTable t;
    add_arithmetic_lanes(t);
    add_function_lanes(t);
    add_cast_lanes(t);
    return t;
  }();
  return table;
}

}  // namespace davsim::isa
