// `davsim run` from one end to the other: results, refusals, faults, files.
#include <cstring>
#include <set>
#include <utility>

#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

const std::string kOp = "rope_quant_kvcache";

class RunTest : public ProgramTest {
 protected:
  static std::vector<std::string> run_case(const std::string& id,
                                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"run", kOp, "--case", id};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  /// Operator and description of each case that the command lists.
  std::vector<std::pair<std::string, json::object>> cases_of_all_operators() {
    std::vector<std::pair<std::string, json::object>> all;
    const json::object list = result({"list"});
    for (const json::value& entry : list.at("operators").as_array()) {
      const std::string name = entry.at("name").as_string().c_str();
      const json::object info = result({"describe", name});
      for (const json::value& example : info.at("cases").as_array()) {
        all.emplace_back(name, example.as_object());
      }
    }
    return all;
  }
};

TEST_F(RunTest, CasesAgreeWithTheReference) {
  for (const char* id : {"RQK-1", "RQK-2", "RQK-5", "RQK-6"}) {
    const json::object run = result(run_case(id));
    EXPECT_EQ(run.at("check").as_string(), "passed") << id;
    EXPECT_EQ(run.at("operator").as_string(), kOp);
    EXPECT_EQ(run.at("case").as_string(), id);
    EXPECT_EQ(run.at("soc").as_string(), "Ascend910B3");
    EXPECT_GT(run.at("cycles").to_number<double>(), 0);
    EXPECT_GT(run.at("task_time_us").to_number<double>(), run.at("time_us").to_number<double>());
    EXPECT_GT(run.at("gb_per_s").to_number<double>(), 0);
    EXPECT_GT(run.at("utilization").at("AIV").at("V").to_number<double>(), 0);
  }
}

TEST_F(RunTest, TextNamesEverythingThatMatters) {
  const Outcome run = davsim(run_case("RQK-1", {"--report", "r.json", "--trace", "t.json"}));
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* part :
       {"rope_quant_kvcache", "RQK-1", "Ascend910B3", "passed", "k_cache", "cycles", "task",
        "TFLOPS", "GB/s", "HBM", "roofline", "MTE2", "r.json", "t.json"}) {
    EXPECT_TRUE(holds(run.out, part));
  }
  EXPECT_EQ(run.err, "");
}

TEST_F(RunTest, QuietSaysNothing) {
  const Outcome run = davsim(run_case("RQK-2", {"--quiet"}));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out + run.err, "");
}

TEST_F(RunTest, SameCallSameCycles) {
  const json::object first = result(run_case("RQK-1")), second = result(run_case("RQK-1"));
  EXPECT_EQ(first.at("cycles"), second.at("cycles"));
  const json::object unchecked =
      result(run_case("RQK-1", {"--no-check", "--trace", "t.json", "--outputs", "o.safetensors"}));
  EXPECT_EQ(unchecked.at("cycles"), first.at("cycles"));
  EXPECT_EQ(unchecked.at("check").as_string(), "not checked");
}

TEST_F(RunTest, RoundTripThroughFiles) {
  const json::object made =
      result(run_case("RQK-5", {"--save-inputs", "in.safetensors", "--save-attrs", "a.json",
                                "--outputs", "out1.safetensors"}));
  const json::object read = result({"run", kOp, "--inputs", "in.safetensors", "--attrs", "a.json",
                                    "--outputs", "out2.safetensors"});
  EXPECT_EQ(read_file(file("out1.safetensors")), read_file(file("out2.safetensors")));
  EXPECT_EQ(made.at("cycles"), read.at("cycles"));
  EXPECT_EQ(read.at("check").as_string(), "not checked");
  EXPECT_TRUE(read.at("case").is_null());
  EXPECT_EQ(read.at("files").at("outputs").as_string(), "out2.safetensors");
  for (const char* name : {"\"q\":", "\"k\":", "\"v\":", "\"k_cache\":", "\"v_cache\":"}) {
    EXPECT_TRUE(holds(read_file(file("out1.safetensors")).substr(0, 1000), name));
  }
}

TEST_F(RunTest, OutputsDoNotReplaceInputs) {
  davsim(run_case("RQK-2", {"--save-inputs", "t.safetensors", "--save-attrs", "a.json"}));
  const std::string before = read_file(file("t.safetensors"));
  const Outcome run = davsim(
      {"run", kOp, "--inputs", "t.safetensors", "--attrs", "a.json", "--outputs", "t.safetensors"});
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_TRUE(holds(run.err, "would overwrite 't.safetensors'")) << run.err;
  EXPECT_EQ(read_file(file("t.safetensors")), before);
  // What is written beside a waveform counts, and so does what links lead to.
  std::filesystem::rename(file("t.safetensors"), file("w.states"));
  const Outcome wave =
      davsim({"run", kOp, "--inputs", "w.states", "--attrs", "a.json", "--vcd", "w"});
  EXPECT_TRUE(holds(wave.err, "--vcd would overwrite 'w.states', which --inputs reads"))
      << wave.err;
  std::filesystem::create_symlink("report", file("link"));
  const Outcome link = davsim(run_case("RQK-2", {"--report", "report", "--trace", "link"}));
  EXPECT_EQ(link.status, 2);
  EXPECT_TRUE(holds(link.err, "two options name the same output file")) << link.err;
}

