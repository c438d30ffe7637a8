// Two steps: one partial result per block on the device, the rest on the host.
#include "context.h"
#include "tuning.h"
#include "warp.h"

namespace fieldkit {
namespace {

struct Sum {
  static __device__ float identity() { return 0.f; }
  static __device__ float load(float v) { return v; }
  static __device__ float join(float a, float b) { return a + b; }
};

struct MaxAbs {
  static __device__ float identity() { return 0.f; }
  static __device__ float load(float v) { return fabsf(v); }
  static __device__ float join(float a, float b) { return fmaxf(a, b); }
};

template <typename Op>
__device__ float warp_reduce(float v) {
  for (int delta = kWarpSize / 2; delta > 0; delta /= 2) v = Op::join(v, shuffle_down(v, delta));
  return v;
}

template <typename Op>
__global__ void reduce_kernel(const float* __restrict__ x, float* __restrict__ partials, size_t n) {
  __shared__ float per_warp[kMaxWarpsPerBlock];
  float v = Op::identity();
  const size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) v = Op::join(v, Op::load(x[i]));
  v = warp_reduce<Op>(v);
  if (lane_id() == 0) per_warp[warp_id()] = v;
  __syncthreads();
  if (warp_id() != 0) return;
  const int warps = blockDim.x / kWarpSize;
  v = lane_id() < warps ? per_warp[lane_id()] : Op::identity();
  v = warp_reduce<Op>(v);
  if (threadIdx.x == 0) partials[blockIdx.x] = v;
}

template <typename Op>
std::vector<float> partials(const Field& x) {
  Context::Impl* impl = x.context().impl();
  const size_t wanted = (x.size() + tuning::kReduceBlock - 1) / tuning::kReduceBlock;
  const unsigned blocks = unsigned(wanted < kMaxPartials ? (wanted ? wanted : 1) : kMaxPartials);
  reduce_kernel<Op><<<blocks, tuning::kReduceBlock, 0, impl->stream>>>(x.data(), impl->scratch, x.size());
  check(cudaGetLastError(), "reduce");
  check(cudaMemcpyAsync(impl->host_scratch, impl->scratch, blocks * sizeof(float), cudaMemcpyDeviceToHost,
                        impl->stream),
        "fetching partial results");
  check(cudaStreamSynchronize(impl->stream), "reduce");
  return std::vector<float>(impl->host_scratch, impl->host_scratch + blocks);
}

}  // namespace

double sum(const Field& x) {
  double total = 0;
  for (float p : partials<Sum>(x)) total += p;
  return total;
}

float max_abs(const Field& x) {
  float top = 0;
  for (float p : partials<MaxAbs>(x)) top = p > top ? p : top;
  return top;
}

}  // namespace fieldkit
