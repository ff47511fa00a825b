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
    : runner_(runner), planes_(std::move(pipeline)), pipelined_(planes_ != nullptr) {
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
    if (!planes_) planes_ = std::make_shared<Planes>(shape, count, context.rehearses());
    return;
  }
  context.together([&] {
    const auto far = static_cast<std::size_t>(count - Planes::near_arrays);
    if (budget.planes_in_files) slot = std::max(slot, far * shape.slot_bytes(budget.pieces));
    files_->record_in(context);
    place_->plan(slot, budget.ahead);
    planes_ = budget.planes_in_files
                  ? spectral::planes_in_files(shape, count, *files_, place_->ring(), budget.pieces)
                  : std::make_unique<Planes>(shape, count);
  });
}

/// What takes no time of the files is computing.
void Store::timed(const std::string& name, const StreamPhase& copies, const std::function<void()>& action) {
  const Timeline& timeline = runner_.context().timeline();
  const auto computing = [&] {
    return timeline.now() - timeline.total(Resource::files, Phase::start).seconds -
           timeline.total(Resource::files, Phase::wait).seconds;
  };
  const double begin = timeline.now(), before = computing();
  action();
  StorePhase& phase = phases_[name];
  phase.compute += computing() - before;
  phase.elapsed += timeline.now() - begin;
  if (copies.empty()) return;
  phase.read += SlabStream::bytes(copies, Way::in);
  phase.written += SlabStream::bytes(copies, Way::out);
}

void Store::fill(int array, const Planes::Action& action) {
  timed("to planes", planes_->phase({{array, sc::Mode::write}}), [&] { planes_->fill(array, action); });
}

void Store::each_slab(const std::vector<Planes::Use>& uses, const Planes::SlabAction& action) {
  Context& context = runner_.context();
  timed("points", planes_->phase(uses), [&] {
    planes_->each_slab(uses, [&](const auto& slab) {
      const double before = context.timeline().total_seconds();
      action(slab);
      if (pipelined_) return;
      context.accounts()[Resource::messages].core_apart += context.timeline().total_seconds() - before;
    });
  });
}

void Store::take(int array, int next, const Planes::Action& action) {
  timed("from planes", planes_->phase({{array, sc::Mode::read}}),
        [&] { planes_->take(array, next, action); });
}

void Store::run(Stage& stage, Stage* next) {
  const StreamPhase copies = Slabs::in(stage) ? Slabs(stage, true).pass().phase : StreamPhase{};
  timed(stage.name(), copies, [&] { runner_.run(stage, next); });
}

void Store::finish() {
  planes_->finish();
  if (place_) place_->finish();
}

}  // namespace sc::turbulence