TEST_F(RunTest, FunctionalRunHasTheSameResultAndNoTime) {
  result(run_case("RQK-5", {"--outputs", "timed"}));
  const json::object functional =
      result(run_case("RQK-5", {"--functional", "--outputs", "untimed"}));
  EXPECT_FALSE(functional.at("timed").as_bool());
  EXPECT_EQ(functional.at("check").as_string(), "passed");
  EXPECT_EQ(functional.at("cycles").to_number<int>(), 0);
  EXPECT_EQ(read_file(file("timed")), read_file(file("untimed")));
}

/// Decode leaves vector cores without rows, which answer by flags alone; without a clock nothing
/// else holds them back.
TEST_F(RunTest, CoresWithoutRowsAnswerInOrderWithoutTime) {
  const json::object left = result({"run", "paged_attention", "--case", "PA-2", "--functional"});
  EXPECT_EQ(left.at("check").as_string(), "passed");
}

TEST_F(RunTest, WarnsOfRowsOfZerosThatARunLeft) {
  const json::object zeros = result(
      {"run", "lightning_indexer_prolog_quant", "--case", "IPQ-7", "--functional", "--no-check"});
  ASSERT_EQ(zeros.at("warnings").as_array().size(), 1u);
  EXPECT_TRUE(holds(std::string(zeros.at("warnings").at(0).as_string()),
                    "64 of 192 groups of 128 values of q_int8 are all zeros"));
}

