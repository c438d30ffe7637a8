// convtrain --data FOLDER [--epochs N] [--steps N]
#include <cuda_runtime.h>
#include <cudnn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "arena.hpp"
#include "augment.hpp"
#include "block.hpp"
#include "check.hpp"
#include "classifier.hpp"
#include "conv.hpp"
#include "data.hpp"
#include "trace.hpp"

namespace {

using namespace ct;

constexpr int kBatch = 512;
constexpr int kClasses = 10;
constexpr int kPadded = 16;
constexpr float kLossScale = 1024.f;

struct Options {
  std::string data = "cifar-10-batches-bin";
  int epochs = 20;
  int steps = 0;  // 0: whole epochs
};

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--data")) o.data = argv[i + 1];
    if (!std::strcmp(argv[i], "--epochs")) o.epochs = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--steps")) o.steps = std::atoi(argv[i + 1]);
  }
  return o;
}

// Three stages of conv and block, then the classifier on 4 x 4 x 256 features.
class Net {
 public:
  Net(cudnnHandle_t handle, Arena& arena) {
    const int widths[] = {64, 128, 256};
    Shape s{kBatch, 4, 32, 32};
    tensors_.push_back(std::make_unique<Tensor>(arena, s));
    for (int i = 0; i < 3; ++i) {
      s.c = widths[i];
      tensors_.push_back(std::make_unique<Tensor>(arena, s));
      convs_.push_back(std::make_unique<Conv>(handle, arena, *tensors_[2 * i], *tensors_[2 * i + 1], 7 + i));
      s.h /= 2;
      s.w /= 2;
      tensors_.push_back(std::make_unique<Tensor>(arena, s));
      blocks_.push_back(std::make_unique<Block>(handle, arena, *tensors_[2 * i + 1], *tensors_[2 * i + 2]));
    }
    features_ = s.c * s.h * s.w;
    const int n = kPadded * features_;
    master_ = arena.take_n<float>(n);
    velocity_ = arena.take_n<float>(n);
    weight_ = arena.take_n<__half>(n);
    grad_ = arena.take_n<__half>(n);
    logits_ = arena.take_n<__half>(kBatch * kPadded);
    logits_grad_ = arena.take_n<__half>(kBatch * kPadded);
    CT_CHECK(cudaMemset(master_, 0, n * sizeof(float)));
    CT_CHECK(cudaMemset(velocity_, 0, n * sizeof(float)));
    CT_CHECK(cudaMemset(weight_, 0, n * sizeof(__half)));
  }

  __half* input() { return tensors_.front()->data; }

  void forward(bool train, cudaStream_t s) {
    Range range("forward");
    for (int i = 0; i < 3; ++i) {
      convs_[i]->forward();
      train ? blocks_[i]->forward_train() : blocks_[i]->forward_eval();
    }
    require(classifier_forward(tensors_.back()->data, weight_, logits_, kBatch, features_, kPadded, s));
  }

  void loss(const std::uint8_t* labels, float* sum, int* hits, cudaStream_t s) {
    CT_CHECK(softmax_loss(logits_, labels, logits_grad_, sum, hits, kBatch, kClasses, kPadded, kLossScale, s));
  }

  void backward(cudaStream_t s) {
    Range range("backward");
    Tensor& top = *tensors_.back();
    require(classifier_wgrad(logits_grad_, top.data, grad_, kBatch, features_, kPadded, s));
    require(classifier_dgrad(logits_grad_, weight_, top.grad, kBatch, features_, kPadded, s));
    for (int i = 2; i >= 0; --i) {
      blocks_[i]->backward();
      convs_[i]->backward(i == 0);
    }
  }

  void update(SgdStep step, cudaStream_t s) {
    Range range("update");
    for (int i = 0; i < 3; ++i) {
      convs_[i]->update(step, s);
      blocks_[i]->update(step, s);
    }
    CT_CHECK(sgd(master_, velocity_, weight_, grad_, kPadded * features_, step, s));
  }

 private:
  static void require(bool ok) {
    if (!ok) fail("classifier: shape not supported", __FILE__, __LINE__);
  }

