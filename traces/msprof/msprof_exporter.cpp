// --msprof: the folder layout of the vendor's operator simulator.
#include "traces/msprof/msprof_export.hpp"
#include "traces/observer_export.hpp"

namespace davsim::traces {
namespace {

const ExporterRegistrar g_msprof({
    .name = "msprof",
    .value_name = "DIR",
    .help = "write timelines and tables in the folder layout of the vendor's operator simulator "
            "(msprof); DIR must not exist or be empty",
    .target = ExportTarget::kFolder,
    .needs_lines = true,
    .place = 20,
    .make = [](const ExportContext& context) -> std::unique_ptr<Export> {
      return std::make_unique<ObserverExport<MsprofExport>>(context.open_file);
    },
});

}  // namespace
}  // namespace davsim::traces
