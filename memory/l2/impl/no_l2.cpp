// No L2: every request goes to HBM. Compare with it to see what L2 gains, or to study a memory
// alone.
#include "memory/l2/l2_model.hpp"
#include "memory/l2/line_walk.hpp"

namespace davsim::memory {
namespace {

class NoL2 : public L2Model {
 public:
  explicit NoL2(const L2Setup& setup)
      : line_bytes_(setup.timing.line_bytes), wants_spans_(setup.wants_spans) {}

  void look_up(const MemoryRequest& request, Cycle now, L2Answer& answer,
               HbmChunk& chunk) override {
    answer.done = static_cast<double>(now);
    for_each_line(request, line_bytes_,
                  [&](std::uint64_t line, L2Cache::Sectors sectors, L2Cache::Sectors) {
                    touch(line, sectors, request, answer, chunk);
                  });
  }
  void fetching(std::uint64_t) override {}
  void flush() override {}

 private:
  void touch(std::uint64_t line, L2Cache::Sectors sectors, const MemoryRequest& request,
             L2Answer& answer, HbmChunk& chunk) const {
    (request.write ? answer.lines.write_misses : answer.lines.read_misses) += 1;
    const std::uint64_t bytes = sectors_in(sectors) * (line_bytes_ / L2Cache::kSectors);
    answer.bytes += bytes;
    if (request.write) {
      chunk.written_bytes += bytes;
    } else if (request.line_bursts && sectors == L2Cache::kWholeLine) {
      chunk.line_bytes += bytes;
    } else {
      chunk.short_bytes += bytes;
    }
    if (!wants_spans_) return;
    for_each_run(line, sectors, line_bytes_, [&](std::uint64_t addr, std::uint32_t run) {
      chunk.add(addr, run, request.write);
    });
  }

  std::uint32_t line_bytes_;
  bool wants_spans_;
};

const L2Registry kNone({"none", "no L2: every request goes to HBM",
                        [](const L2Setup& setup) { return std::make_unique<NoL2>(setup); }});

}  // namespace
}  // namespace davsim::memory
