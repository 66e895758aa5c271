// The scatter plot of docs/silicon.md: an SVG of its own, drawn from the rows.
#include <array>
#include <cmath>
#include <map>

#include "bench/silicon/report.hpp"

namespace davsim::silicon {
namespace {

constexpr double kSize = 640, kMargin = 60;
/// Range of both axes in microseconds, as powers of ten.
constexpr int kLow = 0, kHigh = 6;
/// Colours that people with colour-blindness can tell apart.
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000", "#8c564b"};

/// Place of a time on an axis, in pixels from its low end.
double place(double us) {
  return (std::log10(us) - kLow) / (kHigh - kLow) * (kSize - 2 * kMargin);
}
double x_of(double us) {
  return kMargin + place(us);
}
double y_of(double us) {
  return kSize - kMargin - place(us);
}

void line(std::ostream& out, double x1, double y1, double x2, double y2, const char* style) {
  out << "<line x1='" << x1 << "' y1='" << y1 << "' x2='" << x2 << "' y2='" << y2 << "' " << style
      << "/>\n";
}

void write_axes(std::ostream& out) {
  const double low = std::pow(10, kLow), high = std::pow(10, kHigh);
  for (int power = kLow; power <= kHigh; ++power) {
    const double us = std::pow(10, power);
    line(out, x_of(us), y_of(low), x_of(us), y_of(high), "stroke='#ddd'");
    line(out, x_of(low), y_of(us), x_of(high), y_of(us), "stroke='#ddd'");
    out << "<text x='" << x_of(us) << "' y='" << kSize - kMargin + 18 << "' text-anchor='middle'>"
        << us << "</text>\n<text x='" << kMargin - 6 << "' y='" << y_of(us) + 4
        << "' text-anchor='end'>" << us << "</text>\n";
  }
  line(out, x_of(low), y_of(low), x_of(high), y_of(high), "stroke='#888'");
  for (const double factor : {0.75, 1.25}) {
    line(out, x_of(low / std::min(factor, 1.0)), y_of(low * std::max(factor, 1.0)),
         x_of(high / std::max(factor, 1.0)), y_of(high * std::min(factor, 1.0)),
         "stroke='#888' stroke-dasharray='4 4'");
  }
  out << "<text x='" << kSize / 2 << "' y='" << kSize - 12
      << "' text-anchor='middle'>measured latency, us</text>\n"
      << "<text transform='translate(16," << kSize / 2
      << ") rotate(-90)' text-anchor='middle'>simulated latency, us</text>\n";
}

constexpr const char* kTitle =
    "<title>Simulated over measured latencies</title>\n"
    "<text x='60' y='30' font-size='15' font-weight='bold'>Simulated over measured latencies, a "
    "circle a row</text>\n";

}  // namespace

void write_scatter(std::ostream& out, const std::vector<Compared>& rows) {
  out << "<svg xmlns='http://www.w3.org/2000/svg' width='" << kSize + 200 << "' height='" << kSize
      << "' font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' "
         "fill='white'/>\n"
      << kTitle;
  write_axes(out);
  std::map<std::string, std::size_t> families;
  for (const Compared& row : rows) {
    const Measurement& m = row.measurement;
    if (m.kind == Kind::kOmitted || m.quantity != "latency_us" || !row.error.empty()) continue;
    const std::size_t family = families.emplace(m.family, families.size()).first->second;
    const char* colour = kColours[family % kColours.size()];
    out << "<circle cx='" << x_of(m.value) << "' cy='" << y_of(row.simulated) << "' r='3.5' "
        << (m.kind == Kind::kRebuild ? "fill='" : "fill='none' stroke='") << colour << "'><title>"
        << m.id << "</title></circle>\n";
  }
  double y = kMargin;
  for (const auto& [name, index] : families) {
    out << "<circle cx='" << kSize << "' cy='" << y << "' r='5' fill='"
        << kColours[index % kColours.size()] << "'/><text x='" << kSize + 12 << "' y='" << y + 4
        << "'>" << name << "</text>\n";
    y += 20;
  }
  out << "<text x='" << kSize - 6 << "' y='" << y + 10
      << "'>filled: rebuilt kernel</text>\n<text x='" << kSize - 6 << "' y='" << y + 28
      << "'>open: kernel of ours</text>\n</svg>\n";
}

}  // namespace davsim::silicon
