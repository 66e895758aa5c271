// --vcd: waveforms for GTKWave.
#include "traces/exporter.hpp"
#include "traces/vcd/vcd_export.hpp"

namespace davsim::traces {
namespace {

class Vcd : public Export {
 public:
  explicit Vcd(std::ostream& stream) : dump_(stream) {}

  Observer* observer() override { return &dump_; }
  void finish(const FinishedRun&) override { dump_.finish(); }

 private:
  VcdExport dump_;
};

const ExporterRegistrar g_vcd({
    .name = "vcd",
    .value_name = "FILE",
    .help = "write waveforms, for GTKWave: the state of every pipe, what waits in its queue and "
            "what it has in flight",
    .target = ExportTarget::kPackedFile,
    .place = 30,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<Vcd>(*context.stream);
    },
});

}  // namespace
}  // namespace davsim::traces
