// SPDX-License-Identifier: Apache-2.0
// RehearsedFiles: the files of a simulated rank. Copies are recorded but not made; near memory is address
// space that is never accessed.
#pragma once

#include "engine/move/stream/file_memory.hpp"

namespace sc {

class RehearsedFiles final : public FarMemory {
 public:
  /// `overlaps`: copies continue during other work.
  RehearsedFiles(Context& context, bool overlaps)
      : FarMemory(Resource::files), context_(context), overlaps_(overlaps) {}

  bool test(Way /*way*/) override { return true; }
  int add(const std::string& /*name*/, std::int64_t /*bytes*/) override { return arrays_++; }
  std::size_t alignment() const override { return FileMemory::page; }
  int batches_ahead(std::size_t bytes) const override { return FileMemory::ahead(bytes); }
  Buffer allocate(std::size_t bytes) override;
  void copy_near(std::byte* /*to*/, const std::byte* /*from*/, std::size_t /*bytes*/) override {}
  void copy(Way /*way*/, std::span<const BoxCopy> /*copies*/) override {}
  const char* where() const override { return "in files"; }

 private:
  std::int64_t start_batch(Way way, std::span<const FarPart> parts) override;
  void wait_batch(Way way, std::int64_t batch) override;
  bool overlaps() const override { return overlaps_; }

  Context& context_;
  bool overlaps_;
  int arrays_ = 0;
};

}  // namespace sc
