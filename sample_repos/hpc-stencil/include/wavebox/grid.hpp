// Shape of one rank's part of the box. Plain enough to be passed to kernels by value.
#pragma once

#include <cstddef>

namespace wavebox {

// Half width of the stencil, and so the width of the border around each field.
constexpr int kRadius = 4;

struct Grid {
  int nx = 0;  // interior cells
  int ny = 0;
  int nz = 0;       // planes of this rank
  int z_first = 0;  // index of the first of them in the whole box
  int nz_all = 0;
  float spacing = 10.f;  // metres

  int pitch() const { return nx + 2 * kRadius; }
  std::size_t plane() const { return static_cast<std::size_t>(pitch()) * (ny + 2 * kRadius); }
  std::size_t cells() const { return plane() * (nz + 2 * kRadius); }
};

// A range of interior planes [first, last) of a rank.
struct Planes {
  int first;
  int last;
  int count() const { return last - first; }
};

}  // namespace wavebox
