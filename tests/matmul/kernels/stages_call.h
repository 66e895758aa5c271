// What the test of stages hands to its kernel.
#pragma once

#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

enum class StagesUse : std::int32_t {
  kObjectOfAStage,  ///< each stage has its own object
  kObjectOfAll,     ///< the stages register one object again and again
  kObjectsOfAll,    ///< each registers its own, which live to the end
  kLeftBehind       ///< the object of the first stage computes in the second
};

struct StagesCall {
  AscendC::tiling::TCubeTiling tiling;  ///< of A B
  AscendC::tiling::TCubeTiling turned;  ///< of A' B, A being square
  StagesUse use = StagesUse::kObjectOfAStage;
};
