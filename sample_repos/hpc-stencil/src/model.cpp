#include "wavebox/model.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <stdexcept>

namespace wavebox {

float Model::fastest() const { return *std::max_element(velocity.begin(), velocity.end()); }

Model read_model(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  Model m;
  in >> m.mx >> m.my >> m.mz;
  in.ignore(1);
  if (m.mx < 1 || m.my < 1 || m.mz < 1) throw std::runtime_error(path + ": bad shape");
  m.velocity.resize(static_cast<std::size_t>(m.mx) * m.my * m.mz);
  in.read(reinterpret_cast<char*>(m.velocity.data()),
          static_cast<std::streamsize>(m.velocity.size() * sizeof(float)));
  if (!in) throw std::runtime_error(path + ": shorter than its shape says");
  return m;
}

Model layered_model(float upper, float lower) {
  Model m{1, 1, 32, {}};
  m.velocity.assign(32, upper);
  std::fill(m.velocity.begin() + 16, m.velocity.end(), lower);
  return m;
}

}  // namespace wavebox