TEST_F(RunTest, CheckWarnsOfTokensThatMeet) {
  // A page for each of 64 tokens; then one for all.
  const std::vector<std::string> made = {"run", "kv_rmsnorm_rope_cache", "--case", "KVR-3"};
  const auto with = [&](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  EXPECT_TRUE(result(with(made, {"--check", "--functional", "--save-inputs", "in.safetensors",
                                 "--save-attrs", "a.json"}))
                  .at("warnings")
                  .as_array()
                  .empty());
  std::string tensors = read_file(file("in.safetensors"));
  const auto index = json::parse(tensors.substr(8, tensors.find("}}") + 2 - 8))
                         .at("index")
                         .at("data_offsets")
                         .as_array();
  const auto header = *reinterpret_cast<const std::uint64_t*>(tensors.data());
  const auto begin = 8 + header + index[0].to_number<std::uint64_t>();
  std::fill_n(tensors.begin() + static_cast<std::ptrdiff_t>(begin), 64 * 8, '\0');
  write_file(file("in.safetensors"), tensors);
  const std::vector<std::string> same = {
      "run",    "kv_rmsnorm_rope_cache", "--inputs", "in.safetensors", "--attrs",
      "a.json", "--functional"};
  EXPECT_TRUE(result(same).at("warnings").as_array().empty());
  EXPECT_EQ(result(with(same, {"--check"})).at("warnings").as_array().size(), 9u);
  const Outcome text = davsim(with(same, {"--check"}));
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(holds(text.err, "warning: duplicate index: tokens 0 and 1"));
}

TEST_F(RunTest, WarmL2IsFasterAndChangesNoResult) {
  const json::object cold = result(run_case("RQK-1", {"--l2", "cold", "--outputs", "cold"}));
  const json::object warm = result(run_case("RQK-1", {"--l2", "warm", "--outputs", "warm"}));
  EXPECT_LT(warm.at("cycles").to_number<double>(), cold.at("cycles").to_number<double>());
  EXPECT_LT(warm.at("hbm").at("read_bytes").to_number<double>(),
            cold.at("hbm").at("read_bytes").to_number<double>());
  EXPECT_EQ(warm.at("check").as_string(), "passed");
  EXPECT_EQ(read_file(file("cold")), read_file(file("warm")));
}

TEST_F(RunTest, ReportHoldsTheLaunchAndTheOperator) {
  const json::object run = result(run_case("RQK-1", {"--report", "r.json"}));
  const json::object report = object(read_file(file("r.json")));
  for (const char* key : {"operator", "case", "soc", "cycles", "time_us", "task_time_us", "cores",
                          "bytes", "l2", "hbm", "cost", "roofline", "check", "tflops"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report.at("cycles"), run.at("cycles"));
  EXPECT_GT(report.at("cores").as_array().size(), 0u);
}

TEST_F(RunTest, TraceIsJson) {
  result(run_case("RQK-2", {"--trace", "t.json"}));
  boost::system::error_code problem;
  json::parse(read_file(file("t.json")), problem);
  EXPECT_FALSE(problem);
  EXPECT_EQ(files(), std::vector<std::string>{"t.json"});
}

TEST_F(RunTest, OptionsChangeTheSoc) {
  const double slow = result(run_case("RQK-1", {"--set", "AICoreSpec.cube_freq=900"}))
                          .at("frequency_mhz")
                          .to_number<double>();
  EXPECT_EQ(slow, 900);
  write_file(file("mine.ini"), "include = Ascend910B3.ini\n[version]\nSoC_version = mine\n");
  EXPECT_EQ(result(run_case("RQK-1", {"--soc", "mine.ini"})).at("soc").as_string(), "mine");
}

TEST_F(RunTest, RefusalsOfTheOperator) {
  const std::pair<const char*, const char*> refused[] = {
      {"RQK-N1", "E_UNSUPPORTED"}, {"RQK-N2", "E_ATTR"},  {"RQK-N3", "E_INDEX"},
      {"RQK-N4", "E_INDEX"},       {"RQK-N5", "E_SHAPE"}, {"RQK-N6", "E_DTYPE"}};
  for (const auto& [id, cls] : refused) {
    const json::object found = error(
        run_case(id, {"--outputs", "o.safetensors", "--report", "r.json", "--trace", "t.json"}), 3);
    EXPECT_EQ(found.at("class").as_string(), cls) << id;
    EXPECT_FALSE(found.at("rule").as_string().empty()) << id;
    EXPECT_TRUE(files().empty()) << id;
  }
  EXPECT_EQ(error_class(run_case("RQK-1", {"--soc", "Ascend910_9391"}), 3), "E_UNSUPPORTED");
}

TEST_F(RunTest, RefusedRunKeepsOldFiles) {
  write_file(file("o.safetensors"), "old");
  davsim(run_case("RQK-N3", {"--outputs", "o.safetensors"}));
  EXPECT_EQ(read_file(file("o.safetensors")), "old");
}

TEST_F(RunTest, RefusedCallsCanBeSaved) {
  EXPECT_EQ(davsim(run_case("RQK-N3", {"--save-inputs", "in", "--save-attrs", "a"})).status, 3);
  EXPECT_EQ(error_class({"run", kOp, "--inputs", "in", "--attrs", "a"}, 3), "E_INDEX");
}

TEST_F(RunTest, Attributes) {
  const auto with = [](const std::string& attribute) {
    return run_case("RQK-2", {"--attr", attribute});
  };
  EXPECT_EQ(error_class(with("layot=BSND"), 3), "E_ATTR");
  EXPECT_EQ(error_class(with("layout=SBND"), 3), "E_ATTR");
  EXPECT_EQ(error_class(with("layout=5"), 3), "E_ATTR");
  EXPECT_EQ(error_class(with("kv_output=1"), 3), "E_ATTR");
  EXPECT_EQ(error_class(with("size_splits=1024,128"), 3), "E_ATTR");
  EXPECT_EQ(error_class(with("size_splits=a,b,c"), 3), "E_ATTR");
  EXPECT_EQ(error_class(with("size_splits=[1024,128,128.5]"), 3), "E_ATTR");
  EXPECT_EQ(davsim(with("size_splits=1024,128,128")).status, 0);
  EXPECT_EQ(davsim(with("layout=\"BSND\"")).status, 0);
  EXPECT_EQ(result(with("kv_output=true")).at("comparisons").as_array().size(), 5u);
}

TEST_F(RunTest, CommandLineWinsOverTheAttributeFile) {
  write_file(file("a.json"), R"({"kv_output": true, "layout": "wrong"})");
  const json::object run =
      result(run_case("RQK-2", {"--attrs", "a.json", "--attr", "layout=BSND"}));
  EXPECT_EQ(run.at("comparisons").as_array().size(), 5u);
}

TEST_F(RunTest, AttributeFilesThatAreWrong) {
  for (const char* text : {"", "{", "[]", "1", "{} {}", R"({"layout": "BSND", "layout": "BSND"})",
                           "{'layout': 1}", R"({"layout": NaN})", "\xff\xfe"}) {
    write_file(file("a.json"), text);
    const json::object found = error(run_case("RQK-2", {"--attrs", "a.json"}), 2);
    EXPECT_EQ(found.at("class").as_string(), "file") << text;
    EXPECT_TRUE(holds(found.at("message").as_string().c_str(), "a.json"));
  }
  std::string deep = R"({"layout": )";
  write_file(file("a.json"), deep.append(100000, '['));
  EXPECT_EQ(error_class(run_case("RQK-2", {"--attrs", "a.json"}), 2), "file");
  EXPECT_EQ(error_class(run_case("RQK-2", {"--attrs", "none.json"}), 2), "file");
  EXPECT_EQ(error_class(run_case("RQK-2", {"--attrs", "."}), 2), "file");
  EXPECT_EQ(error_class(run_case("RQK-2", {"--attrs", "/dev/zero"}), 2), "file");
}

TEST_F(RunTest, TensorFilesThatAreWrong) {
  const auto with = [](const std::string& path) {
    return std::vector<std::string>{"run", kOp,      "--inputs",
                                    path,  "--attr", "size_splits=1024,128,128"};
  };
  EXPECT_EQ(error_class(with("none.safetensors"), 2), "file");
  EXPECT_EQ(error_class(with("."), 2), "file");
  EXPECT_EQ(error_class(with("/dev/zero"), 2), "file");
  write_file(file("text"), "this is no safetensors file at all");
  EXPECT_TRUE(holds(error(with("text"), 2).at("message").as_string().c_str(), "text: "));

  davsim(run_case("RQK-2", {"--save-inputs", "whole"}));
  const std::string whole = read_file(file("whole"));
  ASSERT_GT(whole.size(), 100u);
  EXPECT_EQ(davsim(with("whole")).status, 0);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{7}, std::size_t{50}, whole.size() - 1}) {
    write_file(file("cut"), whole.substr(0, length));
    EXPECT_EQ(error_class(with("cut"), 2), "file") << length;
  }
  write_file(file("long"), whole + "x");
  EXPECT_EQ(error_class(with("long"), 2), "file");
}

