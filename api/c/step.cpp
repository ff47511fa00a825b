// SPDX-License-Identifier: Apache-2.0
// Step: user arrays as fields with external storages, the callback as a stage.
#include "api/c/step.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "api/c/step_grid.hpp"
#include "engine/exec/team.hpp"

namespace sc::halo {

namespace {

constexpr int tiles_per_thread = 4;
constexpr int widest_of_all = std::numeric_limits<int>::max();

static_assert(HALO_BLOCKING == 0 && HALO_AUTOMATIC_STRATEGY == 6 && HALO_THREAD_NO_JOIN == 7);

Strategy strategy_of(int strategy) {
  const auto number = static_cast<std::size_t>(strategy);
  if (strategy == HALO_THREAD_NO_JOIN) return Strategy::halo_thread.not_joining();
  if (number < Strategy::all().size()) return *Strategy::all()[number];
  throw Failure(HALO_ERR_ARGUMENT, "strategy is " + std::to_string(strategy) +
                                       "; HALO_BLOCKING (0) to HALO_THREAD_NO_JOIN (7) are allowed");
}

void check_threads(int strategy, const Context& context) {
  const Strategy known = strategy_of(strategy);
  if (known.divides_threads && !known.joins && context.threads() < 2)
    throw Failure(HALO_ERR_ARGUMENT,
                  "HALO_THREAD_NO_JOIN needs options.threads of at least 2: the halo thread "
                  "computes no core");
}

int widest_halo(const halo_array& array) {
  int width = 0;
  for (int i = 0; i < array.dims; ++i) width = std::max({width, array.low[i], array.high[i]});
  return width;
}

}  // namespace

/// Calls the caller's function for each box of a step, with the box in process dimensions.
struct BoxCall {
  std::vector<int> axes;
  std::vector<void*> now, next;
  std::function<void(const halo_box*, void* const*, void* const*)> callback;

  void operator()(const Box& box) const {
    halo_box theirs{};
    for (std::int64_t& hi : theirs.hi) hi = 1;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      theirs.lo[axes[axis]] = box.lo[static_cast<int>(axis)];
      theirs.hi[axes[axis]] = box.hi[static_cast<int>(axis)];
    }
    callback(&theirs, now.data(), next.data());
  }
  void operator()(const Box& box, int threads) const {
    if (threads == 1) return (*this)(box);
    TileQueue tiles(box, tiles_per_thread * threads);
    team(threads, [&](int) {
      while (const auto tile = tiles.next()) (*this)(*tile);
    });
  }
};

class BoxStage final : public Stage {
 public:
  explicit BoxStage(std::vector<Access> accesses) : Stage("halo_step", std::move(accesses)) {
    check_accesses();
  }
  void set(BoxCall call) { call_ = std::move(call); }
  void compute(const Box& box, int threads, std::span<Accumulator>) override { call_(box, threads); }
  Captured capture() const override {
    return {[call = call_](std::span<const Place>, const Box& box, Int3, int threads,
                           std::span<Accumulator>) { call(box, threads); },
            false};
  }

 private:
  BoxCall call_;
};

Step::Step(Context& context, const Registration& registration)
    : context_(context), r_(registration), axes_(axes_of(r_)), grid_(make_grid(context, r_, axes_)) {
  for (std::size_t n = 0; n < r_.arrays.size(); ++n) {
    const halo_array& array = r_.arrays[n];
    now_.push_back(array.data);
    next_.push_back(array.next);
    std::vector<std::shared_ptr<Storage>> levels;
    for (void* data : {array.data, array.next}) {
      if (!data) continue;
      const View v = view_of(array, axes_, static_cast<int>(n), data);
      levels.push_back(std::make_shared<Storage>(*grid_, "array " + std::to_string(n), element_of(array.type),
                                                 v.components, v.cells));
    }
    fields_.push_back(std::make_unique<AnyField>(std::move(levels)));
    fields_.back()->boundaries().leave_others(Beyond::given);  // the program sets these halos
  }
  stage_ = stage_of(widest_of_all);
}

Step::~Step() = default;

/// A stage that reads at most `reach` cells away, and no further than the halo of each array.
std::unique_ptr<BoxStage> Step::stage_of(int reach) {
  std::vector<Access> reads, writes;
  for (std::size_t n = 0; n < r_.arrays.size(); ++n) {
    const halo_array& array = r_.arrays[n];
    const int width = std::min(widest_halo(array), reach);
    reads.push_back({fields_[n].get(), 0, Mode::read, box(width), width});
    if (array.next) writes.push_back({fields_[n].get(), 1, Mode::write, point, 0});
  }
  reads.insert(reads.end(), writes.begin(), writes.end());
  return std::make_unique<BoxStage>(std::move(reads));
}

Runner& Step::runner_of(int strategy, int per_pass, bool finds_length) {
  auto& runner = runners_[{strategy, per_pass, finds_length}];
  if (!runner) {
    RunnerOptions options{
        .strategy = strategy_of(strategy), .steps_per_pass = per_pass, .finds_length = finds_length};
    options.halo.piece_bytes = static_cast<std::size_t>(r_.options.piece_bytes);
    runner = std::make_unique<Runner>(context_, options);
  }
  return *runner;
}

