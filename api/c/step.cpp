// SPDX-License-Identifier: Apache-2.0
// Step: user arrays as fields with external storages, the callback as a stage.
#include "api/c/step.hpp"

#include <algorithm>

#include "engine/exec/team.hpp"

namespace sc::halo {

namespace {

constexpr auto at(int i) { return static_cast<std::size_t>(i); }
constexpr int tiles_per_thread = 4;

[[noreturn]] void refuse_step(const std::string& why) {
  throw Failure(HALO_ERR_UNSUPPORTED,
                "halo_step: " + why + "; halo_exchange with halo_core and halo_shell works");
}

/// Process dimensions in the order of the grid's axes: the fastest in the first array's memory is x.
std::vector<int> axes_of(const Registration& r) {
  std::vector<int> axes;
  for (const int i : memory_order(r.arrays[0]))
    if (r.arrays[0].split[i] > 0) axes.push_back(r.arrays[0].split[i] - 1);
  if (static_cast<int>(axes.size()) != r.processes.dims)
    refuse_step("array 0 is not split over every process dimension");
  if (axes.size() > 3) refuse_step("more than three dimensions are split");
  return axes;
}

Grid make_grid(Context& context, const Registration& r, const std::vector<int>& axes) {
  GridOptions options{.cells = {1, 1, 1}, .periodic = {}, .halo = 0, .split = {1, 1, 1}};
  bool periodic[3] = {};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const auto p = at(axes[axis]);
    const auto i = static_cast<int>(axis);
    options.cells[i] = static_cast<int>(r.global(axes[axis]));
    options.split[i] = r.processes.counts[p];
    options.cuts[axis] = {0};
    for (const int block : r.blocks[p]) options.cuts[axis].push_back(options.cuts[axis].back() + block);
    options.halo = std::max({options.halo, r.low[p], r.high[p]});
    periodic[axis] = r.processes.periodic[p];
  }
  options.periodic = {periodic[0], periodic[1], periodic[2]};
  // Ranks are numbered with the last process dimension fastest.
  std::size_t next = 0;
  for (int p = r.processes.dims - 1; p >= 0; --p)
    options.rank_order[next++] = static_cast<int>(std::find(axes.begin(), axes.end(), p) - axes.begin());
  for (int axis = static_cast<int>(axes.size()); axis < 3; ++axis) options.rank_order[next++] = axis;
  return {context, options};
}

/// What a grid needs of an array: contiguous cells (of all leading unsplit dimensions), x, y, z, and one
/// dimension more that becomes components.
struct View {
  ExternalCells cells;
  int components = 1;
};

View view_of(const halo_array& array, const std::vector<int>& axes, int number, void* data) {
  const UserArray u = user_array_of(array, data);
  const std::string name = "array " + std::to_string(number);
  View v;
  v.cells.base = u.own;
  v.cells.cell_bytes = u.cell_bytes;
  std::size_t axis = 0;
  bool extra = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.dims); ++i) {
    if (u.split_over[i] < 0 && axis == 0 && !extra) {  // lies before x
      const bool last = i + 1 == static_cast<std::size_t>(array.dims);
      v.cells.cell_bytes *= static_cast<std::size_t>(u.cells[i]);
      if (!last && u.strides[i + 1] != static_cast<std::ptrdiff_t>(v.cells.cell_bytes))
        refuse_step(name + " has a gap inside of its cells");
    } else if (u.split_over[i] < 0) {
      if (extra) refuse_step(name + " has two unsplit dimensions apart from its contiguous ones");
      extra = true;
      v.components = u.cells[i];
      v.cells.component = u.strides[i];
    } else {
      if (axis >= axes.size() || u.split_over[i] != axes[axis])
        refuse_step(name + " has its split dimensions in another order in memory than array 0");
      if (axis == 1) v.cells.y = u.strides[i];
      if (axis == 2) v.cells.z = u.strides[i];
      v.cells.low[static_cast<int>(axis)] = u.low[i];
      v.cells.high[static_cast<int>(axis)] = u.high[i];
      ++axis;
    }
  }
  if (axis != axes.size()) refuse_step(name + " is not split over every process dimension");
  return v;
}

ElementType element_of(int type) {
  switch (type) {
    case HALO_REAL32:
      return ElementType::f32;
    case HALO_REAL64:
      return ElementType::f64;
    case HALO_INT32:
      return ElementType::i32;
    case HALO_INT64:
      return ElementType::i64;
    case HALO_COMPLEX32:
      return ElementType::c32;
    default:
      return ElementType::c64;
  }
}

static_assert(HALO_BLOCKING == 0 && HALO_AUTOMATIC_STRATEGY == 6 && HALO_THREAD_NO_JOIN == 7);

