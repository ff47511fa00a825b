// SPDX-License-Identifier: Apache-2.0
// Critical path: the longest chain of dependences and, for each resource, what must precede its activities,
// their sum, and what must follow them.
#include "model/predict/critical_path.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <string>
#include <utility>

#include "engine/base/index.hpp"

namespace sc::model {

namespace {

using Activities = std::vector<Activity>;
constexpr std::array both{Activity::On::processor, Activity::On::link};

/// Finds what must be completed before an activity, without a list for each: they would take memory for every
/// pair.
class Ancestors {
 public:
  explicit Ancestors(const Activities& all) : all_(all), seen_by_(all.size(), all.size()) {}

  const std::vector<std::size_t>& of(std::size_t n) {
    found_.clear();
    see(n, n);
    for (std::size_t next = 0; next < found_.size(); ++next) see(found_[next], n);
    return found_;
  }

 private:
  void see(std::size_t one, std::size_t n) {
    for (const int a : all_[one].after)
      if (std::exchange(seen_by_[at(a)], n) != n) found_.push_back(at(a));
  }

  const Activities& all_;
  std::vector<std::size_t> seen_by_, found_;
};

/// When each activity can start at the earliest: a resource has one of those before it at a time. A single
/// direct predecessor ends after all that is before it.
std::vector<double> heads(const Activities& all) {
  Ancestors ancestors(all);
  std::vector<double> heads;
  for (std::size_t n = 0; n < all.size(); ++n) {
    double head = 0;
    for (const int a : all[n].after) head = std::max(head, heads[at(a)] + all[at(a)].seconds);
    if (all[n].after.size() > 1) {
      std::vector<std::size_t> before = ancestors.of(n);
      std::ranges::sort(before, [&](auto a, auto b) { return heads[a] < heads[b]; });
      for (const Activity::On resource : both) {
        double end = 0;
        for (const std::size_t k : before)
          if (all[k].on == resource) end = std::max(end, heads[k]) + all[k].seconds;
        head = std::max(head, end);
      }
    }
    heads.push_back(head);
  }
  return heads;
}

Activities reversed(const Activities& all) {
  Activities result;
  for (auto a = all.rbegin(); a != all.rend(); ++a) result.push_back({.on = a->on, .seconds = a->seconds});
  const auto mirror = [&](std::size_t n) { return all.size() - 1 - n; };
  for (std::size_t n = 0; n < all.size(); ++n)
    for (const int a : all[n].after) result[mirror(at(a))].after.push_back(static_cast<int>(mirror(n)));
  return result;
}

/// The shortest time of one resource whose activities may be interrupted: always the one with the longest
/// tail of those that can start (Jackson 1955).
double one_resource(const Activities& all, const std::vector<double>& heads, const std::vector<double>& tails,
                    Activity::On resource) {
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (all[n].on == resource) order.push_back(n);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return heads[a] < heads[b]; });
  std::priority_queue<std::pair<double, double>> can;  // tail, seconds left
  double now = 0, end = 0;
  for (std::size_t n = 0; n < order.size() || !can.empty();) {
    if (can.empty()) now = std::max(now, heads[order[n]]);
    while (n < order.size() && heads[order[n]] <= now) {
      can.emplace(tails[order[n]], all[order[n]].seconds);
      ++n;
    }
    auto [tail, left] = can.top();
    can.pop();
    const double until = n < order.size() ? std::min(left, heads[order[n]] - now) : left;
    now += until;
    if (until < left)
      can.emplace(tail, left - until);
    else
      end = std::max(end, now + tail);
  }
  return end;
}

/// Seconds of a cell of each kernel, in the shell and in the core, and of a byte of a message.
struct Scale {
  std::map<std::string, Measured::Computing> cell;
  double byte = 0;

  double seconds(const RehearsedRun& run, const std::vector<Work>& works) const {
    double sum = 0;
    for (const Work& work : works) {
      const auto found = cell.find(run.kernels[at(work.kernel)].name);
      if (found == cell.end()) continue;
      const auto cells = static_cast<double>(work.cells);
      if (work.part == Work::Part::shell) sum += cells * found->second.shell;
      if (work.part == Work::Part::core || work.part == Work::Part::all) sum += cells * found->second.core;
    }
    return sum;
  }
};

template <class Action>
void each_run(const Rehearsal& rehearsal, Action&& action) {
  for (const RehearsedEvent& event : rehearsal.events)
    if (const auto* run = std::get_if<RehearsedRun>(&event)) action(*run);
}