  std::vector<std::unique_ptr<Tensor>> tensors_;
  std::vector<std::unique_ptr<Conv>> convs_;
  std::vector<std::unique_ptr<Block>> blocks_;
  int features_;
  float* master_;
  float* velocity_;
  __half* weight_;
  __half* grad_;
  __half* logits_;
  __half* logits_grad_;
};

struct Score {
  float loss = 0.f;
  int hits = 0;
};

// Everything one step needs on the device beside the net.
struct Feed {
  std::uint8_t* pixels;
  std::uint8_t* labels;
  Score* score;
  Batch batch;

  void load(const Dataset& data, const std::vector<int>& order, int at, cudaStream_t s) {
    Range range("load");
    data.gather(order, at, kBatch, batch);
    CT_CHECK(cudaMemcpyAsync(pixels, batch.pixels.data(), batch.pixels.size(), cudaMemcpyHostToDevice, s));
    CT_CHECK(cudaMemcpyAsync(labels, batch.labels.data(), batch.labels.size(), cudaMemcpyHostToDevice, s));
  }

  Score take(cudaStream_t s) {
    Score host;
    CT_CHECK(cudaMemcpyAsync(&host, score, sizeof host, cudaMemcpyDeviceToHost, s));
    CT_CHECK(cudaMemsetAsync(score, 0, sizeof host, s));
    CT_CHECK(cudaStreamSynchronize(s));
    return host;
  }
};

void run(const Options& o) {
  CT_CHECK(cudaSetDevice(0));
  CT_CHECK(cudaFree(nullptr));  // makes the context that the driver calls below need
  cudaStream_t stream = nullptr;
  CT_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudnnHandle_t handle = nullptr;
  CT_CHECK(cudnnCreate(&handle));
  CT_CHECK(cudnnSetStream(handle, stream));
  {
    Arena arena(0, std::size_t(16) << 30);
    Augment augment("build/augment.fatbin");
    Net net(handle, arena);
    Feed feed{arena.take_n<std::uint8_t>(kBatch * kPixelBytes), arena.take_n<std::uint8_t>(kBatch),
              arena.take_n<Score>(1), {}};
    CT_CHECK(cudaMemset(feed.score, 0, sizeof(Score)));
    std::printf("%.1f MiB on the device, cuDNN %zu\n", arena.used() / 1048576.0, cudnnGetVersion());

    const Dataset train(o.data, true);
    std::vector<int> order(train.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(1);
    int step = 0;
    for (int epoch = 0; epoch < o.epochs; ++epoch) {
      std::shuffle(order.begin(), order.end(), random);
      int seen = 0;
      for (; seen + kBatch <= train.size() && (o.steps == 0 || step < o.steps); seen += kBatch, ++step) {
        feed.load(train, order, seen, stream);
        augment.run(feed.pixels, net.input(), kBatch, random() | 1u, stream);
        net.forward(true, stream);
        net.loss(feed.labels, &feed.score->loss, &feed.score->hits, stream);
        net.backward(stream);
        net.update({0.1f * (1.f - float(epoch) / o.epochs), 0.9f, 5e-4f, kLossScale}, stream);
      }
      const Score total = feed.take(stream);
      std::printf("epoch %d: loss %.4f, accuracy %.4f\n", epoch, total.loss / seen, double(total.hits) / seen);
      if (o.steps && step >= o.steps) return;
    }

    const Dataset test(o.data, false);
    order.resize(test.size());
    std::iota(order.begin(), order.end(), 0);
    int seen = 0;
    for (; seen + kBatch <= test.size(); seen += kBatch) {
      feed.load(test, order, seen, stream);
      augment.run(feed.pixels, net.input(), kBatch, 0, stream);
      net.forward(false, stream);
      net.loss(feed.labels, &feed.score->loss, &feed.score->hits, stream);
    }
    std::printf("test accuracy %.4f\n", double(feed.take(stream).hits) / seen);
  }
  CT_CHECK(cudnnDestroy(handle));
  CT_CHECK(cudaStreamDestroy(stream));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "convtrain: %s\n", e.what());
    return 1;
  }
  return 0;
}
