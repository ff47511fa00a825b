// SPDX-License-Identifier: Apache-2.0
// _core.wait_curve, _core.disk_rate, the test of messages in device memory.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "engine/move/stream/rate.hpp"
#include "engine/move/transport/device.hpp"
#include "engine/move/transport/eager_limit.hpp"
#include "model/probe/copy_rate.hpp"
#include "model/probe/wait_curve.hpp"
#include "python/bindings/faces.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

void bind_probe(nb::module_& module) {
  module.def(
      "wait_curve",
      [](Ranks& ranks, std::vector<std::int64_t> bytes, double cover, double poke_seconds, int repeats) {
        std::vector<model::WaitPoint> points;
        {
          const nb::gil_scoped_release unlocked;
          points = model::wait_curve(ranks.open(), {std::move(bytes), cover, poke_seconds, repeats});
        }
        nb::list rows;
        for (const model::WaitPoint& point : points) {
          nb::dict row;
          row["bytes"] = point.bytes;
          row["alone"] = point.alone;
          row["poked"] = point.poked;
          row["silent"] = point.silent;
          row["progress"] = point.progress;
          rows.append(row);
        }
        return rows;
      },
      "context"_a, "bytes"_a, "cover"_a, "poke_seconds"_a, "repeats"_a,
      "Waiting left of exchanges under work that covers them, in seconds; collective.");
  module.def("copy_rate", &model::copy_rate, "threads"_a, "bytes"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Bytes/s that so many threads read and write together, each copying within `bytes` of its own.");
  module.def(
      "disk_rate",
      [](Ranks& ranks, std::string scratch, std::int64_t bytes) {
        Context& context = ranks.open();
        TransferRate rate;
        double share = 1;
        {
          const nb::gil_scoped_release unlocked;
          context.together([&] {
            FileMemoryOptions files{.folder = std::move(scratch),
                                    .name = "rank " + std::to_string(context.rank()) + " rate"};
            rate = measured_rate(files, bytes);
            share = computing_share(files, bytes,
                                    [&](double seconds) { model::copy_for(context.threads(), seconds); });
          });
        }
        return std::array{rate.read, rate.write, rate.both, share};
      },
      "context"_a, "scratch"_a, "bytes"_a,
      "Bytes/s of this rank's scratch files in a folder, at the same time as those of the other ranks: read, "
      "written,\n"
      "and both together; and the share of that which is left while all threads copy in memory. `bytes` in "
      "each\n"
      "direction. Collective; raises Error (storage).");
  module.def(
      "eager_limit", [](Ranks& ranks) { return eager_limit(ranks.open()); }, "context"_a,
      nb::call_guard<nb::gil_scoped_release>(),
      "Bytes of the largest message that MPI sends before its receive is posted, to another node if there is "
      "one;\n"
      "None if no limit was found. Collective.");
  module.def(
      "device_messages_declared",
      [](Ranks& ranks) {
        if (!ranks.open().device()) refuse("a context without a device has no messages in device memory");
        return !ranks.open().any(!device_messages_declared(ranks.open()));
      },
      "context"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Whether MPI states on all ranks that it reads and writes the device's memory; collective.");
  module.def(
      "test_device_messages",
      [](Ranks& ranks) {
        const DeviceMessageTest found = test_device_messages(ranks.open());
        return std::array{found.to_itself, found.around};
      },
      "context"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Whether test messages between memories of devices arrive: from each rank to itself, and to the next "
      "one;\n"
      "only after device_messages_declared(). Collective.");
}

}  // namespace sc::python
