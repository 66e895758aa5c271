// Help, lists, and command lines that are wrong.
#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

#include "sim/soc/soc_config.hpp"
#include "tests/cli/program.hpp"
#include "traces/exporter.hpp"

namespace davsim::cli {
namespace {

class UsageTest : public ProgramTest {
 protected:
  /// A wrong command line ends with status 2, says `part` on standard error and nothing else.
  void expect_usage(const std::vector<std::string>& arguments, const std::string& part) const {
    const Outcome outcome = davsim(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(holds(outcome.err, part));
  }
};

TEST_F(UsageTest, HelpInEveryForm) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"-h"}, {"help"}, {"help", "help"}}) {
    const Outcome outcome = davsim(arguments);
    EXPECT_EQ(outcome.status, 0);
    for (const char* command : {"list", "describe", "run", "compare", "sweep", "check"}) {
      EXPECT_TRUE(holds(outcome.out, command));
    }
  }
  for (const char* command : {"list", "describe", "run", "compare", "sweep", "check", "version"}) {
    const Outcome by_topic = davsim({"help", command}), by_option = davsim({command, "--help"});
    EXPECT_EQ(by_topic.status, 0);
    EXPECT_TRUE(holds(by_topic.out, std::string("usage: davsim ") + command));
    EXPECT_EQ(by_topic.out, by_option.out);
  }
}

TEST_F(UsageTest, HelpOfRunNamesEveryOptionAndStatus) {
  const std::string help = davsim({"run", "--help"}).out;
  for (const char* option :
       {"--soc", "--case", "--inputs", "--attrs", "--attr", "--outputs", "--save-inputs",
        "--save-attrs", "--report", "--trace", "--html", "--functional", "--l2", "--max-cycles",
        "--host-timeout", "--no-check", "--set", "--json", "--quiet"}) {
    EXPECT_TRUE(holds(help, option));
  }
  for (const char* status : {"   0  ", "   1  ", "   2  ", "   3  ", "   4  ", "  70  "}) {
    EXPECT_TRUE(holds(help, status));
  }
}

TEST_F(UsageTest, ExamplesOfTheHelpRun) {
  write_file(file("my_soc.ini"), "include = Ascend910B1.ini\n");
  write_file(file("spec.json"),
             R"({"operators": [{"operator": "rope_quant_kvcache", "cases": ["RQK-1"]}]})");
  for (const char* command : {"list", "describe", "run", "compare", "sweep", "check"}) {
    const std::string help = davsim({"help", command}).out;
    std::istringstream examples(help.substr(std::min(help.find("Examples:"), help.size())));
    for (std::string line; std::getline(examples, line);) {
      std::istringstream words(line);
      std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
      if (arguments.empty() || arguments.front() != "davsim") continue;
      arguments.erase(arguments.begin());
      const Outcome outcome = davsim(arguments);
      EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.err;
    }
  }
  EXPECT_TRUE(fs::exists(file("out.safetensors")));  // written by the last example of run
}

TEST_F(UsageTest, Version) {
  for (const char* form : {"version", "--version"}) {
    const Outcome outcome = davsim({form});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out.find("davsim "), 0u) << outcome.out;
  }
  expect_usage({"version", "x"}, "usage: davsim version");
}

TEST_F(UsageTest, NoCommandShowsTheOverview) {
  expect_usage({}, "usage: davsim COMMAND");
}

TEST_F(UsageTest, ListForPeopleAndPrograms) {
  const Outcome text = davsim({"list"});
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(holds(text.out, "rope_quant_kvcache"));
  EXPECT_TRUE(holds(text.out, "Ascend910B3"));
  const json::object list = result({"list"});
  EXPECT_EQ(list.at("socs").as_array().size(), 13u);
  const json::object& b3 = list.at("socs").at(4).as_object();
  EXPECT_EQ(b3.at("name").as_string(), "Ascend910B3");
  EXPECT_EQ(b3.at("aic").to_number<int>(), 20);
  EXPECT_NEAR(b3.at("peak_tflops_16bit").to_number<double>(), 294.912, 1e-9);
}

TEST_F(UsageTest, DescribeOperator) {
  const Outcome text = davsim({"describe", "rope_quant_kvcache"});
  EXPECT_EQ(text.status, 0);
  for (const char* part : {"k_cache", "in/out", "size_splits", "int list", "RQK-N6", "E_DTYPE"}) {
    EXPECT_TRUE(holds(text.out, part));
  }
  const json::object info = result({"describe", "rope_quant_kvcache"});
  EXPECT_EQ(info.at("operator").as_string(), "rope_quant_kvcache");
  EXPECT_EQ(info.at("tensors").at(0).at("name").as_string(), "qkv");
  EXPECT_EQ(info.at("tensors").at(0).at("dtypes").at(0).as_string(), "float16");
  EXPECT_TRUE(info.at("attributes").at(0).at("required").as_bool());
  EXPECT_EQ(info.at("attributes").at(1).at("default").as_string(), "BSND");
  EXPECT_EQ(info.at("cases").as_array().size(), 12u);
}

