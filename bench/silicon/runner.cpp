#include "bench/silicon/runner.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>

#include "bench/silicon/kernel.hpp"
#include "bench/silicon/quantity.hpp"
#include "isa/instr/fault.hpp"
#include "session/chosen_system.hpp"
#include "sim/soc/soc_parameters.hpp"

namespace davsim::silicon {
namespace {

using Clock = std::chrono::steady_clock;

/// One run and all measurements that read it.
struct Run {
  const Measurement* what = nullptr;
  std::vector<std::string> quantities;
};

struct Child {
  pid_t pid = -1;
  int output = -1;  ///< read end of its pipe
  std::string key, text;
  Clock::time_point start;
};

sim::SocConfig soc_of(const std::string& name, const RunOptions& options) {
  sim::SocConfig soc = sim::SocConfig::named(name);
  for (const auto& [key, value] : options.settings) {
    const auto parameter = sim::find_parameter(soc, key);
    if (!parameter) throw std::invalid_argument("there is no parameter " + key);
    sim::apply_settings(soc, {{*parameter, value}});
  }
  for (const auto& [constant, factor] : options.factors) scale(soc, constant, factor);
  return soc;
}

/// "cloudmatrix384", "cloudmatrix384:8" and "./own.ini:8" are systems, "Ascend910B3" is one die.
bool is_system(const std::string& soc) {
  const std::vector<std::string> names = sim::SystemConfig::names();
  return soc.find_first_of(":/") != std::string::npos ||
         std::find(names.begin(), names.end(), soc) != names.end();
}

/// Kernels that poll flags in memory need values.
std::unique_ptr<sim::Device> device_of(const Measurement& m, const RunOptions& run_options) {
  sim::DeviceOptions options;
  options.values = false;
  if (!is_system(m.soc)) {
    return std::make_unique<sim::Device>(soc_of(m.soc, run_options), options);
  }
  options.values = find_kernel(m.kernel).needs_values;
  const sim::SystemConfig system = session::chosen_system(m.soc);
  return std::make_unique<sim::Device>(soc_of(system.soc(), run_options), system, options);
}

observe::LaunchReport run(const Measurement& m, const RunOptions& run_options) {
  const auto made = device_of(m, run_options);
  sim::Device& device = *made;
  const Params params = Params::parse(m.parameters);
  const auto launch = find_kernel(m.kernel).prepare(device, params);
  if (m.warm) {
    launch();
  } else {
    device.flush_l2();
  }
  observe::LaunchReport report = launch();
  params.require_all_read();
  return report;
}

/// In the child: simulates and writes "quantity value" lines, or "error text".
std::string child_text(const Run& job, const RunOptions& options) {
  std::ostringstream text;
  text.precision(12);
  try {
    const observe::LaunchReport report = run(*job.what, options);
    for (const std::string& q : job.quantities) text << q << ' ' << quantity_of(report, q) << '\n';
  } catch (const std::bad_alloc&) {
    text.str("");
    text << "error the host has no room for tensors of these sizes\n";
  } catch (const std::exception& error) {
    text.str("");
    text << "error " << error.what() << '\n';
  }
  return text.str();
}

void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(file, text.data() + at, text.size() - at);
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}

Child start(const std::string& key, const Run& job, const RunOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe to a child process");
  Child child;
  child.key = key;
  child.start = Clock::now();
  child.pid = fork();
  if (child.pid < 0) throw std::runtime_error("cannot start a child process");
  if (child.pid == 0) {
    close(ends[0]);
    write_all(ends[1], child_text(job, options));
    _exit(0);
  }
  close(ends[1]);
  child.output = ends[0];
  return child;
}

Simulated result_of(const Child& child, int status) {
  Simulated result;
  result.host_seconds = std::chrono::duration<double>(Clock::now() - child.start).count();
  std::istringstream lines(child.text);
  for (std::string quantity; lines >> quantity;) {
    if (quantity == "error") {
      std::getline(lines >> std::ws, result.error);
      break;
    }
    lines >> result.values[quantity];
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || child.text.empty()) {
    result.error = "the simulation crashed";
  }
  return result;
}

/// Waits until one of the children is done and takes it out of the list.
Child wait_for_one(std::vector<Child>& children) {
  while (true) {
    std::vector<pollfd> files;
    for (const Child& child : children) files.push_back({child.output, POLLIN, 0});
    if (poll(files.data(), files.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t n = read(files[i].fd, buffer, sizeof buffer);
      if (n > 0) {
        children[i].text.append(buffer, static_cast<std::size_t>(n));
        continue;
      }
      close(files[i].fd);
      Child done = std::move(children[i]);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      return done;
    }
  }
}

std::map<std::string, Run> runs_of(const std::vector<Measurement>& measurements) {
  std::map<std::string, Run> runs;
  for (const Measurement& m : measurements) {
    if (m.kind == Kind::kOmitted) continue;
    Run& job = runs[m.run_key()];
    job.what = &m;
    job.quantities.push_back(m.quantity);
  }
  return runs;
}

}  // namespace

std::map<std::string, Simulated> simulate(const std::vector<Measurement>& measurements,
                                          const RunOptions& options) {
  const std::map<std::string, Run> runs = runs_of(measurements);
  std::map<std::string, Simulated> results;
  std::vector<Child> children;
  const auto finish_one = [&] {
    const Child child = wait_for_one(children);
    int status = 0;
    waitpid(child.pid, &status, 0);
    Simulated& result = results[child.key] = result_of(child, status);
    if (!options.progress) return;
    std::fprintf(stderr, "%zu/%zu %s %.1f s %s\n", results.size(), runs.size(), child.key.c_str(),
                 result.host_seconds, result.error.c_str());
  };
  std::fflush(stdout);
  for (const auto& [key, job] : runs) {
    if (children.size() >= options.jobs) finish_one();
    children.push_back(start(key, job, options));
  }
  while (!children.empty()) finish_one();
  return results;
}

}  // namespace davsim::silicon
