// Results whose places take weighted elements of the source along each dimension: resized images,
// means of windows, and the gradients of both.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/basic_operators/pooling.hpp"
#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

struct Tap {
  std::int64_t place;  ///< of the source
  double weight;
};
/// What each place of the result takes along one dimension.
using Taps = std::vector<std::vector<Tap>>;

/// How many places of the source a place of the result is: 1 / scale where there is a scale.
struct Resizing {
  std::int64_t from, to;
  double scale = 0;      ///< 0: by the sizes
  bool aligned = false;  ///< the first and the last places are those of the source

  double ratio() const;
  /// Where a place of the result is in the source.
  double source(std::int64_t place) const;
};

/// The nearest place; `centred`: to the middle of the place of the result.
Taps nearest_taps(const Resizing& resizing, bool centred);
Taps linear_taps(const Resizing& resizing);
Taps cubic_taps(const Resizing& resizing);
/// Means of as many windows as there are places, which cover the source.
Taps adaptive_taps(std::int64_t from, std::int64_t to);
/// The first place of such a window, and the one behind its last.
std::int64_t adaptive_begin(std::int64_t place, std::int64_t from, std::int64_t to);
std::int64_t adaptive_end(std::int64_t place, std::int64_t from, std::int64_t to);
/// Means of sliding windows; `divisor` is 0 for how many elements count, or else what the sum is
/// divided by.
Taps mean_taps(const Slide& slide, bool counts_padding, std::int64_t divisor);

/// out = the elements of the last dimensions as the taps have them, computed in double by the host.
/// `backward`: `self` has the gradients of the results, and `out` gets those of the sources. Types
/// and shapes are checked before.
void add_resampling(WorkList& work, const aclTensor& self, std::vector<Taps> dims, bool backward,
                    const aclTensor& out);

}  // namespace davsim::basic