Scale scale_of(const Rehearsal& rehearsal, const Measured& measured) {
  std::map<std::string, Measured::Computing> cells;
  double bytes = 0;
  each_run(rehearsal, [&](const RehearsedRun& run) {
    for (const auto& works : run.works)
      for (const Work& work : works) {
        Measured::Computing& sum = cells[run.kernels[at(work.kernel)].name];
        if (work.part == Work::Part::shell) sum.shell += static_cast<double>(work.cells);
        if (work.part == Work::Part::core || work.part == Work::Part::all)
          sum.core += static_cast<double>(work.cells);
      }
    for (const Passage& passage : run.departures)
      if (passage.way != Passage::Way::self) bytes += static_cast<double>(passage.bytes);
  });
  const auto each = [](double seconds, double count) { return count > 0 ? seconds / count : 0; };
  Scale scale{.cell = {}, .byte = each(measured.messages, bytes)};
  for (const auto& [name, seconds] : measured.stages)
    scale.cell[name] = {each(seconds.shell, cells[name].shell), each(seconds.core, cells[name].core)};
  return scale;
}

/// A run as activities: chunks in program order, each piece as soon as all before it are there.
class RunOfActivities {
 public:
  RunOfActivities(const RehearsedRun& run, const Strategy& strategy, const Scale& scale)
      : run_(run), plan_(run.plan), strategy_(strategy), scale_(scale) {
    chunk_.assign(plan_.chunks().size(), -1);
    piece_.assign(plan_.pieces().size(), -1);
  }

  Activities made() {
    givers_.resize(plan_.pieces().size());
    for (std::size_t c = 0; c < chunk_.size(); ++c)
      for (const int p : plan_.ids(plan_.chunks()[c].gives)) givers_[at(p)].push_back(static_cast<int>(c));
    for (std::size_t c = 0; c < chunk_.size(); ++c) add_chunk(c);
    for (std::size_t p = 0; p < piece_.size(); ++p) add_piece(p);  // that nothing here waits for
    return std::move(all_);
  }

 private:
  /// In program order. What it waits for comes before it, but for a like piece of a later chunk, which peers
  /// send earlier than this rank.
  void add_chunk(std::size_t c) {
    const Chunk& chunk = plan_.chunks()[c];
    Activity activity{.seconds = scale_.seconds(run_, run_.works[c])};
    for (const int before : plan_.ids(chunk.after)) activity.after.push_back(chunk_[at(before)]);
    for (const int arrival : plan_.ids(chunk.needs))
      for (const RehearsedRun::Awaited& awaited : run_.arrivals[at(arrival)])
        if (awaited.like >= 0 && add_piece(at(awaited.like)))
          activity.after.push_back(piece_[at(awaited.like)]);
    chunk_[c] = static_cast<int>(all_.size());
    all_.push_back(std::move(activity));
  }

  /// Returns false if a chunk that comes later contributes to it.
  bool add_piece(std::size_t p) {
    if (piece_[p] >= 0) return true;
    const Piece& piece = plan_.pieces()[p];
    Activity activity{.on = Activity::On::link};
    for (const int giver : givers_[p]) {
      if (chunk_[at(giver)] < 0) return false;
      activity.after.push_back(chunk_[at(giver)]);
    }
    const bool waits_for_step = strategy_.starts == Starts::after_step && !piece.at_once && piece.givers > 0;
    for (std::size_t c = 0; waits_for_step && c < chunk_.size(); ++c)
      if (plan_.chunks()[c].step == piece.step && chunk_[c] >= 0) activity.after.push_back(chunk_[c]);
    const Passage& passage = run_.departures[p];
    if (passage.way != Passage::Way::self)
      activity.seconds = static_cast<double>(passage.bytes) * scale_.byte;
    piece_[p] = static_cast<int>(all_.size());
    all_.push_back(std::move(activity));
    return true;
  }

  const RehearsedRun& run_;
  const Plan& plan_;
  const Strategy& strategy_;
  const Scale& scale_;
  Activities all_;
  std::vector<int> chunk_, piece_;        // their activities; -1: none yet
  std::vector<std::vector<int>> givers_;  // of each piece
};

}  // namespace

double critical_path(const Activities& activities) {
  const std::vector<double> first = heads(activities);
  std::vector<double> last = heads(reversed(activities));
  std::reverse(last.begin(), last.end());
  double longest = 0;
  for (std::size_t n = 0; n < activities.size(); ++n)
    longest = std::max(longest, first[n] + activities[n].seconds + last[n]);
  for (const Activity::On resource : both)
    longest = std::max(longest, one_resource(activities, first, last, resource));
  return longest;
}

double critical_path(const Rehearsal& rehearsal, const Strategy& strategy, const Measured& measured) {
  const Scale scale = scale_of(rehearsal, measured);
  double total = 0, computing = 0;
  each_run(rehearsal, [&](const RehearsedRun& run) {
    total += critical_path(RunOfActivities(run, strategy, scale).made());
  });
  for (const auto& [name, seconds] : measured.stages) computing += seconds.shell + seconds.core;
  return std::max({total, computing, measured.messages});
}

}  // namespace sc::model
