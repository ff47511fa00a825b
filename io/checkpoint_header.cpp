// SPDX-License-Identifier: Apache-2.0
// Checkpoint headers in HDF5: layout, and a reader that validates everything.
#include "io/checkpoint_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>

#include "engine/base/error.hpp"
#include "io/checksum.hpp"
#include "io/h5.hpp"
#include "io/part.hpp"

namespace sc::io {

namespace {

constexpr const char* format_name = "subcurrent checkpoint";
constexpr std::int64_t longest_text = 1 << 16;  // largest accepted size of a string attribute, in bytes

// The file begins with a line of text, padded with zeros to this size; for HDF5 this is the user block.
constexpr std::int64_t head_bytes = 4096;

std::string in_quotes(const std::string& text) { return '"' + text + '"'; }

const char* words(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "single precision";
    case ElementType::f64:
      return "double precision";
    case ElementType::i32:
      return "32-bit integers";
    case ElementType::i64:
      return "64-bit integers";
    case ElementType::c32:
      return "complex numbers of single precision";
    case ElementType::c64:
      return "complex numbers of double precision";
  }
  return "unknown numbers";
}

Shape shape_of(const ArrayHeader& array) {
  Shape shape;
  for (const std::int64_t n : {array.components, std::int64_t{array.extent.z}, std::int64_t{array.extent.y},
                               std::int64_t{array.extent.x}})
    shape.push_back(static_cast<hsize_t>(n));
  return shape;
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (const hsize_t n : shape) text += (text.empty() ? "[" : ", ") + std::to_string(n);
  return text + "]";
}

/// The precision of the computation, as information for people and scripts.
std::string precision_of(const CheckpointHeader& header) {
  for (const ArrayHeader& array : header.arrays) {
    if (array.type == ElementType::f32 || array.type == ElementType::c32) return "single";
    if (array.type == ElementType::f64 || array.type == ElementType::c64) return "double";
  }
  return "none";
}

std::uint64_t checksum_of_structure(const File& file, std::int64_t end) {
  std::string bytes(static_cast<std::size_t>(end - head_bytes), '\0');
  file.read(head_bytes, reinterpret_cast<std::byte*>(bytes.data()), bytes.size());
  return checksum(bytes);
}

/// A checkpoint open for reading; every violation is an Error with one sentence.
class Reader : private H5Source {
 public:
  explicit Reader(const std::string& path) : H5Source(path, "checkpoint", Exit::storage) {
    const File file(path, File::Mode::read);
    size_ = file.size();
    check_seal(file);
    open();
  }

  using H5Source::fail;
  [[noreturn]] void damaged(const std::string& why) const {
    fail("checkpoint " + path_ + " is damaged: " + why);
  }

  bool has_attribute(const std::string& object, const std::string& name) const {
    return H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
  }

  std::string text(const std::string& object, const std::string& name) const {
    const Handle found = attribute(object, name);
    const Handle type(H5Aget_type(found), H5Tclose);
    const auto length = static_cast<std::int64_t>(type.valid() ? H5Tget_size(type) : 0);
    const bool plain = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    if (!plain || length < 1 || length > longest_text) damaged(in_quotes(name) + " is not a text");
    std::string value(static_cast<std::size_t>(length), '\0');
    if (H5Aread(found, h5_string(value.size()), value.data()) < 0) damaged(h5_cause());
    value.resize(value.find_last_not_of('\0') + 1);
    return value;
  }

  /// Reads `count` numbers of a type class (H5T_INTEGER, H5T_FLOAT) as the given memory type.
  template <class T>
  std::vector<T> numbers(const std::string& object, const std::string& name, H5T_class_t kind, hid_t memory,
                         hssize_t count) const {
    const Handle found = attribute(object, name);
    const Handle type(H5Aget_type(found), H5Tclose);
    const Handle space(H5Aget_space(found), H5Sclose);
    if (H5Tget_class(type) != kind || H5Sget_simple_extent_npoints(space) != count)
      damaged(in_quotes(name) + " is not what it should be");
    std::vector<T> values(static_cast<std::size_t>(count));
    if (H5Aread(found, memory, values.data()) < 0) damaged(h5_cause());
    return values;
  }
  std::int64_t integer(const std::string& object, const std::string& name) const {
    return numbers<std::int64_t>(object, name, H5T_INTEGER, H5T_NATIVE_INT64, 1)[0];
  }
  std::uint64_t word(const std::string& object, const std::string& name) const {
    return numbers<std::uint64_t>(object, name, H5T_INTEGER, H5T_NATIVE_UINT64, 1)[0];
  }