void Step::run(int strategy, halo_callback callback, void* user) {
  check_threads(strategy, context_);
  inputs_are_written();
  stage_->set({axes_, now_, next_, [=](const halo_box* box, void* const* now, void* const* next) {
                 callback(box, now, next, user);
               }});
  runner_of(strategy, 1, false).run(*stage_);
  advance();
}

void Step::run(int strategy, const StepsCallback& c, int steps, int per_pass) {
  const Length length = checked_pass(c, steps, per_pass);
  check_threads(strategy, context_);
  auto& stage = stages_[c.reach];
  if (!stage) stage = stage_of(c.reach);
  inputs_are_written();
  // A runner that finds the length would take more steps than the halos have layers for.
  Runner& runner = runner_of(strategy, length.steps, per_pass == 0 && length.steps > 1);
  last_runner_ = &runner;
  last_length_ = length;
  last_finds_ = per_pass == 0;
  runner.steps(steps, [&](int step) {
    stage->set({axes_, now_, next_, [=](const halo_box* box, void* const* now, void* const* next) {
                  c.callback(box, step, now, next, c.user);
                }});
    runner.run(*stage);
    advance();
  });
}

/// The number of steps for which halos with neighbours suffice: an array that is written needs `reach` layers
/// for each step; one that is only read needs them for all steps but the last.
int Step::steps_in_halos(int reach) const {
  int steps = std::numeric_limits<int>::max();
  for (const halo_array& array : r_.arrays)
    for (int i = 0; i < array.dims; ++i) {
      const auto p = static_cast<std::size_t>(array.split[i] - 1);
      if (array.split[i] == 0 || (r_.processes.counts[p] == 1 && !r_.processes.periodic[p])) continue;
      const int layers = std::min(array.low[i], array.high[i]);
      const int read = array.next ? reach : std::min(reach, layers);
      steps = std::min(steps, layers < read ? 0 : 1 + (layers - read) / reach);
    }
  return steps;
}

Step::Length Step::checked_pass(const StepsCallback& c, int steps, int per_pass) const {
  const auto refuse_argument = [](const std::string& why) { throw Failure(HALO_ERR_ARGUMENT, why); };
  if (!c.callback) refuse_argument("callback is null");
  if (steps < 0) refuse_argument("steps is " + std::to_string(steps) + "; at least 0 are allowed");
  if (c.reach < 1) refuse_argument("reach is " + std::to_string(c.reach) + "; at least 1 is allowed");
  if (per_pass < 0) refuse_argument("per_pass is " + std::to_string(per_pass) + "; at least 0 are allowed");
  if (std::ranges::none_of(r_.arrays, [](const halo_array& a) { return a.next; }))
    refuse_argument("no array has a next, so a step computes nothing");
  const int most = steps_in_halos(c.reach);
  if (most == 0)
    refuse_argument("reach is " + std::to_string(c.reach) + ", more than an array with next has halo");
  if (per_pass > most)
    refuse_argument("per_pass is " + std::to_string(per_pass) + "; the halos have layers for " +
                    std::to_string(most) + " steps of reach " + std::to_string(c.reach));
  // Tiles of a pass are skewed by what the stage declares to read, which is never more than the halo.
  const std::string layers = std::to_string(c.reach) + (c.reach == 1 ? " layer" : " layers");
  if (per_pass == 1) return {1, "per_pass is 1"};
  if (std::ranges::none_of(r_.arrays,
                           [&](const halo_array& a) { return a.next && widest_halo(a) >= c.reach; }))
    return {1, "no array with next has a halo of " + layers + ", the reach of a step"};
  if (per_pass > 0) return {per_pass, ""};
  if (most == 1) return {1, "the halos do not have " + layers + " for each of two steps"};
  return {std::min(most, PassTrial::most_tried), ""};
}

std::string Step::describe_passes() const {
  if (!last_runner_) return "halo_steps has made no step";
  if (!last_length_.why.empty()) return "single steps: " + last_length_.why;
  const Runner::Passes& passes = last_runner_->passes();
  const bool open = last_finds_ && passes.found.empty();
  const std::string plan = passes.plan();
  return (open ? "the fastest number of steps a pass is not found yet; " : "") + passes.describe() +
         (plan.empty() ? "" : "; " + plan);
}

/// Marks arrays without `next`, which their owner may have modified.
void Step::inputs_are_written() {
  for (const auto& field : fields_)
    if (field->levels() == 1) field->storage(0).begin_host_write();
}

void Step::advance() {
  for (std::size_t n = 0; n < fields_.size(); ++n) {
    if (fields_[n]->levels() == 1) continue;
    fields_[n]->advance();
    std::swap(now_[n], next_[n]);
  }
}

void Step::modified() {
  for (const auto& field : fields_) field->storage(0).begin_host_write();
}

}  // namespace sc::halo
