#include "session/exports.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "io/file_error.hpp"
#include "io/pending_directory.hpp"
#include "io/pending_file.hpp"
#include "io/text_file.hpp"

namespace davsim::session {

using traces::Exporter;
using traces::ExportTarget;

/// An export with what it writes to. The export ends before its output does.
struct Exports::Running {
  Running(const Exporter& exporter, const std::string& path, const traces::Timeline& timeline)
      : exporter(exporter) {
    traces::ExportContext context;
    context.path = path;
    if (exporter.needs_timeline) context.timeline = &timeline;
    switch (exporter.target) {
      case ExportTarget::kNone:
        break;
      case ExportTarget::kFile:
        file = std::make_unique<io::PendingFile>(path);
        context.stream = &file->stream();
        context.open_file = beside(path);
        break;
      case ExportTarget::kPackedFile:
        packed_file = std::make_unique<io::TextFile>(path);
        context.stream = &packed_file->stream();
        context.open_file = beside(path);
        break;
      case ExportTarget::kFolder:
        folder = std::make_unique<io::PendingDirectory>(path);
        context.open_file = [to = folder.get(),
                             lost = failure.get()](const std::string& name) -> std::ostream& {
          try {
            return to->file(name);
          } catch (const io::FileError&) {
            // A launch calls this. An exception would be SystemC's, which makes another of it.
            if (lost->what == nullptr) lost->what = std::current_exception();
            return lost->nowhere;
          }
        };
        break;
    }
    output = exporter.make(context);
  }

  /// Makes files beside the one at `path`. A pipe and standard output have nothing beside them.
  traces::OpenFile beside(const std::string& path) {
    return
        [path, files = more.get(), lost = failure.get()](const std::string& name) -> std::ostream& {
          std::error_code error;
          const auto status = std::filesystem::status(path, error);
          if (path == io::kStandardStream ||
              (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))) {
            return lost->nowhere;
          }
          return files->emplace_back(std::make_unique<io::PendingFile>(path + name))->stream();
        };
  }

  std::string path() const {
    if (file) return file->path();
    if (packed_file) return packed_file->path();
    return folder ? folder->path() : "";
  }
  void finish(const traces::FinishedRun& run) {
    if (failure->what != nullptr) std::rethrow_exception(failure->what);
    try {
      output->finish(run);
    } catch (const io::FileError&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw io::FileError(path(), "an output file can be written", error.what());
    }
  }
  void commit() {
    if (file) file->commit();
    if (packed_file) packed_file->commit();
    if (folder) folder->commit();
    for (const auto& one : *more) one->commit();
  }

  /// Why a file of the folder could not be opened during the run.
  struct Failure {
    std::exception_ptr what;
    std::ofstream nowhere;
  };

  const Exporter& exporter;
  std::unique_ptr<Failure> failure = std::make_unique<Failure>();
  std::unique_ptr<io::PendingFile> file;
  std::unique_ptr<io::TextFile> packed_file;
  std::unique_ptr<io::PendingDirectory> folder;
  using Files = std::vector<std::unique_ptr<io::PendingFile>>;
  std::unique_ptr<Files> more = std::make_unique<Files>();  ///< beside the file
  std::unique_ptr<traces::Export> output;
};

Exports::Exports(const std::vector<ExportRequest>& requests) {
  bool records = false;
  for (const auto& [exporter, path] : requests) {
    running_.emplace_back(*exporter, path, recorder_.timeline());
    traces::Observer* observer = running_.back().output->observer();
    if (observer != nullptr) observers_.add(observer);
    records = records || exporter->needs_timeline;
  }
  if (records) observers_.add(&recorder_);
}

Exports::~Exports() = default;

bool Exports::needs_lines() const {
  return std::any_of(running_.begin(), running_.end(),
                     [](const Running& running) { return running.exporter.needs_lines; });
}

Exports::Attached::Attached(sim::Device& device, Exports& exports) : device_(device) {
  if (exports.observers_.empty()) return;
  memories_ = std::make_unique<NamedMemories>(device.memory(), exports.memories_);
  observers_.add(memories_.get());
  observers_.add(&exports.observers_);
  device.attach(&observers_);
}

Exports::Attached::~Attached() {
  device_.attach(nullptr);
}

void Exports::show(traces::KeptEvents& events, const std::vector<traces::NamedMemory>& memories) {
  events.show_to(observers_);
  memories_ = memories;
}

void Exports::finish(traces::FinishedRun run) {
  run.memories = std::move(memories_);
  for (Running& running : running_) running.finish(run);
}

void Exports::commit() {
  for (Running& running : running_) running.commit();
}

std::vector<std::pair<std::string, std::string>> Exports::outputs() const {
  std::vector<std::pair<std::string, std::string>> outputs;
  for (const Running& running : running_) {
    if (running.exporter.target == ExportTarget::kNone) continue;
    outputs.emplace_back(running.exporter.name, running.path());
  }
  return outputs;
}

std::vector<traces::PrintedResult> Exports::printed() const {
  std::vector<traces::PrintedResult> results;
  for (const Running& running : running_) {
    if (auto result = running.output->printed()) results.push_back(std::move(*result));
  }
  return results;
}

}  // namespace davsim::session
