#include "sim/device/device.hpp"

#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "sim/device/device_impl.hpp"

namespace davsim::sim {
namespace {

bool g_device_exists = false;

}  // namespace

Device::Device(SocConfig soc, DeviceOptions options) {
  make(std::move(soc), nullptr, options);
}

Device::Device(SocConfig soc, SystemConfig system, DeviceOptions options) {
  if (options.memory_file != memory::GlobalMemory::kNotShared && system.dies() > 1) {
    throw std::invalid_argument("the memories of several dies cannot be one file");
  }
  make(std::move(soc), &system, options);
}

void Device::make(SocConfig soc, const SystemConfig* system, DeviceOptions options) {
  if (g_device_exists) {
    throw std::logic_error(
        "a process simulates one device: SystemC elaborates once; use another process for another "
        "SoC");
  }
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);  // SystemC's switch for its banner
  impl_ = std::make_unique<Impl>(
      std::move(soc), system == nullptr ? std::nullopt : std::make_optional(*system), options);
  g_device_exists = true;
}

// A simulation that was started cannot be taken down and built again, so a device stays the only
// one of its process even after its end.
Device::~Device() = default;

const SocConfig& Device::soc() const {
  return impl_->soc_;
}
const TimingTable& Device::timing() const {
  return impl_->timing_;
}
std::uint32_t Device::dies() const {
  return impl_->memories_.dies();
}
memory::GlobalMemory& Device::memory(std::uint32_t die) {
  return impl_->memories_.of(die);
}
bool Device::has_die(std::uint32_t die) const {
  return impl_->has_die(die);
}
std::uint32_t Device::die_of(const void* address) const {
  return impl_->memories_.die_of(reinterpret_cast<std::uint64_t>(address));
}
Communicators* Device::communicators() {
  return impl_->collectives_.get();
}
std::vector<LinkCounters> Device::links() const {
  return impl_->fabric_ ? impl_->fabric_->counters() : std::vector<LinkCounters>{};
}
observe::Cycle Device::finish_transfers() {
  return impl_->finish_transfers();
}
Mode Device::mode() const {
  return impl_->options_.mode;
}
void Device::flush_l2() {
  for (std::uint32_t i = 0; i < dies(); ++i) {
    if (impl_->has_die(i)) impl_->die(i).memory().l2().flush();
  }
}
void Device::let_write(OutsideWriters* outside) {
  impl_->let_write(outside);
}

void Device::let_join(LaterLaunches* later) {
  impl_->let_join(later);
}

void Device::check(RunWatcher* watcher) {
  impl_->check(watcher);
}
void Device::attach(observe::Observer* observer) {
  impl_->reports_.attach(observer);
}

std::string Device::suspicion() const {
  return impl_->suspicion();
}

void Device::set_tiling_key(std::uint64_t key) {
  impl_->tiling_key_ = key;
}

void Device::use_die(std::uint32_t die) {
  impl_->die_ = die;
}

observe::LaunchReport Device::launch(const isa::KernelEntry& entry, std::uint32_t block_dim,
                                     std::function<void()> aic, std::function<void()> aiv) {
  std::vector<DieLaunch> one;
  one.push_back(
      {impl_->die_, &entry, block_dim, impl_->tiling_key_, std::move(aic), std::move(aiv)});
  return impl_->launch(std::move(one)).front();
}

std::vector<observe::LaunchReport> Device::launch(std::vector<DieLaunch> launches) {
  return impl_->launch(std::move(launches));
}

}  // namespace davsim::sim
