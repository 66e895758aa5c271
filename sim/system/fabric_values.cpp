// The values of transfers between dies: what a write carries, and what arrives in the memory of
// another die.
#include <utility>

#include "sim/system/fabric.hpp"

namespace davsim::sim {

void Fabric::take_along(memory::RemoteValues& values) {
  const isa::DecodedInstr* const instr = values.instr();
  if (instr == nullptr) return;
  effects_.apply_now(*instr, values.core());
  values.carried_out();
}

memory::RemoteRows Fabric::rows_of(const Flight& flight) const {
  const memory::MemoryRequest& request = flight.request;
  return {base_ + flight.other * stride_ + request.addr, request.rows, request.row_bytes,
          request.row_pitch};
}

void Fabric::arrive(Flight& flight, Cycle cycle) {
  add_action(cycle, flight.other, flight.order, [this, values = std::move(flight.values)] {
    effects_.settle();
    values->write();
  });
}

}  // namespace davsim::sim
