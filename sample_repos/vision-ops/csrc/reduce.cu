// Reductions: one block per output row, two passes at most, all through block_sum and block_max.
#include "vision_ops.h"
#include "warp_reduce.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kStatsThreads = 512;  // channel_stats reads the most per block

// Mean and biased variance of each channel over the batch and all pixels (for calibration of BN folding).
__global__ void __launch_bounds__(kStatsThreads)
    channel_stats_kernel(const float* __restrict__ x, float* __restrict__ mean, float* __restrict__ var, int batch,
                         int channels, int pixels) {
  const int c = blockIdx.x;
  float sum = 0.f;
  for (int n = 0; n < batch; ++n) {
    const float* plane = x + (static_cast<size_t>(n) * channels + c) * pixels;
    for (int i = threadIdx.x; i < pixels; i += blockDim.x) sum += plane[i];
  }
  const float count = static_cast<float>(batch) * static_cast<float>(pixels);
  const float mu = vops::block_sum(sum) / count;

  float sq = 0.f;
  for (int n = 0; n < batch; ++n) {
    const float* plane = x + (static_cast<size_t>(n) * channels + c) * pixels;
    for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
      const float d = plane[i] - mu;
      sq += d * d;
    }
  }
  const float v = vops::block_sum(sq) / count;
  if (threadIdx.x == 0) {
    mean[c] = mu;
    var[c] = v;
  }
}

// Embedding heads: y = x / max(|x|, eps), row by row.
__global__ void row_l2_normalize_kernel(const float* __restrict__ x, float* __restrict__ y, int cols, float eps) {
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float sq = 0.f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) sq += row[i] * row[i];
  const float norm = sqrtf(vops::block_sum(sq));
  const float scale = 1.f / fmaxf(norm, eps);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[static_cast<size_t>(blockIdx.x) * cols + i] = row[i] * scale;
}

// Expected keypoint position under softmax(beta * heat), one heat map per block. Output in pixels.
__global__ void soft_argmax2d_kernel(const float* __restrict__ heat, float* __restrict__ xy, int height, int width,
                                     float beta) {
  const int pixels = height * width;
  const float* map = heat + static_cast<size_t>(blockIdx.x) * pixels;
  float top = -3.4e38f;
  for (int i = threadIdx.x; i < pixels; i += blockDim.x) top = fmaxf(top, map[i]);
  top = vops::block_max(top);

  float mass = 0.f, sx = 0.f, sy = 0.f;
  for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
    const float w = __expf(beta * (map[i] - top));
    mass += w;
    sx += w * static_cast<float>(i % width);
    sy += w * static_cast<float>(i / width);
  }
  mass = vops::block_sum(mass);
  sx = vops::block_sum(sx);
  sy = vops::block_sum(sy);
  if (threadIdx.x == 0) {
    xy[2 * blockIdx.x] = sx / mass;
    xy[2 * blockIdx.x + 1] = sy / mass;
  }
}

// Three sums per map for the Dice score: intersection, prediction, target.
__global__ void dice_sums_kernel(const float* __restrict__ pred, const float* __restrict__ target,
                                 float* __restrict__ sums, int pixels) {
  const size_t base = static_cast<size_t>(blockIdx.x) * pixels;
  float both = 0.f, p_sum = 0.f, t_sum = 0.f;
  for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
    const float p = pred[base + i];
    const float t = target[base + i];
    both += p * t;
    p_sum += p;
    t_sum += t;
  }
  both = vops::block_sum(both);
  p_sum = vops::block_sum(p_sum);
  t_sum = vops::block_sum(t_sum);
  if (threadIdx.x == 0) {
    sums[3 * blockIdx.x] = both;
    sums[3 * blockIdx.x + 1] = p_sum;
    sums[3 * blockIdx.x + 2] = t_sum;
  }
}

}  // namespace

cudaError_t vops_channel_stats(const float* x, float* mean, float* var, int batch, int channels, int pixels,
                               cudaStream_t stream) {
  channel_stats_kernel<<<channels, kStatsThreads, 0, stream>>>(x, mean, var, batch, channels, pixels);
  return cudaGetLastError();
}

cudaError_t vops_row_l2_normalize(const float* x, float* y, int rows, int cols, float eps, cudaStream_t stream) {
  row_l2_normalize_kernel<<<rows, kThreads, 0, stream>>>(x, y, cols, eps);
  return cudaGetLastError();
}

cudaError_t vops_soft_argmax2d(const float* heat, float* xy, int maps, int height, int width, float beta,
                               cudaStream_t stream) {
  soft_argmax2d_kernel<<<maps, kThreads, 0, stream>>>(heat, xy, height, width, beta);
  return cudaGetLastError();
}

cudaError_t vops_dice_sums(const float* pred, const float* target, float* sums, int maps, int pixels,
                           cudaStream_t stream) {
  dice_sums_kernel<<<maps, kThreads, 0, stream>>>(pred, target, sums, pixels);
  return cudaGetLastError();
}
