// wavebox --cells NX NY NZ --steps N [--model FILE] [--spectrum FILE] [--csv]
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>

#include "wavebox/solver.hpp"
#include "wavebox/spectrum.hpp"

namespace {

struct Options {
  int nx = 256;
  int ny = 256;
  int nz = 256;
  int steps = 500;
  std::string model;
  std::string spectrum;
  bool csv = false;
};

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--cells" && i + 3 < argc) {
      o.nx = std::atoi(argv[++i]);
      o.ny = std::atoi(argv[++i]);
      o.nz = std::atoi(argv[++i]);
    } else if (a == "--steps" && i + 1 < argc) {
      o.steps = std::atoi(argv[++i]);
    } else if (a == "--model" && i + 1 < argc) {
      o.model = argv[++i];
    } else if (a == "--spectrum" && i + 1 < argc) {
      o.spectrum = argv[++i];
    } else if (a == "--csv") {
      o.csv = true;
    } else {
      throw std::runtime_error("unknown or incomplete option " + a);
    }
  }
  return o;
}

// Ranks of a node share its GPUs in order.
void pick_device() {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int local = 0;
  MPI_Comm_rank(node, &local);
  MPI_Comm_free(&node);
  int devices = 0;
  WAVEBOX_CHECK(cudaGetDeviceCount(&devices));
  WAVEBOX_CHECK(cudaSetDevice(local % devices));
}

wavebox::Grid slab(const Options& o, int rank, int size) {
  wavebox::Grid g;
  g.nx = o.nx;
  g.ny = o.ny;
  g.nz_all = o.nz;
  const int base = o.nz / size;
  const int rest = o.nz % size;
  g.nz = base + (rank < rest ? 1 : 0);
  g.z_first = rank * base + (rank < rest ? rank : rest);
  if (g.nz < 2 * wavebox::kRadius) throw std::runtime_error("too few planes per rank");
  return g;
}

void run(int argc, char** argv) {
  const Options o = parse(argc, argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pick_device();

  const wavebox::Grid g = slab(o, rank, size);
  const wavebox::Model model = o.model.empty() ? wavebox::layered_model(1500.f, 3200.f) : wavebox::read_model(o.model);
  auto halo = wavebox::make_halo_exchange(MPI_COMM_WORLD);
  const std::string how = halo->name();
  wavebox::Solver solver(g, model, {o.nx / 2, o.ny / 2, o.nz / 4}, std::move(halo));

  solver.advance(5);  // first launches and connections are not what we time
  solver.wait();
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  solver.advance(o.steps);
  solver.wait();
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  double energy = solver.energy();
  MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (!o.spectrum.empty() && rank == 0) {
    wavebox::PlaneSpectrum spectrum(g);
    std::ofstream out(o.spectrum);
    for (double p : spectrum.power(solver.pressure(), g.nz / 2, solver.stream())) out << p << '\n';
  }
  if (rank == 0) {
    const double rate = double(o.nx) * o.ny * o.nz * o.steps / seconds / 1e9;
    const char* format = o.csv ? "%d,%s,%d,%.3f,%.2f,%.6e\n"
                               : "%d ranks over %s, %d steps: %.3f s, %.2f Gcells/s, energy %.6e\n";
    std::printf(format, size, how.c_str(), o.steps, seconds, rate, energy);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "wavebox: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    code = 1;
  }
  MPI_Finalize();
  return code;
}
