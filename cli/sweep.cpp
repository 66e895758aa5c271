// davsim sweep: a grid of runs into one table.
#include <array>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/output_files.hpp"
#include "cli/progress.hpp"
#include "cli/sweep_ranks.hpp"
#include "cli/sweep_spec.hpp"
#include "cli/sweep_table.hpp"
#include "cli/table.hpp"
#include "session/ranks.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

/// The last column: what made the row, as SweepSpec::fingerprint().
constexpr const char* kMadeBy = "made_by";

/// A column of figures: its name, and the pointer to its value in the result of a run.
struct Figure {
  const char* column;
  const char* pointer;
};
constexpr Figure kFigures[] = {
    {"check", "/check"},
    {"cycles", "/cycles"},
    {"time_us", "/time_us"},
    {"task_time_us", "/task_time_us"},
    {"tflops", "/tflops"},
    {"peak_share", "/peak_share"},
    {"gb_per_s", "/gb_per_s"},
    {"bound", "/roofline/bound"},
    {"roofline_share", "/roofline/share"},
    {"l2_hit_rate", "/l2/hit_rate"},
    {"l2_bytes", "/l2/bytes"},
    {"hbm_read_bytes", "/hbm/read_bytes"},
    {"hbm_write_bytes", "/hbm/write_bytes"},
    {"aic_s_busy", "/busy/AIC/S"},
    {"aic_mte2_busy", "/busy/AIC/MTE2"},
    {"aic_mte1_busy", "/busy/AIC/MTE1"},
    {"aic_m_busy", "/busy/AIC/M"},
    {"aic_fix_busy", "/busy/AIC/FIX"},
    {"aiv_s_busy", "/busy/AIV/S"},
    {"aiv_mte2_busy", "/busy/AIV/MTE2"},
    {"aiv_v_busy", "/busy/AIV/V"},
    {"aiv_mte3_busy", "/busy/AIV/MTE3"},
};

CsvRow columns_of(const SweepSpec& spec) {
  CsvRow columns = spec.key_columns();
  columns.insert(columns.end(), {"status", "error"});
  for (const Figure& figure : kFigures) columns.emplace_back(figure.column);
  columns.emplace_back(kMadeBy);
  return columns;
}

/// The text of a cell. Numbers have their shortest form. A missing value is an empty cell.
std::string cell_of(const json::object& result, const char* pointer) {
  boost::system::error_code missing;
  const json::value whole(result);
  const json::value* value = whole.find_pointer(pointer, missing);
  if (value == nullptr || value->is_null()) return "";
  if (value->is_string()) return value->get_string().c_str();
  if (!value->is_double()) return json::serialize(*value);
  std::array<char, 32> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value->get_double()).ptr;
  return {digits.data(), end};
}

std::string error_of(const Outcome& outcome) {
  if (outcome.error.empty()) return "";
  return std::string(outcome.error.at("class").as_string()) + ": " +
         outcome.error.at("message").as_string().c_str();
}

CsvRow row_of(const SweepRun& run, const Outcome& outcome, std::string made_by) {
  CsvRow row = run.key();
  row.push_back(std::to_string(outcome.status));
  row.push_back(error_of(outcome));
  for (const Figure& figure : kFigures) row.push_back(cell_of(outcome.result, figure.pointer));
  row.push_back(std::move(made_by));
  return row;
}

/// Whether the user interrupted the sweep. The run itself may be right.
bool interrupted(int status) {
  return status == 128 + SIGINT || status == 128 + SIGTERM || status == 128 + SIGHUP;
}

/// Whether the host may be the reason: a crash, a lack of memory, a time limit. Another try may
/// succeed.
bool worth_another_try(int status, const std::string& error) {
  return status >= kInternal || error.starts_with("timeout:") || error.starts_with("crash:") ||
         error.starts_with("host:");
}

/// A cell that holds no number, in a table that somebody edited, counts as an internal error.
int status_of(const std::string& cell) {
  int status = kInternal;
  std::from_chars(cell.data(), cell.data() + cell.size(), status);
  return status;
}

struct Totals {
  std::size_t runs = 0, known = 0, failed = 0;
  std::size_t changed = 0;  ///< rows that something else had made; they were made again
  std::size_t foreign = 0;  ///< rows of runs that the description does not have; they are gone
  int status = kDone;       ///< of the first run that failed
};

