// SPDX-License-Identifier: Apache-2.0
// Ledger: differences of the timeline's totals, added up to terms.
#include "engine/overlap/ledger.hpp"

#include <limits>

namespace sc {

namespace {

/// The values from the account; start, poke and wait come from the timeline.
Moved moved_of(const Account& account) {
  const bool moved = account.pieces > 0 || account.apart > 0;
  const bool unknown = moved && account.measured == 0;
  Moved m;
  m.bytes = static_cast<double>(account.bytes);
  m.pieces = static_cast<double>(account.pieces);
  m.looks = static_cast<double>(account.looks);
  m.apart = unknown ? std::numeric_limits<double>::quiet_NaN() : account.apart;
  m.hideable = unknown ? m.apart : account.hideable;
  return m;
}

/// Bytes that all runs of stages declared so far.
double declared(const Runner& runner) {
  double bytes = 0;
  for (const auto& [stage, counts] : runner.counts()) bytes += counts.bytes;
  return bytes;
}

}  // namespace

Moved moved_so_far(Context& context, Resource resource) {
  const Timeline& timeline = context.timeline();
  Moved m = moved_of(context.accounts()[resource]);
  for (std::size_t n = 0; n < timeline.names().size(); ++n) {
    const auto name = static_cast<std::uint16_t>(n);
    if (timeline.resource(name) != resource || timeline.names()[n].ends_with(sampled_suffix)) continue;
    m.start += timeline.total(name, Phase::start).seconds;
    m.poke += timeline.total(name, Phase::poke).seconds;
    m.wait += timeline.total(name, Phase::wait).seconds;
  }
  return m;
}

std::vector<Ledger::Phases> Ledger::totals() const {
  const Timeline& timeline = runner_.context().timeline();
  std::vector<Phases> all(timeline.names().size());
  for (std::size_t name = 0; name < all.size(); ++name)
    for (int phase = 0; phase < phase_count; ++phase)
      all[name][static_cast<std::size_t>(phase)] =
          timeline.total(static_cast<std::uint16_t>(name), static_cast<Phase>(phase)).seconds;
  return all;
}

void Ledger::open() {
  opened_at_ = totals();
  accounts_at_ = runner_.context().accounts().of;
  declared_at_ = declared(runner_);
}

void Ledger::close() {
  const std::vector<Phases> now = totals();
  const Timeline& timeline = runner_.context().timeline();
  const std::vector<std::string>& names = timeline.names();
  opened_at_.resize(now.size());
  for (std::size_t n = lines_.size(); n < now.size(); ++n)
    lines_.push_back({names[n], timeline.resource(static_cast<std::uint16_t>(n)), {}});
  for (std::size_t n = 0; n < now.size(); ++n)
    for (std::size_t p = 0; p < static_cast<std::size_t>(phase_count); ++p)
      lines_[n].seconds[p] += now[n][p] - opened_at_[n][p];
  for (std::size_t r = 0; r < accounts_.size(); ++r)
    accounts_[r] += runner_.context().accounts().of[r] - accounts_at_[r];
  declared_ += declared(runner_) - declared_at_;
}

void Ledger::restart() {
  lines_.clear();
  accounts_ = {};
  declared_ = 0;
}

double Moved::hidden() const {
  if (!(hideable > 0)) return std::numeric_limits<double>::quiet_NaN();
  return 1 - (start + poke + wait) / hideable;
}

Moved Terms::moved() const {
  Moved sum;
  for (const Resource resource : {Resource::messages, Resource::files, Resource::link}) {
    const Moved& m = of(resource);
    sum.apart += m.apart;
    sum.hideable += m.hideable;
    sum.start += m.start;
    sum.poke += m.poke;
    sum.wait += m.wait;
    sum.bytes += m.bytes;
    sum.pieces += m.pieces;
    sum.looks += m.looks;
  }
  return sum;
}

double Terms::total() const {
  const Moved m = moved();
  return compute() + m.start + m.poke + m.wait + reduce() + boundary + settle + samples;
}

Terms Ledger::terms() const {
  Terms terms;
  for (std::size_t r = 0; r < accounts_.size(); ++r) {
    const Account& account = accounts_[r];
    terms.by[r] = moved_of(account);
    terms.core_apart += account.core_apart;
  }
  for (const Line& line : lines_) {
    const auto of = [&](Phase phase) { return line.seconds[static_cast<std::size_t>(phase)]; };
    terms.shell += of(Phase::shell);
    terms.core += of(Phase::core) + of(Phase::all);
    terms.boundary += of(Phase::boundary);
    terms.settle += of(Phase::settle);
    // Samples are runs without overlap, made on purpose; they say nothing about the strategy's overlap.
    if (line.name.ends_with(sampled_suffix)) {
      terms.samples += of(Phase::start) + of(Phase::wait) + of(Phase::reduce);
      continue;
    }
    Moved& m = terms.of(line.resource);
    m.start += of(Phase::start);
    m.poke += of(Phase::poke);
    m.wait += of(Phase::wait) + of(Phase::reduce);
  }
  terms.bytes_declared = declared_;
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
