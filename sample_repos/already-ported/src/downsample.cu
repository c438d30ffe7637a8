// Given by the imaging group as plain CUDA; they build it in their own tree, so it must stay free of our compat
// header. src/hip/downsample.hip is made from it, see scripts/hipify.sh.
#include <cuda_runtime.h>

__global__ void downsample_kernel(const float* __restrict__ in, float* __restrict__ out, int height, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width / 2 || y >= height / 2) return;
  const float* cell = in + (2 * y) * width + 2 * x;
  out[y * (width / 2) + x] = 0.25f * (cell[0] + cell[1] + cell[width] + cell[width + 1]);
}

extern "C" int downsample_launch(const float* in, float* out, int height, int width, void* stream) {
  const dim3 block(32, 8);
  const dim3 grid((width / 2 + block.x - 1) / block.x, (height / 2 + block.y - 1) / block.y);
  downsample_kernel<<<grid, block, 0, static_cast<cudaStream_t>(stream)>>>(in, out, height, width);
  return static_cast<int>(cudaGetLastError());
}