  /// Finds an array and compares its type and shape with the expected ones.
  void array(ArrayHeader& array) const {
    const std::string object = "fields/" + array.name;
    if (!has("fields") || !has(object))
      fail("checkpoint " + path_ + " has no field " + in_quotes(array.name));
    const Handle dataset(H5Dopen2(file_, object.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset.valid()) damaged(h5_cause());
    const Handle type(H5Dget_type(dataset), H5Tclose);
    if (H5Tequal(type, h5_type(array.type)) <= 0)
      fail("checkpoint " + path_ + " holds " + in_quotes(array.name) + " as " + type_words(type) +
           "; this run needs " + words(array.type));
    const Handle space(H5Dget_space(dataset), H5Sclose);
    Shape shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    if (!shape.empty()) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    if (shape != shape_of(array))
      fail("checkpoint " + path_ + " holds " + in_quotes(array.name) + " in shape " + text_of(shape) +
           "; this run needs " + text_of(shape_of(array)));
    const haddr_t offset = H5Dget_offset(dataset);
    if (offset == HADDR_UNDEF) damaged(in_quotes(array.name) + " has no content");
    array.offset = static_cast<std::int64_t>(offset);
    if (array.offset > size_ || array.bytes() > size_ - array.offset) damaged("it is cut short");
    array.checksum = word(object, "checksum");
  }

  void scalar(ScalarHeader& scalar) const {
    if (!has_attribute("scalars", scalar.name))
      fail("checkpoint " + path_ + " has no value " + in_quotes(scalar.name));
    if (auto* real = std::get_if<double>(&scalar.value))
      *real = numbers<double>("scalars", scalar.name, H5T_FLOAT, H5T_NATIVE_DOUBLE, 1)[0];
    else if (auto* whole = std::get_if<std::int64_t>(&scalar.value))
      *whole = integer("scalars", scalar.name);
    else
      scalar.value = text("scalars", scalar.name);
  }

 private:
  void check_seal(const File& file) const {
    std::string head(static_cast<std::size_t>(std::min(size_, head_bytes)), '\0');
    file.read(0, reinterpret_cast<std::byte*>(head.data()), head.size());
    std::istringstream words(head);
    std::string format;
    std::int64_t size = 0;
    std::int64_t structure_end = 0;
    std::uint64_t sum = 0;
    std::getline(words, format);
    if (format != format_name) fail(path_ + " is not a checkpoint of this program");
    if (!(words >> size >> structure_end >> sum)) damaged("its first line cannot be read");
    if (size_ < size) damaged("it is cut short");
    if (structure_end < head_bytes || structure_end > size ||
        checksum_of_structure(file, structure_end) != sum)
      damaged("the checksum of its structure does not match");
  }
  Handle attribute(const std::string& object, const std::string& name) const {
    Handle found(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!found.valid()) damaged("it has no " + in_quotes(name));
    return found;
  }
  static std::string type_words(hid_t type) {
    for (const ElementType known : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64,
                                    ElementType::c32, ElementType::c64})
      if (H5Tequal(type, h5_type(known)) > 0) return words(known);
    return "something else";
  }

  std::int64_t size_ = 0;
};

}  // namespace

std::string CheckpointHeader::text() const {
  std::string text = solver + '\n' + to_string(cells);
  for (const ArrayHeader& array : arrays)
    text += '\n' + array.name + ' ' + words(array.type) + ' ' + text_of(shape_of(array)) + ' ' +
            std::to_string(array.checksum);
  for (const ScalarHeader& scalar : scalars) {
    text += '\n' + scalar.name + ' ';
    if (const auto* real = std::get_if<double>(&scalar.value))
      text += std::to_string(std::bit_cast<std::uint64_t>(*real));
    else if (const auto* whole = std::get_if<std::int64_t>(&scalar.value))
      text += std::to_string(*whole);
    else
      text += std::get<std::string>(scalar.value);
  }
  return text;
}

