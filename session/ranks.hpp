// The processes that mpirun or srun has started together with this one.
#pragma once

#include <cstdint>
#include <string>

#include "sim/system/rank_group.hpp"

namespace davsim::session {

/// Joins them, at the first call; nullptr: the process is alone. Throws WrongChoice if davsim was
/// built without MPI and is not alone.
sim::RankGroup* rank_group();
/// Throws WrongChoice unless all ranks of the group give the same text: what they are to do.
void require_alike(sim::RankGroup& group, const std::string& text);
/// Whether a launcher of MPI has started this process, alone or with others.
bool is_launched();
/// The number of this process among them as the launcher says, before it joins; 0 if it is alone.
std::uint32_t launched_rank();
/// Leaves them while the process goes on: neither it nor its children are part of them any more.
void part_from_ranks();
/// To be called before the process ends: its part is over, with this exit status. Ends all others
/// too unless it is 0.
void leave_ranks(int status);

}  // namespace davsim::session
