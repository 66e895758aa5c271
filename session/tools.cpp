#include "session/tools.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "checker/finding_json.hpp"
#include "session/figures.hpp"
#include "session/link_passes.hpp"
#include "session/peaks.hpp"
#include "traces/report/report.hpp"

namespace davsim::session {
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

/// Hears the reports of launches that others make.
class Tools::Listener : public observe::Observer {
 public:
  explicit Listener(Tools& tools) : tools_(tools) {}
  void launch_ends(const observe::LaunchReport& report) override { tools_.launched(report); }

 private:
  Tools& tools_;
};

Tools::Tools(const Settings& settings)
    : settings_(settings),
      exports_(settings.exports),
      limit_(settings.host_timeout, settings.host_timeout_option) {
  if (!settings.report.empty()) report_file_ = std::make_unique<io::PendingFile>(settings.report);
  if (settings.check) {
    checker_.emplace(
        checker::Options{.numbers = settings.check_numbers,
                         .functional = settings.device.mode == sim::Mode::kFunctional});
  }
}

Tools::~Tools() = default;

void Tools::attach(sim::Device& device, Told told) {
  device_ = &device;
  if (told == Told::kByDevice && (report_file_ || !exports_.empty())) {
    listener_ = std::make_unique<Listener>(*this);
    exports_.add(*listener_);
  }
  if (exports_.listens()) attached_.emplace(device, exports_);
  if (checker_) device.check(&*checker_);
  if (device.dies() > 1 && !exports_.empty()) {
    device.communicators()->keep_link_uses();
  }
}

void Tools::host_wrote(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& writes) {
  if (!checker_) return;
  std::vector<checker::Checker::HostWrite> told;
  for (const auto& [start, bytes] : writes) told.push_back({start, bytes});
  for (std::uint32_t die = 0; die < device_->dies(); ++die) {
    checker_->host_wrote(device_->memory(die), told);
  }
}

void Tools::launched(const observe::LaunchReport& report) {
  KernelSums& sums = kernels_[report.kernel];
  sums.least = sums.launches == 0 ? report.cycles : std::min(sums.least, report.cycles);
  sums.most = std::max(sums.most, report.cycles);
  sums.cycles += report.cycles;
  sums.task_us += report.task_time_us();
  ++sums.launches;
  ++launches_;
  sum_us_ += report.task_time_us();
  if (report_file_ || !exports_.empty()) last_ = report;
  tell_suspicion(report.kernel, sums);
}

/// A result may be wrong without anybody saying so; one line a kernel is enough to look further.
void Tools::tell_suspicion(const std::string& kernel, KernelSums& sums) {
  if (checker_ || sums.told_suspicion) return;
  const std::string found = device_->suspicion();
  if (found.empty()) return;
  sums.told_suspicion = true;
  say("davsim: warning: kernel " + kernel + ": " + found + "; " + settings_.check_option +
      " tells more\n");
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
  traces::FinishedRun run{program_name() + ", kernel " + last_.kernel,
                          all.at("last_launch").as_object(), peaks_json(device_->soc())};
  if (device_->dies() > 1) run.links = link_passes(device_->communicators()->link_uses());
  exports_.finish(std::move(run));
  exports_.commit();
  for (const traces::PrintedResult& printed : exports_.printed()) say(printed.text);
}

Tools::Outcome Tools::finish(std::optional<double> end_us) {
  if (finished_ || device_ == nullptr) return Outcome::kRight;
  finished_ = true;
  attached_.reset();
  device_->check(nullptr);
  Outcome outcome = Outcome::kRight;
  if (checker_) {
    say(checker::text_of(checker_->findings()));
    if (checker_->findings().open() > 0) outcome = Outcome::kFound;
  }
  if (!report_file_ && exports_.empty()) return outcome;
  if (launches_ == 0 || failed_) {
    say(std::string("davsim: no report or trace is written, because ") +
        (failed_ ? "a kernel went wrong" : "this process has simulated no kernel") + "\n");
    return outcome;
  }
  try {
    write(end_us.value_or(sum_us_));
  } catch (const std::exception& error) {
    say(std::string("davsim: ") + error.what() + "\n");
    return Outcome::kNotWritten;
  }
  return outcome;
}

}  // namespace davsim::session