TEST_F(RunTest, MissingTensors) {
  write_file(file("none"), std::string("\x02\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(error_class({"run", kOp, "--inputs", "none"}, 3), "E_NULL");
}

TEST_F(RunTest, UnwritableOutputsEndItBeforeTheRun) {
  for (const char* option : {"--outputs", "--report", "--trace", "--save-inputs", "--save-attrs"}) {
    for (const char* path : {"no/such/folder/file", ".", "/proc/file"}) {
      EXPECT_EQ(error_class(run_case("RQK-2", {option, path}), 2), "file") << option << path;
    }
  }
  EXPECT_EQ(error_class(run_case("RQK-2", {"--outputs", "x", "--report", "x"}), 2), "usage");
  EXPECT_TRUE(files().empty());
}

TEST_F(RunTest, MaxCyclesStopsTheKernel) {
  const json::object found = error(
      run_case("RQK-1", {"--max-cycles", "10", "--outputs", "o", "--report", "r", "--trace", "t"}),
      4);
  EXPECT_EQ(found.at("class").as_string(), "limit");
  for (const char* key : {"core", "pipe", "instruction", "file", "line", "kernel"}) {
    EXPECT_TRUE(found.contains(key)) << key;
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(RunTest, HostMemoryHoldsTensorsOnce) {
  ASSERT_EQ(davsim(run_case("RQK-3", {"--functional", "--quiet", "--no-check", "--save-inputs",
                                      "in", "--save-attrs", "a"}))
                .status,
            0);
  const Outcome run = davsim({"run", kOp, "--inputs", "in", "--attrs", "a", "--outputs", "out"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_LT(run.peak, fs::file_size(file("in")) + 300'000'000);
}

TEST_F(RunTest, EveryOperatorRefusesWhatItsCasesSay) {
  for (const auto& [name, example] : cases_of_all_operators()) {
    if (example.at("refused").is_null()) continue;
    const std::string id = example.at("id").as_string().c_str();
    // Before anything runs, in whatever mode.
    EXPECT_EQ(error_class({"run", name, "--case", id}, 3), example.at("refused").as_string())
        << name << " " << id;
  }
}

/// The first case of each; tests/operators runs all. Both modes: a flag that is missing in a kernel
/// shows in timed runs only.
TEST_F(RunTest, SlowEveryOperatorHasACaseThatRuns) {
  std::set<std::string> ran;
  for (const auto& [name, example] : cases_of_all_operators()) {
    if (!example.at("refused").is_null() || !ran.insert(name).second) continue;
    const std::string id = example.at("id").as_string().c_str();
    const std::vector<std::string> timed = {"run", name, "--case", id};
    const std::vector<std::string> functional = {"run", name, "--case", id, "--functional"};
    for (const auto& arguments : {timed, functional}) {
      EXPECT_EQ(result(arguments).at("check").as_string(), "passed") << name << " " << id;
    }
  }
  EXPECT_EQ(ran.size(), result({"list"}).at("operators").as_array().size());
}

TEST_F(RunTest, SlowLargeCases) {
  for (const char* id : {"RQK-3", "RQK-4"}) {
    EXPECT_EQ(result(run_case(id)).at("check").as_string(), "passed") << id;
  }
}

}  // namespace
}  // namespace davsim::cli
