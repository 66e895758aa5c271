#include "isa/core/collectives.hpp"

std::uint8_t* g_hcclContextReserved[2] = {nullptr, nullptr};

namespace davsim::isa {
namespace {

CollectiveServer* g_server = nullptr;

}  // namespace

CollectiveServer* collective_server() {
  return g_server;
}

void set_collective_server(CollectiveServer* server) {
  g_server = server;
}

}  // namespace davsim::isa
