#include "traces/output/vendor_names.hpp"

#include <algorithm>

#include "isa/instr/opcode_facts.hpp"

namespace davsim::traces {
namespace {

constexpr VendorLane kScalar{"SCALAR", 1, 10};
constexpr VendorLane kMte1{"MTE1", 3, 50};
constexpr VendorLane kCube{"CUBE", 4, 40};
constexpr VendorLane kFixpipe{"FIXP", 5, 80};
constexpr VendorLane kMte2{"MTE2", 6, 60};
constexpr VendorLane kVector{"VECTOR", 7, 30};
constexpr VendorLane kMte3{"MTE3", 8, 70};
constexpr VendorLane kCacheMiss{"CACHEMISS", 9, 110};
constexpr VendorLane kScalarLoadStore{"SCALARLDST", 10, 20};
constexpr VendorLane kAll{"ALL", 11, 100};

}  // namespace

const VendorLane& vendor_lane(isa::Pipe pipe) {
  switch (pipe) {
    case isa::Pipe::S:
      return kScalar;
    case isa::Pipe::MTE1:
      return kMte1;
    case isa::Pipe::M:
      return kCube;
    case isa::Pipe::FIX:
      return kFixpipe;
    case isa::Pipe::MTE2:
      return kMte2;
    case isa::Pipe::V:
      return kVector;
    case isa::Pipe::MTE3:
      return kMte3;
    case isa::Pipe::ALL:
      break;
  }
  return kAll;
}

const std::array<VendorLane, 10>& vendor_lanes() {
  static constexpr std::array<VendorLane, 10> kLanes = {
      kScalar, kMte1, kCube, kFixpipe, kMte2, kVector, kMte3, kCacheMiss, kScalarLoadStore, kAll};
  return kLanes;
}

const VendorLane& vendor_lane(const isa::Instr& instr) {
  switch (isa::facts(instr.op).shown_as) {
    case isa::ShownAs::kCodeFetch:
      return kCacheMiss;
    case isa::ShownAs::kScalarMemory:
      return kScalarLoadStore;
    case isa::ShownAs::kPipeWork:
      break;
  }
  return vendor_lane(instr.pipe);
}

std::string_view vendor_color(const isa::Instr& instr) {
  const isa::OpcodeFacts& row = isa::facts(instr.op);
  switch (row.sync) {
    case isa::SyncRole::kSets:
      return "black";
    case isa::SyncRole::kWaits:
      return "yellow";
    case isa::SyncRole::kWaitsForAll:
      return "good";
    case isa::SyncRole::kNoSync:
      break;
  }
  if (row.shown_as == isa::ShownAs::kCodeFetch) return "thread_state_runnable";
  switch (instr.pipe) {
    case isa::Pipe::S:
      return "startup";
    case isa::Pipe::V:
      return "cq_build_failed";
    case isa::Pipe::M:
      return "background_memory_dump";
    case isa::Pipe::MTE1:
      return "thread_state_running";
    case isa::Pipe::MTE2:
      return "thread_state_iowait";
    case isa::Pipe::MTE3:
      return "rail_response";
    case isa::Pipe::FIX:
      return "thread_state_unknown";
    case isa::Pipe::ALL:
      break;
  }
  return "good";
}

VendorOrder::VendorOrder(const std::vector<CoreDescription>& cores) {
  for (const CoreDescription& core : cores) {
    if (core.type != isa::CoreType::AIV) continue;
    cores_per_ai_core_ = std::max<std::uint64_t>(cores_per_ai_core_, core.sub_block + 2u);
  }
}

std::uint64_t VendorOrder::of(const CoreDescription& core) const {
  const std::uint64_t below = core.type == isa::CoreType::AIV ? 1 + core.sub_block : 0;
  return core.ai_core * cores_per_ai_core_ + 1 + below;
}

}  // namespace davsim::traces
