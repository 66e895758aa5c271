#include "isa/exec/vector/vector_lanes.hpp"

namespace davsim::isa {

void add_all_lanes(LaneTable& table) {
  add_arithmetic_lanes(table);
  add_function_lanes(table);
  add_fused_lanes(table);
  add_cast_lanes(table);
  add_dequant_lanes(table);
  add_overflow_lanes(table);
}

const LaneTable& lane_table() {
  static const LaneTable table = [] {
    LaneTable t;
    add_all_lanes(t);
    return t;
  }();
  return table;
}

}  // namespace davsim::isa
