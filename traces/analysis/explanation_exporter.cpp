// --explain: what the launch waited for, printed behind the figures of the run.
#include <utility>

#include "traces/analysis/explanation.hpp"
#include "traces/exporter.hpp"

namespace davsim::traces {
namespace {

class Explanation : public Export {
 public:
  explicit Explanation(const Timeline& timeline) : timeline_(timeline) {}

  void finish(const FinishedRun& run) override {
    explanation_ = explanation_json(run.report, timeline_);
  }
  std::optional<PrintedResult> printed() const override {
    return PrintedResult{"explanation", explanation_,
                         explanation_text(explanation_, kExplanationRows)};
  }

 private:
  const Timeline& timeline_;
  boost::json::object explanation_;
};

const ExporterRegistrar g_explanation({
    .name = "explain",
    .value_name = "",
    .help = "say what the launch waited for: its critical path by cause and source line",
    .target = ExportTarget::kNone,
    .needs_timeline = true,
    .needs_lines = true,
    .place = 60,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<Explanation>(*context.timeline);
    },
});

}  // namespace
}  // namespace davsim::traces
