// The registry of exporters: ways to write down what a run did. An exporter is one source file that
// registers itself. The command makes the option, the output and the observer of a run from what is
// registered here. docs/extending/exporter.md adds one step by step.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "traces/observed.hpp"
#include "traces/open_file.hpp"
#include "traces/port_pass.hpp"

namespace davsim::traces {

struct Timeline;

/// What an exporter writes to.
enum class ExportTarget : std::uint8_t {
  kNone,        ///< nothing; its option is a switch, and its result is printed
  kFile,        ///< a file
  kPackedFile,  ///< a file of text, packed by gzip if its name ends in .gz
  kFolder,      ///< a folder, which must not exist or be empty
};

/// What an export works with. All of it outlives the export.
struct ExportContext {
  std::ostream* stream = nullptr;  ///< kFile, kPackedFile: the file; else null
  /// kFolder: makes its files. kFile, kPackedFile: makes a file beside the output, whose name is
  /// the output's followed by the given one; writes to nowhere if the output is no regular file.
  OpenFile open_file;
  std::string path;                    ///< of the output, as given; empty for kNone
  const Timeline* timeline = nullptr;  ///< null unless Exporter::needs_timeline
};

/// A tensor, or other memory of the device that has a name.
struct NamedMemory {
  std::string name;
  std::uint64_t start = 0;  ///< from the start of global memory, as traces print addresses
  std::uint64_t bytes = 0;
};

/// What the command knows of a run that has ended.
struct FinishedRun {
  std::string title;           ///< the operator and its case: "matmul MM-1024"
  boost::json::object report;  ///< what --report writes: docs/traces.md, "Reports"
  boost::json::object peaks;  ///< ceilings of the SoC: FLOP/s by type, bytes/s of HBM, L2 and ports
  std::vector<NamedMemory> memories = {};  ///< of the last launch, by address
  std::vector<PortPass> links = {};        ///< of a system of dies, by port
};

/// A result of an export that the command prints behind the figures of the run.
struct PrintedResult {
  std::string member;        ///< of the object that --json prints
  boost::json::object json;  ///< its value
  std::string text;          ///< the same for people
};

/// One exporter at work. The files appear in their places only after finish() of all exports.
class Export {
 public:
  virtual ~Export() = default;
  /// What the device tells of its launches; null if the timeline is enough. Valid as long as this.
  virtual Observer* observer() { return nullptr; }
  /// Is called once, after the last launch, if the run did not fail. Throws std::runtime_error if
  /// the output could not be written as a whole.
  virtual void finish(const FinishedRun& run) = 0;
  /// Is called after finish().
  virtual std::optional<PrintedResult> printed() const { return std::nullopt; }
};

/// What an exporter is called, and how one is made for a run.
struct Exporter {
  std::string name;        ///< of its option ("trace"), of its output in the results
  std::string value_name;  ///< of the option's value in the help: "FILE", "DIR"; kNone: empty
  std::string help;        ///< of the option: one paragraph, without a stop at the end
  ExportTarget target = ExportTarget::kFile;
  bool needs_timeline = false;  ///< ExportContext::timeline is the launch that ran last
  bool needs_lines = false;     ///< cycles are counted by source line as well
  std::uint32_t place = 0;      ///< in the help and the results; the lowest comes first
  std::unique_ptr<Export> (*make)(const ExportContext& context) = nullptr;
};

/// To be defined once in the source file of an exporter.
struct ExporterRegistrar {
  explicit ExporterRegistrar(Exporter exporter);
};

/// All that are linked in, by place and then by name.
std::vector<const Exporter*> exporters();

}  // namespace davsim::traces
