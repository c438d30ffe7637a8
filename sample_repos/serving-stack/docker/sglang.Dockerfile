ARG CUDA=12.8.1
FROM nvidia/cuda:${CUDA}-devel-ubuntu22.04
# flashinfer compiles at the first start, so nvcc must stay in the image
RUN apt-get update && apt-get install -y --no-install-recommends \
      python3 python3-pip python3-dev git \
      libnccl2 cuda-nvtx-12-8 \
    && rm -rf /var/lib/apt/lists/*
ENV CUDA_HOME=/usr/local/cuda \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    TORCH_CUDA_ARCH_LIST=9.0
WORKDIR /app
COPY requirements/engine-sglang.txt requirements.txt
RUN pip install --no-cache-dir -r requirements.txt
COPY gateway gateway
COPY engine engine
COPY models.toml /etc/serving/models.toml
COPY scripts/nccl-env.sh scripts/run-engine.sh /usr/local/bin/
ENTRYPOINT ["/usr/local/bin/run-engine.sh"]
