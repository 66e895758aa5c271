// The messages between the process that leads a launch and the others: how they are packed and
// read.
#include <utility>

#include "runtime/core/led_work.hpp"
#include "runtime/core/parcel.hpp"

namespace davsim::runtime {

namespace {

void put(Parcel& parcel, const sim::Communicator& of) {
  parcel.put(of.name);
  parcel.put(std::vector<std::uint64_t>(of.dies.begin(), of.dies.end()));
  for (const std::uint64_t bytes : {of.window_bytes, of.status_bytes, of.context_bytes}) {
    parcel.put(bytes);
  }
  for (const auto* starts :
       {&of.windows_in, &of.windows_out, &of.windows_status, &of.contexts, &of.messages}) {
    parcel.put(*starts);
  }
}

sim::Communicator take_communicator(OpenedParcel& parcel) {
  sim::Communicator of;
  of.name = parcel.take_text();
  for (const std::uint64_t die : parcel.take_words()) {
    of.dies.push_back(static_cast<std::uint32_t>(die));
  }
  for (std::uint64_t* bytes : {&of.window_bytes, &of.status_bytes, &of.context_bytes}) {
    *bytes = parcel.take<std::uint64_t>();
  }
  for (auto* starts :
       {&of.windows_in, &of.windows_out, &of.windows_status, &of.contexts, &of.messages}) {
    *starts = parcel.take_words();
  }
  return of;
}

void put(Parcel& parcel, const PartDone& part) {
  parcel.put(part.duration);
  parcel.put(part.is_to_come);
  parcel.put(part.launch.has_value());
  if (!part.launch) return;
  parcel.put(part.launch->kernel);
  parcel.put(part.launch->blocks);
  parcel.put(part.launch->frequency_mhz);
  parcel.put(part.launch->cube);
  parcel.put(part.launch->vector);
}

PartDone take_done(OpenedParcel& parcel) {
  PartDone part;
  part.duration = parcel.take<Microseconds>();
  part.is_to_come = parcel.take<bool>();
  if (!parcel.take<bool>()) return part;
  LaunchLog::Launch& launch = part.launch.emplace();
  launch.kernel = parcel.take_text();
  launch.blocks = parcel.take<std::uint32_t>();
  launch.frequency_mhz = parcel.take<double>();
  launch.cube = parcel.take<LaunchLog::Cores>();
  launch.vector = parcel.take<LaunchLog::Cores>();
  return part;
}

}  // namespace

std::string LedPart::packed() const {
  Parcel parcel;
  parcel.put(failure);
  parcel.put(ready);
  parcel.put(kernel);
  parcel.put(blocks);
  parcel.put(tiling_key);
  parcel.put(slots);
  parcel.put(contexts);
  parcel.put(symmetric_memory);
  parcel.put(operator_name);
  parcel.put(call);
  parcel.put(static_cast<std::uint64_t>(allocations.size()));
  for (const auto& allocation : allocations) {
    parcel.put(allocation.start);
    parcel.put(allocation.bytes);
    parcel.put(allocation.shared);
    parcel.put(allocation.name);
  }
  parcel.put(static_cast<std::uint64_t>(communicators.size()));
  for (const sim::Communicator& of : communicators) put(parcel, of);
  return parcel.bytes();
}

LedPart LedPart::opened(std::string message) {
  OpenedParcel parcel(std::move(message));
  LedPart part;
  part.failure = parcel.take_text();
  part.ready = parcel.take<Microseconds>();
  part.kernel = parcel.take_text();
  part.blocks = parcel.take<std::uint32_t>();
  part.tiling_key = parcel.take<std::uint64_t>();
  part.slots = parcel.take_words();
  part.contexts = parcel.take<decltype(part.contexts)>();
  part.symmetric_memory = parcel.take<std::uint64_t>();
  part.operator_name = parcel.take_text();
  part.call = parcel.take_text();
  part.allocations.resize(parcel.take<std::uint64_t>());
  for (auto& allocation : part.allocations) {
    allocation.start = parcel.take<std::uint64_t>();
    allocation.bytes = parcel.take<std::uint64_t>();
    allocation.shared = parcel.take<bool>();
    allocation.name = parcel.take_text();
  }
  part.communicators.resize(parcel.take<std::uint64_t>());
  for (sim::Communicator& of : part.communicators) of = take_communicator(parcel);
  return part;
}

std::string LedResult::packed() const {
  Parcel parcel;
  parcel.put(code);
  parcel.put(failure);
  parcel.put(begin);
  parcel.put(static_cast<std::uint64_t>(done.size()));
  for (const PartDone& part : done) put(parcel, part);
  return parcel.bytes();
}

LedResult LedResult::opened(std::string message) {
  OpenedParcel parcel(std::move(message));
  LedResult result;
  result.code = parcel.take<std::int32_t>();
  result.failure = parcel.take_text();
  result.begin = parcel.take<Microseconds>();
  result.done.resize(parcel.take<std::uint64_t>());
  for (PartDone& part : result.done) part = take_done(parcel);
  return result;
}

}  // namespace davsim::runtime
