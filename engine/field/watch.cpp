// SPDX-License-Identifier: Apache-2.0
// Watch: offsets of accesses relative to the computed cell, and the error messages.
#include "engine/field/watch.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "engine/base/context.hpp"

namespace sc {

namespace {

std::string words(Int3 v) {
  return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}
std::string words(Index c) {
  return "[" + std::to_string(c.x) + ", " + std::to_string(c.y) + ", " + std::to_string(c.z) + "]";
}

std::string words(Reach reach) {
  const auto named = [](const char* name, int width) {
    return std::string(name) + "(" + std::to_string(width) + ")";
  };
  if (reach.width == 0) return "point";
  if (reach.diagonal == 0) return named("star", reach.width);
  if (reach.diagonal == reach.width) return named("box", reach.width);
  return named("star", reach.width) + " | " + named("box", reach.diagonal);
}

bool within(Int3 offset, Reach reach) {
  int axes = 0, farthest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    axes += offset[axis] != 0 ? 1 : 0;
    farthest = std::max(farthest, std::abs(offset[axis]));
  }
  return farthest <= reach.width && (axes <= 1 || farthest <= reach.diagonal);
}

}  // namespace

void Borrowed::note(const Watch& watch, Int3 offset, Index cell, const void* value, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(value);
  values_.push_back({&watch, offset, cell, value, {first, first + bytes}});
}

void Borrowed::compare() const {
  for (const Value& v : values_)
    if (std::memcmp(v.at, v.before.data(), v.before.size()) != 0) v.watch->changed(v.offset, v.cell);
}

Watch::Watch(Subject subject, const Grid& grid)
    : subject_(std::move(subject)),
      layout_(grid.layout()),
      own_(grid.own().hi),
      origin_(grid.origin()),
      cells_(grid.cells()),
      halo_(grid.halos()) {
  for (int f = 0; f < 6; ++f) physical_[f] = grid.physical({f / 2, f % 2});
}

Int3 Watch::local(std::ptrdiff_t offset) const {
  // Relative to the first halo cell, offsets of all cells of the field are non-negative.
  const std::ptrdiff_t from = offset + layout_.offset(halo_);
  const std::ptrdiff_t z = from >= 0 ? from / layout_.sz : -1 - (-1 - from) / layout_.sz;
  const std::ptrdiff_t in_plane = from - z * layout_.sz, y = in_plane / layout_.sy;
  return Int3{static_cast<int>(in_plane - y * layout_.sy), static_cast<int>(y), static_cast<int>(z)} - halo_;
}

std::string Watch::declared() const {
  switch (subject_.kind) {
    case Kind::own:
      return "it declares its own cell only";
    case Kind::across:
      return "it declares " + words(subject_.reach) + " of a grid " +
             std::to_string(std::max(subject_.finer, subject_.coarser)) + " times " +
             (subject_.coarser > 1 ? "coarser" : "finer");
    default:
      return "it declares " + words(subject_.reach);
  }
}

void Watch::stop(const std::string& sentence) const {
  // Only one thread reports an error; the others wait here until the program ends.
  static std::mutex first;
  first.lock();
  subject_.context->abort(sentence, Exit::bad_input);
}

void Watch::look(const Watched& by, std::ptrdiff_t offset, const void* value, std::size_t bytes,
                 bool writable) const {
  const Int3 to = local(offset);
  if (subject_.kind == Kind::across) return look_across(by.cell, to);
  if (subject_.kind == Kind::column) return look_beside_column(by, to, value, bytes, writable);
  const Int3 by_offset = to - local(by.offset);
  if (subject_.kind == Kind::own || !within(by_offset, subject_.reach))
    stop(subject_.who + (writable ? " touches " : " reads ") + field() + " at the offset " +
         words(by_offset) + " from the cell " + words(by.cell) + " that it computes; " + declared());
  look_beyond_faces(by.cell, by_offset, to);
  if (writable) by.borrowed->note(*this, by_offset, by.cell, value, bytes);
}

