#include "wavebox/spectrum.hpp"

#include <algorithm>
#include <cmath>

namespace wavebox {
namespace {

void check_fft(cufftResult r, const char* what) {
  if (r != CUFFT_SUCCESS) throw std::runtime_error(std::string(what) + ": cufft error " + std::to_string(r));
}

}  // namespace

PlaneSpectrum::PlaneSpectrum(const Grid& g) : grid_(g), modes_(static_cast<std::size_t>(g.ny) * (g.nx / 2 + 1)) {
  // The input is read in place from the field with its border: hence the embedding.
  int shape[2] = {g.ny, g.nx};
  int in_embed[2] = {g.ny, g.pitch()};
  int out_embed[2] = {g.ny, g.nx / 2 + 1};
  check_fft(cufftPlanMany(&plan_, 2, shape, in_embed, 1, 0, out_embed, 1, 0, CUFFT_R2C, 1), "plan");
}

PlaneSpectrum::~PlaneSpectrum() {
  if (plan_) cufftDestroy(plan_);
}

std::vector<double> PlaneSpectrum::power(const float* field, int z, cudaStream_t s) {
  const std::size_t corner = static_cast<std::size_t>(kRadius) * grid_.pitch() + kRadius;
  const float* plane = field + (z + kRadius) * grid_.plane() + corner;
  check_fft(cufftSetStream(plan_, s), "stream");
  check_fft(cufftExecR2C(plan_, const_cast<float*>(plane), modes_.get()), "forward");

  std::vector<cufftComplex> modes(modes_.size());
  WAVEBOX_CHECK(
      cudaMemcpyAsync(modes.data(), modes_.get(), modes.size() * sizeof(cufftComplex), cudaMemcpyDeviceToHost, s));
  WAVEBOX_CHECK(cudaStreamSynchronize(s));

  const int half = grid_.nx / 2 + 1;
  std::vector<double> power(static_cast<std::size_t>(std::min(grid_.nx, grid_.ny)) / 2 + 1, 0.0);
  for (int ky = 0; ky < grid_.ny; ++ky) {
    const int fy = std::min(ky, grid_.ny - ky);
    for (int kx = 0; kx < half; ++kx) {
      const auto bin = static_cast<std::size_t>(std::lround(std::hypot(kx, fy)));
      if (bin >= power.size()) continue;
      const cufftComplex c = modes[static_cast<std::size_t>(ky) * half + kx];
      power[bin] += double(c.x) * c.x + double(c.y) * c.y;
    }
  }
  return power;
}

}  // namespace wavebox
