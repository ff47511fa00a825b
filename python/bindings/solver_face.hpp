// SPDX-License-Identifier: Apache-2.0
// SolverFace: what Python holds of a solver: the solver with its ledger, files, accounts and views of its
// fields. A solver adds what its files hold; bind_solver() gives it to Python.
#pragma once

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "engine/move/output/gather.hpp"
#include "engine/move/output/samples.hpp"
#include "io/checkpoint.hpp"
#include "io/snapshot.hpp"
#include "io/timeline_file.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/faces.hpp"
#include "solvers/common/passes.hpp"

namespace sc::python {

/// A field under the name that Python knows it by.
struct NamedField {
  enum class Role {
    state,    ///< whoever changes it through a view makes its halo stale
    derived,  ///< computed of the state, for output
    unshown   ///< not in snapshots, and without such a halo
  };
  const char* name;
  AnyField* field;
  Role role = Role::state;
  /// Without `field`: gives it, and allocates its memory at the first use.
  std::function<AnyField&()> made = {};
};

/// Values into a dict, each after its name.
template <class T, class... More>
void put(nanobind::dict& to, const char* name, const T& value, const More&... more) {
  to[name] = value;
  if constexpr (sizeof...(more) > 0) put(to, more...);
}

/// Throws Error (bad_input) that names what is allowed.
AnyField& find_field(const std::vector<NamedField>& fields, const std::string& name);

/// Bytes/s that the threads read and write in memory, in the largest field, whose values stay; 0 if no field
/// lies in the memory of the host.
double memory_rate(Context& context, const std::vector<NamedField>& fields);

/// The grid of a snapshot's fields.
const Grid& grid_of(const io::Snapshot& shown);
/// At equal distances where `even` is given, otherwise at the coordinates of the snapshot. Collective. Throws
/// Error (bad_input) that names output.probes for a position outside of the points.
Samples samples_of(const io::Snapshot& shown, const GridPoints& points,
                   const std::optional<io::UniformPoints>& even, const std::vector<Position>& positions);
/// The names of what they have: density, velocity_x, velocity_y, …
std::vector<std::string> sampled_names(const io::Snapshot& shown);
/// Collective; see Samples::of().
std::vector<double> sampled(const Samples& samples, const io::Snapshot& shown);

/// The centres of cubic cells from the low corner of a box on.
inline io::UniformPoints cell_centres(double h) { return {{h / 2, h / 2, h / 2}, {h, h, h}}; }
/// The points of a periodic cube of side 2 pi with so many along each axis.
inline io::UniformPoints periodic_points(Int3 n) {
  const auto h = [](int count) { return 2 * std::numbers::pi / count; };
  return {{0, 0, 0}, {h(n.x), h(n.y), h(n.z)}};
}

template <class Solver>
class SolverFace {
 public:
  /// `more`: what the solver is made of beside context and options.
  template <class Options, class... More>
  SolverFace(std::shared_ptr<Ranks> ranks, const Options& options, const More&... more)
      : ranks_(std::move(ranks)),
        solver_(std::make_unique<Solver>(ranks_->open(), placed(options), more...)),
        ledger_(solver_->runner()) {}
  virtual ~SolverFace() = default;

  Solver& solver() {
    ranks_->open();
    return *solver_;
  }
  Context& context() { return ranks_->open(); }
  bool first_rank() { return context().rank() == 0; }
  const Ledger& ledger() const { return ledger_; }

  /// One time step, or as many as are given, added to the ledger; the solver's report.
  template <class... Count>
  auto step(Count... count) {
    forget_views();
    return in_ledger([&] { return advance(solver(), count...); });
  }
  /// What is measured of the present state.
  auto measure() { return solver().measure(); }
  /// The ledger counts what the solver does in `action`.
  template <class Action>
  auto in_ledger(const Action& action) {
    ledger_.open();
    const auto result = action();
    ledger_.close();
    return result;
  }

  /// The present level of a field for a view that may be written to.
  Storage& viewed(const std::string& name) {
    Storage& storage = find_field(fields(), name).storage(0);
    if (const Far* far = storage.far())
      refuse("field \"" + name + "\" lies " + far->where() +
             ", of which there is no array to look at; gather() copies it");
    storage.settle();
    viewed_ = true;
    return storage;
  }
  /// On rank 0 all points of a field, walls included where the solver has them.
  std::vector<std::byte> gather(AnyField& field) {
    before_output();
    return sc::gather(field.storage(0), layers());
  }
  nanobind::object gathered(const std::string& name) {
    AnyField& field = find_field(fields(), name);
    std::vector<std::byte> bytes = unlocked([&] {
      before_gather(name);
      return sc::gather(field.storage(0), layers());
    });
    if (!first_rank()) return nanobind::none();
    return nanobind::cast(owned(std::move(bytes), field.storage(0), gathered_extent(field.grid(), layers())));
  }

  /// `units` of "length", "time" and the fields, where there are any.
  void write_snapshot(const std::string& path, const std::map<std::string, std::string>& units) {
    before_output();
    io::Snapshot shown = snapshot();
    shown.units = units;
    io::write_snapshot(path, shown);
  }
  /// Collective: where probes() reads what snapshots show; the names of what it finds at each position.
  std::vector<std::string> place_probes(const std::vector<Position>& positions) {
    const io::Snapshot shown = snapshot();
    const GridPoints points(grid_of(shown), shown.layers, periodic());
    probes_.emplace(samples_of(shown, points, even_points(), positions));
    return sampled_names(shown);
  }
  /// On rank 0 the present values, position by position.
  nanobind::object probes() {
    if (!probes_) throw Error(Exit::failure, "probes() needs positions: call place_probes() first");
    std::vector<double> values = unlocked([&] {
      before_output();
      return sampled(*probes_, snapshot());
    });
    return first_rank() ? nanobind::cast(owned(std::move(values))) : nanobind::none();
  }
  void write_checkpoint(const std::string& path) {
    before_checkpoint();
    io::write_checkpoint(path, whole_contents());
  }
  void read_checkpoint(const std::string& path) {
    io::read_checkpoint(path, whole_contents());
    restored();
  }
  void write_timeline(const std::string& path) { io::write_timeline(context(), path); }