void Watch::look_beyond_faces(Index cell, Int3 offset, Int3 to) const {
  for (int axis = 0; axis < 3; ++axis) {
    const int side = to[axis] < 0 ? 0 : to[axis] >= own_[axis] ? 1 : -1;
    if (side < 0 || !physical_[2 * axis + side]) continue;
    const Face face{axis, side};
    if (subject_.boundaries->beyond(face) == Beyond::unread)
      stop(subject_.who + " reads " + field() + " at the offset " + words(offset) + " from the cell " +
           words(cell) + " that it computes, beyond the face " + face_name(face) +
           ", of which the field says Beyond::unread");
  }
}

// A coarse cell belongs to the rank of its first child. For every split, cells at the distances checked here,
// from a child or a parent, lie in the own cells or in the halo.
void Watch::look_across(Index cell, Int3 to) const {
  const std::int64_t at[3] = {cell.x, cell.y, cell.z};
  Int3 off;
  for (int axis = 0; axis < 3; ++axis) {
    const bool same = subject_.cells[axis] == cells_[axis];  // an axis that is not refined
    const std::int64_t f = same ? 1 : std::max(subject_.finer, subject_.coarser);
    const std::int64_t there = to[axis] + origin_[axis];
    const bool fine_there = subject_.finer > subject_.coarser;
    const std::int64_t low = fine_there ? at[axis] * f : (at[axis] + f - 1) / f;
    const std::int64_t high = fine_there ? at[axis] * f : at[axis] / f;
    off[axis] = static_cast<int>(there < low ? there - low : there > high ? there - high : 0);
  }
  if (!within(off, subject_.reach))
    stop(subject_.who + " reads " + field() + " at its cell " +
         words(Index{to.x + origin_.x, to.y + origin_.y, to.z + origin_.z}) + " from the cell " +
         words(cell) + " that it computes; " + declared());
  look_beyond_faces(cell, off, to);
}

void Watch::look_beside_column(const Watched& by, Int3 to, const void* value, std::size_t bytes,
                               bool writable) const {
  const Int3 offset = to - local(by.offset);
  const auto [axis, side] = subject_.face;
  bool read = to[axis] >= -halo_[axis] && to[axis] < own_[axis] + halo_[axis];
  // The halo on the opposite side of the block is not part of the column.
  read = read && (side == 0 ? to[axis] < own_[axis] : to[axis] >= 0);
  const int inside = side == 0 ? to[axis] + 1 : own_[axis] - to[axis];  // distance from the face, in cells
  if (read && inside > subject_.inward)
    stop(subject_.who + " reads " + field() + " " + std::to_string(inside) +
         " cells from the face, in the column " + words(by.cell) +
         "; without a larger `inward` it may read " + std::to_string(subject_.inward));
  Int3 beside = offset;
  beside[axis] = 0;
  read = read && within(beside, box(subject_.reach.width));
  if (!read)
    stop(subject_.who + " touches " + field() + " at the offset " + words(offset) +
         " from the first halo cell " + words(by.cell) + " of its column; it declares " +
         std::to_string(subject_.reach.width) + " tangential layers");
  const bool beyond = side == 0 ? to[axis] < 0 : to[axis] >= own_[axis];
  const bool filled = beyond && beside == Int3{};
  if (writable && !filled) by.borrowed->note(*this, offset, by.cell, value, bytes);
}

void Watch::component(int k, int components) const {
  if (k < 0 || k >= components)
    stop(subject_.who + " takes component " + std::to_string(k) + " of " + field() + ", which has " +
         std::to_string(components));
}

void Watch::line(int n, int l, int first, int end, int lines) const {
  if (n < first || n >= end || l < 0 || l >= lines)
    stop(subject_.who + " touches " + field() + " at cell " + std::to_string(n) + " of line " +
         std::to_string(l) + "; its bundle has the cells " + std::to_string(first) + " to " +
         std::to_string(end - 1) + " of " + std::to_string(lines) + " lines");
}

void Watch::changed(Int3 offset, Index cell) const {
  if (subject_.kind == Kind::column)
    stop(subject_.who + " writes " + field() + " at the offset " + words(offset) +
         " from the first halo cell " + words(cell) + " of its column; it may write that column's halo only");
  stop(subject_.who + " writes " + field() + " at the offset " + words(offset) + " from the cell " +
       words(cell) + " that it computes; it may write its own cell only");
}

}  // namespace sc
