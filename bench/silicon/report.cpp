#include "bench/silicon/report.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "traces/output/csv.hpp"

namespace davsim::silicon {
namespace {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string percent(double share) {
  return fixed(100 * share, 1) + " %";
}

/// Three significant digits or more, never an exponent.
std::string figure(double value) {
  if (value >= 100) return fixed(value, 1);
  return fixed(value, value >= 1 ? 2 : 3);
}

void write_summary(std::ostream& out, const std::vector<Compared>& rows) {
  out << "| family | kernels | quantity | rows | geometric mean error | median error | "
         "90th percentile | rank correlation |\n|---|---|---|---|---|---|---|---|\n";
  for (const Group& group : groups_of(rows)) {
    const Summary s = summarise(group.rows);
    if (s.rows == 0) continue;
    out << "| " << group.family << " | " << kind_name(group.kind) << " | " << group.quantities
        << " | " << s.rows << " | " << percent(s.geometric_mean_error) << " | "
        << percent(s.median_error) << " | " << percent(s.percentile_90) << " | "
        << (s.rows > 1 ? fixed(s.rank_correlation, 3) : "-") << " |\n";
  }
}

void write_bars(std::ostream& out, const std::vector<Compared>& rows) {
  out << "| bar | limit | now | |\n|---|---|---|---|\n";
  for (const Bar& bar : bars_of(rows)) {
    const bool rank = bar.at_least;
    out << "| " << bar.what << " | " << (rank ? "at least " : "at most ")
        << (rank ? fixed(bar.limit, 2) : percent(bar.limit)) << " | "
        << (rank ? fixed(bar.value, 3) : percent(bar.value)) << " | "
        << (bar.holds() ? "holds" : "missed") << " |\n";
  }
}

void write_rows(std::ostream& out, const std::vector<Compared>& rows) {
  out << "| measurement | SoC | kernel | L2 | quantity | measured | simulated | ratio | |\n"
         "|---|---|---|---|---|---|---|---|---|\n";
  for (const Compared& row : rows) {
    const Measurement& m = row.measurement;
    if (m.kind == Kind::kOmitted || !row.error.empty()) continue;
    out << "| " << m.id << " | " << m.soc << " | " << m.kernel << " " << m.parameters << " | "
        << (m.warm ? "warm" : "cold") << " | " << m.quantity << " | " << figure(m.value) << " | "
        << figure(row.simulated) << " | " << fixed(row.ratio(), 2) << " | " << kind_name(m.kind)
        << " |\n";
  }
}

void write_omitted(std::ostream& out, const std::vector<Compared>& rows) {
  std::map<std::string, std::string> by_reason;
  for (const Compared& row : rows) {
    const bool failed = !row.error.empty();
    if (row.measurement.kind != Kind::kOmitted && !failed) continue;
    std::string& ids = by_reason[failed ? "the run failed: " + row.error : row.measurement.note];
    ids += (ids.empty() ? "" : ", ") + row.measurement.id;
  }
  out << "| reason | measurements |\n|---|---|\n";
  for (const auto& [reason, ids] : by_reason) out << "| " << reason << " | " << ids << " |\n";
}

/// Which measurements were simulated through which calls of the high-level API.
void write_high_level(std::ostream& out, const std::vector<Compared>& rows) {
  std::map<std::string, std::string> by_calls;
  for (const Compared& row : rows) {
    if (row.high_level.empty()) continue;
    std::string& ids = by_calls[row.high_level];
    ids += (ids.empty() ? "" : ", ") + row.measurement.id;
  }
  if (by_calls.empty()) return;
  out << "\n## By the high-level API\n\nAll other rows are by basic calls.\n\n"
         "| calls | measurements |\n|---|---|\n";
  for (const auto& [calls, ids] : by_calls) out << "| " << calls << " | " << ids << " |\n";
}

/// What a group's error is, and how many of its runs failed.
std::string error_of(const Group& group) {
  const Summary s = summarise(group.rows);
  const std::size_t failed = group.rows.size() - s.rows;
  if (s.rows == 0) return "refused";
  const std::string error = percent(s.geometric_mean_error);
  if (failed == 0) return error;
  return error + " (" + std::to_string(failed) + " of " + std::to_string(group.rows.size()) +
         " failed)";
}

/// The first error of each change of a constant that made a run fail.
void write_failures(std::ostream& out, const std::vector<Sensitivity>& moved) {
  bool any = false;
  for (const Sensitivity& s : moved) {
    const std::string error = s.first_error();
    if (error.empty()) continue;
    if (!any) out << "\nChanges with which runs failed:\n\n";
    any = true;
    out << "* `" << s.constant << "` x " << fixed(s.factor, 2) << ": " << error << '\n';
  }
}

}  // namespace

std::string Sensitivity::first_error() const {
  for (const Group& group : groups) {
    for (const Compared& row : group.rows) {
      if (!row.error.empty()) return row.error;
    }
  }
  return "";
}

bool Sensitivity::refused() const {
  return std::all_of(groups.begin(), groups.end(),
                     [](const Group& group) { return summarise(group.rows).rows == 0; });
}

void write_page(std::ostream& out, const std::vector<Compared>& rows, const std::string& name) {
  out << "# Simulated against measured\n"
         "\n"
         "Written by `./dev silicon`. [timing-model.md](timing-model.md) describes the model, "
         "[silicon-kernels.md](silicon-kernels.md) the kernels.\n"
         "\n"
         "A *rebuild* is the measured kernel itself, whose structure is public. *Ours* is a kernel "
         "of ours that does the work of a vendor's kernel\n"
         "whose structure is not public. The error of a row is |simulated / measured - 1|. A time "
         "below 10 us that differs by at most 2 us counts as\n"
         "right. The measurements are published ones; `bench/silicon/` holds them. Other pages: "
         "[one die](silicon.md), [several dies](silicon_comm.md).\n"
         "\n"
         "## Bars\n"
         "\n";
  write_bars(out, rows);
  out << "\n## Families\n\n";
  write_summary(out, rows);
  out << "\n![Simulated over measured latencies](" << name << ".svg)\n\n## Rows\n\n";
  write_rows(out, rows);
  write_high_level(out, rows);
  out << "\n## Left out\n\n";
  write_omitted(out, rows);
}

void write_csv(std::ostream& out, const std::vector<Compared>& rows) {
  out << "id,family,kind,soc,kernel,parameters,l2,quantity,measured,simulated,ratio,note\n";
  for (const Compared& row : rows) {
    const Measurement& m = row.measurement;
    const bool compared = m.kind != Kind::kOmitted && row.error.empty();
    out << m.id << ',' << m.family << ',' << kind_name(m.kind) << ',' << m.soc << ',' << m.kernel
        << ',' << traces::csv_field(m.parameters) << ',' << (m.warm ? "warm" : "cold") << ','
        << m.quantity << ',' << (compared ? figure(m.value) : "") << ','
        << (compared ? figure(row.simulated) : "") << ',' << (compared ? fixed(row.ratio(), 3) : "")
        << ',' << traces::csv_field(row.error.empty() ? m.note : row.error) << '\n';
  }
}

void write_sensitivities(std::ostream& out, const std::vector<Group>& base,
                         const std::vector<Sensitivity>& moved) {
  out << "| constant | factor |";
  for (const Group& g : base)
    out << ' ' << g.family << ", " << kind_name(g.kind) << ", " << g.quantities << " |";
  out << "\n|---|---|";
  for (std::size_t i = 0; i < base.size(); ++i) out << "---|";
  out << "\n| (as it is) | 1 |";
  for (const Group& g : base) out << ' ' << percent(summarise(g.rows).geometric_mean_error) << " |";
  for (const Sensitivity& s : moved) {
    out << "\n| " << s.constant << " | " << fixed(s.factor, 2) << " |";
    for (const Group& g : s.groups) out << ' ' << error_of(g) << " |";
  }
  out << '\n';
  write_failures(out, moved);
}

}  // namespace davsim::silicon
