// SPDX-License-Identifier: Apache-2.0
// A hand-written reference: the heat equation (7 points, periodic) as a plain CUDA kernel, and a copy of as
// many bytes. Compiled and run by bench/stencil_device.py, or by hand; not part of any target.
//   heat_cuda [cells along an axis = 512]: lines "single copy MICROSECONDS" and so on
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

template <class Real>
__global__ void heat(Real* __restrict__ next, const Real* __restrict__ T, int n, Real a) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z;
  if (x >= n || y >= n) return;
  const std::size_t row = n, plane = row * n, c = z * plane + y * row + x;
  const std::size_t east = x + 1 < n ? c + 1 : c - x, west = x > 0 ? c - 1 : c + n - 1;
  const std::size_t north = y + 1 < n ? c + row : c - y * row, south = y > 0 ? c - row : c + (n - 1) * row;
  const std::size_t up = z + 1 < n ? c + plane : c - z * plane,
                    down = z > 0 ? c - plane : c + (n - 1) * plane;
  next[c] = T[c] + a * (T[east] + T[west] + T[north] + T[south] + T[up] + T[down] - 6 * T[c]);
}

template <class F>
double microseconds(F&& run) {
  constexpr int times = 50;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  run();
  cudaEventRecord(begin);
  for (int n = 0; n < times; ++n) run();
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  return 1e3 * milliseconds / times;
}

template <class Real>
void measure(const char* precision, int n) {
  const std::size_t bytes = sizeof(Real) * n * n * n;
  Real *from = nullptr, *to = nullptr;
  cudaMalloc(&from, bytes);
  cudaMalloc(&to, bytes);
  cudaMemset(from, 0, bytes);
  const double copy = microseconds([&] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); });
  std::printf("%s copy %.1f\n", precision, copy);
  double best = 0;
  for (const dim3 block : {dim3(64, 4), dim3(128, 2), dim3(32, 8), dim3(256, 1)}) {
    const dim3 blocks((n + block.x - 1) / block.x, (n + block.y - 1) / block.y, n);
    const double took = microseconds([&] {
      heat<Real><<<blocks, block>>>(to, from, n, Real(0.1));
      std::swap(from, to);
    });
    best = best > 0 ? std::min(best, took) : took;
  }
  std::printf("%s plain %.1f\n", precision, best);
  cudaFree(from);
  cudaFree(to);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 512;
  measure<float>("single", n);
  measure<double>("double", n);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
