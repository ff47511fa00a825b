// SPDX-License-Identifier: Apache-2.0
// The main function of benchmarks on a device.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "engine/base/run_main.hpp"
#include "engine/exec/open_device.hpp"

namespace sc::bench {

/// Opens the device of this name and measures; without a CUDA device says so and ends successfully.
inline int measure_on_device(int argc, char** argv, const std::string& device,
                             const std::function<void(Context&)>& measure) {
  return run_main(argc, argv, [&](Context& context, const sc::Arguments&) {
    const DeviceKind kind = device_of(device);
    const std::string why = kind == DeviceKind::cuda ? why_no_cuda() : "";
    if (context.any(!why.empty())) {
      if (context.rank() == 0) std::printf("nothing is measured: %s\n", why.c_str());
      return;
    }
    open_device(context, kind);
    measure(context);
  });
}

}  // namespace sc::bench
