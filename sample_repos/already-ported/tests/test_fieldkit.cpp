// Runs on either back end; compares with plain loops on the host. Exit code 1 on the first failure.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "fieldkit/fieldkit.h"

using fieldkit::Context;
using fieldkit::Field;

static void expect(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::exit(1);
}

static std::vector<float> noise(std::size_t n, unsigned seed) {
  std::mt19937 gen(seed);
  std::uniform_real_distribution<float> dist(-1.f, 1.f);
  std::vector<float> v(n);
  for (float& x : v) x = dist(gen);
  return v;
}

static void test_axpy(Context& gpu) {
  const auto x = noise(1001, 1), y = noise(1001, 2);
  Field fx(gpu, x.size()), fy(gpu, y.size());
  fx.upload(x);
  fy.upload(y);
  fieldkit::axpy(0.5f, fx, fy);
  const auto got = fy.download();
  for (std::size_t i = 0; i < x.size(); ++i) expect(std::fabs(got[i] - (0.5f * x[i] + y[i])) < 1e-6f, "axpy");
}

static void test_reductions(Context& gpu) {
  // sizes around the width of a warp on either vendor, and one that needs several blocks
  for (std::size_t n : {1u, 31u, 32u, 33u, 63u, 64u, 65u, 100000u}) {
    const auto x = noise(n, 3);
    Field f(gpu, n);
    f.upload(x);
    double total = 0;
    float top = 0;
    for (float v : x) {
      total += v;
      top = std::fmax(top, std::fabs(v));
    }
    expect(std::fabs(fieldkit::sum(f) - total) < 1e-2, "sum");
    expect(fieldkit::max_abs(f) == top, "max_abs");
  }
}

static void test_compaction(Context& gpu) {
  const auto x = noise(5000, 4);
  std::vector<float> expected;
  for (float v : x)
    if (v > 0.25f) expected.push_back(v);
  Field in(gpu, x.size()), out(gpu, x.size());
  in.upload(x);
  const std::size_t kept = fieldkit::compact_above(in, 0.25f, out);
  expect(kept == expected.size(), "compact_above: count");
  const auto got = out.download();
  for (std::size_t i = 0; i < kept; ++i) expect(got[i] == expected[i], "compact_above: order");
}

static void test_shapes(Context& gpu) {
  const int rows = 70, cols = 38;
  const auto a = noise(rows * cols, 5);
  Field in(gpu, a.size()), out(gpu, a.size()), small(gpu, a.size() / 4);
  in.upload(a);
  fieldkit::transpose(in, out, rows, cols);
  const auto t = out.download();
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) expect(t[c * rows + r] == a[r * cols + c], "transpose");
  fieldkit::downsample(in, small, rows, cols);
  const float mean = 0.25f * (a[0] + a[1] + a[cols] + a[cols + 1]);
  expect(std::fabs(small.download()[0] - mean) < 1e-6f, "downsample");
}

static void test_gemv(Context& gpu) {
  const int rows = 33, cols = 65;
  const auto a = noise(rows * cols, 6), x = noise(cols, 7);
  Field fa(gpu, a.size()), fx(gpu, x.size()), fy(gpu, rows);
  fa.upload(a);
  fx.upload(x);
  fieldkit::gemv(fa, fx, fy, rows, cols);
  const auto y = fy.download();
  for (int r = 0; r < rows; ++r) {
    double want = 0;
    for (int c = 0; c < cols; ++c) want += double(a[r * cols + c]) * x[c];
    expect(std::fabs(y[r] - want) < 1e-3, "gemv");
  }
}

int main() {
  try {
    Context gpu;
    expect(gpu.warp_size() == 32 || gpu.warp_size() == 64, "warp size");
    test_axpy(gpu);
    test_reductions(gpu);
    test_compaction(gpu);
    test_shapes(gpu);
    test_gemv(gpu);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FAILED: %s\n", error.what());
    return 1;
  }
  std::puts("all right");
  return 0;
}
