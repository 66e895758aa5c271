#include "cli/system_picture.hpp"

#include <algorithm>
#include <vector>

#include "cli/table.hpp"
#include "traces/output/markup.hpp"

namespace davsim::cli {
namespace {

constexpr double kDieWidth = 52, kDieHeight = 34, kGap = 14, kTitle = 34, kSwitch = 16;
/// Boxes that are drawn of a longer row, before the last one.
constexpr std::uint32_t kDrawn = 1;
/// So many boxes of the outermost class are drawn without leaving any out.
constexpr std::uint32_t kMostOutermost = 8;

std::string number(double value) {
  return fixed(value, 1);
}
std::string text(double x, double y, const std::string& words, const char* anchor, int size) {
  return "<text x='" + number(x) + "' y='" + number(y) + "' font-size='" + std::to_string(size) +
         "' text-anchor='" + anchor + "'>" + words + "</text>\n";
}
std::string box(double x, double y, double width, double height, const char* fill) {
  return "<rect x='" + number(x) + "' y='" + number(y) + "' width='" + number(width) +
         "' height='" + number(height) + "' rx='5' fill='" + fill + "' stroke='#444'/>\n";
}
std::string line(double x1, double y1, double x2, double y2) {
  return "<line x1='" + number(x1) + "' y1='" + number(y1) + "' x2='" + number(x2) + "' y2='" +
         number(y2) + "' stroke='#2060a0'/>\n";
}

/// A part of the picture, to be moved to its place.
struct Drawn {
  double width = 0, height = 0;
  std::string shapes;
};
std::string moved(const Drawn& part, double x, double y) {
  return "<g transform='translate(" + number(x) + "," + number(y) + ")'>\n" + part.shapes +
         "</g>\n";
}

class Picture {
 public:
  explicit Picture(const sim::SystemConfig& system) : system_(system), links_(system.links()) {
    std::erase_if(links_, [&](const sim::LinkClass& link) { return used(link) < 2; });
    // Classes beyond the dies of a smaller system connect nothing.
    while (links_.size() > 1 && used(links_[links_.size() - 2]) == system.dies()) links_.pop_back();
  }

  std::string document() const {
    const Drawn all = group(static_cast<int>(links_.size()) - 1, 0);
    const std::string title = traces::markup_escaped(
        system_.name() + ": " + std::to_string(system_.dies()) + " dies of " + system_.soc());
    const double width = std::max(all.width + 2 * kGap, 420.0), height = all.height + 2 * kGap + 24;
    return "<svg xmlns='http://www.w3.org/2000/svg' width='" + number(width) + "' height='" +
           number(height) + "' viewBox='0 0 " + number(width) + " " + number(height) +
           "' font-family='sans-serif' role='img'>\n<title>" + title +
           "</title>\n<rect width='100%' height='100%' fill='white'/>\n" +
           text(kGap, 22, title, "start", 15) + moved(all, kGap, kGap + 22) + "</svg>\n";
  }

 private:
  std::uint32_t used(const sim::LinkClass& link) const {
    return std::min(link.within, system_.dies());
  }

  Drawn die(std::uint32_t number_of) const {
    return {kDieWidth, kDieHeight,
            box(0, 0, kDieWidth, kDieHeight, "#e8f0e0") + text(kDieWidth / 2, kDieHeight / 2 + 4,
                                                               "die " + std::to_string(number_of),
                                                               "middle", 11)};
  }

  std::string title(const sim::LinkClass& link) const {
    std::string words = link.name + ": " + fixed(link.bytes_per_second / 1e9, 1) + " GB/s ";
    words += link.port_for_each_peer ? "for each pair" : "a die";
    if (link.port != link.name) words += " (port " + link.port + ")";
    return words + ", write " + fixed(link.write_seconds * 1e6, 2) + " us";
  }

  /// The dies from `first` on that class `level` links; -1: a die.
  Drawn group(int level, std::uint32_t first) const {
    if (level < 0) return die(first);
    const sim::LinkClass& link = links_[static_cast<std::size_t>(level)];
    const std::uint32_t each = level == 0 ? 1 : used(links_[static_cast<std::size_t>(level - 1)]);
    const std::uint32_t count = (used(link) + each - 1) / each;
    const bool outermost = level + 1 == static_cast<int>(links_.size());
    const bool all = count <= (outermost ? kMostOutermost : kDrawn + 1);
    std::vector<std::uint32_t> shown;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (all || i < kDrawn || i + 1 == count) shown.push_back(i);
    }
    // The figures of a class stand in its first box.
    const std::string words = traces::markup_escaped(first == 0 ? title(link) : link.name);
    const double top =
        kTitle + (link.port_for_each_peer ? links_height(shown.size()) : kSwitch + 22);
    double x = kGap, height = 0;
    std::string shapes;
    std::vector<double> middles;
    for (const std::uint32_t i : shown) {
      if (!all && i + 1 == count) {
        shapes += text(x + 16, top + 24, "... " + std::to_string(count), "middle", 12);
        x += 56;
      }
      const Drawn part = group(level - 1, first + i * each);
      shapes += moved(part, x, top);
      middles.push_back(x + part.width / 2);
      height = std::max(height, part.height);
      x += part.width + kGap;
    }
    const double width = std::max(x, 7.0 * static_cast<double>(words.size()) + 2 * kGap);
    const std::string frame =
        box(0, 0, width, top + height + kGap, "#fafafa") + text(kGap, 20, words, "start", 12);
    shapes += link.port_for_each_peer ? mesh(middles, top) : switches(middles, top);
    return {width, top + height + kGap, frame + shapes};
  }

  static double links_height(std::size_t parts) { return parts > 2 ? 44 : 18; }

  /// An arc between each two boxes.
  static std::string mesh(const std::vector<double>& middles, double top) {
    std::string shapes;
    const double room = links_height(middles.size());
    for (std::size_t i = 0; i < middles.size(); ++i) {
      for (std::size_t j = i + 1; j < middles.size(); ++j) {
        const double rise = room * 1.7 * static_cast<double>(j - i) /
                            static_cast<double>(std::max<std::size_t>(middles.size() - 1, 1));
        shapes += "<path d='M" + number(middles[i]) + " " + number(top) + " Q" +
                  number((middles[i] + middles[j]) / 2) + " " + number(top - rise) + " " +
                  number(middles[j]) + " " + number(top) + "' fill='none' stroke='#2060a0'/>\n";
      }
    }
    return shapes;
  }
  /// A bar over the boxes, and a line to each.
  static std::string switches(const std::vector<double>& middles, double top) {
    std::string shapes = box(middles.front() - 20, top - 22 - kSwitch,
                             middles.back() - middles.front() + 40, kSwitch, "#dce8f6");
    shapes += text((middles.front() + middles.back()) / 2, top - 26, "switches", "middle", 10);
    for (const double middle : middles) shapes += line(middle, top - 22, middle, top);
    return shapes;
  }

  const sim::SystemConfig& system_;
  std::vector<sim::LinkClass> links_;
};

}  // namespace

std::string system_picture(const sim::SystemConfig& system) {
  return Picture(system).document();
}

}  // namespace davsim::cli
