// davsim_timeline: draws how the work of a launch lies over the cores in time.
#include <boost/program_options.hpp>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/timeline/timeline.hpp"

namespace {

namespace po = boost::program_options;

davsim::timeline::Labels labels_of(const std::vector<std::string>& options) {
  davsim::timeline::Labels labels;
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == option.npos) {
      throw std::runtime_error("--label is FILE=WORK, found '" + option + "'");
    }
    labels[option.substr(0, equals)] = option.substr(equals + 1);
  }
  return labels;
}

int run(int argc, char** argv) {
  po::options_description options(
      "usage: davsim_timeline TRACE [--title TEXT] [--label FILE=WORK ...] > "
      "timeline.svg\n\nOptions");
  po::positional_options_description positional;
  positional.add("trace", 1);
  auto add = options.add_options();
  add("help", "print this");
  add("trace", po::value<std::string>(),
      "a trace that davsim run --trace or run-system --trace wrote");
  add("title", po::value<std::string>()->default_value("", ""),
      "what ran, for the title; default: the kernel's name");
  add("label", po::value<std::vector<std::string>>()->default_value({}, ""),
      "what to call vector work that a kernel's source file does");
  po::variables_map values;
  po::store(po::command_line_parser(argc, argv).options(options).positional(positional).run(),
            values);
  if (values.count("help") > 0 || values.count("trace") == 0) {
    std::cout << options;
    return values.count("help") > 0 ? 0 : 2;
  }
  const auto path = values["trace"].as<std::string>();
  std::ifstream trace(path);
  if (!trace) throw std::runtime_error("cannot read " + path);
  const davsim::timeline::Timeline timeline = davsim::timeline::read_timeline(
      trace, labels_of(values["label"].as<std::vector<std::string>>()));
  if (timeline.lanes.empty()) throw std::runtime_error(path + " is no trace of a launch");
  davsim::timeline::write_svg(std::cout, timeline, values["title"].as<std::string>());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "davsim_timeline: " << error.what() << "\n";
    return 2;
  }
}
