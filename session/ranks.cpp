#include "session/ranks.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "session/chosen_soc.hpp"

namespace davsim::session {
namespace {

sim::RankGroup* g_group = nullptr;

/// What launchers of Open MPI, MPICH and its relatives, and Slurm with PMIx tell a process.
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};

const char* rank_variable() {
  for (const char* name : kRankVariables) {
    const char* value = std::getenv(name);
    if (value != nullptr) return value;
  }
  return nullptr;
}

sim::RankGroup* join() {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  const fs::path module = program.parent_path().parent_path() / "lib/davsim/davsim_mpi.so";
  // Parts of MPI that it loads itself find its names in the process.
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    throw WrongChoice(
        "a launcher of MPI has started this process, and davsim was built without MPI, or without "
        "its package davsim-mpi: " +
        std::string(why));
  }
  using Make = sim::RankGroup* (*)();
  const auto make = reinterpret_cast<Make>(dlsym(library, "davsim_rank_group"));
  if (make == nullptr) throw WrongChoice(module.string() + " is not a module of davsim");
  return make();
}

}  // namespace

sim::RankGroup* rank_group() {
  if (rank_variable() == nullptr) return nullptr;
  if (g_group == nullptr) g_group = join();
  return g_group->ranks() > 1 ? g_group : nullptr;
}

void require_alike(sim::RankGroup& group, const std::string& text) {
  const auto given = group.exchange(std::vector<std::string>(group.ranks(), text), 0).from;
  for (std::size_t rank = 1; rank < given.size(); ++rank) {
    if (given[rank] == given[0]) continue;
    throw WrongChoice("rank " + std::to_string(rank) + " was given other arguments than rank 0: " +
                      given[rank] + " instead of " + given[0]);
  }
}

bool is_launched() {
  return rank_variable() != nullptr;
}

std::uint32_t launched_rank() {
  const char* const rank = rank_variable();
  return rank == nullptr ? 0 : static_cast<std::uint32_t>(std::strtoul(rank, nullptr, 10));
}

void part_from_ranks() {
  leave_ranks(0);
  g_group = nullptr;
  for (const char* name : kRankVariables) unsetenv(name);
}

void leave_ranks(int status) {
  if (g_group != nullptr) g_group->finish(status);
}

}  // namespace davsim::session
