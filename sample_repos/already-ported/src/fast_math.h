// Approximate reciprocal square root without denormals, one instruction on either side.
#pragma once

#include "gpu_compat.h"

namespace fieldkit {

__device__ __forceinline__ float fast_rsqrt(float x) {
#if defined(__HIP_PLATFORM_AMD__)
  return __builtin_amdgcn_rsqf(x);
#else
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#endif
}

}  // namespace fieldkit
