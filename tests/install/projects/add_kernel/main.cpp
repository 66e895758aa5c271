#include <cstdio>

#include "session/program.hpp"

int main(int argc, char** argv) {
  davsim::session::Program program(argc, argv);
  return program.run([](davsim::sim::Device& device) {
    auto* out = reinterpret_cast<float*>(device.memory().allocate(32, "out"));
    device.launch("seven", 1, out);
    std::printf("%g", *out);
    int unused_but_no_error;
    return *out == 7;
  });
}
