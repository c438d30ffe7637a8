// Exchange of border planes between neighbours in z.
#pragma once

#include <mpi.h>

#include <memory>

#include "wavebox/gpu.hpp"
#include "wavebox/grid.hpp"

namespace wavebox {

class HaloExchange {
 public:
  virtual ~HaloExchange() = default;
  // Queue the exchange of `field` on `s`. When `s` is done, the borders in z are those of the neighbours.
  virtual void run(const Grid& g, float* field, cudaStream_t s) = 0;
  virtual const char* name() const = 0;
};

// NCCL where it was built in and there is more than one rank, MPI otherwise. Collective over `comm`.
std::unique_ptr<HaloExchange> make_halo_exchange(MPI_Comm comm);

}  // namespace wavebox
