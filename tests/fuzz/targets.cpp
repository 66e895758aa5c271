#include "tests/fuzz/targets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <sstream>

#include "driver/rewrite.hpp"
#include "driver/scan.hpp"
#include "driver/tokens.hpp"
#include "io/file_error.hpp"
#include "io/safetensors.hpp"
#include "io/strict_json.hpp"
#include "sim/soc/soc_description.hpp"
#include "sim/soc/soc_parameters.hpp"
#include "sim/soc/system_config.hpp"
#include "sim/soc/timing_table.hpp"
#include "traces/chrome/trace_file.hpp"

namespace davsim::fuzz {
namespace {

/// Calls `read` of `bytes`, which may throw Expected. The text may repeat bytes, but names no file
/// of a library of its own.
template <class Expected, class Read>
void reads(std::string_view bytes, Read read) {
  constexpr std::string_view kLibraries = "/usr/include";
  try {
    read();
  } catch (const Expected& error) {
    const std::string_view text = error.what();
    if (text.empty()) throw Wrong("an exception without a text");
    if (text.find(kLibraries) != text.npos && bytes.find(kLibraries) == bytes.npos) {
      throw Wrong("the text names a file of a library: " + std::string(text));
    }
  }
}

/// A file in memory with these bytes, under the name that opens it.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("fuzz", 0)) {
    if (write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error("no memory for an input");
    }
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

void safetensors(std::string_view bytes) {
  static memory::GlobalMemory memory(std::uint64_t{1} << 30);
  const MemoryFile file(bytes);
  reads<io::FileError>(bytes, [&] { io::read_safetensors(file.path(), memory); });
  if (memory.allocated_bytes() != 0) throw Wrong("a refused file leaves tensors behind");
}

void strict_json(std::string_view bytes) {
  reads<std::invalid_argument>(bytes, [&] { io::parse_strict_json(bytes); });
}

void ini(std::string_view bytes) {
  const auto find = [&](const std::string& name) -> sim::DescriptionFile {
    if (name == "again") return {"again", std::string(bytes)};
    throw std::invalid_argument("there is no description file " + name);
  };
  reads<std::invalid_argument>(bytes, [&] {
    sim::read_description({"fuzz.ini", std::string(bytes)}, find);
  });
}

/// A line for each assignment, as --set takes it.
void settings(std::string_view bytes) {
  static const sim::SocConfig kSoc = sim::SocConfig::named("Ascend910B3");
  std::vector<sim::SocSetting> chosen;
  std::istringstream lines{std::string(bytes)};
  for (std::string line; std::getline(lines, line) && chosen.size() < 8;) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const auto parameter = sim::find_parameter(kSoc, line.substr(0, equals));
    if (parameter) chosen.push_back({*parameter, line.substr(equals + 1)});
  }
  reads<std::invalid_argument>(bytes, [&] {
    sim::SocConfig soc = kSoc;
    sim::apply_settings(soc, chosen);
    const sim::TimingTable table(soc);  // throws nothing that apply_settings did not
  });
}

void system_description(std::string_view bytes) {
  const MemoryFile file(bytes);
  reads<std::invalid_argument>(bytes, [&] {
    sim::SystemConfig system = sim::SystemConfig::from_file(file.path());
    for (std::uint32_t die = 1; die < system.dies(); ++die) system.link(0, die);
    system.use_dies(1);
  });
}

void trace(std::string_view bytes) {
  std::istringstream stream{std::string(bytes)};
  reads<std::invalid_argument>(bytes, [&] { traces::read_trace(stream); });
}

void source(std::string_view bytes) {
  reads<std::invalid_argument>(bytes, [&] {
    const driver::TokenList tokens(bytes, "fuzz.asc");
    const driver::Scan found = driver::scan(tokens);
    driver::host_source(tokens, found);
    driver::half_source(tokens, found, driver::Half::kCube);
  });
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"safetensors",
       safetensors,
       {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "\"dtype\"", "\"shape\"",
        "\"data_offsets\"", "\"__metadata__\"", "F16", "BF16", "I64", "U8", "[0,", "]}",
        "9223372036854775807", "18446744073709551615", "-1"}},
      {"json",
       strict_json,
       {"{\"a\":", "[", "]", "}", ",", ":", "\"a\"", "1e309", "-0", "null", "true", "\\u0000",
        "\xEF\xBB\xBF", "18446744073709551616"}},
      {"ini",
       ini,
       {"include = again\n", "[Timing.Dma]\n", "[SoCInfo]\n", "chunk = 4096 bytes | source\n",
        "nan cycles | x", "1e309", "=", "|", "#", "\xEF\xBB\xBF"}},
      {"settings",
       settings,
       {"dma.chunk=", "hbm.bandwidth=", "l2.size=", "clock=", "cores=", "4294967296", "0", "-1",
        "50%", "1e-9", "96MiB", "0.8TB/s", "1GHz", "nan", "\n",
        "scalar.dcache_line=", "hbm.model=banks", "l2.model=none"}},
      {"system",
       system_description,
       {"include = atlas_a2_server.ini\n", "[System]\nsoc = Ascend910B1\ndies = 4\n", "[Link.x]\n",
        "within = 8 dies | s\n", "ports = peer\n", "ports = die\n", "port = y\n",
        "bandwidth = 26.2 GB/s | s\n", "write_latency = 500 ns | s\n", "read_latency = 1 us | s\n",
        "message = 0 ns | s\n", "outstanding = 8192 bytes | s\n", "[Collectives]\n",
        "link_share = 0.75 share | s\n", "1e300", "4294967296", "dies = "}},
      {"trace",
       trace,
       {R"({"displayTimeUnit":"ns","traceEvents":[)", "],\"davsim_reports\":[", "]}\n",
        "\"ph\":\"X\"", "\"args\":{",
        "\"cycle_start\":", "\"tid\":", "\"pid\":", "18446744073709551615", "1e300"}},
      {"source",
       source,
       {"__global__ ", "__aicore__ ", "void k(", "template <class T> ", "<<<8, nullptr, s>>>",
        "(x);", "{", "}", "/*", "*/", "\"", "R\"(", "extern \"C\" ", "# 12 \"file\" 1 3\n",
        "::", "<", ">"}},
  };
  return all;
}

const Target& target_named(std::string_view name) {
  for (const Target& target : targets()) {
    if (name == target.name) return target;
  }
  throw std::invalid_argument("there is no fuzz target " + std::string(name));
}

}  // namespace davsim::fuzz
