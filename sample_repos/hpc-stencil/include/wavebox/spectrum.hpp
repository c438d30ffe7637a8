// Wavenumber spectrum of one plane of a field; shows at a glance whether the grid is fine enough.
#pragma once

#include <cufft.h>

#include <vector>

#include "wavebox/gpu.hpp"
#include "wavebox/grid.hpp"

namespace wavebox {

class PlaneSpectrum {
 public:
  explicit PlaneSpectrum(const Grid& g);
  PlaneSpectrum(const PlaneSpectrum&) = delete;
  PlaneSpectrum& operator=(const PlaneSpectrum&) = delete;
  ~PlaneSpectrum();

  // Power by whole wavenumber, for interior plane z. Blocks.
  std::vector<double> power(const float* field, int z, cudaStream_t s);

 private:
  Grid grid_;
  cufftHandle plan_ = 0;
  DeviceArray<cufftComplex> modes_;
};

}  // namespace wavebox
