#include "wavebox/solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "wavebox/kernels.hpp"

namespace wavebox {
namespace {

constexpr float kCourant = 0.4f;  // stable up to 0.45 for this stencil in three dimensions
constexpr int kSponge = 20;       // cells
constexpr float kSpongeStrength = 0.3f;

float ricker(float t, float frequency) {
  const float a = 3.14159265f * frequency * (t - 1.2f / frequency);
  return (1.f - 2.f * a * a) * std::exp(-a * a);
}

// The edge stream goes first when both have work: the exchange behind it is the long pole.
int high_priority() {
  int low = 0;
  int high = 0;
  WAVEBOX_CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
  return high;
}

}  // namespace

Solver::Solver(const Grid& g, const Model& model, Source source, std::unique_ptr<HaloExchange> halo)
    : grid_(g),
      source_(source),
      halo_(std::move(halo)),
      dt_(kCourant * g.spacing / model.fastest()),
      now_(g.cells()),
      prev_(g.cells()),
      vdt2_(g.cells()),
      partial_(energy_blocks(g)),
      total_(1),
      edges_(high_priority()) {
  resample_model(grid_, model.velocity.data(), model.mx, model.my, model.mz, dt_, vdt2_.get(), interior_);
}

void Solver::one_step() {
  const int edge = std::min(kRadius, grid_.nz / 2);
  const Planes low{0, edge};
  const Planes high{grid_.nz - edge, grid_.nz};
  const Planes middle{edge, grid_.nz - edge};

  // The new field overwrites the oldest one; only after this do the two change names.
  interior_done_.hold(edges_);
  step(grid_, low, now_.get(), prev_.get(), prev_.get(), vdt2_.get(), edges_);
  step(grid_, high, now_.get(), prev_.get(), prev_.get(), vdt2_.get(), edges_);
  halo_->run(grid_, prev_.get(), edges_);
  edges_done_.record(edges_);

  step(grid_, middle, now_.get(), prev_.get(), prev_.get(), vdt2_.get(), interior_);
  edges_done_.hold(interior_);
  std::swap(now_, prev_);

  const int z = source_.z - grid_.z_first;
  if (z >= -kRadius && z < grid_.nz + kRadius) {  // in the border as well, or the next step misses it there
    inject(grid_, source_.x, source_.y, z, ricker(done_ * dt_, source_.frequency), now_.get(), interior_);
  }
  absorb(grid_, kSponge, kSpongeStrength, now_.get(), prev_.get(), interior_);
  interior_done_.record(interior_);
  ++done_;
}

void Solver::advance(int steps) {
  for (int i = 0; i < steps; ++i) one_step();
}

void Solver::wait() {
  edges_.wait();
  interior_.wait();
}

double Solver::energy() {
  wavebox::energy(grid_, now_.get(), partial_.get(), total_.get(), interior_);
  double result = 0.0;
  WAVEBOX_CHECK(cudaMemcpyAsync(&result, total_.get(), sizeof result, cudaMemcpyDeviceToHost, interior_));
  interior_.wait();
  return result;
}

float Solver::courant() { return std::sqrt(max_value(vdt2_.get(), vdt2_.size(), interior_)) / grid_.spacing; }

}  // namespace wavebox
