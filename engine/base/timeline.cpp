// SPDX-License-Identifier: Apache-2.0
// Timeline: recording of spans and their export.
#include "engine/base/timeline.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace sc {

std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, phase_count> names{
      "shell", "core", "all", "start", "poke", "wait", "boundary", "reduce", "settle", "output"};
  return names[static_cast<std::size_t>(phase)];
}

namespace {

/// Escaped for use inside a JSON string.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
      continue;
    }
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
    out += code.data();
  }
  return out;
}

}  // namespace

Timeline::Timeline(std::size_t capacity) : origin_(Clock::now()) { spans_.reserve(capacity); }

std::uint16_t Timeline::name(std::string_view text, Resource resource) {
  const auto found = std::find(names_.begin(), names_.end(), text);
  if (found != names_.end()) return static_cast<std::uint16_t>(found - names_.begin());
  names_.emplace_back(text);
  resources_.push_back(resource);
  totals_.resize(names_.size() * phase_count);
  return static_cast<std::uint16_t>(names_.size() - 1);
}

void Timeline::add_around(std::uint16_t name, Phase phase, double begin, double end, double within) {
  if (!recording_) return;
  add(name, phase, begin, end);
  totals_[std::size_t{name} * phase_count + static_cast<std::size_t>(phase)].seconds -= within;
  total_seconds_ -= within;
}

void Timeline::add(std::uint16_t name, Phase phase, double begin, double end, int thread) {
  if (!recording_) return;
  add_total(name, phase, end - begin);
  if (spans_.size() < spans_.capacity())
    spans_.push_back({begin, end, name, phase, static_cast<std::uint8_t>(thread)});
  else
    ++dropped_;
}

void Timeline::add_total(std::uint16_t name, Phase phase, double seconds) {
  if (!recording_) return;
  Total& total = totals_[std::size_t{name} * phase_count + static_cast<std::size_t>(phase)];
  total.seconds += weight_ * seconds;
  total_seconds_ += weight_ * seconds;
  ++total.count;
}

void Timeline::clear() {
  spans_.clear();
  std::fill(totals_.begin(), totals_.end(), Total{});
  dropped_ = 0;
  total_seconds_ = 0;
}

Timeline::Total Timeline::total(std::uint16_t name, Phase phase) const {
  return totals_[std::size_t{name} * phase_count + static_cast<std::size_t>(phase)];
}

Timeline::Total Timeline::total(std::optional<Resource> resource, Phase phase) const {
  Total sum;
  for (std::size_t name = 0; name < names_.size(); ++name) {
    if (resource && resources_[name] != *resource) continue;
    const Total part = total(static_cast<std::uint16_t>(name), phase);
    sum.seconds += part.seconds;
    sum.count += part.count;
  }
  return sum;
}

std::string Timeline::perfetto_events(double shift) const {
  std::string out;
  std::array<char, 128> numbers{};
  std::vector<std::string> names;
  for (const std::string& name : names_) names.push_back(escaped(name));
  for (const Span& span : spans_) {
    const std::string phase(phase_name(span.phase));
    std::snprintf(numbers.data(), numbers.size(), R"("ts":%.3f,"dur":%.3f,"pid":%d,"tid":%d})",
                  (span.begin + shift) * 1e6, (span.end - span.begin) * 1e6, rank_, int{span.thread});
    if (!out.empty()) out += ",\n";
    out += R"({"name":")" + names[span.name] + " " + phase + R"(","cat":")" + phase + R"(","ph":"X",)" +
           numbers.data();
  }
  return out;
}

}  // namespace sc
