// What operators that reduce each row of a matrix do, and what lies in global memory for them.
#pragma once

#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon::row_wise {

using namespace AscendC;

struct Job {
  std::uint32_t rows, width;
  bool adds;       ///< a second matrix is added first, and the sum is a result
  bool normalise;  ///< by the root mean square, times gamma
  bool quantise;   ///< to int8, by the row's largest magnitude
  bool to_int4;    ///< instead, two to a byte

  static Job of(const Params& params);

  /// Bytes of a row of the result where it is quantised.
  std::uint32_t quantised_bytes() const { return to_int4 ? width / 2 : width; }
  /// Elements from a row in UB to the next: each begins on a DataBlock in every type.
  std::uint32_t pitch() const { return round_up(width, 32); }
};

inline Job Job::of(const Params& params) {
  const std::string operation = params.text("op", "");
  Job job{params.size("rows"), params.size("width"), false, false, false, false};
  job.adds = operation == "add_rms_norm_dynamic_quant";
  job.normalise = job.adds || operation == "rms_norm";
  job.quantise = job.adds || operation == "dynamic_quant";
  job.to_int4 = params.choice("to", {"int8", "int4"}) == "int4";
  if (job.to_int4 && job.width % 2 != 0) {
    throw std::invalid_argument("parameter width is " + std::to_string(job.width) +
                                ", to=int4 takes even ones, two to a byte");
  }
  if (!job.normalise && !job.quantise) {
    throw std::invalid_argument("parameter op is " + operation +
                                ", allowed are rms_norm, dynamic_quant and "
                                "add_rms_norm_dynamic_quant");
  }
  return job;
}

constexpr std::uint32_t inputs(const Job& job) {
  return job.adds ? 2 : 1;
}

/// What lies in global memory; those that a job has no use for are null.
template <class T>
struct Matrices {
  T *x, *x2, *sum, *out;
  std::int8_t* quantised;
  float *gamma, *scales;
  float* normalised;  ///< a row of each core
  T* gamma_of_x;      ///< gamma of wide rows, in the type of x
};

}  // namespace davsim::silicon::row_wise
