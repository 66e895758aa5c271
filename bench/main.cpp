// davsim_bench [--list | NAME...]: runs benchmarks, all without names, and prints a JSON array.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <iostream>

#include "bench/bench.hpp"

namespace davsim::bench {

namespace {

std::vector<Benchmark>& registry() {
  static std::vector<Benchmark> all;
  return all;
}

/// Runs one benchmark in a child process; its JSON goes to our standard output.
bool run_in_child(const Benchmark& benchmark) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    return false;
  }
  if (child == 0) {
    int status = 0;
    boost::json::object result{{"name", benchmark.name}};
    try {
      for (auto& [key, value] : benchmark.run()) result[key] = value;
    } catch (const std::exception& error) {
      result["error"] = error.what();
      status = 1;
    }
    if (const auto* ok = result.if_contains("ok"); ok != nullptr && !ok->as_bool()) status = 1;
    const std::string text = boost::json::serialize(result);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

BenchmarkRegistrar::BenchmarkRegistrar(std::string name, std::string what,
                                       std::function<boost::json::object()> run) {
  registry().push_back({std::move(name), std::move(what), std::move(run)});
}

const std::vector<Benchmark>& benchmarks() {
  return registry();
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
