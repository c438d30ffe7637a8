// Optimiser and loss against the host.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "kernels.h"

namespace {

int failures = 0;

void near(double got, double want, double tol, const char* what) {
  if (std::fabs(got - want) <= tol) return;
  std::printf("%s: got %g, want %g\n", what, got, want);
  ++failures;
}

template <typename T>
T* on_device(const std::vector<T>& host) {
  T* p = nullptr;
  cudaMalloc(&p, host.size() * sizeof(T));
  cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

template <typename T>
std::vector<T> on_host(const T* p, std::size_t n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}

void test_sgd() {
  const int n = 1003;
  std::vector<float> master(n, 1.f), velocity(n, 0.5f);
  std::vector<__half> weight(n), grad(n, __float2half(64.f));
  grad[7] = __float2half(INFINITY);
  float* m = on_device(master);
  float* v = on_device(velocity);
  __half* w = on_device(weight);
  ct::sgd(m, v, w, on_device(grad), n, {0.1f, 0.9f, 0.f, 64.f}, nullptr);
  const auto got = on_host(m, n);
  near(got[0], 1.0 - 0.1 * (0.9 * 0.5 + 1.0), 1e-6, "sgd");
  near(got[n - 1], got[0], 0.0, "sgd, last element");
  near(got[7], 1.0, 0.0, "sgd, overflowed gradient");
}

void test_loss() {
  const int rows = 33, classes = 10, stride = 16;
  std::vector<__half> logits(rows * stride);
  for (int i = 0; i < rows * stride; ++i) logits[i] = __float2half((i * 37 % 101) / 25.f);
  std::vector<std::uint8_t> labels(rows);
  for (int r = 0; r < rows; ++r) labels[r] = r % classes;
  float* loss = on_device(std::vector<float>{0.f});
  int* hits = on_device(std::vector<int>{0});
  __half* grad = on_device(std::vector<__half>(rows * stride));
  ct::softmax_loss(on_device(logits), on_device(labels), grad, loss, hits, rows, classes, stride, 33.f, nullptr);

  double want = 0.0;
  for (int r = 0; r < rows; ++r) {
    double total = 0.0;
    for (int c = 0; c < classes; ++c) total += std::exp(double(__half2float(logits[r * stride + c])));
    want += std::log(total) - __half2float(logits[r * stride + labels[r]]);
  }
  near(on_host(loss, 1)[0], want, 1e-3, "loss");
  const auto g = on_host(grad, rows * stride);
  double sum = 0.0;
  for (int c = 0; c < stride; ++c) sum += __half2float(g[c]);
  near(sum, 0.0, 1e-2, "gradients of a row");
}

}  // namespace

int main() {
  test_sgd();
  test_loss();
  std::printf(failures ? "%d failures\n" : "ok\n", failures);
  return failures ? 1 : 0;
}
