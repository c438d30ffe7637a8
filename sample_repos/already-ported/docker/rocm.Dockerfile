FROM rocm/dev-ubuntu-22.04:6.4-complete
RUN apt-get update && apt-get install -y --no-install-recommends cmake ninja-build g++ hipblas-dev \
    && rm -rf /var/lib/apt/lists/*
ENV CMAKE_PREFIX_PATH=/opt/rocm
COPY . /src
WORKDIR /src
RUN cmake -S . -B /build -G Ninja -DFIELDKIT_BACKEND=HIP && cmake --build /build
CMD ["ctest", "--test-dir", "/build", "--output-on-failure"]
