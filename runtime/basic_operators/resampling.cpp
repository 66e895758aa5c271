#include "runtime/basic_operators/resampling.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/basic_operators/host_elements.hpp"
#include "runtime/basic_operators/views.hpp"

namespace davsim::basic {
namespace {

std::int64_t within(std::int64_t place, std::int64_t size) {
  return std::clamp<std::int64_t>(place, 0, size - 1);
}

/// The weight of a place in that distance, with the parameter -3/4 of cubic convolution.
double cubic_weight(double distance) {
  constexpr double kA = -0.75;
  const double d = std::fabs(distance);
  if (d <= 1) return ((kA + 2) * d - (kA + 3)) * d * d + 1;
  return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA;
}

/// One dimension of a resampling: the others are the outer and the inner ones.
struct Pass {
  std::int64_t outer, inner, source, result;
  const Taps& taps;

  std::vector<double> run(const std::vector<double>& from, bool backward) const {
    const std::int64_t size = backward ? source : result;
    std::vector<double> to(static_cast<std::size_t>(outer * size * inner));
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t place = 0; place < result; ++place) {
        for (const Tap& tap : taps[static_cast<std::size_t>(place)]) {
          const std::int64_t at_result = (o * result + place) * inner;
          const std::int64_t at_source = (o * source + tap.place) * inner;
          double* const target = to.data() + (backward ? at_source : at_result);
          const double* const origin = from.data() + (backward ? at_result : at_source);
          for (std::int64_t i = 0; i < inner; ++i) target[i] += tap.weight * origin[i];
        }
      }
    }
    return to;
  }
};

}  // namespace

double Resizing::ratio() const {
  if (aligned) {
    return to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0;
  }
  return scale > 0 ? 1 / scale : static_cast<double>(from) / static_cast<double>(to);
}

double Resizing::source(std::int64_t place) const {
  const auto at = static_cast<double>(place);
  return aligned ? ratio() * at : ratio() * (at + 0.5) - 0.5;
}

Taps nearest_taps(const Resizing& resizing, bool centred) {
  // Products are rounded to float, as the documented formula is computed elsewhere.
  const auto ratio = static_cast<float>(resizing.ratio());
  Taps taps;
  for (std::int64_t i = 0; i < resizing.to; ++i) {
    const float at = (static_cast<float>(i) + (centred ? 0.5F : 0)) * ratio;
    taps.push_back({{within(static_cast<std::int64_t>(std::floor(at)), resizing.from), 1}});
  }
  return taps;
}

Taps linear_taps(const Resizing& resizing) {
  Taps taps;
  for (std::int64_t i = 0; i < resizing.to; ++i) {
    const double at = std::max(resizing.source(i), 0.0);
    const std::int64_t first = within(static_cast<std::int64_t>(at), resizing.from);
    const double part = std::clamp(at - static_cast<double>(first), 0.0, 1.0);
    taps.push_back({{first, 1 - part}, {within(first + 1, resizing.from), part}});
  }
  return taps;
}

Taps cubic_taps(const Resizing& resizing) {
  Taps taps;
  for (std::int64_t i = 0; i < resizing.to; ++i) {
    const double at = resizing.source(i), first = std::floor(at);
    std::vector<Tap> of;
    for (std::int64_t step = -1; step <= 2; ++step) {
      const std::int64_t place = static_cast<std::int64_t>(first) + step;
      of.push_back({within(place, resizing.from), cubic_weight(at - static_cast<double>(place))});
    }
    taps.push_back(of);
  }
  return taps;
}

std::int64_t adaptive_begin(std::int64_t place, std::int64_t from, std::int64_t to) {
  return place * from / to;
}

std::int64_t adaptive_end(std::int64_t place, std::int64_t from, std::int64_t to) {
  return ((place + 1) * from + to - 1) / to;
}

Taps adaptive_taps(std::int64_t from, std::int64_t to) {
  Taps taps;
  for (std::int64_t i = 0; i < to; ++i) {
    const std::int64_t begin = adaptive_begin(i, from, to), end = adaptive_end(i, from, to);
    std::vector<Tap> of;
    for (std::int64_t place = begin; place < end; ++place) {
      of.push_back({place, 1 / static_cast<double>(end - begin)});
    }
    taps.push_back(of);
  }
  return taps;
}

Taps mean_taps(const Slide& slide, bool counts_padding, std::int64_t divisor) {
  Taps taps;
  for (std::int64_t i = 0; i < slide.places; ++i) {
    const std::int64_t begin = slide.first(i);
    const std::int64_t end = std::min(begin + slide.window, slide.size + slide.behind);
    const std::int64_t first = std::max<std::int64_t>(begin, 0), last = std::min(end, slide.size);
    const std::int64_t count = divisor != 0 ? divisor : counts_padding ? end - begin : last - first;
    std::vector<Tap> of;
    for (std::int64_t place = first; place < last; ++place) {
      of.push_back({place, 1 / static_cast<double>(count)});
    }
    taps.push_back(of);
  }
  return taps;
}

void add_resampling(WorkList& work, const aclTensor& self, std::vector<Taps> dims, bool backward,
                    const aclTensor& out) {
  if (out.IsEmpty()) return;
  const Numbers from_sizes = numbers_of(self.GetViewShape());
  const Numbers to_sizes = numbers_of(out.GetViewShape());
  Result result(work, out, out.GetDataType());
  work.add_task({&result.tensor()}, {as(work, self, self.GetDataType())},
                [dims = std::move(dims), from_sizes, to_sizes, backward](auto to, auto from) {
                  std::vector<double> values;
                  for (std::uint64_t i = 0; i < from[0].elements(); ++i) {
                    values.push_back(number_at(from[0], i));
                  }
                  Numbers sizes = from_sizes;
                  const std::size_t rank = sizes.size();
                  for (std::size_t d = 0; d < dims.size(); ++d) {
                    const std::size_t at = rank - dims.size() + d;
                    const std::int64_t source = backward ? to_sizes[at] : sizes[at];
                    const std::int64_t made = backward ? sizes[at] : to_sizes[at];
                    const Pass pass{product(sizes, 0, at), product(sizes, at + 1, rank), source,
                                    made, dims[d]};
                    values = pass.run(values, backward);
                    sizes[at] = to_sizes[at];
                  }
                  for (std::uint64_t i = 0; i < values.size(); ++i) {
                    set_number(to[0], i, values[i]);
                  }
                });
  result.finish();
}

}  // namespace davsim::basic
