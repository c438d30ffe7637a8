#include "context.h"
#include "tuning.h"

namespace fieldkit {
namespace {

__global__ void transpose_kernel(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[tuning::kTile][tuning::kTile + 1];  // one column of padding against bank conflicts
  int x = blockIdx.x * tuning::kTile + threadIdx.x;
  const int y0 = blockIdx.y * tuning::kTile;
  for (int j = threadIdx.y; j < tuning::kTile; j += tuning::kTileRows) {
    if (x < cols && y0 + j < rows) tile[j][threadIdx.x] = in[size_t(y0 + j) * cols + x];
  }
  __syncthreads();
  x = y0 + threadIdx.x;
  const int out_y0 = blockIdx.x * tuning::kTile;
  for (int j = threadIdx.y; j < tuning::kTile; j += tuning::kTileRows) {
    if (x < rows && out_y0 + j < cols) out[size_t(out_y0 + j) * rows + x] = tile[threadIdx.x][j];
  }
}

}  // namespace

void transpose(const Field& in, Field& out, int rows, int cols) {
  if (in.size() != size_t(rows) * cols || out.size() != in.size()) throw std::invalid_argument("fieldkit: wrong shape");
  const dim3 block(tuning::kTile, tuning::kTileRows);
  const dim3 grid((cols + tuning::kTile - 1) / tuning::kTile, (rows + tuning::kTile - 1) / tuning::kTile);
  transpose_kernel<<<grid, block, 0, in.context().impl()->stream>>>(in.data(), out.data(), rows, cols);
  check(cudaGetLastError(), "transpose");
}

}  // namespace fieldkit
