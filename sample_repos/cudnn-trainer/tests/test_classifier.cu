// The three products on small integers, which fp16 holds exactly.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "classifier.hpp"

namespace {

constexpr int kN = 64, kFeatures = 128, kClasses = 16;

__half* device_matrix(int rows, int cols, int seed) {
  std::vector<__half> host(rows * cols);
  for (int i = 0; i < rows * cols; ++i) host[i] = __float2half(float((i * 7 + seed) % 5 - 2));
  __half* p = nullptr;
  cudaMalloc(&p, host.size() * sizeof(__half));
  cudaMemcpy(p, host.data(), host.size() * sizeof(__half), cudaMemcpyHostToDevice);
  return p;
}

float value(int cols, int seed, int r, int c) { return float(((r * cols + c) * 7 + seed) % 5 - 2); }

}  // namespace

int main() {
  const __half* x = device_matrix(kN, kFeatures, 1);
  const __half* w = device_matrix(kClasses, kFeatures, 3);
  __half* logits = device_matrix(kN, kClasses, 0);
  if (!ct::classifier_forward(x, w, logits, kN, kFeatures, kClasses, nullptr)) return 2;
  std::vector<__half> got(kN * kClasses);
  cudaMemcpy(got.data(), logits, got.size() * sizeof(__half), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < kN; ++i) {
    for (int j = 0; j < kClasses; ++j) {
      float want = 0.f;
      for (int k = 0; k < kFeatures; ++k) want += value(kFeatures, 1, i, k) * value(kFeatures, 3, j, k);
      bad += __half2float(got[i * kClasses + j]) != want;
    }
  }
  __half* dx = device_matrix(kN, kFeatures, 0);
  __half* dw = device_matrix(kClasses, kFeatures, 0);
  bad += !ct::classifier_dgrad(logits, w, dx, kN, kFeatures, kClasses, nullptr);
  bad += !ct::classifier_wgrad(logits, x, dw, kN, kFeatures, kClasses, nullptr);
  std::printf(bad ? "%d wrong\n" : "ok\n", bad);
  return bad ? 1 : 0;
}
