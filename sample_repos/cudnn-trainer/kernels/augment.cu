// Built to a fatbin of its own, loaded at run time. Plain C name, no includes of the trainer.
#include <cuda_fp16.h>

#include <cstdint>

namespace {

constexpr int kSide = 32;
constexpr int kPad = 4;

// One round of a xorshift-multiply hash; good enough to pick offsets.
__device__ uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

}  // namespace

extern "C" __global__ void crop_flip(const uint8_t* in, __half* out, int pixels, uint32_t seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const int x = i % kSide;
  const int y = i / kSide % kSide;
  const int image = i / (kSide * kSide);

  int sx = x;
  int sy = y;
  if (seed != 0) {
    const uint32_t r = mix(seed + 0x9e3779b9u * image);
    sx += static_cast<int>(r & 7u) - kPad;
    sy += static_cast<int>((r >> 3) & 7u) - kPad;
    if ((r >> 31) & 1u) sx = kSide - 1 - sx;
  }
  const bool inside = sx >= 0 && sx < kSide && sy >= 0 && sy < kSide;
  const uint8_t* from = in + image * 3 * kSide * kSide;
  alignas(8) __half px[4] = {};
  for (int c = 0; c < 3 && inside; ++c) {
    px[c] = __float2half((from[(c * kSide + sy) * kSide + sx] - 120.f) / 63.f);
  }
  *reinterpret_cast<uint2*>(out + 4 * i) = *reinterpret_cast<uint2*>(px);
}
