#include "context.h"

namespace fieldkit {

Context::Context(int device) : impl_(std::make_unique<Impl>()) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting devices");
  if (device < 0 || device >= count) throw std::out_of_range("fieldkit: no such device");
  check(cudaSetDevice(device), "selecting the device");
  cudaDeviceProp prop;
  check(cudaGetDeviceProperties(&prop, device), "reading device properties");
  impl_->device = device;
  impl_->warp_size = prop.warpSize;
  check(cudaStreamCreateWithFlags(&impl_->stream, cudaStreamNonBlocking), "creating the stream");
  check(cudaMalloc(reinterpret_cast<void**>(&impl_->scratch), kMaxPartials * sizeof(float)), "allocating scratch");
  check(cudaHostAlloc(reinterpret_cast<void**>(&impl_->host_scratch), kMaxPartials * sizeof(float),
                      cudaHostAllocDefault),
        "allocating pinned scratch");
}

Context::~Context() {
  if (!impl_) return;
  (void)cudaFree(impl_->scratch);
  (void)cudaFreeHost(impl_->host_scratch);
  (void)cudaStreamDestroy(impl_->stream);
}

int Context::warp_size() const { return impl_->warp_size; }

void Context::synchronize() { check(cudaStreamSynchronize(impl_->stream), "waiting for the stream"); }

Field::Field(Context& context, std::size_t size) : context_(&context), size_(size) {
  check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(float)), "allocating a field");
}

Field::~Field() { (void)cudaFree(data_); }

void Field::upload(const std::vector<float>& values) {
  if (values.size() != size_) throw std::invalid_argument("fieldkit: wrong size");
  check(cudaMemcpyAsync(data_, values.data(), size_ * sizeof(float), cudaMemcpyHostToDevice, context_->impl()->stream),
        "uploading");
  context_->synchronize();
}

std::vector<float> Field::download() const {
  std::vector<float> values(size_);
  check(cudaMemcpyAsync(values.data(), data_, size_ * sizeof(float), cudaMemcpyDeviceToHost, context_->impl()->stream),
        "downloading");
  context_->synchronize();
  return values;
}

}  // namespace fieldkit
