// SPDX-License-Identifier: Apache-2.0
// Chain: accesses merged, tiles cut to the cache.
#include "engine/stage/chain.hpp"

#include <algorithm>

#include "engine/exec/team.hpp"

namespace sc {

namespace {

/// Half of a small second-level cache: what all members touch of a tile stays there.
constexpr double tile_bytes = 256 * 1024;

bool same_level(const Access& a, const Access& b) { return a.field == b.field && a.level == b.level; }

Place slot_at(std::byte* first, const Layout& layout, Int3 cell, std::size_t element, std::ptrdiff_t stride) {
  return {first - layout.offset(cell) * static_cast<std::ptrdiff_t>(element), stride};
}

/// Elements from the first cell of a box to its last.
std::ptrdiff_t span_of(const Layout& layout, const Box& box) {
  const std::ptrdiff_t span = layout.offset(box.hi - Int3{1, 1, 1}) - layout.offset(box.lo) + 1;
  return (span + 7) / 8 * 8;
}

}  // namespace

std::vector<Accumulator> Chain::values_of(const std::vector<Stage*>& members) {
  std::vector<Accumulator> all;
  for (Stage* member : members)
    for (const Accumulator& a : like(member->accumulators())) all.push_back(a);
  return all;
}

double Chain::flops_of(const std::vector<Stage*>& members) {
  double sum = 0;
  for (const Stage* member : members) sum += member->flops();
  return sum;
}

Chain::Chain(std::string name, std::vector<Between> between, std::vector<Stage*> members)
    : Stage(std::move(name), values_of(members), 1, flops_of(members)),
      between_(std::move(between)),
      set_(between_.size()) {
  if (members.empty()) refuse("chain \"" + this->name() + "\" has no member");
  for (Stage* member : members) add(*member);
  check_accesses();
  tiles_.resize(static_cast<std::size_t>(grid().context().threads()));
  for (Tile& tile : tiles_) {
    tile.between.resize(between_.size());
    tile.values = like(accumulators());
  }
}

void Chain::check_member(Stage& member) const {
  const std::string where = "chain \"" + name() + "\" cannot hold stage \"" + member.name() + "\", which ";
  if (!members_.empty() && !(member.grid() == grid())) refuse(where + "runs on another grid than the first");
  if (member.colours() > 1) refuse(where + "runs in colours");
  if (member.whole_axis() >= 0) refuse(where + "runs on whole lines");
  if (member.own()) refuse(where + "runs on the rows of a matrix");
  for (const Access& a : member.accesses()) {
    if (a.across()) refuse(where + "reads field \"" + a.field->name() + "\" of another grid");
    if (a.reach.width > 0)
      refuse(where + "reads field \"" + a.field->name() + "\" " + std::to_string(a.reach.width) +
             " cells away; members read their own cell only");
  }
}

void Chain::add(Stage& member) {
  check_member(member);
  if (member.watched()) watch();
  std::size_t values = 0;
  for (const Member& m : members_) values += m.stage->accumulators().size();
  Member added{&member, {}, values};
  for (const Access& a : member.accesses()) added.access.push_back(merge_access(a));
  members_.push_back(std::move(added));
}

/// Which access of the chain, or -1 - k for level k in between.
int Chain::merge_access(const Access& access) {
  for (std::size_t k = 0; k < between_.size(); ++k) {
    if (!same_level(between_[k].access, access)) continue;
    if (!set_[k] && access.mode != Mode::write)
      refuse("chain \"" + name() + "\" reads field \"" + access.field->name() +
             "\" before a member has set it; a level in between must be written first");
    set_[k] = true;
    return -1 - static_cast<int>(k);
  }
  for (std::size_t n = 0; n < accesses_.size(); ++n) {
    Access& merged = accesses_[n];
    if (!same_level(merged, access)) continue;
    // What was written first needs no reading; what was read first and is written later is updated.
    if (merged.mode == Mode::read && access.mode != Mode::read) merged.mode = Mode::update;
    return static_cast<int>(n);
  }
  accesses_.push_back(access);
  return static_cast<int>(accesses_.size()) - 1;
}

Int3 Chain::tile_extent() const {
  double bytes = 0;
  for (const Member& m : members_) bytes = std::max(bytes, m.stage->bytes_per_cell());
  double all = bytes_per_cell();
  for (const Between& b : between_)
    all += static_cast<double>(size_of(b.access.storage().type())) * b.access.storage().components();
  const double cells = tile_bytes / std::max({bytes, all, 1.0});
  const Int3 own = grid().own().extent();
  constexpr int part = 64;  // of a row, in whole cache lines
  if (cells < own.x) return {std::max(part, static_cast<int>(cells) / part * part), 1, 1};
  const int rows = static_cast<int>(std::min(cells / std::max(1, own.x), 1e6));
  if (rows < own.y) return {own.x, std::max(1, rows), 1};
  return {own.x, own.y, std::max(1, rows / std::max(1, own.y))};
}

void Chain::compute(const Box& box, int threads, std::span<Accumulator> into) {
  if (box.empty()) return;
  const Int3 n = tile_extent(), all = box.extent();
  const auto pieces = [](int cells, int of) { return (cells + of - 1) / of; };
  const int nx = pieces(all.x, n.x), ny = pieces(all.y, n.y);
  const std::int64_t count = std::int64_t{nx} * ny * pieces(all.z, n.z);
  const auto tile = [&](std::int64_t t) {
    const Int3 lo{box.lo.x + static_cast<int>(t % nx) * n.x, box.lo.y + static_cast<int>(t / nx % ny) * n.y,
                  box.lo.z + static_cast<int>(t / nx / ny) * n.z};
    return intersect({lo, lo + n}, box);
  };
  if (threads <= 1) {
    Tile& own = tiles_[static_cast<std::size_t>(team_thread())];
    for (std::int64_t t = 0; t < count; ++t) run_tile(tile(t), own, into);
    return;
  }
  team(threads, [&](int thread) {
    Tile& own = tiles_[static_cast<std::size_t>(thread)];
    for (Accumulator& a : own.values) a.clear();
    const auto [first, last] = team_share(count);
    for (std::int64_t t = first; t < last; ++t) run_tile(tile(t), own, own.values);
  });
  for (const Tile& tile_of_thread : tiles_) {
    if (&tile_of_thread - tiles_.data() >= threads || into.empty()) break;
    merge(into, tile_of_thread.values);
  }
}

void Chain::run_tile(const Box& tile, Tile& own, std::span<Accumulator> into) {
  for (const Member& m : members_) {
    own.places.clear();
    for (const int access : m.access)
      own.places.push_back(access >= 0 ? place(static_cast<std::size_t>(access))
                                       : place_between(tile, static_cast<std::size_t>(-1 - access), own));
    const std::size_t values = m.stage->accumulators().size();
    m.stage->compute_in(own.places, tile, 1, into.empty() ? into : into.subspan(m.first_value, values));
  }
}

Place Chain::place_between(const Box& tile, std::size_t k, Tile& own) const {
  const Storage& storage = between_[k].access.storage();
  const Layout& layout = grid().layout();
  const std::size_t size = size_of(storage.type());
  const std::ptrdiff_t stride = span_of(layout, tile);
  std::vector<std::byte>& buffer = own.between[k];
  constexpr std::size_t line = 64;
  const std::size_t bytes = static_cast<std::size_t>(stride * storage.components()) * size + line;
  if (buffer.size() < bytes) buffer.resize(bytes);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(buffer.data()) % line;
  return slot_at(buffer.data() + (line - misaligned) % line, layout, tile.lo, size, stride);
}

}  // namespace sc
