FROM nvidia/cuda:12.6.3-devel-ubuntu22.04
RUN apt-get update && apt-get install -y --no-install-recommends cmake ninja-build g++ \
    && rm -rf /var/lib/apt/lists/*
COPY . /src
WORKDIR /src
RUN cmake -S . -B /build -G Ninja -DFIELDKIT_BACKEND=CUDA && cmake --build /build
CMD ["ctest", "--test-dir", "/build", "--output-on-failure"]
