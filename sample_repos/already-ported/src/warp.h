// Width of a warp (NVIDIA) or wavefront (AMD), masks of that width, and the primitives built on them.
#pragma once

#include "gpu_compat.h"

#include <cstdint>

namespace fieldkit {

#if defined(__HIP_PLATFORM_AMD__)

// 64 on CDNA and GCN, 32 on RDNA. The host must ask the device (Context::warp_size) and never use this.
#if defined(__GFX8__) || defined(__GFX9__)
constexpr int kWarpSize = 64;
#else
constexpr int kWarpSize = 32;
#endif
using LaneMask = uint64_t;
constexpr LaneMask kAllLanes = ~LaneMask(0);
constexpr int kMaxWarpsPerBlock = 1024 / 32;  // enough for the narrower of the two

template <typename T>
__device__ __forceinline__ T shuffle_down(T v, int delta) {
  return __shfl_down(v, delta);
}
template <typename T>
__device__ __forceinline__ T shuffle_up(T v, int delta) {
  return __shfl_up(v, delta);
}
__device__ __forceinline__ LaneMask ballot(bool p) { return __ballot(p); }
__device__ __forceinline__ int count_bits(LaneMask m) { return __popcll(m); }
__device__ __forceinline__ LaneMask lanes_below(int lane) { return (LaneMask(1) << lane) - 1; }

#else

constexpr int kWarpSize = 32;
using LaneMask = uint32_t;
constexpr LaneMask kAllLanes = 0xffffffffu;
constexpr int kMaxWarpsPerBlock = 1024 / 32;

template <typename T>
__device__ __forceinline__ T shuffle_down(T v, int delta) {
  return __shfl_down_sync(kAllLanes, v, delta);
}
template <typename T>
__device__ __forceinline__ T shuffle_up(T v, int delta) {
  return __shfl_up_sync(kAllLanes, v, delta);
}
__device__ __forceinline__ LaneMask ballot(bool p) { return __ballot_sync(kAllLanes, p); }
__device__ __forceinline__ int count_bits(LaneMask m) { return __popc(m); }
__device__ __forceinline__ LaneMask lanes_below(int lane) { return (1u << lane) - 1; }

#endif

__device__ __forceinline__ int lane_id() { return threadIdx.x % kWarpSize; }
__device__ __forceinline__ int warp_id() { return threadIdx.x / kWarpSize; }

}  // namespace fieldkit
