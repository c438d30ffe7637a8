// After an exchange each border plane holds the index of the plane it stands for.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "wavebox/halo.hpp"

using namespace wavebox;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int devices = 1;
  cudaGetDeviceCount(&devices);
  cudaSetDevice(rank % devices);

  Grid g;
  g.nx = 20;
  g.ny = 12;
  g.nz = 9;
  g.z_first = rank * g.nz;
  g.nz_all = size * g.nz;

  std::vector<float> host(g.cells(), -1.f);
  for (int z = 0; z < g.nz; ++z)
    std::fill_n(host.begin() + (z + kRadius) * g.plane(), g.plane(), float(g.z_first + z));
  int bad = 0;
  {
    DeviceArray<float> field(g.cells());
    Stream s;
    WAVEBOX_CHECK(cudaMemcpy(field.get(), host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    make_halo_exchange(MPI_COMM_WORLD)->run(g, field.get(), s);
    s.wait();
    WAVEBOX_CHECK(cudaMemcpy(host.data(), field.get(), host.size() * sizeof(float), cudaMemcpyDeviceToHost));
  }
  for (int z = -kRadius; z < g.nz + kRadius; ++z) {
    const int zg = g.z_first + z;
    const float want = zg < 0 || zg >= g.nz_all ? -1.f : float(zg);
    bad += host[(z + kRadius) * g.plane()] != want;
  }
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf(bad ? "%d wrong planes\n" : "ok\n", bad);
  MPI_Finalize();
  return bad ? 1 : 0;
}