TEST_F(UsageTest, DescribeSoc) {
  const Outcome text = davsim({"describe", "Ascend910B3"});
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(holds(text.out, "[AICoreSpec]"));
  const json::object soc = result({"describe", "Ascend910B3"});
  EXPECT_EQ(soc.at("product").as_string(), "A2");
  EXPECT_TRUE(holds(text.out, "hbm.bandwidth"));
  const json::object& size = soc.at("parameters").at("l2.size").as_object();
  EXPECT_EQ(size.at("value").to_number<std::uint64_t>(), 192u << 20);
  EXPECT_EQ(size.at("unit").as_string(), "bytes");
  const json::object& hbm = soc.at("constants").at("Timing.Hbm.peak").as_object();
  EXPECT_EQ(hbm.at("value").to_number<double>(), 1.6e12);
  EXPECT_EQ(hbm.at("unit").as_string(), "bytes/s");
  EXPECT_FALSE(hbm.at("source").as_string().empty());
}

TEST_F(UsageTest, TheNameOfAFamilyOfSocsLeadsToOneOfThem) {
  const std::map<std::string, std::string> meant = {{"A2", "Ascend910B3"},
                                                    {"A3", "Ascend910_9392"}};
  const std::map<std::string, std::vector<std::string>> called = {
      {"A2", {"A2", "a2", "910B", "910b", "Ascend910B", "Atlas A2"}},
      {"A3", {"A3", "910C", "910c", "Ascend910C", "ascend-910c", "Ascend910c", "Atlas_A3"}}};
  for (const auto& [product, names] : called) {
    const std::string hint = "did you mean '" + meant.at(product) + "'?";
    EXPECT_EQ(sim::SocConfig::named(meant.at(product)).product(), product);
    for (const std::string& name : names) {
      expect_usage({"describe", name}, hint);
      expect_usage({"run", "matmul", "--case", "MM-1024", "--soc", name}, hint);
    }
  }
}

TEST_F(UsageTest, UnknownNamesComeWithAHint) {
  expect_usage({"rum"}, "did you mean 'run'?");
  expect_usage({"help", "lst"}, "did you mean 'list'?");
  expect_usage({"run", "rope_quant_kvcach", "--case", "RQK-1"},
               "did you mean 'rope_quant_kvcache'?");
  expect_usage({"describe", "Ascend910B33"}, "did you mean 'Ascend910B3'?");
  expect_usage({"describe", "nothing_like_it"}, "davsim list");
  expect_usage({"run", "rope_quant_kvcache", "--case", "RQK-1", "--soc", "Ascend910b3"},
               "did you mean 'Ascend910B3'?");
  expect_usage({"run", "rope_quant_kvcache", "--cse", "RQK-1"}, "did you mean '--case'?");
  expect_usage({"run", "rope_quant_kvcache", "--case", "RQK-99"}, "RQK-1, RQK-2");
  const auto set = [&](const std::string& assignment, const std::string& part) {
    expect_usage({"run", "rope_quant_kvcache", "--case", "RQK-1", "--set", assignment}, part);
  };
  set("Timing.Hbm.pek=1", "the nearest are Timing.Hbm.peak");
  set("l2.siz=96MiB", "the nearest are l2.size");
  set("bandwidth=1TB/s", "the nearest are l2.bandwidth, hbm.bandwidth");
  set("AICoreMemoryRates.l2_read_rate=1", "only a description file can set this value");
  set("l2.size=96Mib", "unknown unit 'Mib'");
}

