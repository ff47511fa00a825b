// SPDX-License-Identifier: Apache-2.0
// Ledger: differences of the timeline's totals, and the terms they add up to.
#include "engine/overlap/ledger.hpp"

namespace sc {

std::vector<Ledger::Phases> Ledger::totals() const {
  const Timeline& timeline = runner_.context().timeline();
  std::vector<Phases> all(timeline.names().size());
  for (std::size_t name = 0; name < all.size(); ++name)
    for (int phase = 0; phase < phase_count; ++phase)
      all[name][static_cast<std::size_t>(phase)] =
          timeline.total(static_cast<std::uint16_t>(name), static_cast<Phase>(phase)).seconds;
  return all;
}

void Ledger::close() {
  const std::vector<Phases> now = totals();
  const std::vector<std::string>& names = runner_.context().timeline().names();
  opened_at_.resize(now.size());
  for (std::size_t n = lines_.size(); n < now.size(); ++n) lines_.push_back({names[n], {}});
  for (std::size_t n = 0; n < now.size(); ++n)
    for (std::size_t p = 0; p < static_cast<std::size_t>(phase_count); ++p)
      lines_[n].seconds[p] += now[n][p] - opened_at_[n][p];
}

Terms Ledger::terms() const {
  Phases sum{};
  double sampled_wait = 0;
  for (const Line& line : lines_) {
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += line.seconds[p];
    if (line.name.ends_with(Runner::sampled_suffix))
      sampled_wait += line.seconds[static_cast<std::size_t>(Phase::wait)];
  }
  const auto of = [&](Phase phase) { return sum[static_cast<std::size_t>(phase)]; };
  const Runner::Apart apart = runner_.apart();
  Terms terms;
  terms.shell = of(Phase::shell);
  terms.core = of(Phase::core) + of(Phase::all);
  terms.movement = apart.movement;
  terms.core_apart = apart.core;
  terms.start = of(Phase::start);
  terms.poke = of(Phase::poke);
  // The samples waited on purpose; they tell nothing of how well the strategy hides.
  terms.wait = of(Phase::wait) - sampled_wait;
  terms.reduce = of(Phase::reduce);
  terms.boundary = of(Phase::boundary);
  terms.settle = of(Phase::settle);
  for (const auto& [stage, counts] : runner_.counts()) {
    terms.bytes_moved += counts.moved;
    terms.bytes_declared += counts.bytes;
  }
  return terms;
}

std::string of_largest(const Context& context, double total, const std::string& bytes) {
  std::string entry(reinterpret_cast<const char*>(&total), sizeof total);
  entry += bytes;
  std::string largest;
  double most = 0;
  for (const std::string& candidate : context.gather(entry)) {
    double seconds = 0;
    std::memcpy(&seconds, candidate.data(), sizeof seconds);
    if (largest.empty() || seconds > most) {
      most = seconds;
      largest = candidate;
    }
  }
  context.broadcast(largest);
  return largest.substr(sizeof total);
}

}  // namespace sc
