// The kernels against loops on the host. No framework: prints what is wrong and returns 1.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "wavebox/gpu.hpp"
#include "wavebox/kernels.hpp"

using namespace wavebox;

namespace {

int failures = 0;

void expect_near(double got, double want, double tol, const char* what) {
  if (std::fabs(got - want) <= tol * (1.0 + std::fabs(want))) return;
  std::printf("%s: got %g, want %g\n", what, got, want);
  ++failures;
}

__global__ void fill_kernel(float* f, size_t n) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) f[i] = 0.001f * float((i * 2654435761u) % 1999u) - 1.f;
}

Grid odd_grid() {
  Grid g;
  g.nx = 45;  // on purpose no multiple of any tile
  g.ny = 19;
  g.nz = g.nz_all = 71;
  g.spacing = 1.f;
  return g;
}

std::vector<float> to_host(const DeviceArray<float>& a) {
  std::vector<float> h(a.size());
  WAVEBOX_CHECK(cudaMemcpy(h.data(), a.get(), h.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return h;
}

void test_step() {
  const Grid g = odd_grid();
  DeviceArray<float> now(g.cells()), prev(g.cells()), next(g.cells()), vdt2(g.cells());
  for (auto* a : {&now, &prev, &vdt2}) fill_kernel<<<(g.cells() + 127) / 128, 128>>>(a->get(), g.cells());
  step(g, {0, g.nz}, now.get(), prev.get(), next.get(), vdt2.get(), nullptr);
  WAVEBOX_CHECK(cudaDeviceSynchronize());
  const auto n = to_host(now), p = to_host(prev), v = to_host(vdt2), got = to_host(next);
  const double w[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  for (int z = 0; z < g.nz; z += 7) {
    for (int y = 0; y < g.ny; ++y) {
      for (int x = 0; x < g.nx; ++x) {
        const size_t at = size_t(z + kRadius) * g.plane() + size_t(y + kRadius) * g.pitch() + x + kRadius;
        double sum = 3 * w[0] * n[at];
        for (int r = 1; r <= kRadius; ++r) {
          for (size_t stride : {size_t(1), size_t(g.pitch()), g.plane()}) {
            sum += w[r] * (double(n[at - r * stride]) + n[at + r * stride]);
          }
        }
        expect_near(got[at], 2.0 * n[at] - p[at] + v[at] * sum, 1e-4, "step");
      }
    }
  }
}

void test_energy() {
  const Grid g = odd_grid();
  DeviceArray<float> f(g.cells());
  DeviceArray<double> partial(energy_blocks(g)), total(1);
  fill_kernel<<<(g.cells() + 127) / 128, 128>>>(f.get(), g.cells());
  energy(g, f.get(), partial.get(), total.get(), nullptr);
  double got = 0.0;
  WAVEBOX_CHECK(cudaMemcpy(&got, total.get(), sizeof got, cudaMemcpyDeviceToHost));
  const auto h = to_host(f);
  double want = 0.0;
  for (int z = 0; z < g.nz; ++z)
    for (int y = 0; y < g.ny; ++y)
      for (int x = 0; x < g.nx; ++x) {
        const double a = h[size_t(z + kRadius) * g.plane() + size_t(y + kRadius) * g.pitch() + x + kRadius];
        want += a * a;
      }
  expect_near(got, want, 1e-12, "energy");
}

void test_resample() {
  const Grid g = odd_grid();
  DeviceArray<float> vdt2(g.cells());
  const float flat[8] = {2.f, 2.f, 2.f, 2.f, 2.f, 2.f, 2.f, 2.f};
  resample_model(g, flat, 2, 2, 2, 0.5f, vdt2.get(), nullptr);
  expect_near(max_value(vdt2.get(), vdt2.size(), nullptr), 1.0, 1e-6, "resample");
}

}  // namespace

int main() {
  test_step();
  test_energy();
  test_resample();
  std::printf(failures ? "%d failures\n" : "ok\n", failures);
  return failures ? 1 : 0;
}
