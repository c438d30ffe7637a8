// Ownership of GPU things and one place where errors become exceptions.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace wavebox {

inline void check(cudaError_t err, const char* what) {
  if (err != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(err));
}

#define WAVEBOX_CHECK(call) ::wavebox::check((call), #call)

// Device array, zeroed. Moves, does not copy.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t n) : size_(n) {
    WAVEBOX_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), n * sizeof(T)));
    WAVEBOX_CHECK(cudaMemset(data_, 0, n * sizeof(T)));
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  T* get() { return data_; }
  const T* get() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

class Stream {
 public:
  explicit Stream(int priority = 0) {
    WAVEBOX_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority));
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }
  void wait() { WAVEBOX_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { WAVEBOX_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record(cudaStream_t s) { WAVEBOX_CHECK(cudaEventRecord(event_, s)); }
  void hold(cudaStream_t s) { WAVEBOX_CHECK(cudaStreamWaitEvent(s, event_, 0)); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace wavebox
