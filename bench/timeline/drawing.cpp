#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "bench/timeline/timeline.hpp"
#include "traces/output/markup.hpp"

namespace davsim::timeline {
namespace {

constexpr double kWidth = 900, kRight = 40, kLeft = 70, kTop = 56, kLane = 6, kGap = 14;
/// Colours that people with colour-blindness can tell apart.
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000", "#8c564b"};

class Drawing {
 public:
  Drawing(std::ostream& out, const Timeline& timeline, std::string title)
      : out_(out),
        timeline_(timeline),
        title_(title.empty() ? timeline.kernel : std::move(title)) {}

  void draw() {
    for (const Lane& lane : timeline_.lanes) {
      for (const Stretch& stretch : lane.stretches) colour_of(stretch.work);
    }
    const double lanes = kTop + kLane * static_cast<double>(timeline_.lanes.size()) +
                         kGap * static_cast<double>(groups());
    const double height = lanes + 34 + 18 * std::ceil(static_cast<double>(colours_.size()) / 3);
    const std::string title = "What the cores do in " + traces::markup_escaped(title_);
    const double width = kLeft + kWidth + kRight;
    out_ << "<svg xmlns='http://www.w3.org/2000/svg' width='" << width << "' height='" << height
         << "' viewBox='0 0 " << width << ' ' << height
         << "' role='img' font-family='sans-serif' font-size='13'>\n<title>" << title
         << "</title>\n<rect width='100%' height='100%' fill='white'/>\n"
         << "<text x='" << kLeft << "' y='18' font-size='15' font-weight='bold'>" << title
         << "</text>\n<text x='" << kLeft << "' y='36'>" << timeline_.soc
         << ": a row is a core, a colour a kind of work; the paler, the more the core waits "
            "in between.</text>\n";
    draw_axis(lanes);
    draw_lanes();
    draw_legend(lanes + 42);
    out_ << "</svg>\n";
  }

 private:
  static std::pair<std::int64_t, bool> group_of(const Lane& lane) { return {lane.die, lane.cube}; }
  /// Cores of a kind on a die, with a gap behind them.
  std::size_t groups() const {
    std::set<std::pair<std::int64_t, bool>> seen;
    for (const Lane& lane : timeline_.lanes) seen.insert(group_of(lane));
    return seen.size();
  }

  double x_of(double us) const { return kLeft + us / timeline_.end * kWidth; }
  static double tenth(double pixels) { return std::round(pixels * 10) / 10; }

  const char* colour_of(const std::string& work) {
    const auto index = colours_.emplace(work, colours_.size()).first->second;
    return kColours[index % kColours.size()];
  }

  /// Ticks at 1, 2 or 5 times a power of ten.
  void draw_axis(double bottom) {
    double step = std::pow(10, std::floor(std::log10(timeline_.end / 5)));
    for (const double factor : {2.0, 2.5, 2.0}) {
      if (timeline_.end / step > 10) step *= factor;
    }
    for (double us = 0; us <= timeline_.end; us += step) {
      out_ << "<line x1='" << tenth(x_of(us)) << "' y1='" << kTop - 4 << "' x2='" << tenth(x_of(us))
           << "' y2='" << bottom << "' stroke='#ddd'/><text x='" << tenth(x_of(us)) << "' y='"
           << bottom + 16 << "' text-anchor='middle'>" << us << " µs</text>\n";
    }
  }

  /// The number of cores beside the first of them, below the number of the die.
  void label_group(const Lane& first, double y, bool new_die) {
    const auto cores =
        std::count_if(timeline_.lanes.begin(), timeline_.lanes.end(),
                      [&](const Lane& lane) { return group_of(lane) == group_of(first); });
    const bool name_die = new_die && timeline_.dies > 1;
    if (name_die) {
      out_ << "<text x='4' y='" << y + 11 << "' font-weight='bold'>die " << first.die
           << "</text>\n";
    }
    out_ << "<text x='4' y='" << y + (name_die ? 27 : 11) << "'>" << cores << ' '
         << (first.cube ? "AIC" : "AIV") << "</text>\n";
  }

  void draw_lanes() {
    double y = kTop;
    const Lane* before = nullptr;
    for (const Lane& lane : timeline_.lanes) {
      if (before == nullptr || group_of(*before) != group_of(lane)) {
        if (before != nullptr) y += kGap;
        label_group(lane, y, before == nullptr || before->die != lane.die);
      }
      before = &lane;
      for (const Stretch& stretch : lane.stretches) {
        const double width = x_of(stretch.end) - x_of(stretch.begin);
        const double share = stretch.busy / (stretch.end - stretch.begin);
        out_ << "<rect x='" << tenth(x_of(stretch.begin)) << "' y='" << y << "' width='"
             << tenth(std::max(width, 0.1)) << "' height='" << kLane - 1 << "' fill='"
             << colour_of(stretch.work) << "' fill-opacity='"
             << std::round((0.2 + 0.8 * share) * 100) / 100 << "'/>\n";
      }
      y += kLane;
    }
  }

  void draw_legend(double y) {
    for (const auto& [work, index] : colours_) {
      const double x = kLeft + kWidth / 3 * static_cast<double>(index % 3);
      const double line = y + 18 * static_cast<double>(index / 3);
      out_ << "<rect x='" << x << "' y='" << line - 10 << "' width='12' height='12' fill='"
           << kColours[index % kColours.size()] << "'/><text x='" << x + 18 << "' y='" << line
           << "'>" << work << "</text>\n";
    }
  }

  std::ostream& out_;
  const Timeline& timeline_;
  std::string title_;
  std::map<std::string, std::size_t> colours_;
};

}  // namespace

void write_svg(std::ostream& out, const Timeline& timeline, const std::string& title) {
  Drawing(out, timeline, title).draw();
}

}  // namespace davsim::timeline