class Sweep {
 public:
  Sweep(const SweepSpec& spec, const std::string& out, bool fresh)
      : spec_(spec),
        status_column_(spec.key_columns().size()),
        table_(out, columns_of(spec), status_column_, fresh) {
    for (const SweepRun& run : spec.runs) {
      keys_.push_back(run.key());
      made_by_.push_back(spec.fingerprint(run));
    }
    foreign_ = table_.size();
    drop_stale();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (table_.find(keys_[i]) == nullptr) missing_.push_back(i);
    }
  }

  /// On this host with `jobs` processes at once, or `dealt` to the ranks of MPI.
  Totals run(unsigned jobs, bool dealt, bool as_json) {
    bool stopped = false;
    {
      ProgressBar bar("davsim: sweep", missing_.size(), !as_json);
      const OnChild ended = [&](std::size_t index, const ChildResult& child) {
        stopped = stopped || interrupted(child.status);
        if (stopped) throw std::runtime_error("the sweep was interrupted; run it again to go on");
        const Outcome outcome = outcome_of(child);
        const std::size_t run = missing_[index];
        table_.add(row_of(spec_.runs[run], outcome, made_by_[run]));
        bar.step(outcome.status != kDone);
      };
      if (dealt) {
        std::vector<DealtRun> runs;
        for (const std::size_t i : missing_) {
          runs.push_back(dealt_run(spec_.runs[i], spec_.arguments(spec_.runs[i])));
        }
        deal_runs(runs, ended);
      } else {
        std::vector<Arguments> argument_lists;
        for (const std::size_t i : missing_) {
          argument_lists.push_back(spec_.arguments(spec_.runs[i]));
        }
        run_children(argument_lists, jobs, ended);
      }
    }
    table_.sort(keys_);
    return totals();
  }

 private:
  /// Drops the rows of failures that may not happen again, and those that another version, another
  /// SoC under the same name or other options made.
  void drop_stale() {
    std::vector<CsvRow> again;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const CsvRow* row = table_.find(keys_[i]);
      if (row == nullptr) continue;
      --foreign_;
      const bool changed = row->back() != made_by_[i];
      changed_ += changed ? 1 : 0;
      if (changed ||
          worth_another_try(status_of((*row)[status_column_]), (*row)[status_column_ + 1])) {
        again.push_back(keys_[i]);
      }
    }
    table_.drop(again);
  }

  Totals totals() const {
    Totals totals;
    totals.runs = keys_.size();
    totals.known = keys_.size() - missing_.size();
    totals.changed = changed_;
    totals.foreign = foreign_;
    for (const CsvRow& key : keys_) {
      const CsvRow& row = *table_.find(key);
      const int status = status_of(row[status_column_]);
      if (status == kDone) continue;
      ++totals.failed;
      if (totals.status == kDone) totals.status = std::min<int>(status, kInternal);
      if (totals.failed <= kShown) {
        std::cerr << "davsim: " << joined(key, " ") << ": " << row[status_column_ + 1] << "\n";
      }
    }
    if (totals.failed > kShown) {
      std::cerr << "davsim: and " << totals.failed - kShown << " more; see the column error\n";
    }
    return totals;
  }

  static constexpr std::size_t kShown = 10;

  const SweepSpec& spec_;
  std::size_t status_column_;
  SweepTable table_;
  std::vector<CsvRow> keys_;
  std::vector<std::string> made_by_;  ///< of each run
  std::size_t changed_ = 0, foreign_ = 0;
  std::vector<std::size_t> missing_;  ///< runs that have no row yet
};

/// "half_l2.csv" in the working folder for "docs/half_l2.json".
std::string default_out(const std::string& spec) {
  return std::filesystem::path(spec).stem().string() + ".csv";
}

