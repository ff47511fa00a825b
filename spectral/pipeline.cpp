// SPDX-License-Identifier: Apache-2.0
// Pipeline: the order of chunks.
#include "spectral/pipeline.hpp"

#include <string>

namespace sc::spectral {

Pipeline::Pipeline(Context& context, bool overlap)
    : context_(context),
      overlap_(overlap),
      name_(context.timeline().name("fft transpose")),
      sample_name_(context.timeline().name(std::string("fft transpose") + sampled_suffix)) {}

void Pipeline::run(std::span<const Pass> passes, Sampled& sampled) {
  const Timeline& timeline = context_.timeline();
  sample_ = overlap_ && sampled.due(context_.accounts().sampling);
  moving_ = 0;
  const double begin = timeline.now();
  if (overlap_ && !sample_)
    overlapped(passes);
  else
    in_turn(passes);
  for (const Pass& pass : passes)
    if (pass.gives) timed(Phase::wait, [&] { pass.gives->wait(); });
  const double computing = timeline.now() - begin - moving_;
  const auto kind = !overlap_ ? Sampled::Kind::plain
                    : sample_ ? Sampled::Kind::sample
                              : Sampled::Kind::overlapped;
  sampled.ran(kind, {moving_, computing}, context_.accounts()[Resource::messages]);
}

void Pipeline::in_turn(std::span<const Pass> passes) {
  for (std::size_t k = 0; k < passes.size(); ++k) {
    const Pass& pass = passes[k];
    for (int chunk = 0; chunk < pass.chunks; ++chunk) await(passes, k, chunk);
    for (int chunk = 0; chunk < pass.chunks; ++chunk) pass.compute(chunk);
    for (int chunk = 0; pass.gives && chunk < pass.chunks; ++chunk)
      timed(Phase::start, [&] { pass.gives->start_chunk(chunk); });
  }
}

void Pipeline::overlapped(std::span<const Pass> passes) {
  next_.assign(passes.size(), 0);
  for (std::size_t k = 0; k < passes.size(); ++k)
    while (next_[k] < passes[k].chunks) advance(passes, k);
}

void Pipeline::advance(std::span<const Pass> passes, std::size_t k) {
  const Pass& pass = passes[k];
  const int chunk = next_[k]++;
  await(passes, k, chunk);
  pass.compute(chunk);
  if (!pass.gives) return;
  timed(Phase::start, [&] { pass.gives->start_chunk(chunk); });
  // Cut across the same axis, a chunk of the next pass comes from that of this one on every rank: those that
  // are here already are computed while they are warm. Else it comes from all of them.
  if (pass.gives->cuts_agree())
    while (next_[k + 1] < chunk && pass.gives->chunk_arrived(next_[k + 1])) advance(passes, k + 1);
}

/// Until what a chunk is computed from is there; the messages of the other transposes are pushed on
/// meanwhile, or a peer that waits for them would never send it.
void Pipeline::await(std::span<const Pass> passes, std::size_t k, int chunk) {
  Transpose* from = k > 0 ? passes[k - 1].gives : nullptr;
  if (!from || from->chunk_arrived(chunk)) return;
  timed(Phase::wait, [&] {
    from->wait_chunk(chunk, [&] {
      for (const Pass& pass : passes)
        if (pass.gives && pass.gives != from) pass.gives->push();
    });
  });
}

void Pipeline::timed(Phase phase, const std::function<void()>& action) {
  Timeline& timeline = context_.timeline();
  const double begin = timeline.now();
  action();
  const double end = timeline.now();
  moving_ += end - begin;
  timeline.add(sample_ ? sample_name_ : name_, phase, begin, end);
}

}  // namespace sc::spectral
