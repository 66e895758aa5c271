#include "sim/core/core.hpp"

#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "isa/core/kept_scalar_work.hpp"
#include "isa/core/library_workspace.hpp"
#include "isa/core/running_kernel.hpp"
#include "isa/exec/accesses.hpp"
#include "isa/exec/execute.hpp"

const davsim::sim::DebuggerView* davsim_debugged_core = nullptr;

namespace davsim::sim {
namespace {

/// The stack of a kernel's thread, for tilings and small arrays. A page costs memory only when it
/// is touched.
constexpr std::size_t kStackBytes = 512 * 1024;
/// Buffers are aligned to the host's cache lines, because host vectors that cross a line are slow.
constexpr std::size_t kHostLine = 64;

std::byte* host_memory(std::pmr::memory_resource& from, std::uint64_t bytes, isa::Space space,
                       const std::string& core) {
  try {
    return static_cast<std::byte*>(from.allocate(bytes, kHostLine));
  } catch (const std::bad_alloc&) {
    throw std::system_error(std::make_error_code(std::errc::not_enough_memory),
                            "the host has no room for the " + std::to_string(bytes) + " bytes of " +
                                std::string(isa::space_name(space)) + " of " + core);
  }
}

}  // namespace

std::string wait_name(const isa::Instr& instr) {
  std::string text(instr.opcode_info().mnemonic);
  if (const auto* flag = std::get_if<isa::FlagParams>(&instr.params)) {
    text.append(" ").append(EventFlags::name(*flag));
  } else if (const auto* cross = std::get_if<isa::CrossCoreFlagParams>(&instr.params)) {
    text.append(" flag ").append(std::to_string(cross->id));
  }
  return text;
}

std::string describe_wait(const isa::Instr& instr) {
  return std::string(isa::pipe_name(instr.pipe)) + ": " + wait_name(instr) + " at " +
         observe::short_line(instr.where);
}

Core::Core(sc_core::sc_module_name name, observe::CoreDescription place, const CoreSpec& spec,
           const CoreEnvironment& environment)
    : sc_module(name),
      place_(std::move(place)),
      spec_(spec),
      environment_(environment),
      flags_(spec.event_ids),
      auto_sync_(memory_) {
  for (const BufferSpec& buffer : spec_.buffers) {
    const std::uint64_t room = (buffer.bytes + kHostLine - 1) / kHostLine * kHostLine;
    memory_.attach(buffer.space,
                   {host_memory(machine().buffers, room, buffer.space, place_.name), buffer.bytes});
  }
  memory_.attach_global(&machine().global);
  machine().effects.add_core(index(), memory_, report_name());

  SC_HAS_PROCESS(Core);
  SC_THREAD(thread);
  set_stack_size(kStackBytes);
}

void Core::watch_run(RunWatcher* run) {
  run_watcher_ = run;
  watch(run == nullptr ? nullptr : run->watcher_of(index(), memory_));
}

void Core::begin(CoreJob job, Cycle cycle) {
  job_ = std::move(job);
  job_.identity.pipes = spec_.pipe_mask();
  running_ = true;
  last_call_ = {};
  if (job_.traits.auto_sync) auto_sync_.begin_block();
  begin_block(cycle);
  start_.notify(memory::until(cycle));
}

void Core::thread() {
  for (;;) {
    wait(start_);
    if (running_) run_block();
  }
}

void Core::take_host() {
  isa::set_current_core(this);
  isa::forget_pointer_lines();
  block_locals_.run_on();
  isa::set_library_workspace(machine().library);
  davsim_debugged_core = &debugger_view_;
}

namespace {

/// What a kernel threw and did not catch, and where: an exception knows no line.
isa::Fault uncaught(const std::string& what) {
  const isa::SourceLocation call = isa::g_running_kernel.call;
  return isa::Fault(
      isa::FaultClass::kParameter,
      "the kernel threw an exception: " + what +
          (call.line() == 0 ? "" : ", behind the call at " + observe::short_line(call)));
}

/// What ended a kernel; nothing if it returned, or if another core's fault ended the launch.
std::optional<isa::Fault> fault_of(const std::exception_ptr& thrown) {
  if (thrown == nullptr) return {};
  try {
    std::rethrow_exception(thrown);
  } catch (const LaunchAborted&) {
    return {};
  } catch (const isa::Fault& fault) {
    return fault;
  } catch (const std::exception& error) {
    return uncaught(error.what());
  } catch (...) {
    return uncaught("it is no std::exception");
  }
}

}  // namespace

void Core::run_block() {
  debugger_view_ = {job_.identity, memory_};
  block_locals_.begin_block();
  take_host();
  isa::g_running_kernel = {
      job_.kernel_name.c_str(), place_.name.c_str(), {}, job_.traits.local_pointers};
  registers() = {};
  forget_unused_element();
  registers().system_workspace = reinterpret_cast<std::uint8_t*>(machine().library.start);
  // The handler of an exception must not wait. The C++ runtime keeps one stack of handled
  // exceptions for each thread of the host, and all cores share one thread.
  std::optional<isa::Fault> fault = fault_of(frame_.run([this] {
    job_.kernel();
    drain();
    if (run_watcher_ != nullptr) run_watcher_->block_ends(index());
    flags_.require_none_set();
  }));
  if (fault) fail_in_order(std::move(*fault));
  block_locals_.end_block();
  isa::set_current_core(nullptr);
  davsim_debugged_core = nullptr;
  isa::g_running_kernel = {};
  flags_.clear();
  running_ = false;
  if (!environment_.launch.aborting()) environment_.launch.core_finished(index());
}

/// The instructions that the kernel emitted before its fault are carried out first, and may fault
/// themselves. A watcher is told of their ends. The checker can then name the instruction that was
/// still to write a value that the kernel read too early.
void Core::fail_in_order(isa::Fault fault) {
  const bool deadlock = fault.cls == isa::FaultClass::kDeadlock;
  try {
    reach();
    stopped_by_ = described(std::move(fault), nullptr);
    if (run_watcher_ != nullptr && !deadlock) finish_emitted();
    environment_.launch.fail(*stopped_by_);
  } catch (const LaunchAborted&) {
  }
  stopped_by_.reset();
}

void Core::pause(const sc_core::sc_event& event) {
  const isa::RunningKernel running = std::exchange(isa::g_running_kernel, {});
  last_call_ = running.call;
  const isa::KeptScalarWork counted = isa::put_away_scalar_work();
  wait(event);
  take_host();
  isa::resume_scalar_work(counted);
  isa::g_running_kernel = running;
  if (environment_.launch.aborting()) throw LaunchAborted{};
}

void Core::pause(const sc_core::sc_time& time) {
  const isa::RunningKernel running = std::exchange(isa::g_running_kernel, {});
  last_call_ = running.call;
  const isa::KeptScalarWork counted = isa::put_away_scalar_work();
  wait(time);
  take_host();
  isa::resume_scalar_work(counted);
  isa::g_running_kernel = running;
  if (environment_.launch.aborting()) throw LaunchAborted{};
}

void Core::emit(const isa::Instr& record) {
  if (!accepts_work()) return;
  if (PlacelessTensors::any(record)) return take_placed(placeless_.placed(record, watcher()));
  take_placed(record);
}

void Core::take_placed(const isa::Instr& record) {
  const isa::DecodedInstr instr = decoded(record);
  if (job_.traits.auto_sync) take_inserted(auto_sync_.before(instr));
  take(instr);
}

void Core::take_inserted(const std::vector<isa::Instr>& inserted) {
  for (const isa::Instr& instr : inserted) take(decoded(instr));
}

void Core::scalar_load(const isa::Operand& from, void* to, std::size_t bytes,
                       isa::SourceLocation where) {
  if (!accepts_work()) return;
  if (from.placeless()) {
    return scalar_load(placeless_.placed(from, where, watcher()), to, bytes, where);
  }
  require_scalar_space(from, bytes, where);
  isa::g_running_kernel.call = where;
  if (job_.traits.auto_sync) take_inserted(auto_sync_.before_scalar(from, bytes, false, where));
  load(from, to, bytes, where);
}

void Core::scalar_store(const isa::Operand& to, const void* from, std::size_t bytes,
                        isa::SourceLocation where) {
  if (!accepts_work()) return;
  if (to.placeless()) {
    return scalar_store(placeless_.placed(to, where, watcher()), from, bytes, where);
  }
  require_scalar_space(to, bytes, where);
  isa::g_running_kernel.call = where;
  if (job_.traits.auto_sync) take_inserted(auto_sync_.before_scalar(to, bytes, true, where));
  store(to, from, bytes, where);
}

std::string Core::suspicion() const {
  if (placeless_.first()) {
    return report_name() + " uses a LocalTensor that was never allocated at " +
           observe::short_line(*placeless_.first()) + ", which lies at byte 0 of UB";
  }
  if (const std::string found = short_copies_.first(); !found.empty()) {
    return report_name() + " " + found;
  }
  if (!auto_sync_.unordered()) return {};
  const AutoSync::Unordered& found = *auto_sync_.unordered();
  return report_name() + " accesses UB byte " + std::to_string(found.addr) + " by " +
         std::string(isa::pipe_name(found.later)) + " at " + observe::short_line(found.where) +
         ", and nothing orders it behind " + std::string(isa::pipe_name(found.earlier));
}

void Core::forget_suspicion() {
  placeless_.begin_launch();
  short_copies_.begin_launch();
  auto_sync_.begin_launch();
}

bool Core::accepts_work() const {
  if (std::uncaught_exceptions() > 0) return false;
  if (environment_.launch.aborting()) throw LaunchAborted{};
  return true;
}

/// Says which tensor an operand that starts outside its own was cut out of. Only a checker knows.
void Core::name_tensor(isa::Fault& fault, const char* name, const isa::Operand& operand) const {
  if (watcher() == nullptr || fault.cls != isa::FaultClass::kAddress) return;
  const std::string origin = watcher()->origin(operand);
  if (!origin.empty()) fault.message += std::string("; ") + name + " starts " + origin;
}

isa::Fault Core::described(isa::Fault fault, const isa::Instr* instr) const {
  if (instr != nullptr && fault.core.empty()) {
    name_tensor(fault, "dst", instr->dst);
    name_tensor(fault, "src0", instr->src0);
    name_tensor(fault, "src1", instr->src1);
  }
  if (fault.core.empty()) fault.core = report_name();
  fault.kernel = job_.kernel_name;
  if (instr != nullptr) {
    if (fault.where.line() == 0) fault.where = instr->where;
    if (fault.instruction.empty()) fault.instruction = instr->opcode_info().mnemonic;
    if (fault.pipe.empty()) fault.pipe = isa::pipe_name(instr->pipe);
  }
  return fault;
}

void Core::fail(isa::Fault fault, const isa::Instr* instr) {
  environment_.launch.fail(described(std::move(fault), instr));
}

isa::DecodedInstr Core::decoded(const isa::Instr& instr) const {
  if (!identity().pipes.has(instr.pipe)) {
    isa::stop_kernel(
        described(isa::Fault(isa::FaultClass::kParameter,
                             std::string(instr.opcode_info().mnemonic) + " goes to pipe " +
                                 std::string(isa::pipe_name(instr.pipe)) + ", which an " +
                                 std::string(isa::core_type_name(type())) + " does not have"),
                  &instr));
  }
  try {
    return isa::decode(instr, memory_);
  } catch (isa::Fault& fault) {
    isa::stop_kernel(described(std::move(fault), &instr));
  }
}

WaitPoint Core::wait_point(isa::Pipe pipe, const isa::Instr& instr, std::string text) const {
  WaitPoint point;
  point.core = index();
  point.pipe = pipe;
  point.text = report_name() + " " + std::move(text);
  point.where = instr.where;
  if (instr.op == isa::Opcode::kWaitFlag) {
    point.what = WaitPoint::For::kFlag;
    point.flag = std::get<isa::FlagParams>(instr.params);
  } else if (instr.op == isa::Opcode::kCrossCoreWaitFlag) {
    point.what = WaitPoint::For::kCrossCoreFlag;
    point.cross_id = std::get<isa::CrossCoreFlagParams>(instr.params).id;
  }
  return point;
}

WaitPoint Core::poll_point(isa::SourceLocation where) const {
  WaitPoint point;
  point.core = index();
  point.what = WaitPoint::For::kMemory;
  point.text = report_name() + " scalar unit: polls a word in global memory at " +
               observe::short_line(where);
  point.where = where;
  return point;
}

void Core::tell_issued(const isa::DecodedInstr& instr) {
  if (watcher() == nullptr) return;
  if (isa::accesses_depend_on_contents(instr)) machine().effects.settle_core(index());
  watcher()->issued(instr);
}

void Core::tell_accessed(const isa::PointerAccess& access) {
  if (watcher() == nullptr) return;
  const isa::Operand at{isa::Space::kGm, isa::DType::kU8, access.addr};
  if (access.stores) {
    watcher()->scalar_stored(at, access.bytes, access.where);
  } else {
    watcher()->scalar_loaded(at, access.bytes, access.where);
  }
}

void Core::describe(observe::CoreCounters& counters) const {
  counters.name = place_.name;
  counters.type = place_.type;
  counters.ai_core = place_.ai_core;
  counters.sub_block = place_.sub_block;
  counters.present = spec_.pipe_mask();
}

void Core::count_work(const InstrWork& work) {
  if (work.on_path) counters_.path_bytes[static_cast<std::size_t>(work.path)] += work.bytes;
  counters_.cube_macs += work.macs;
  counters_.vector_elements += work.lanes;
}

void Core::inspect(const isa::Operand& from, void* to, std::size_t bytes,
                   isa::SourceLocation where) {
  reach();
  machine().effects.settle();
  try {
    std::memcpy(to, memory_.at(from.space, from.addr, bytes), bytes);
  } catch (isa::Fault& fault) {
    fault.where = where;
    throw;
  }
}

void Core::require_scalar_space(const isa::Operand& operand, std::uint64_t bytes,
                                isa::SourceLocation where) const {
  if (operand.space != isa::Space::kGm && operand.space != isa::Space::kUb &&
      operand.space != isa::Space::kSpr) {
    isa::stop_kernel(isa::Fault(isa::FaultClass::kParameter,
                                "the scalar unit reads and writes GM and UB, not " +
                                    std::string(isa::space_name(operand.space)),
                                where));
  }
  try {
    memory_.at(operand.space, operand.addr, bytes);
  } catch (isa::Fault& fault) {
    name_tensor(fault, "the element", operand);
    fault.where = where;
    isa::stop_kernel(std::move(fault));
  }
}

}  // namespace davsim::sim
