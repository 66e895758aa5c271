// PEs and teams.
#include <algorithm>

#include "runtime/shmem/call.hpp"
#include "shmem/host.h"

using namespace davsim::shmem;

namespace {

/// A team of some PEs of another one: its number, if this PE is in it.
aclshmem_team_t split(Pe& pe, int number, const aclshmemx_team_t& parent, int start, int stride,
                      int size) {
  pe.add_team(number, parent.start + start * parent.stride, stride * parent.stride, size);
  return pe.team(number) == nullptr ? ACLSHMEM_TEAM_INVALID : number;
}

void require_inside(const aclshmemx_team_t& parent, int start, int stride, int size) {
  const bool inside = start >= 0 && stride >= 1 && size >= 1 &&
                      start + static_cast<std::int64_t>(size - 1) * stride < parent.size;
  if (inside) return;
  throw CallError(ACLSHMEM_INVALID_PARAM, "pe_start " + std::to_string(start) + ", pe_stride " +
                                              std::to_string(stride) + " and pe_size " +
                                              std::to_string(size) + " are not PEs of a team of " +
                                              std::to_string(parent.size));
}

}  // namespace

int aclshmem_my_pe() {
  return call_for("aclshmem_my_pe", -1, [] { return own_pe()->number(); });
}

int aclshmem_n_pes() {
  return call_for("aclshmem_n_pes", -1, [] { return own_pe()->pes(); });
}

int aclshmem_team_split_strided(aclshmem_team_t parent_team, int pe_start, int pe_stride,
                                int pe_size, aclshmem_team_t* new_team) {
  return call("aclshmem_team_split_strided", [&] {
    require_pointer(new_team, "new_team");
    *new_team = ACLSHMEM_TEAM_INVALID;
    const auto pe = own_pe();
    const aclshmemx_team_t parent = require_team(*pe, parent_team);
    require_inside(parent, pe_start, pe_stride, pe_size);
    const int number = pe->number_teams(parent_team, 1);
    *new_team = split(*pe, number, parent, pe_start, pe_stride, pe_size);
    pe->meet(parent_team);
  });
}

int aclshmem_team_split_2d(aclshmem_team_t parent_team, int x_range, aclshmem_team_t* x_team,
                           aclshmem_team_t* y_team) {
  return call("aclshmem_team_split_2d", [&] {
    require_pointer(x_team, "x_team");
    require_pointer(y_team, "y_team");
    *x_team = *y_team = ACLSHMEM_TEAM_INVALID;
    const auto pe = own_pe();
    const aclshmemx_team_t parent = require_team(*pe, parent_team);
    if (x_range < 1) {
      throw CallError(ACLSHMEM_INVALID_PARAM,
                      "x_range is " + std::to_string(x_range) + ", it is 1 at least");
    }
    const int width = std::min(x_range, parent.size), rows = (parent.size - 1) / width + 1;
    int number = pe->number_teams(parent_team, rows + width);
    for (int first = 0; first < parent.size; first += width) {
      const int size = std::min(width, parent.size - first);
      const int row = split(*pe, number++, parent, first, 1, size);
      if (row != ACLSHMEM_TEAM_INVALID) *x_team = row;
    }
    for (int first = 0; first < width; ++first) {
      const int size = (parent.size - first - 1) / width + 1;
      const int column = split(*pe, number++, parent, first, width, size);
      if (column != ACLSHMEM_TEAM_INVALID) *y_team = column;
    }
    pe->meet(parent_team);
  });
}

int aclshmem_team_get_config(aclshmem_team_t team, aclshmem_team_config_t* config) {
  return call("aclshmem_team_get_config", [&] {
    require_pointer(config, "config");
    *config = require_team(*own_pe(), team).config;
  });
}

void aclshmem_team_destroy(aclshmem_team_t team) {
  call("aclshmem_team_destroy", [&] {
    if (team == ACLSHMEM_TEAM_INVALID) return;
    const auto pe = own_pe();
    require_team(*pe, team);
    pe->remove_team(team);
  });
}

int aclshmem_team_my_pe(aclshmem_team_t team) {
  return call_for("aclshmem_team_my_pe", -1, [&] {
    const aclshmemx_team_t* const of = own_pe()->team(team);
    return of == nullptr ? -1 : of->mype;
  });
}

int aclshmem_team_n_pes(aclshmem_team_t team) {
  return call_for("aclshmem_team_n_pes", -1, [&] {
    const aclshmemx_team_t* const of = own_pe()->team(team);
    return of == nullptr ? -1 : of->size;
  });
}

int aclshmem_team_translate_pe(aclshmem_team_t src_team, int src_pe, aclshmem_team_t dest_team) {
  return call_for("aclshmem_team_translate_pe", -1, [&] {
    const auto pe = own_pe();
    return translated(pe->team(src_team), src_pe, pe->team(dest_team));
  });
}
