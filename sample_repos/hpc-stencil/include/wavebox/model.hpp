// Velocity models on disk: a text line "mx my mz", then mx*my*mz little-endian floats, x fastest, in m/s.
#pragma once

#include <string>
#include <vector>

namespace wavebox {

struct Model {
  int mx = 0;
  int my = 0;
  int mz = 0;
  std::vector<float> velocity;

  float fastest() const;
};

Model read_model(const std::string& path);

// Two layers, the lower one faster. For tests and for runs without a file.
Model layered_model(float upper, float lower);

}  // namespace wavebox
