// Public interface. No GPU headers here: callers need neither toolkit.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace fieldkit {

/// One device and one stream. Not safe for use from several threads at a time.
class Context {
 public:
  explicit Context(int device = 0);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  int warp_size() const;
  void synchronize();

  struct Impl;
  Impl* impl() { return impl_.get(); }

 private:
  std::unique_ptr<Impl> impl_;
};

/// A field of floats on the device.
class Field {
 public:
  Field(Context& context, std::size_t size);
  ~Field();
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  void upload(const std::vector<float>& values);
  std::vector<float> download() const;
  float* data() { return data_; }
  const float* data() const { return data_; }
  std::size_t size() const { return size_; }
  Context& context() const { return *context_; }

 private:
  Context* context_;
  std::size_t size_;
  float* data_ = nullptr;
};

/// y = a * x + y.
void axpy(float a, const Field& x, Field& y);
/// Each 3-vector (x, y, z interleaved) scaled to length one; zero vectors stay zero.
void normalize_vectors(Field& xyz);
double sum(const Field& x);
float max_abs(const Field& x);
/// Values above the threshold, order kept. Returns how many were written to out.
std::size_t compact_above(const Field& x, float threshold, Field& out);
/// out (cols x rows) = transpose of in (rows x cols).
void transpose(const Field& in, Field& out, int rows, int cols);
/// Halves both sides of a height x width field by averaging 2 x 2 cells.
void downsample(const Field& in, Field& out, int height, int width);
/// y = A x with A row-major, rows x cols.
void gemv(const Field& a, const Field& x, Field& y, int rows, int cols);

}  // namespace fieldkit
