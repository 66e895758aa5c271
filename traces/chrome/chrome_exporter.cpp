// --trace: the timeline of every instruction for Perfetto, chrome://tracing and `davsim explain`.
#include "traces/chrome/chrome_trace.hpp"
#include "traces/observer_export.hpp"

namespace davsim::traces {
namespace {

class ChromeExport : public BackgroundExport<ChromeTrace> {
 public:
  using BackgroundExport::BackgroundExport;
  void finish(const FinishedRun& run) override {
    writer().links(run.links);
    BackgroundExport::finish(run);
  }
};

const ExporterRegistrar g_chrome({
    .name = "trace",
    .value_name = "FILE",
    .help =
        "write a timeline of every instruction (Chrome trace JSON, for Perfetto, chrome://tracing, "
        "and `davsim explain`); packed by gzip if the name ends in .gz",
    .target = ExportTarget::kPackedFile,
    .needs_lines = true,
    .place = 10,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<ChromeExport>(*context.stream);
    },
});

}  // namespace
}  // namespace davsim::traces
