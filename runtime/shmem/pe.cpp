#include "runtime/shmem/pe.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/simulator.hpp"
#include "runtime/core/symmetric_heaps.hpp"

namespace davsim::shmem {
namespace {

using runtime::ApiError;
using runtime::HostCommunicators;
using runtime::Simulator;

/// What lies before the heap. Kernels of all PEs have it at the same distance.
struct BeforeHeap {
  aclshmem_device_host_state_t state;
  alignas(L2_CACHELINE_SIZE) aclshmemx_team_t teams[ACLSHMEM_MAX_TEAMS];
  alignas(L2_CACHELINE_SIZE) void* heaps[ACLSHMEM_MAX_PES];
  alignas(L2_CACHELINE_SIZE) std::byte counters[ACLSHMEM_MAX_TEAMS][ACLSHMEMI_SYNCBIT_SIZE];
  alignas(L2_CACHELINE_SIZE) std::byte flags[ACLSHMEM_MAX_TEAMS][kBarrierBytes];
};
constexpr std::uint64_t kBeforeHeap =
    (sizeof(BeforeHeap) + ACLSHMEM_PAGE_SIZE - 1) / ACLSHMEM_PAGE_SIZE * ACLSHMEM_PAGE_SIZE;

/// What public programs expect to find in mte_config.
constexpr std::uint32_t kUsualUbBytes = 16 * 1024;

/// A communicator has two windows of this size on each device, one behind the other.
std::uint64_t window_bytes(std::uint64_t heap_bytes) {
  const std::uint64_t both = kBeforeHeap + heap_bytes;
  return (both + 2 * ACLSHMEM_PAGE_SIZE - 1) / (2 * ACLSHMEM_PAGE_SIZE) * ACLSHMEM_PAGE_SIZE;
}

runtime::CommunicatorRank* join(const std::string& root, const aclshmemx_init_attr_t& attributes,
                                std::uint32_t die) {
  const std::uint64_t bytes = window_bytes(attributes.local_mem_size);
  HostCommunicators& all = HostCommunicators::instance();
  if (attributes.n_pes == 1) return all.create("", {die}, bytes).front();
  return all.join(root, static_cast<std::uint32_t>(attributes.n_pes),
                  static_cast<std::uint32_t>(attributes.my_pe), die, "", bytes);
}

const sim::Communicator& communicator(const runtime::CommunicatorRank& rank) {
  return *Simulator::instance().communicators()->named(rank.name);
}

}  // namespace

Pe::Pe(const std::string& root, const aclshmemx_init_attr_t& attributes, std::uint32_t die)
    : root_(root),
      die_(die),
      rank_(join(root, attributes, die)),
      rooms_(attributes.local_mem_size) {
  write_state(attributes.local_mem_size);
  add_team(ACLSHMEM_TEAM_WORLD, 0, 1, pes());
  runtime::SymmetricHeap heap;
  heap.communicator = rank_->name;
  heap.state = reinterpret_cast<std::uint64_t>(state_);
  heap.pes = static_cast<std::uint32_t>(pes());
  runtime::SymmetricHeaps::instance().set(die_, std::move(heap));
}

Pe::~Pe() {
  runtime::SymmetricHeaps::instance().forget(die_);
  for (const auto& [number, of] : communicators_) HostCommunicators::instance().destroy(of);
  HostCommunicators::instance().destroy(rank_);
}

std::uint64_t Pe::window(int pe) const {
  return communicator(*rank_).windows_in[static_cast<std::size_t>(pe)];
}

void Pe::tell_kernels(const void* start, std::uint64_t bytes) const {
  Simulator::instance().memory().host_wrote(start, bytes);
}

void Pe::change_state(const std::function<void(aclshmem_device_host_state_t&)>& change) {
  Simulator::instance().queue().between_work([&] { change(*state_); });
  tell_kernels(state_, sizeof *state_);
}

void Pe::write_state(std::uint64_t heap_bytes) {
  auto* const before = reinterpret_cast<BeforeHeap*>(window(number()));
  state_ = &before->state;
  Simulator::instance().queue().between_work([&] {
    for (int pe = 0; pe < pes(); ++pe) {
      before->heaps[pe] = reinterpret_cast<void*>(window(pe) + kBeforeHeap);
    }
    aclshmem_device_host_state_t& state = *state_;
    state.version = ACLSHMEM_MAJOR_VERSION << 16 | ACLSHMEM_MINOR_VERSION;
    state.mype = number();
    state.npes = pes();
    state.heap_base = before->heaps[number()];
    state.p2p_device_heap_base = before->heaps;
    state.rdma_device_heap_base = before->heaps;
    state.sdma_device_heap_base = before->heaps;
    state.heap_size = heap_bytes;
    state.sync_pool = reinterpret_cast<std::uint64_t>(before->flags);
    state.sync_counter = reinterpret_cast<std::uint64_t>(before->counters);
    state.is_aclshmem_initialized = state.is_aclshmem_created = true;
    state.mte_config = state.sdma_config = state.rdma_config = {0, kUsualUbBytes, {0}};
  });
  tell_kernels(before, sizeof *before);
}

std::uint32_t Pe::most_of(int number, std::uint32_t own) {
  const aclshmemx_team_t& of = *team(number);
  if (of.size == 1) return own;
  // A meeting that all have left and the next one are told apart by their roots.
  const std::string root = root_ + "_" + std::to_string(number) + "_" + std::to_string(of.start) +
                           "_" + std::to_string(++meetings_[number]);
  // Ranks tell each other one number.
  const runtime::Met met = runtime::Meetings::instance().join(
      root, static_cast<std::uint32_t>(of.size), static_cast<std::uint32_t>(of.mype), own);
  for (const runtime::Member& member : met.members) own = std::max(own, member.device);
  return own;
}

std::byte* Pe::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  const auto at = rooms_.take(bytes, alignment);
  return at ? static_cast<std::byte*>(state_->heap_base) + *at : nullptr;
}

