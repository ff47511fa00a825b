// SPDX-License-Identifier: Apache-2.0
// Checkpoints: all ranks write and read the arrays and compute their checksums.
#include "io/checkpoint.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "engine/base/error.hpp"
#include "io/checkpoint_header.hpp"
#include "io/checksum.hpp"
#include "io/part.hpp"

namespace sc::io {

namespace {

/// The fewest digits that give the same value.
std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// One component of a field, between memory and file.
struct Component {
  const Storage& storage;
  const Part& part;
  int index;

  std::size_t item() const { return size_of(storage.type()); }
  std::size_t row_cells() const { return static_cast<std::size_t>(part.box.extent().x); }
  std::size_t row_bytes() const { return row_cells() * item(); }
  std::int64_t offset(std::int64_t array) const {
    return array + index * part.cells() * static_cast<std::int64_t>(item());
  }
  std::byte* row(Int3 first) const { return cell_address(storage, part, index, first); }
  std::uint64_t checksum_of_row(Int3 first, const std::byte* data) const {
    return checksum(data, row_cells(), item(),
                    static_cast<std::uint64_t>(index * part.cells() + part.number(first)));
  }
};

/// Calls f(component) for this rank's part of each component; `read` and `written` as in each_slab().
template <class F>
void for_each_component(const SavedField& field, bool read, bool written, F&& f) {
  const Part whole = part_of(field.storage->grid(), field.layers);
  each_slab(*field.storage, whole, read, written, [&](const Part& part) {
    for (int k = 0; k < field.storage->components(); ++k) f(Component{*field.storage, part, k});
  });
}

/// This rank's contribution to the checksum of the field in memory.
std::uint64_t memory_checksum(const SavedField& field) {
  std::uint64_t sum = 0;
  for_each_component(field, true, false, [&](const Component& component) {
    const Box& box = component.part.box;
    if (box.empty()) return;
    for (int z = box.lo.z; z < box.hi.z; ++z)
      for (int y = box.lo.y; y < box.hi.y; ++y) {
        const Int3 first{box.lo.x, y, z};
        sum += component.checksum_of_row(first, component.row(first));
      }
  });
  return sum;
}

/// This rank's contribution to the checksum of the array in the file.
std::uint64_t file_checksum(const File& file, const ArrayHeader& array, const SavedField& field) {
  const Part part = part_of(field.storage->grid(), field.layers);
  std::uint64_t sum = 0;
  for (int k = 0; k < field.storage->components(); ++k) {
    const Component component{*field.storage, part, k};
    read_part(file, component.offset(array.offset), part, component.item(),
              [&](Int3 first, const std::byte* row) { sum += component.checksum_of_row(first, row); });
  }
  return sum;
}

void write_field(File& file, std::int64_t offset, const SavedField& field) {
  for_each_component(field, true, false, [&](const Component& component) {
    write_part(
        file, component.offset(offset), component.part, component.item(),
        [&](Int3 first, std::byte* row) { std::memcpy(row, component.row(first), component.row_bytes()); });
  });
}

void read_field(const File& file, std::int64_t offset, const SavedField& field) {
  field.storage->begin_host_write();
  for_each_component(field, false, true, [&](const Component& component) {
    read_part(file, component.offset(offset), component.part, component.item(),
              [&](Int3 first, const std::byte* row) {
                std::memcpy(component.row(first), row, component.row_bytes());
              });
  });
}

/// Copies rank 0's header to all ranks: the parts that may differ, as bytes.
void broadcast_header(const Context& context, CheckpointHeader& header) {
  std::string bytes;
  const auto put = [&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  if (context.rank() == 0) {
    for (const ArrayHeader& array : header.arrays) {
      put(&array.checksum, 8);
      put(&array.offset, 8);
    }
    for (const ScalarHeader& scalar : header.scalars) {
      if (const auto* text = std::get_if<std::string>(&scalar.value)) {
        const std::uint64_t size = text->size();
        put(&size, 8);
        put(text->data(), size);
      } else {
        std::visit([&](const auto& value) { put(&value, 8); }, scalar.value);
      }
    }
  }
  context.broadcast(bytes);
  const char* from = bytes.data();
  const auto get = [&](void* data, std::size_t size) {
    std::memcpy(data, from, size);
    from += size;
  };
  for (ArrayHeader& array : header.arrays) {
    get(&array.checksum, 8);
    get(&array.offset, 8);
  }
  for (ScalarHeader& scalar : header.scalars) {
    if (auto* text = std::get_if<std::string>(&scalar.value)) {
      std::uint64_t size = 0;
      get(&size, 8);
      text->assign(from, size);
      from += size;
    } else if (auto* real = std::get_if<double>(&scalar.value)) {
      get(real, 8);
    } else {
      get(&std::get<std::int64_t>(scalar.value), 8);
    }
  }
}

/// Throws Error (storage), on all ranks alike, if a value of the run is another one in the checkpoint.
void check_run(const std::string& path, const CheckpointContents& contents, const CheckpointHeader& header) {
  for (std::size_t i = 0; i < contents.scalars.size(); ++i) {
    const auto* own = std::get_if<const double*>(&contents.scalars[i].value);
    const double* found = std::get_if<double>(&header.scalars[i].value);
    if (own && found && *found != **own)
      throw Error(Exit::storage, "checkpoint " + path + " has " + header.scalars[i].name + " " +
                                     shortest(*found) + "; this run has " + shortest(**own));
  }
}

}  // namespace

void write_checkpoint(const std::string& path, const CheckpointContents& contents) {
  const Context& context = contents.grid.context();
  CheckpointHeader header = header_of(contents);
  for (std::size_t i = 0; i < contents.fields.size(); ++i) {
    const SavedField& field = contents.fields[i];
    if (Pending* refresh = field.storage->in_flight()) refresh->finish();
    header.arrays[i].checksum = context.sum(memory_checksum(field));
  }
  replace_file(
      context, path, [&](const std::string& temporary) { return lay_out_checkpoint(temporary, header); },
      [&](File& file, const Offsets& offsets) {
        for (std::size_t i = 0; i < contents.fields.size(); ++i)
          write_field(file, offsets[i], contents.fields[i]);
      });
}

void read_checkpoint(const std::string& path, const CheckpointContents& contents) {
  const Context& context = contents.grid.context();
  CheckpointHeader header = header_of(contents);
  context.together([&] {
    if (context.rank() == 0) header = read_header(path, header);
  });
  broadcast_header(context, header);
  check_run(path, contents, header);

  // All checksums are verified before anything is overwritten, so the file is read twice, the second time
  // from the page cache.
  std::vector<std::uint64_t> sums(contents.fields.size());
  context.together([&] {
    const File file(path, File::Mode::read);
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = file_checksum(file, header.arrays[i], contents.fields[i]);
  });
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (context.sum(sums[i]) != header.arrays[i].checksum)
      throw Error(Exit::storage, "checkpoint " + path + " is damaged: the checksum of \"" +
                                     header.arrays[i].name + "\" does not match");
  context.together([&] {
    const File file(path, File::Mode::read);
    for (std::size_t i = 0; i < sums.size(); ++i)
      read_field(file, header.arrays[i].offset, contents.fields[i]);
  });
  for (std::size_t i = 0; i < contents.scalars.size(); ++i)
    std::visit(
        [&](auto* value) {
          using Value = std::remove_pointer_t<decltype(value)>;
          if constexpr (!std::is_const_v<Value>) *value = std::get<Value>(header.scalars[i].value);
        },
        contents.scalars[i].value);
}

}  // namespace sc::io