/// Throws UsageError if the table would take the place of what the sweep reads.
void require_no_input(const std::string& out, const std::string& path, const SweepSpec& spec) {
  const auto require_other = [&](const std::string& file, const char* what) {
    if (same_file(out, file)) {
      throw UsageError("--out would overwrite '" + file + "', " + what + " of the sweep");
    }
  };
  require_other(path, "the description");
  for (const SweepRun& each : spec.runs) require_other(each.variant.soc, "a SoC");
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  const std::string path = text_option(values, command.positional);
  const bool as_json = flag_option(values, "json");
  const unsigned jobs = jobs_option(values);
  SweepSpec spec = read_sweep_spec(path);
  if (flag_option(values, "times-only")) {
    if (spec.verify) {
      throw UsageError(
          "--times-only computes no values that \"check\" of the description could compare");
    }
    spec.times_only = true;
  }
  std::string out = text_option(values, "out");
  if (out.empty()) out = default_out(path);
  require_no_input(out, path, spec);
  const bool mpi = flag_option(values, "mpi");
  if (flag_option(values, "list")) {
    if (mpi && session::launched_rank() > 0) return kDone;
    for (const SweepRun& run : spec.runs) std::cout << joined(run.key(), " ") << "\n";
    return kDone;
  }

  if (mpi && !session::is_launched()) {
    throw UsageError("--mpi: no launcher of MPI has started this: mpirun -n 4 davsim sweep ...");
  }
  const sim::RankGroup* const group = mpi ? session::rank_group() : nullptr;
  if (group != nullptr && group->rank() > 0) {
    work_for_manager();
    return kDone;
  }
  const Totals totals =
      Sweep(spec, out, flag_option(values, "fresh")).run(jobs, group != nullptr, as_json);
  if (as_json) {
    std::cout << json::serialize(json::object{{"out", out},
                                              {"runs", totals.runs},
                                              {"known_before", totals.known},
                                              {"changed", totals.changed},
                                              {"dropped", totals.foreign},
                                              {"failed", totals.failed}})
              << "\n";
  } else {
    std::cout << totals.runs << " runs";
    if (totals.known > 0) std::cout << ", " << totals.known << " of them from before";
    if (totals.changed > 0) {
      std::cout << ", " << totals.changed
                << " again because the SoC, the options or davsim changed";
    }
    if (totals.failed > 0) std::cout << ", " << totals.failed << " failed";
    std::cout << ": " << out << "\n";
    if (totals.foreign > 0) {
      std::cout << totals.foreign
                << " rows of runs that the description does not have were dropped\n";
    }
  }
  return totals.status;
}

constexpr const char* kDescription =
    R"(Runs every combination of what the description names, each in a process of its own and as many
at once as the host has cores, and writes a CSV file with a row for each run: what ran, its
status, cycles, times, bandwidths, L2 and HBM traffic, and how busy the pipes were.

  {
    "operators": [
      {"operator": "rope_quant_kvcache", "cases": ["RQK-1", "RQK-3"]},
      {"operator": "matmul", "tensors": {"a": "float16[m,512]", "b": "float16[512,m]"},
       "sizes": {"m": [256, 1024]}, "attrs": {"output_dtype": "float32"}}
    ],
    "socs": ["Ascend910B3", "Ascend910B1"],
    "l2": ["cold", "warm"],
    "parameters": {"l2.size": ["100%", "50%"], "hbm.bandwidth": ["0.8TB/s"]}
  }

Only "operators" is needed. "cases" may be "all". Further members: "check" (true: hold cases
against their references), "max_cycles", "host_timeout" (seconds, of each run).
docs/sweep.md explains them with an example.

A row is written when its run has ended. A sweep that was interrupted goes on where it stood
when it is started again: runs whose row is there are not repeated, unless the host was to
blame (a crash or a time limit), or the SoC's description, the options or davsim have changed
since. At the end the rows are in the order of the description. The
exit status is that of the first run that did not come through, else 0.)";

constexpr const char* kExamples =
    R"(  davsim sweep spec.json
  davsim sweep spec.json --out table.csv --jobs 4
  mpirun --enable-recovery -n 5 davsim sweep spec.json --mpi
)";

Command make_command() {
  Command command;
  command.name = "sweep";
  command.summary = "run a grid of operators, shapes, SoCs and parameters into one table";
  command.usage = "SPEC.json [--out FILE.csv] [options]";
  command.positional = "SPEC.json";
  command.description = kDescription;
  command.examples = kExamples;
  command.options.add_options()("out", po::value<std::string>()->value_name("FILE"),
                                "the table; default: the description's name with .csv, here")(
      "fresh", po::bool_switch(), "start over: forget the rows that are in the table")(
      "list", po::bool_switch(), "print the runs, one a line, and run none")(
      "jobs", po::value<std::string>()->value_name("N"),
      "processes at once; default: the host's cores")(
      "times-only", po::bool_switch(),
      "compute no values, as \"times_only\": true in the description")(
      "mpi", po::bool_switch(),
      "deal the runs to the processes that mpirun has started; the first one manages")(
      "json", po::bool_switch(), "print one JSON object at the end: where the table is, how many");
  command.run = run;
  return command;
}

}  // namespace

const Command& sweep_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