bool Pe::free(const void* start) {
  return in_heap(start) && rooms_.give_back(static_cast<std::uint64_t>(
                               static_cast<const std::byte*>(start) -
                               static_cast<const std::byte*>(state_->heap_base)));
}

bool Pe::in_heap(const void* address) const {
  const auto* const base = static_cast<const std::byte*>(state_->heap_base);
  const auto* const at = static_cast<const std::byte*>(address);
  return at >= base && at < base + state_->heap_size;
}

std::uint64_t Pe::on_pe(const void* address, int pe) const {
  if (pe < 0 || pe >= pes()) {
    throw ApiError(ACL_ERROR_INVALID_PARAM,
                   "pe is " + std::to_string(pe) + ", PEs are 0 to " + std::to_string(pes() - 1));
  }
  if (!in_heap(address)) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "an address is not in the symmetric heap");
  }
  return reinterpret_cast<std::uint64_t>(address) + window(pe) - window(number());
}

int Pe::number_teams(int parent, int teams) {
  const auto first = static_cast<int>(most_of(parent, static_cast<std::uint32_t>(teams_)));
  if (first + teams > ACLSHMEM_MAX_TEAMS) {
    throw ApiError(ACL_ERROR_INVALID_PARAM, "there have been " + std::to_string(first) +
                                                " teams, the most are " +
                                                std::to_string(ACLSHMEM_MAX_TEAMS));
  }
  teams_ = first + teams;
  return first;
}

void Pe::add_team(int number, int start, int stride, int size) {
  const int behind = this->number() - start, own = behind / stride;
  if (behind < 0 || behind % stride != 0 || own >= size) return;
  auto& place = reinterpret_cast<BeforeHeap*>(state_)->teams[number];
  change_state([&](aclshmem_device_host_state_t& state) {
    place = {own, start, stride, size, number, {}};
    state.team_pools[number] = &place;
  });
  tell_kernels(&place, sizeof place);
}

void Pe::remove_team(int number) {
  if (number == ACLSHMEM_TEAM_WORLD || team(number) == nullptr) return;
  change_state([&](auto& state) { state.team_pools[number] = nullptr; });
  const auto of = communicators_.find(number);
  if (of == communicators_.end()) return;
  HostCommunicators::instance().destroy(of->second);
  communicators_.erase(of);
}

const aclshmemx_team_t* Pe::team(int number) const {
  if (number < 0 || number >= ACLSHMEM_MAX_TEAMS) return nullptr;
  return state_->team_pools[number];
}

const runtime::CommunicatorRank& Pe::communicator_of(int number) {
  const aclshmemx_team_t& of = *team(number);
  if (number == ACLSHMEM_TEAM_WORLD) return *rank_;
  const auto made = communicators_.find(number);
  if (made != communicators_.end()) return *made->second;
  std::vector<std::uint32_t> devices;
  for (int pe = 0; pe < of.size; ++pe) {
    devices.push_back(rank_->devices[static_cast<std::size_t>(of.start + pe * of.stride)]);
  }
  const std::string name = rank_->name + "_team_" + std::to_string(number) + "_" +
                           std::to_string(of.start) + "_" + std::to_string(of.stride);
  return *(communicators_[number] = HostCommunicators::instance().find_or_create(
               name, *rank_, std::move(devices), ACLSHMEM_PAGE_SIZE));
}

Pes& Pes::instance() {
  static auto* pes = new Pes();  // static variables may still use it
  return *pes;
}

void Pes::add(std::uint32_t die, std::shared_ptr<Pe> pe) {
  const std::lock_guard lock(mutex_);
  pes_[die] = std::move(pe);
}

void Pes::remove(std::uint32_t die) {
  std::shared_ptr<Pe> last;
  const std::lock_guard lock(mutex_);
  const auto found = pes_.find(die);
  if (found == pes_.end()) return;
  last = std::move(found->second);
  pes_.erase(found);
}

std::shared_ptr<Pe> Pes::of_thread() const {
  const std::uint32_t die = runtime::Process::instance().device_of_thread();
  const std::lock_guard lock(mutex_);
  const auto found = pes_.find(die);
  if (found != pes_.end()) return found->second;
  return pes_.size() == 1 ? pes_.begin()->second : nullptr;
}

}  // namespace davsim::shmem
