// Velocity model to grid: the coarse model goes into a 3-D texture, whose filter does the interpolation.
#include <cuda_runtime.h>

#include "wavebox/gpu.hpp"
#include "wavebox/kernels.hpp"

namespace wavebox {
namespace {

__global__ void resample_kernel(Grid g, cudaTextureObject_t model, float3 scale, float dt, float* vdt2, int pitch,
                                size_t plane) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= g.nx || y >= g.ny) return;
  // Cell centres of the grid in the units of the model; texel centres lie at .5.
  const float v = tex3D<float>(model, (x + 0.5f) * scale.x, (y + 0.5f) * scale.y, (g.z_first + z + 0.5f) * scale.z);
  const float c = v * dt;
  vdt2[size_t(z + kRadius) * plane + size_t(y + kRadius) * pitch + x + kRadius] = c * c;
}

}  // namespace

void resample_model(const Grid& g, const float* model, int mx, int my, int mz, float dt, float* vdt2,
                    cudaStream_t s) {
  const cudaExtent extent = make_cudaExtent(mx, my, mz);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  WAVEBOX_CHECK(cudaMalloc3DArray(&array, &format, extent));

  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(model), mx * sizeof(float), mx, my);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  WAVEBOX_CHECK(cudaMemcpy3DAsync(&copy, s));

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture = {};
  for (auto& mode : texture.addressMode) mode = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModeLinear;
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t object = 0;
  WAVEBOX_CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));

  const dim3 block(32, 8);
  const dim3 grid((g.nx + block.x - 1) / block.x, (g.ny + block.y - 1) / block.y, g.nz);
  const float3 scale = make_float3(float(mx) / g.nx, float(my) / g.ny, float(mz) / g.nz_all);
  resample_kernel<<<grid, block, 0, s>>>(g, object, scale, dt, vdt2, g.pitch(), g.plane());
  WAVEBOX_CHECK(cudaGetLastError());
  WAVEBOX_CHECK(cudaStreamSynchronize(s));
  cudaDestroyTextureObject(object);
  cudaFreeArray(array);
}

}  // namespace wavebox
