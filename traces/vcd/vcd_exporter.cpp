// --vcd: waveforms for GTKWave.
#include "traces/observer_export.hpp"
#include "traces/vcd/vcd_export.hpp"

namespace davsim::traces {
namespace {

const ExporterRegistrar g_vcd({
    .name = "vcd",
    .value_name = "FILE",
    .help = "write waveforms, for GTKWave: the state of every pipe, what waits in its queue and "
            "what it has in flight",
    .target = ExportTarget::kPackedFile,
    .place = 30,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<ObserverExport<VcdExport>>(*context.stream);
    },
});

}  // namespace
}  // namespace davsim::traces
