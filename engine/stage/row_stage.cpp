// SPDX-License-Identifier: Apache-2.0
// RowStage: products and sums of a run, in a fixed order.
#include "engine/stage/row_stage.hpp"

#include <algorithm>

#include "engine/exec/for_each.hpp"

namespace sc {

namespace {

double* values_of(const Storage& storage) { return reinterpret_cast<double*>(storage.base()); }

}  // namespace

void RowStage::read_by(Stage* reader) {
  const auto reads_own_cell = [&](const Access& a) {
    return a.mode == Mode::read && a.reach.width == 0 && a.field->grid() == grid() && !a.storage().far() &&
           !a.storage().device();
  };
  if (reader && (reader->colours() > 1 || !std::ranges::all_of(reader->accesses(), reads_own_cell)))
    refuse("stage \"" + reader->name() + "\" cannot read rows during stage \"" + name() +
           "\"; allowed is a sweep that only reads, at its own cell, fields in memory on the grid of the "
           "result");
  if (reader && reader != reader_)
    reader->compute({}, 1, {});  // decides on its order of rows, before threads ask for it
  reader_ = reader;
  reduce_like(reader ? reader->accumulators() : std::span<Accumulator>{});
}

std::optional<Stage::Own> RowStage::own() {
  const int rows = own_rows();
  Own own;
  own.cut.all = {{0, 0, 0}, {rows + foreign_count_, 1, 1}};
  own.cut.core = {{0, 0, 0}, {rows, 1, 1}};
  const int departures = sums_ ? static_cast<int>(sums_->departures().size()) : 0;
  for (int piece = 0; piece < departures; ++piece) own.cut.shell.push_back(sums_->source(piece));
  if (gathers_anywhere_) own.gathers = gather_of(accesses()[1].storage()).movement.get();
  own.sums = sums_.get();
  for (const std::int32_t r : touched_) from_remote_[static_cast<std::size_t>(r)] = 0;
  for (const std::int32_t r : summed_) from_others_[static_cast<std::size_t>(r)] = 0;
  if (partial_) partial_->settle();
  return own;
}

void RowStage::compute(const Box& box, int threads, std::span<Accumulator> into) {
  const double* x = values_of(accesses()[1].storage());
  double* y = values_of(accesses()[0].storage());
  const int own = own_rows(), last = std::min(own, box.hi.x);
  if (reader_) {
    const auto read_complete = [&](int from, int to, std::span<Accumulator> values) {
      if (!std::binary_search(late_.begin(), late_.end(), from / rows_read_together))
        reader_->compute({{from, 0, 0}, {to, 1, 1}}, 1, values);
    };
    multiply(local_, box.lo.x, last, x, y, threads, read_complete, into);
  } else {
    multiply(local_, box.lo.x, last, x, y, threads);
  }
  if (box.hi.x <= own) return;
  const int first = std::max(own, box.lo.x);
  double* partial = values_of(*partial_);
  std::vector<double>& remote = from_remote_;
  multiply(local_, first, box.hi.x, x, partial - own, threads);
  // Strategies compute other ranks' rows after all entries have been gathered.
  if (gathers_anywhere_)
    for (int r = first; r < box.hi.x; ++r) partial[r - own] += remote[static_cast<std::size_t>(r)];
}

void RowStage::take(const Exchange& exchange, int piece, int threads) {
  const auto p = static_cast<std::size_t>(piece);
  if (&exchange == sums_.get()) {
    if (p >= sum_rows_.size()) return;  // this rank sends more pieces than it receives
    const double* sums = values_of(*arrived_) + sums_->arrival_begins()[p];
    scatter_add(sum_rows_[p], sums, from_others_.data(), threads);
  } else if (p < remote_.size()) {
    const double* entries = values_of(*gather_of(accesses()[1].storage()).entries);
    multiply_add(remote_[p], entries, from_remote_.data(), threads);
  }
}

// y = ((own columns) + gathered columns, piece by piece) + sums from other ranks, piece by piece.
void RowStage::finish(int threads) {
  double* y = values_of(accesses()[0].storage());
  for (const std::int32_t r : touched_)
    if (r < own_rows()) y[r] += from_remote_[static_cast<std::size_t>(r)];
  for (const std::int32_t r : summed_) y[r] += from_others_[static_cast<std::size_t>(r)];
  if (!reader_) return;
  const auto read_blocks = [&](std::int64_t first, std::int64_t last, std::span<Accumulator> into) {
    for (std::int64_t n = first; n < last; ++n)
      reader_->compute(rows_of(late_[static_cast<std::size_t>(n)]), 1, into);
  };
  detail::share_rows(static_cast<std::int64_t>(late_.size()), threads, accumulators(), read_blocks);
}

Box RowStage::rows_of(int block) const {
  const int first = block * rows_read_together;
  return {{first, 0, 0}, {std::min(first + rows_read_together, own_rows()), 1, 1}};
}

std::string RowStage::refusal(const Strategy& strategy) const {
  if (!strategy.overlaps || gathers_anywhere_ == sends_anywhere_) return "";
  const std::string where = "stage \"" + name() + "\" ", under = "strategy " + std::string(strategy.name);
  const std::string would = ", so that " + under + " would hide nothing; use ";
  if (strategy.eager && gathers_anywhere_)
    return where + "gathers and sends nothing that it computes" + would +
           "interior_first, halo_thread, ordered or blocking";
  if (!strategy.eager && sends_anywhere_)
    return where + "sends sums and gathers nothing" + would +
           "boundary_first, pipelined, ordered or blocking";
  return "";
}

std::int64_t RowStage::nonzeros_in(const Box& box) const {
  const auto at = [&](int row) { return local_.begin[static_cast<std::size_t>(row)]; };
  return box.empty() ? 0 : at(box.hi.x) - at(box.lo.x);
}

std::int64_t RowStage::nonzeros_of(int piece) const {
  const auto p = static_cast<std::size_t>(piece);
  return p < remote_.size() ? remote_[p].nonzeros() : 0;  // this rank sends more pieces than it receives
}

std::int64_t RowStage::sums_of(int piece) const {
  const auto p = static_cast<std::size_t>(piece);
  return p < sum_rows_.size() ? static_cast<std::int64_t>(sum_rows_[p].size()) : 0;
}

double RowStage::bytes_per_cell() const {
  const auto x =
      static_cast<double>(accesses()[1].field->grid().own().cells()) + static_cast<double>(total(wanted_));
  double bytes = matrix_bytes_ + sizeof(double) * (local_.rows() + x);
  if (reader_)
    for (const int block : late_) bytes += reader_->bytes_per_cell() * rows_of(block).extent().x;
  return bytes / std::max(1, own_rows());
}

}  // namespace sc
