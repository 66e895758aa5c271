#include "sim/soc/core_spec.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "isa/core/registers.hpp"
#include "sim/soc/soc_description.hpp"

namespace davsim::sim {
namespace {

constexpr std::string_view kSizes = "AICoreSpec";

struct BufferRow {
  std::string_view name;
  isa::CoreType core;
  isa::Space space;
  std::array<std::string_view, 4> sizes;  ///< keys whose sum is its size
};
constexpr BufferRow kBuffers[] = {
    {"L1", isa::CoreType::AIC, isa::Space::kL1, {"l1_size"}},
    {"L0A", isa::CoreType::AIC, isa::Space::kL0A, {"l0_a_size"}},
    {"L0B", isa::CoreType::AIC, isa::Space::kL0B, {"l0_b_size"}},
    {"L0C", isa::CoreType::AIC, isa::Space::kL0C, {"l0_c_size"}},
    {"BT", isa::CoreType::AIC, isa::Space::kBt, {"bt_size"}},
    {"FB", isa::CoreType::AIC, isa::Space::kFb, {"fb0_size", "fb1_size", "fb2_size", "fb3_size"}},
    {"UB", isa::CoreType::AIV, isa::Space::kUb, {"ub_size"}},
};
/// Two bits of index for eight of an element of L0B.
constexpr std::uint64_t kElementsPerIndexByte = 4;

constexpr std::string_view kNoPipe = "none";

/// Ids that the kernel API has names for.
constexpr std::uint64_t kMostEventIds = 8;

[[noreturn]] void refuse(std::string_view section, const std::string& what) {
  throw std::invalid_argument("[" + std::string(section) + "] " + what);
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    found.emplace_back(trim(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return found;
}

void add_buffer(const SocConfig& soc, const std::string& name, CoreSpec& spec) {
  const std::string section(isa::core_type_name(spec.type));
  const auto row = std::find_if(
      std::begin(kBuffers), std::end(kBuffers),
      [&](const BufferRow& buffer) { return buffer.name == name && buffer.core == spec.type; });
  if (row == std::end(kBuffers)) refuse(section, "buffers: an " + section + " has no " + name);
  if (spec.buffer_bytes(row->space) != 0) refuse(section, "buffers: " + name + " comes twice");
  std::uint64_t bytes = 0;
  for (const std::string_view key : row->sizes) {
    if (!key.empty()) bytes += soc.integer(kSizes, key);
  }
  spec.buffers.push_back({row->space, bytes});
  if (row->space == isa::Space::kL0B) {
    spec.buffers.push_back({isa::Space::kSparseIndex, bytes / kElementsPerIndexByte});
  }
  if (row->space == isa::Space::kUb) spec.buffers.push_back({isa::Space::kSpr, isa::kSprBytes});
}

isa::Pipe pipe_called(const std::string& name, const std::string& section) {
  std::string known;
  for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
    const auto id = static_cast<isa::Pipe>(i);
    if (id == isa::Pipe::S) continue;  // every core has it
    if (isa::pipe_name(id) == name) return id;
    known.append(known.empty() ? "" : ", ").append(isa::pipe_name(id));
  }
  refuse(section, name + ": no such pipe; there are " + known);
}

}  // namespace

isa::PipeMask CoreSpec::pipe_mask() const {
  isa::PipeMask mask;
  for (const PipeSpec& pipe : pipes) mask.add(pipe.id);
  return mask;
}

std::uint64_t CoreSpec::buffer_bytes(isa::Space space) const {
  for (const BufferSpec& buffer : buffers) {
    if (buffer.space == space) return buffer.bytes;
  }
  return 0;
}

CoreSpec core_spec(const SocConfig& soc, isa::CoreType type) {
  const std::string section(isa::core_type_name(type)), pipes = section + ".Pipes";
  CoreSpec spec;
  spec.type = type;
  for (const std::string& name : words(soc.text(section, "buffers"))) add_buffer(soc, name, spec);
  if (const auto found = soc.sections().find(pipes); found != soc.sections().end()) {
    for (const auto& [name, model] : found->second) {
      const isa::Pipe id = pipe_called(name, pipes);
      if (model != kNoPipe) spec.pipes.push_back({id, model});
    }
  }
  // Models are made in the order of the pipes, whatever that of the file.
  std::sort(spec.pipes.begin(), spec.pipes.end(),
            [](const PipeSpec& a, const PipeSpec& b) { return a.id < b.id; });
  const std::uint64_t ids = soc.integer(section, "event_ids");
  if (ids == 0 || ids > kMostEventIds) {
    refuse(section, "event_ids = " + std::to_string(ids) + ": allowed are 1 to " +
                        std::to_string(kMostEventIds));
  }
  spec.event_ids = static_cast<std::uint32_t>(ids);
  return spec;
}

std::uint32_t aivs_per_aic(const SocConfig& soc) {
  return soc.aiv_count() / soc.aic_count();
}

}  // namespace davsim::sim