Strategy strategy_of(halo_strategy strategy) {
  const auto number = static_cast<std::size_t>(strategy);
  if (strategy == HALO_THREAD_NO_JOIN) return Strategy::halo_thread.not_joining();
  if (number < Strategy::all().size()) return *Strategy::all()[number];
  throw Failure(HALO_ERR_ARGUMENT, "strategy is " + std::to_string(static_cast<int>(strategy)) +
                                       "; HALO_BLOCKING (0) to HALO_THREAD_NO_JOIN (7) are allowed");
}

}  // namespace

/// The callback over boxes of the grid, told in process dimensions.
class BoxStage final : public Stage {
 public:
  BoxStage(const Grid& grid, std::vector<int> axes, std::vector<Access> accesses)
      : Stage("halo_step", {}, 1, 0), grid_(grid), axes_(std::move(axes)), accesses_(std::move(accesses)) {
    check_accesses();
  }
  void set(halo_callback callback, void* user, std::vector<void*> now, std::vector<void*> next) {
    callback_ = callback;
    user_ = user;
    now_ = std::move(now);
    next_ = std::move(next);
  }
  const Grid& grid() const override { return grid_; }
  const std::vector<Access>& accesses() const override { return accesses_; }
  void compute(const Box& box, int threads, std::span<Accumulator>) override {
    if (threads == 1) return call(box);
    TileQueue tiles(box, tiles_per_thread * threads);
    team(threads, [&](int) {
      while (const auto tile = tiles.next()) call(*tile);
    });
  }

 private:
  void call(const Box& box) const {
    halo_box theirs{};
    for (std::int64_t& hi : theirs.hi) hi = 1;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      theirs.lo[axes_[axis]] = box.lo[static_cast<int>(axis)];
      theirs.hi[axes_[axis]] = box.hi[static_cast<int>(axis)];
    }
    callback_(&theirs, now_.data(), next_.data(), user_);
  }
  Grid grid_;
  std::vector<int> axes_;
  std::vector<Access> accesses_;
  halo_callback callback_ = nullptr;
  void* user_ = nullptr;
  std::vector<void*> now_, next_;
};

Step::Step(Context& context, const Registration& registration) : context_(context), r_(registration) {
  const std::vector<int> axes = axes_of(r_);
  const Grid grid = make_grid(context, r_, axes);
  std::vector<Access> reads, writes;
  for (std::size_t n = 0; n < r_.arrays.size(); ++n) {
    const halo_array& array = r_.arrays[n];
    now_.push_back(array.data);
    next_.push_back(array.next);
    std::vector<std::shared_ptr<Storage>> levels;
    for (void* data : {array.data, array.next}) {
      if (!data) continue;
      const View v = view_of(array, axes, static_cast<int>(n), data);
      levels.push_back(std::make_shared<Storage>(grid, "array " + std::to_string(n), element_of(array.type),
                                                 v.components, v.cells));
    }
    fields_.push_back(std::make_unique<AnyField>(std::move(levels)));
    fields_.back()->boundaries().leave_others(Beyond::given);  // the array is its owner's
    int width = 0;
    for (int i = 0; i < array.dims; ++i) width = std::max({width, array.low[i], array.high[i]});
    reads.push_back({fields_.back().get(), 0, Mode::read, box(width), width});
    if (array.next) writes.push_back({fields_.back().get(), 1, Mode::write, point, 0});
  }
  reads.insert(reads.end(), writes.begin(), writes.end());
  stage_ = std::make_unique<BoxStage>(grid, axes, std::move(reads));
}

Step::~Step() = default;

Runner& Step::runner_of(halo_strategy strategy) {
  auto& runner = runners_[strategy];
  if (!runner) {
    RunnerOptions options{.strategy = strategy_of(strategy)};
    options.halo.piece_bytes = static_cast<std::size_t>(r_.options.piece_bytes);
    runner = std::make_unique<Runner>(context_, options);
  }
  return *runner;
}

void Step::run(halo_strategy strategy, halo_callback callback, void* user) {
  const Strategy known = strategy_of(strategy);
  if (known.divides_threads && !known.joins && context_.threads() < 2)
    throw Failure(HALO_ERR_ARGUMENT,
                  "HALO_THREAD_NO_JOIN needs options.threads of at least 2: the halo thread "
                  "computes no core");
  Runner& runner = runner_of(strategy);
  for (std::size_t n = 0; n < fields_.size(); ++n)
    if (fields_[n]->levels() == 1)
      fields_[n]->storage(0).begin_host_write();  // its owner writes it as it likes
  stage_->set(callback, user, now_, next_);
  runner.run(*stage_);
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
