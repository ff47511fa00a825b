// SPDX-License-Identifier: Apache-2.0
// Store: creates the fields and planes as planned.
#include "solvers/turbulence/store.hpp"

#include <algorithm>

namespace sc::turbulence {

namespace {

std::size_t slot_bytes(const AnyField& field) {
  StreamPhase all;
  for (FarArray& array : far_cells(field.storage(0)).arrays()) all.push_back({&array, sc::Mode::update});
  return SlabStream::slot_bytes(all);
}

}  // namespace

Store::Store(Runner& runner, const Transforms& transforms, const Budget& budget,
             const StorageOptions& options, std::shared_ptr<Planes> pipeline,
             const std::vector<const char*>& fields)
    : runner_(runner), planes_(std::move(pipeline)) {
  Context& context = runner.context();
  if (budget.disk_used()) {
    context.together([&] {
      files_ = far_files(context, options, runner.strategy().overlaps);
      disk_ = dynamic_cast<const FileMemory*>(files_.get());
    });
    place_ = in_files(*files_, budget.pieces);
  }
  FieldOptions where;
  if (budget.fields_in_files) where.place = place_;
  for (const char* name : fields)
    fields_.push_back(std::make_unique<AnyField>(transforms.modes(), name, transforms.mode_type(),
                                                 transforms.components(), where));
  std::size_t slot = 0;
  for (const auto& field : fields_)  // no stage declares more than two
    if (budget.fields_in_files) slot = std::max(slot, 2 * slot_bytes(*field));
  const spectral::PlaneShape shape = transforms.planes();
  const int count = transforms.plane_arrays();
  if (!budget.disk_used()) {
    if (!planes_) planes_ = spectral::planes_in_memory(shape, count, context.rehearses());
    return;
  }
  context.together([&] {
    const auto far = static_cast<std::size_t>(count - Planes::near_arrays);
    const std::size_t piece = shape.most_piece_bytes(budget.pieces);
    if (budget.planes_in_files) slot = std::max(slot, far * piece);
    files_->book_on(context);
    place_->plan(slot, budget.ahead);
    planes_ = budget.planes_in_files
                  ? spectral::planes_in_files(shape, count, *files_, place_->ring(), budget.pieces)
                  : spectral::planes_in_memory(shape, count);
  });
}

void Store::timed(double& seconds, const std::function<void()>& action) {
  const Timeline& timeline = runner_.context().timeline();
  const double begin = timeline.now();
  action();
  seconds += timeline.now() - begin;
}

void Store::count(StorePhase& phase, const StreamPhase& bytes) {
  ++phase.runs;
  if (bytes.empty()) return;
  phase.read += SlabStream::bytes(bytes, Way::in);
  phase.written += SlabStream::bytes(bytes, Way::out);
}

void Store::fill(int array, const Planes::Action& action) {
  StorePhase& phase = phases_["to planes"];
  timed(phase.elapsed, [&] {
    planes_->fill(array, [&](const auto& cells) { timed(phase.compute, [&] { action(cells); }); });
  });
  count(phase, planes_->phase({{array, sc::Mode::write}}));
}

void Store::prefetch(const std::vector<Planes::Use>& uses) { planes_->prefetch(uses); }

void Store::meet(const std::vector<Planes::Use>& uses, const Planes::Meeting& meeting) {
  StorePhase& phase = phases_["points"];
  timed(phase.elapsed, [&] {
    planes_->meet(uses, [&](const auto& slab) {
      Context& context = runner_.context();
      const double before = context.timeline().booked();
      timed(phase.compute, [&] { meeting(slab); });
      if (!planes_->overlaps_messages())
        context.accounts()[Resource::messages].core_apart += context.timeline().booked() - before;
    });
  });
  count(phase, planes_->phase(uses));
}

void Store::take(int array, int next, const Planes::Action& action) {
  StorePhase& phase = phases_["from planes"];
  timed(phase.elapsed, [&] {
    planes_->take(array, next, [&](const auto& cells) { timed(phase.compute, [&] { action(cells); }); });
  });
  count(phase, planes_->phase({{array, sc::Mode::read}}));
}

void Store::run(Stage& stage, Stage* next) {
  StorePhase& phase = phases_[stage.name()];
  if (!Slabs::in(stage)) {
    timed(phase.elapsed, [&] { timed(phase.compute, [&] { runner_.run(stage); }); });
    return count(phase, {});
  }
  const double before = place_->ring().times().compute;
  timed(phase.elapsed, [&] { runner_.run(stage, next); });
  phase.compute += place_->ring().times().compute - before;
  count(phase, Slabs(stage, true).pass().phase);
}

void Store::prefetch(Stage& stage) { runner_.prefetch(stage); }

void Store::settle() {
  planes_->settle();
  if (place_) place_->finish();
}

}  // namespace sc::turbulence
