#include "isa/core/scalar_work.hpp"

#include <algorithm>
#include <utility>

#include "isa/core/core_sink.hpp"
#include "isa/core/kept_scalar_work.hpp"
#include "isa/core/running_kernel.hpp"

std::uint64_t davsim_scalar_work[davsim::isa::kScalarWords];

namespace davsim::isa {
namespace {

std::array<std::uint16_t, kScalarCalls> g_calls;
bool g_called = false;

/// A shorter loop is work of the call that follows: the record of its own would take the host
/// longer than the loop.
constexpr std::uint64_t kShortLoop = 32;

/// The core of the kernel that runs; nullptr in host code, and on a core without time.
ScalarWorkTaker* running_core() {
  if (g_running_kernel.name == nullptr) return nullptr;
  return dynamic_cast<ScalarWorkTaker*>(&current_core());
}

}  // namespace

void note_scalar_call(ScalarCall call, std::uint32_t times) {
  g_calls[static_cast<std::size_t>(call)] += static_cast<std::uint16_t>(times);
  g_called = true;
}

ScalarWork take_scalar_work() {
  ScalarWork work;
  work.place = davsim_scalar_work[0];
  davsim_scalar_work[0] = 0;
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < kScalarClasses; ++i) {
    const std::uint64_t count = davsim_scalar_work[i + 1];
    work.own[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
    counted |= count;
    davsim_scalar_work[i + 1] = 0;
  }
  work.counted = counted != 0;
  work.called = std::exchange(g_called, false);
  if (work.called) work.calls = std::exchange(g_calls, {});
  return work;
}

std::array<std::uint64_t, kScalarClasses> take_own_work() {
  std::array<std::uint64_t, kScalarClasses> own;
  for (std::size_t i = 0; i < kScalarClasses; ++i) {
    own[i] = std::exchange(davsim_scalar_work[i + 1], 0);
  }
  return own;
}

KeptScalarWork put_away_scalar_work() {
  KeptScalarWork kept;
  for (std::size_t i = 0; i < kScalarWords; ++i) {
    kept.words[i] = std::exchange(davsim_scalar_work[i], 0);
  }
  kept.called = std::exchange(g_called, false);
  if (kept.called) kept.calls = std::exchange(g_calls, {});
  return kept;
}

void resume_scalar_work(const KeptScalarWork& kept) {
  std::copy(kept.words.begin(), kept.words.end(), davsim_scalar_work);
  if (kept.called || g_called) g_calls = kept.calls;
  g_called = kept.called;
}

}  // namespace davsim::isa

void davsim_scalar_region(const char* file, std::uint32_t line) {
  using namespace davsim::isa;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kScalarClasses; ++i) count += davsim_scalar_work[i + 1];
  if (count < kShortLoop) return;
  ScalarWorkTaker* core = running_core();
  if (core != nullptr) core->scalar_work(SourceLocation::current(file, line));
}
