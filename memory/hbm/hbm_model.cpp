#include "memory/hbm/hbm_model.hpp"

#include <algorithm>
#include <cmath>

#include "memory/cycle.hpp"

namespace davsim::memory {

tlm::tlm_sync_enum HbmModel::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                             sc_core::sc_time& delay) {
  b_transport(payload, delay);
  return tlm::TLM_COMPLETED;
}

void HbmModel::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  HbmExtension* extension = nullptr;
  payload.get_extension(extension);
  if (extension == nullptr || extension->chunk == nullptr) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  HbmChunk& chunk = *extension->chunk;
  serve(chunk, static_cast<double>(current_cycle()));
  // The chunk has the exact times. The delay is for other listeners on the socket.
  const double end = std::max(chunk.ready, chunk.written);
  delay = until(static_cast<Cycle>(std::ceil(end)));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace davsim::memory
