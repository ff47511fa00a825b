// SPDX-License-Identifier: Apache-2.0
// Backends: the location of a test's fields. The same body runs on the host, on emulated devices in every
// order of execution and, as ctest's gpu.*, on a CUDA device.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "engine/exec/emulated_device.hpp"
#include "engine/exec/open_device.hpp"
#include "engine/field/storage.hpp"

namespace sc::test {

enum class Backend { host, late, shuffled, open, cuda };

inline bool cuda_asked() {
  const char* device = std::getenv("SUBCURRENT_TEST_DEVICE");
  return device && std::string_view(device) == "cuda";
}
inline std::vector<Backend> backends() {
  if (cuda_asked()) return {Backend::cuda};
  return {Backend::host, Backend::late, Backend::shuffled, Backend::open};
}
inline std::string backend_name(const testing::TestParamInfo<Backend>& info) {
  return std::vector<std::string>{"host", "late", "shuffled", "open", "cuda"}[std::size_t(info.param)];
}
inline Space space_of(Backend backend) { return backend == Backend::host ? Space::host : Space::device; }

/// Sets the backend's device in the context.
inline void open(Context& context, Backend backend) {
  const auto seed = std::uint64_t(context.rank()) + 1;
  if (backend == Backend::cuda) open_device(context, DeviceKind::cuda);
  if (backend == Backend::late)
    context.set_device(std::make_shared<EmulatedDevice>(EmulatedOptions{Disorder::late, seed, false}));
  if (backend == Backend::shuffled)
    context.set_device(std::make_shared<EmulatedDevice>(EmulatedOptions{Disorder::shuffled, seed, false}));
  if (backend == Backend::open)  // MPI can access its memory
    context.set_device(std::make_shared<EmulatedDevice>(EmulatedOptions{Disorder::shuffled, seed, true}));
}

/// A test suite for all backends: INSTANTIATE_TEST_SUITE_P(On, …, testing::ValuesIn(test::backends()),
/// test::backend_name).
class OnBackend : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() != Backend::cuda) return;
    if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << "no CUDA: " << why;
  }
};
/// The same without the host.
class OnDevice : public OnBackend {
 protected:
  void SetUp() override {
    OnBackend::SetUp();
    if (GetParam() == Backend::host) GTEST_SKIP() << "this needs a device";
  }
};

}  // namespace sc::test
