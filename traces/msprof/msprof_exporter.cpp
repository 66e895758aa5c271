// --msprof: the folder layout of the vendor's operator simulator.
#include <memory>
#include <optional>
#include <string>

#include "traces/exporter.hpp"
#include "traces/msprof/msprof_export.hpp"

namespace davsim::traces {
namespace {

class MsprofOutput : public Export {
 public:
  explicit MsprofOutput(const ExportContext& context)
      : path_(context.path), writer_(context.open_file) {}

  Observer* observer() override { return &writer_; }
  void finish(const FinishedRun&) override { writer_.finish(); }
  std::optional<PrintedResult> printed() const override {
    const std::uint64_t more = writer_.left_out();
    if (more == 0) return std::nullopt;
    return PrintedResult{"msprof_left_out",
                         {{"launches", more}},
                         path_ + " has the first launch; " + std::to_string(more) +
                             (more == 1 ? " more is" : " more are") + " left out\n"};
  }

 private:
  std::string path_;
  MsprofExport writer_;
};

const ExporterRegistrar g_msprof({
    .name = "msprof",
    .value_name = "DIR",
    .help = "write timelines and tables in the folder layout of the vendor's operator simulator "
            "(msprof); DIR must not exist or be empty",
    .target = ExportTarget::kFolder,
    .needs_lines = true,
    .place = 20,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<MsprofOutput>(context);
    },
});

}  // namespace
}  // namespace davsim::traces
