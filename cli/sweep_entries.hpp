// The entries of "operators" in the description of a sweep; docs/sweep.md describes the file.
#pragma once

#include <string>
#include <vector>

#include "cli/spec_reader.hpp"
#include "cli/sweep_spec.hpp"

namespace davsim::cli {

/// The runs of one entry of "operators", before they are combined with SoCs and parameters.
struct Piece {
  SweepRun run;
  std::string soc;  ///< the one its case is about
};

/// The runs that an entry stands for: its cases, or its tensors with every choice of sizes. Throws
/// UsageError naming file and member.
std::vector<Piece> pieces_of(const SpecValue& entry);

}  // namespace davsim::cli