TEST_F(UsageTest, OptionsThatAreWrong) {
  const auto run = [&](std::vector<std::string> more, const std::string& part) {
    std::vector<std::string> arguments = {"run", "rope_quant_kvcache", "--case", "RQK-2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_usage(arguments, part);
  };
  run({"--soc", "Ascend910B3", "--soc", "Ascend910B1"}, "more than once");
  run({"--case", "RQK-1"}, "more than once");
  run({"--soc"}, "missing");
  run({"--soc="}, "--soc");
  run({"--soc", ""}, "unknown SoC '';");
  run({"stray"}, "unexpected argument 'stray'");
  run({"--inputs", "x"}, "either --case ID or --inputs FILE");
  run({"--l2", "hot"}, "cold or warm");
  run({"--max-cycles", "-1"}, "whole number");
  run({"--max-cycles", "1.5"}, "whole number");
  run({"--max-cycles", "99999999999999999999"}, "whole number");
  run({"--host-timeout", "soon"}, "whole number");
  run({"--attr", "layout"}, "NAME=VALUE");
  run({"--attr", "=1"}, "NAME=VALUE");
  run({"--attr", "layout=BSND", "--attr", "layout=BSND"}, "twice");
  run({"--set", "Timing.Hbm.peak"}, "NAME=VALUE");
  run({"--set", "Timing.Hbm.peak=fast"}, "--set");
  run({"--set", "l2.size=96MiB", "--set", "SoCInfo.l2_size=96MiB"}, "twice");
  run({"--fun"}, "unknown option");  // options are not abbreviated
  run({"--functional", "--trace", "t.json"}, "--trace");
  run({"--functional", "--html", "t.html"}, "--html");
  run({"--html", "t", "--trace", "t"}, "two options name the same output file");
  run({"--html", "t", "--trace", "./t"}, "two options name the same output file './t'");
  run({"--threads", "3"}, "--threads is '3'; it is 1 or 2");
  run({"--set", "hbm.bandwidth=1e300GB/s"}, "it is too large");
  run({"--attrs", "none.json"}, "none.json: it cannot be read: No such file");
  run({"--attrs", "."}, ".: it is a directory");
  run({"--functional", "--l2", "warm"}, "--l2");
  run({"--functional", "--max-cycles", "5"}, "--max-cycles");
  run({"--soc", "./none.ini"}, "none.ini");
  run({"--soc", "/dev/zero"}, "/dev/zero");
  expect_usage({"run", "rope_quant_kvcache"}, "either --case ID or --inputs FILE");
  expect_usage({"run", "--case", "RQK-1"}, "OPERATOR is missing");
  expect_usage({"run", "rope_quant_kvcache", "--inputs", "none.st"},
               "none.st: it cannot be read: No such file");
  expect_usage({"explain", "."}, ".: it is a directory");
  expect_usage({"run-system", "ascend_910c", "--trace", "t"},
               "--trace belongs to an OPERATOR or --op");
  expect_usage({"run-system", "ascend_910c", "--dtype", "fp32"},
               "--dtype belongs to an OPERATOR or --op");
  expect_usage({"run-system", "ascend_910c", "--picture", "p", "--op", "all-reduce"},
               "--picture runs nothing: give it without --op");
  expect_usage({"sweep", "none.json"}, "none.json: it cannot be read: No such file");
  expect_usage({"check", "all", "--case", "rqk-2"},
               "no case is called 'rqk-2'; did you mean 'RQK-2'?");
  expect_usage({"describe"}, "is missing");
  expect_usage({"list", "all"}, "unexpected argument 'all'");
  EXPECT_TRUE(files().empty());
}

TEST_F(UsageTest, EveryExporterHasItsOptionAndItsConflicts) {
  const std::vector<std::string> run = {"run", "rope_quant_kvcache", "--case", "RQK-2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), run.begin(), run.end());
    return more;
  };
  const std::string help = davsim({"help", "run"}).out;
  for (const traces::Exporter* exporter : traces::exporters()) {
    const std::string option = "--" + exporter->name;
    EXPECT_TRUE(holds(help, "  " + option + " "));
    std::vector<std::string> given = {option};
    if (exporter->target != traces::ExportTarget::kNone) given.emplace_back("same");
    std::vector<std::string> functional = given, twice = given;
    functional.emplace_back("--functional");
    expect_usage(with(functional), option + " means nothing with it");
    if (given.size() == 1) continue;
    twice.insert(twice.end(), {"--report", "./same"});
    expect_usage(with(twice), "two options name the same output file");
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(UsageTest, ErrorsAsJson) {
  EXPECT_EQ(error_class({"run", "nothing", "--case", "X"}, 2), "usage");
  EXPECT_EQ(error_class({"describe", "nothing"}, 2), "usage");
  EXPECT_EQ(error_class({"nothing"}, 2), "usage");
  EXPECT_EQ(error_class({"list", "--what"}, 2), "usage");
}

TEST_F(UsageTest, OwnSocDescription) {
  write_file(file("mine.ini"), "include = Ascend910B3.ini\n[SoCInfo]\nvector_core_cnt = 20\n");
  const json::object soc = result({"describe", "mine.ini"});
  EXPECT_EQ(soc.at("sections").at("SoCInfo").at("vector_core_cnt").as_string(), "20");
  write_file(file("bad.ini"), "include = Ascend910B3.ini\n[SoCInfo]\nvector_cores = 20\n");
  expect_usage({"describe", "bad.ini"}, "bad.ini:3");
}

}  // namespace
}  // namespace davsim::cli
