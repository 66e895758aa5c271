// davsim_bench [--list | NAME...]: runs benchmarks, all without names, and prints a JSON array.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>

#include "bench/bench.hpp"

namespace davsim::bench {

namespace {

std::vector<Benchmark>& registry() {
  static std::vector<Benchmark> all;
  return all;
}

/// Everything from `from` until its other end is closed.
std::string read_all(int from) {
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = read(from, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  return text;
}

/// The object that `work` makes, or {"error": what it threw}.
boost::json::object outcome_of(const std::function<boost::json::object()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

/// Runs one benchmark in a child process; its JSON goes to our standard output.
bool run_in_child(const Benchmark& benchmark) {
  boost::json::object result{{"name", benchmark.name}};
  bool ok = true;
  try {
    for (auto& [key, value] : in_child(benchmark.run)) result[key] = value;
  } catch (const std::exception& error) {
    result["error"] = error.what();
    ok = false;
  }
  if (const auto* holds = result.if_contains("ok"); holds != nullptr) ok = ok && holds->as_bool();
  std::printf("%s", boost::json::serialize(result).c_str());
  std::fflush(stdout);
  return ok;
}

}  // namespace

BenchmarkRegistrar::BenchmarkRegistrar(std::string name, std::string what,
                                       std::function<boost::json::object()> run) {
  registry().push_back({std::move(name), std::move(what), std::move(run)});
}

const std::vector<Benchmark>& benchmarks() {
  return registry();
}

boost::json::object in_child(const std::function<boost::json::object()>& work) {
  int ends[2];
  std::fflush(stdout);
  if (pipe(ends) != 0) throw std::runtime_error("no pipe to a child process");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    const std::string text = boost::json::serialize(outcome_of(work));
    const bool whole =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(whole ? 0 : 1);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("the process ended with status " + std::to_string(status));
  }
  boost::json::object result = boost::json::parse(text).as_object();
  if (const auto* error = result.if_contains("error")) {
    throw std::runtime_error(std::string(error->as_string()));
  }
  return result;
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace davsim::bench

int main(int argc, char** argv) {
  using davsim::bench::Benchmark;
  std::vector<Benchmark> all = davsim::bench::benchmarks();
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const std::vector<std::string> names(argv + 1, argv + argc);
  if (names == std::vector<std::string>{"--list"}) {
    for (const Benchmark& b : all) std::cout << b.name << "  " << b.what << "\n";
    return 0;
  }
  std::vector<Benchmark> chosen;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Benchmark& b) { return b.name == name; });
    if (found == all.end()) {
      std::cerr << "davsim_bench: no benchmark named '" << name << "'; see davsim_bench --list\n";
      return 2;
    }
    chosen.push_back(*found);
  }
  if (names.empty()) chosen = all;

  bool ok = true;
  std::printf("[\n");
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::fprintf(stderr, "%zu/%zu %s\n", i + 1, chosen.size(), chosen[i].name.c_str());
    ok = davsim::bench::run_in_child(chosen[i]) && ok;
    std::printf(i + 1 < chosen.size() ? ",\n" : "\n");
  }
  std::printf("]\n");
  return ok ? 0 : 1;
}
