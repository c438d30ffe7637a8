#pragma once

#include "../include/fieldkit/fieldkit.h"
#include "gpu_compat.h"

namespace fieldkit {

struct Context::Impl {
  int device = 0;
  int warp_size = 0;
  cudaStream_t stream = nullptr;
  float* scratch = nullptr;       // partial results of reductions, on the device
  float* host_scratch = nullptr;  // pinned
};

constexpr int kMaxPartials = 1024;

}  // namespace fieldkit
