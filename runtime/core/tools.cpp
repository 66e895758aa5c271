#include "runtime/core/tools.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "checker/finding_json.hpp"
#include "runtime/core/figures.hpp"
#include "session/peaks.hpp"
#include "traces/report/report.hpp"

namespace davsim::runtime {
namespace {

namespace json = boost::json;

std::string program_name() {
  return program_invocation_short_name;
}

void say(const std::string& text) {
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

}  // namespace

Tools::Tools(const Settings& settings) : settings_(settings), exports_(settings.exports) {
  if (!settings.report.empty()) report_file_ = std::make_unique<io::PendingFile>(settings.report);
  if (settings.check) checker_.emplace(checker::Options{.numbers = settings.check_numbers});
}

void Tools::attach(sim::Device& device) {
  device_ = &device;
  if (!exports_.empty()) attached_.emplace(device, exports_);
  if (checker_) device.check(&*checker_);
}

void Tools::host_wrote(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& writes) {
  if (!checker_) return;
  std::vector<checker::Checker::HostWrite> told;
  for (const auto& [start, bytes] : writes) told.push_back({start, bytes});
  checker_->host_wrote(device_->memory(), told);
}

void Tools::launched(const observe::LaunchReport& report) {
  KernelSums& sums = kernels_[report.kernel];
  sums.least = sums.launches == 0 ? report.cycles : std::min(sums.least, report.cycles);
  sums.most = std::max(sums.most, report.cycles);
  sums.cycles += report.cycles;
  sums.task_us += report.task_time_us();
  ++sums.launches;
  ++launches_;
  if (report_file_ || !exports_.empty()) last_ = report;
  tell_unordered(report.kernel, sums);
}

/// A result may be wrong without anybody saying so; one line a kernel is enough to look further.
void Tools::tell_unordered(const std::string& kernel, KernelSums& sums) {
  if (checker_ || sums.told_unordered) return;
  const std::string found = device_->unordered_access();
  if (found.empty()) return;
  sums.told_unordered = true;
  say("davsim: warning: kernel " + kernel + ": " + found + "; DAVSIM_CHECK=1 tells more\n");
}

json::object Tools::report(double end_us) const {
  json::array kernels;
  for (const auto& [name, sums] : kernels_) {
    kernels.push_back({{"kernel", name},
                       {"launches", sums.launches},
                       {"cycles", sums.cycles},
                       {"least_cycles", sums.least},
                       {"most_cycles", sums.most},
                       {"task_time_us", sums.task_us}});
  }
  json::object last = figures(last_, device_->soc(), settings_.set);
  for (const auto& member : traces::report_json(last_)) last[member.key()] = member.value();
  json::object report = {{"program", program_name()},
                         {"soc", device_->soc().name()},
                         {"set", json::array(settings_.set.begin(), settings_.set.end())},
                         {"timed", device_->mode() == sim::Mode::kTimed},
                         {"launches", launches_},
                         {"end_us", end_us},
                         {"kernels", std::move(kernels)},
                         {"last_launch", std::move(last)}};
  if (checker_) report["findings"] = checker::json_of(checker_->findings());
  return report;
}

void Tools::write(double end_us) {
  const json::object all = report(end_us);
  if (report_file_) {
    report_file_->stream() << json::serialize(all) << "\n";
    report_file_->commit();
  }
  exports_.finish({program_name() + ", kernel " + last_.kernel, all.at("last_launch").as_object(),
                   session::peaks_json(device_->soc())});
  exports_.commit();
  for (const traces::PrintedResult& printed : exports_.printed()) say(printed.text);
}

bool Tools::finish(double end_us) {
  if (finished_ || device_ == nullptr) return true;
  finished_ = true;
  attached_.reset();
  device_->check(nullptr);
  bool all_right = true;
  if (checker_) {
    say(checker::text_of(checker_->findings()));
    all_right = checker_->findings().open() == 0;
  }
  if (!report_file_ && exports_.empty()) return all_right;
  if (launches_ == 0 || failed_) {
    say(std::string("davsim: no report or trace is written, because ") +
        (failed_ ? "a kernel went wrong" : "no kernel was launched") + "\n");
    return all_right;
  }
  try {
    write(end_us);
  } catch (const std::exception& error) {
    say(std::string("davsim: ") + error.what() + "\n");
    return false;
  }
  return all_right;
}

}  // namespace davsim::runtime
