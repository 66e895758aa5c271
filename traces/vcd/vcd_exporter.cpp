// --vcd: waveforms for GTKWave.
#include "traces/exporter.hpp"
#include "traces/vcd/vcd_export.hpp"

namespace davsim::traces {
namespace {

class Waveforms : public Export {
 public:
  explicit Waveforms(const ExportContext& context)
      : open_(context.open_file), path_(context.path), dump_(*context.stream) {}

  Observer* observer() override { return &dump_; }
  void finish(const FinishedRun&) override {
    const std::string states = ".states";
    dump_.finish();
    VcdExport::write_states(open_(states));
    dump_.write_view(open_(".gtkw"), path_ + states);
  }

 private:
  OpenFile open_;
  std::string path_;
  VcdExport dump_;
};

const ExporterRegistrar g_vcd({
    .name = "vcd",
    .value_name = "FILE",
    .help = "write waveforms, for GTKWave: the state of every pipe, what waits in its queue and "
            "what it has in flight; FILE.states names the states, and FILE.gtkw shows all pipes",
    .target = ExportTarget::kPackedFile,
    .place = 30,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<Waveforms>(context);
    },
});

}  // namespace
}  // namespace davsim::traces
