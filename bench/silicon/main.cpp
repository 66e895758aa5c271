// davsim_silicon: simulates kernels that were measured on silicon and holds the result against the
// measurements. See docs/silicon.md and docs/timing-model.md.
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <optional>
#include <regex>
#include <stdexcept>
#include <thread>

#include "bench/silicon/kernel.hpp"
#include "bench/silicon/report.hpp"
#include "bench/silicon/runner.hpp"
#include "bench/silicon/study.hpp"
#include "io/pending_file.hpp"

namespace davsim::silicon {
namespace {

namespace po = boost::program_options;

struct Options {
  std::string measurements, only, out, page;
  std::vector<std::string> set, scale, fit;
  std::string sensitivity;
  double quick = 0;
  bool strict = false;
  RunOptions run;
};

po::options_description described(Options& o) {
  po::options_description text("davsim_silicon: simulated against measured times");
  auto add = text.add_options();
  add("help", "this text");
  add("list", "the kernels there are");
  add("measurements", po::value(&o.measurements)->required(), "the table of measurements");
  add("only", po::value(&o.only)->default_value(""), "measurements whose id or kernel matches");
  add("out", po::value(&o.out), "folder for silicon.md, silicon.csv and silicon.svg");
  add("page", po::value(&o.page)->default_value("silicon"), "another name for these files");
  add("strict", po::bool_switch(&o.strict), "exit status 1 if a run fails");
  add("jobs",
      po::value(&o.run.jobs)->default_value(std::max(1u, std::thread::hardware_concurrency())),
      "simulations at a time");
  add("set", po::value(&o.set)->composing(), "name=value as for davsim run, may be given again");
  add("scale", po::value(&o.scale)->composing(), "Timing.Section.key=factor, may be given again");
  add("sensitivity", po::value(&o.sensitivity),
      "constants that match: how errors move when one changes by 20 %");
  add("fit", po::value(&o.fit)->multitoken(), "constants to fit to the measurements");
  add("quick", po::value(&o.quick)->default_value(2),
      "of --fit and --sensitivity: leave out runs of more host seconds");
  return text;
}

std::map<std::string, std::string> settings_of(const std::vector<std::string>& words) {
  std::map<std::string, std::string> settings;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("--set " + word + " has no =");
    settings[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return settings;
}

std::vector<Measurement> chosen(const Options& options) {
  std::vector<Measurement> all = read_measurements(options.measurements);
  if (options.only.empty()) return all;
  const std::regex pattern(options.only);
  std::erase_if(all, [&](const Measurement& m) {
    return !std::regex_search(m.id, pattern) && !std::regex_search(m.kernel, pattern);
  });
  return all;
}

/// The files of a comparison. They are made before the runs, so that a folder that does not exist
/// costs no time, and appear together at their end.
class Pages {
 public:
  explicit Pages(const Options& options)
      : name_(options.page),
        page_(path(options, ".md")),
        table_(path(options, ".csv")),
        scatter_(path(options, ".svg")) {}

  void write(const std::vector<Compared>& rows) {
    write_page(page_.stream(), rows, name_);
    write_csv(table_.stream(), rows);
    write_scatter(scatter_.stream(), rows);
    for (io::PendingFile* file : {&page_, &table_, &scatter_}) file->commit();
  }

 private:
  static std::string path(const Options& options, const char* ending) {
    return options.out + "/" + options.page + ending;
  }

  std::string name_;
  io::PendingFile page_, table_, scatter_;
};

int compare(const Options& options) {
  const std::vector<Measurement> measurements = chosen(options);
  std::optional<Pages> pages;
  if (!options.out.empty()) pages.emplace(options);
  const std::vector<Compared> rows = compared(measurements, simulate(measurements, options.run));
  const bool failed =
      std::any_of(rows.begin(), rows.end(), [](const Compared& row) { return !row.error.empty(); });
  const int status = options.strict && failed ? 1 : 0;
  if (!pages) {
    write_page(std::cout, rows);
    return status;
  }
  pages->write(rows);
  for (const Bar& bar : bars_of(rows)) {
    std::cout << (bar.holds() ? "holds  " : "missed ") << bar.what << ": " << bar.value << '\n';
  }
  return status;
}

int run(int argc, char** argv) {
  Options options;
  const po::options_description text = described(options);
  po::variables_map given;
  po::store(po::parse_command_line(argc, argv, text), given);
  if (given.contains("help")) {
    std::cout << text;
    return 0;
  }
  if (given.contains("list")) {
    for (const Kernel& kernel : kernels()) std::cout << kernel.name << "  " << kernel.what << '\n';
    return 0;
  }
  po::notify(given);
  options.run.settings = settings_of(options.set);
  options.run.factors = read_factors(options.scale);
  if (given.contains("fit")) {
    fit(chosen(options), options.fit, options.quick, options.run, std::cout);
    return 0;
  }
  if (given.contains("sensitivity")) {
    sensitivities(chosen(options), options.sensitivity, options.quick, options.run, std::cout);
    return 0;
  }
  return compare(options);
}

}  // namespace
}  // namespace davsim::silicon

int main(int argc, char** argv) {
  try {
    return davsim::silicon::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "davsim_silicon: " << error.what() << '\n';
    return 2;
  }
}
