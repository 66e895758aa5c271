// Windows that slide over images, and their greatest elements and means by the cores.
#pragma once

#include <cstdint>

#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

/// One dimension of a window that slides over an image.
struct Slide {
  std::int64_t size, window, step, before, behind, dilation;
  std::int64_t places = 0;

  std::int64_t reach() const { return dilation * (window - 1) + 1; }

  /// Counts the places. `up`: the last one may begin inside the image and reach beyond its padding.
  /// Throws ApiError(161002) where there is none.
  void count(bool up);
  std::int64_t first(std::int64_t place) const { return place * step - before; }
};

struct Image {
  std::int64_t planes;
  Slide down, across;

  std::uint64_t plane_elements() const {
    return static_cast<std::uint64_t>(down.size * across.size);
  }
};

struct Pooling {
  Image image;
  bool greatest = false;        ///< else the mean
  bool counts_padding = false;  ///< for the mean
  std::int64_t divisor = 0;     ///< of the mean; 0: how many elements count
};

/// `to` = what the windows over `from` have, both of one type with elements that follow each other.
/// False where the kernel does not do: of double, or where UB has no room for a row of windows.
bool add_pooling(WorkList& work, const Pooling& pooling, const aclTensor& from,
                 const aclTensor& to);

}  // namespace davsim::basic
