// The time loop of one rank.
#pragma once

#include <memory>

#include "wavebox/gpu.hpp"
#include "wavebox/grid.hpp"
#include "wavebox/halo.hpp"
#include "wavebox/model.hpp"

namespace wavebox {

struct Source {
  int x;
  int y;
  int z;  // plane of the whole box
  float frequency = 15.f;
};

class Solver {
 public:
  Solver(const Grid& g, const Model& model, Source source, std::unique_ptr<HaloExchange> halo);

  void advance(int steps);
  void wait();

  // Sum of squares of the pressure on this rank. Blocks.
  double energy();
  // Largest Courant number of this rank's cells. Blocks.
  float courant();

  float dt() const { return dt_; }
  int steps_done() const { return done_; }
  const float* pressure() const { return now_.get(); }
  cudaStream_t stream() const { return interior_; }

 private:
  void one_step();

  Grid grid_;
  Source source_;
  std::unique_ptr<HaloExchange> halo_;
  float dt_;
  int done_ = 0;
  DeviceArray<float> now_;
  DeviceArray<float> prev_;
  DeviceArray<float> vdt2_;
  DeviceArray<double> partial_;
  DeviceArray<double> total_;
  Stream interior_;
  Stream edges_;
  Event interior_done_;
  Event edges_done_;
};

}  // namespace wavebox
