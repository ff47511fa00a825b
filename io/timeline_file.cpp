// SPDX-License-Identifier: Apache-2.0
// Timeline files: rank 0 gathers the events of all ranks and writes them.
#include "io/timeline_file.hpp"

#include "io/file.hpp"

namespace sc::io {

namespace {

/// Seconds to add to this rank's times, so that they count from the creation of rank 0's timeline.
double shift_to_rank_0(Context& context) {
  const Timeline& timeline = context.timeline();
  // Ranks on one machine read the same clock. Other clocks are aligned at the end of a barrier, which ranks
  // leave at the same time up to the latency of a message.
  const bool one_machine = !context.any(context.node_rank_of(0) < 0);
  context.barrier();
  const double mine = one_machine ? -timeline.origin() : timeline.now();
  std::string first(reinterpret_cast<const char*>(&mine), sizeof mine);
  context.broadcast(first);
  double of_rank_0 = 0;
  first.copy(reinterpret_cast<char*>(&of_rank_0), sizeof of_rank_0);
  return of_rank_0 - mine;
}

std::string events_of(Context& context) {
  const std::string rank = std::to_string(context.rank());
  const std::string name =
      R"({"name":"process_name","ph":"M","pid":)" + rank + R"(,"args":{"name":"rank )" + rank + R"("}})";
  const std::string spans = context.timeline().perfetto_events(shift_to_rank_0(context));
  return spans.empty() ? name : name + ",\n" + spans;
}

}  // namespace

void write_timeline(Context& context, const std::string& path) {
  std::string text;
  for (const std::string& events : context.gather(events_of(context)))
    text += (text.empty() ? "{\"traceEvents\":[\n" : ",\n") + events;
  text += "\n],\"displayTimeUnit\":\"ms\"}\n";
  replace_file(
      context, path,
      [](const std::string& temporary) {
        const File file(temporary, File::Mode::create);
        return Offsets{0};
      },
      [&](File& file, const Offsets& offsets) {
        if (context.rank() == 0)
          file.write(offsets[0], reinterpret_cast<const std::byte*>(text.data()), text.size());
      });
}

}  // namespace sc::io