  /// Of a solver with a budget: where fields are kept and what that costs, and what is not as it should be, a
  /// line each.
  std::string plan() { return said_ + solver().budget().describe(); }

  /// Where the time went, in the notation of docs/accounts.md, and what was chosen meanwhile. Collective.
  nanobind::dict terms() {
    nanobind::dict result = terms_of(context(), ledger_);
    add_terms(result);
    if (const auto made = choices(); !made.empty()) result["automatic"] = dict_of(made);
    const Runner& runner = solver_->runner();
    if (runner.steps_per_pass() > 1) result["passes"] = runner.passes().describe();
    if constexpr (!requires { solver_->pass_cost(); })  // told before the first step otherwise
      if (const std::string plan = runner.passes().plan(); !plan.empty()) result["plan_of_passes"] = plan;
    return result;
  }

  /// What a pass of several steps moves on this rank in a step, what single steps would, and the speed of the
  /// memory in bytes/s (see memory_rate()) while all ranks measure it; None if the solver takes single steps
  /// or has its fields elsewhere. Collective.
  nanobind::object pass_cost() {
    if constexpr (requires { solver().pass_cost(); }) {
      if (const std::optional<PassCost> cost = solver().pass_cost()) {
        const auto both = [&](double StepCost::*of) {
          return nanobind::make_tuple(cost->passes.*of, cost->singles.*of);
        };
        nanobind::dict result;
        result["steps"] = cost->steps;
        result["read"] = both(&StepCost::read);
        result["written"] = both(&StepCost::written);
        result["sent"] = both(&StepCost::sent);
        result["messages"] = both(&StepCost::messages);
        result["more"] = cost->more;
        context().barrier();
        result["memory_rate"] = memory_rate(context(), fields());
        return result;
      }
    }
    return nanobind::none();
  }

  /// terms() counts from here on, rank by rank: a difference of two of its answers may be that of two ranks.
  void restart_terms() { ledger_.restart(); }

 protected:
  virtual std::vector<NamedField> fields() = 0;
  virtual io::Snapshot snapshot() {
    io::Snapshot all{.uniform = even_points(), .step = solver().clock().steps, .time = solver().clock().time};
    for (const NamedField& one : fields())
      if (one.role != NamedField::Role::unshown)
        all.fields.push_back({one.name, &(one.field ? *one.field : one.made()).storage(0)});
    return all;
  }
  /// Of a checkpoint, beside the time and the number of steps.
  virtual io::CheckpointContents contents() = 0;
  /// The present levels of the fields that are state, for contents().
  std::vector<io::SavedField> state() {
    std::vector<io::SavedField> all;
    for (const NamedField& one : fields())
      if (one.role == NamedField::Role::state) all.push_back({one.name, &one.field->storage(0)});
    return all;
  }
  /// Collective: brings what is shown up to date.
  virtual void before_output() {}
  virtual void before_gather(const std::string&) { before_output(); }
  virtual void before_checkpoint() {}
  /// Collective: what follows from the state that a checkpoint has set.
  virtual void restored() {}
  /// Axes whose last point is followed by the first.
  virtual Bool3 periodic() { return solver().grid().periodic(); }
  /// The points of snapshots where they are at equal distances.
  virtual std::optional<io::UniformPoints> even_points() { return std::nullopt; }
  /// Layers of halo beyond physical faces that are points too.
  virtual int layers() const { return 0; }
  virtual void add_terms(nanobind::dict&) {}
  /// Made while it runs, under the automatic strategy.
  virtual std::vector<const Choice*> choices() {
    if (const Choice* choice = solver_->runner().choice()) return {choice};
    return {};
  }

 private:
  /// Fields lie where the context computes; what is not as it should be is kept to be told with the plan.
  template <class Options>
  Options placed(Options options) {
    if constexpr (requires { options.space; })
      options.space = context().device() ? Space::device : Space::host;
    if constexpr (requires { options.storage.say; })
      options.storage.say = [this](const std::string& sentence) { said_ += sentence + "\n"; };
    return options;
  }
  io::CheckpointContents whole_contents() {
    io::CheckpointContents all = contents();
    all.scalars.push_back({"time", &solver().clock().time});
    all.scalars.push_back({"steps", &solver().clock().steps});
    return all;
  }

  static auto advance(Solver& solver) { return solver.step(); }
  static auto advance(Solver& solver, int count) { return solver.steps(count); }

  /// A rank that looked at a field may have changed it; all ranks must then refresh together.
  void forget_views() {
    if (!context().any(viewed_)) return;
    for (const NamedField& shown : fields()) {
      if (shown.role != NamedField::Role::state) continue;
      Storage& storage = shown.field->storage(0);
      storage.settle();
      storage.set_fresh(point);
      if (storage.space() == Space::device)
        storage.begin_host_write();  // what the view holds goes to the device
    }
    viewed_ = false;
  }

  std::shared_ptr<Ranks> ranks_;
  std::string said_;
  std::unique_ptr<Solver> solver_;
  Ledger ledger_;
  std::optional<Samples> probes_;
  bool viewed_ = false;  ///< a view has been handed out since the last step: halos may be stale
};

}  // namespace sc::python
