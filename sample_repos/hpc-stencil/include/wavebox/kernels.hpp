// Device work as plain functions. All pointers are device pointers to fields with border, unless said otherwise.
#pragma once

#include <cuda_runtime_api.h>

#include "wavebox/grid.hpp"

namespace wavebox {

// next = 2 now - prev + (v dt)^2 laplacian(now), on the given planes. `next` may be the same array as `prev`.
void step(const Grid& g, Planes planes, const float* now, const float* prev, float* next, const float* vdt2,
          cudaStream_t s);

// Fade the field towards the faces of the box, so that waves leave it. `width` is in cells.
void absorb(const Grid& g, int width, float strength, float* now, float* prev, cudaStream_t s);

// Add a pressure pulse at one cell; z may lie in the border.
void inject(const Grid& g, int x, int y, int z, float amount, float* field, cudaStream_t s);

// Read the field at `count` receivers; cells holds flat indices, out is [count].
void sample(const float* field, const int* cells, float* out, int count, cudaStream_t s);

// Sum of squares over the interior, into one double on the device. `partial` is scratch of energy_blocks(g).
int energy_blocks(const Grid& g);
void energy(const Grid& g, const float* field, double* partial, double* result, cudaStream_t s);

// Largest value of the field, on the host. Blocks.
float max_value(const float* field, std::size_t n, cudaStream_t s);

// Fill vdt2 with (velocity dt)^2 from a coarse model of mx * my * mz values on the host, by linear
// interpolation over the whole box.
void resample_model(const Grid& g, const float* model, int mx, int my, int mz, float dt, float* vdt2,
                    cudaStream_t s);

}  // namespace wavebox