CheckpointHeader header_of(const CheckpointContents& contents) {
  CheckpointHeader header{contents.solver, contents.grid.cells(), {}, {}};
  for (const SavedField& field : contents.fields)
    header.arrays.push_back({.name = field.name,
                             .type = field.storage->type(),
                             .extent = part_of(field.storage->grid(), field.layers).extent,
                             .components = field.storage->components()});
  for (const SavedScalar& scalar : contents.scalars)
    std::visit([&](auto* value) { header.scalars.push_back({scalar.name, *value}); }, scalar.value);
  return header;
}

Offsets lay_out_checkpoint(const std::string& path, const CheckpointHeader& header) {
  std::int64_t bytes = 0;
  for (const ArrayHeader& array : header.arrays) bytes += array.bytes();
  H5Layout file(path, bytes, head_bytes);
  const std::array<std::int64_t, 3> cells = {header.cells.x, header.cells.y, header.cells.z};
  file.attribute("/", "format", std::string(format_name));
  file.attribute("/", "version", checkpoint_version);
  file.attribute("/", "solver", header.solver);
  file.attribute("/", "cells", cells);
  file.attribute("/", "precision", precision_of(header));
  file.attribute("/", "checksum", checksum(header.text()));
  file.group("fields");
  file.group("scalars");
  for (const ScalarHeader& scalar : header.scalars)
    std::visit([&](const auto& value) { file.attribute("scalars", scalar.name, value); }, scalar.value);
  Offsets offsets;
  for (const ArrayHeader& array : header.arrays) {
    const std::string object = "fields/" + array.name;
    offsets.push_back(file.array(object, h5_type(array.type), shape_of(array)));
    file.attribute(object, "checksum", array.checksum);
  }
  file.finish();
  seal_checkpoint(path, offsets.empty() ? head_bytes : *std::ranges::min_element(offsets));
  return offsets;
}

void seal_checkpoint(const std::string& path, std::int64_t structure_end) {
  const File written(path, File::Mode::read);
  std::string head = std::string(format_name) + '\n' + std::to_string(written.size()) + ' ' +
                     std::to_string(structure_end) + ' ' +
                     std::to_string(checksum_of_structure(written, structure_end)) + '\n';
  head.resize(static_cast<std::size_t>(head_bytes), '\0');
  File(path, File::Mode::write).write(0, reinterpret_cast<const std::byte*>(head.data()), head.size());
}

CheckpointHeader read_header(const std::string& path, const CheckpointHeader& expected) {
  const Reader file(path);
  if (const std::int64_t version = file.integer("/", "version"); version != checkpoint_version)
    file.fail("checkpoint " + path + " is of format version " + std::to_string(version) +
              "; this program reads version " + std::to_string(checkpoint_version));
  CheckpointHeader found = expected;
  found.solver = file.text("/", "solver");
  if (found.solver != expected.solver)
    file.fail("checkpoint " + path + " is of the solver " + in_quotes(found.solver) + ", not " +
              in_quotes(expected.solver));
  const auto cells = file.numbers<std::int64_t>("/", "cells", H5T_INTEGER, H5T_NATIVE_INT64, 3);
  for (int a = 0; a < 3; ++a) found.cells[a] = static_cast<int>(cells[static_cast<std::size_t>(a)]);
  if (found.cells != expected.cells)
    file.fail("checkpoint " + path + " has cells " + to_string(found.cells) + "; this run has " +
              to_string(expected.cells));
  for (ArrayHeader& array : found.arrays) file.array(array);
  for (ScalarHeader& scalar : found.scalars) file.scalar(scalar);
  if (file.word("/", "checksum") != checksum(found.text()))
    file.damaged("the checksum of its header does not match");
  return found;
}

}  // namespace sc::io
