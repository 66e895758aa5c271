// What every header here begins with: names that sources for a newer torch use.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/DeviceType.h>
#include <torch/version.h>

#define C10_NPU_API
#define TORCH_NPU_API

#if TORCH_VERSION_MAJOR < 2
// Tensors of torch 1.13 have one accessor of their data.
#define mutable_data_ptr data_ptr
#define const_data_ptr data_ptr
#endif
