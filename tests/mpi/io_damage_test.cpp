// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// timeout: 300
// optimise: no
// A checkpoint that is damaged, truncated or of another kind is refused on all ranks with the same sentence,
// and the state in memory is unchanged.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>

#include "io/checkpoint.hpp"
#include "io/checkpoint_header.hpp"
#include "tests/mpi/io_state.hpp"

namespace sc::test {
namespace {

constexpr Int3 cells{6, 5, 8};

template <class T>
struct State {
  explicit State(Context& context, Int3 n = cells)
      : grid(context, {.cells = n, .halo = 1}), velocity(grid, "velocity"), pressure(grid, "pressure") {}
  io::CheckpointContents contents(const std::string& solver = "test") {
    return {solver,
            grid,
            {{"velocity", &velocity.storage(0), 1}, {"pressure", &pressure.storage(0), 0}},
            {{"time", &time}, {"step", &step}, {"note", &note}}};
  }
  void fill(int seed) {
    set<T>(velocity.storage(0), 1, seed);
    set<T>(pressure.storage(0), 0, seed + 1);
    time = seed + 0.25;
    step = seed;
    note = "seed " + std::to_string(seed);
  }
  bool holds(int seed) const {
    return wrong<T>(velocity.storage(0), 1, seed) + wrong<T>(pressure.storage(0), 0, seed + 1) == 0 &&
           time == seed + 0.25 && step == seed && note == "seed " + std::to_string(seed);
  }
  Grid grid;
  Field<T, 3> velocity;
  Field<T> pressure;
  double time = 0;
  std::int64_t step = 0;
  std::string note;
};

class Damage : public testing::Test {
 protected:
  Damage() : folder_(context_), path_(folder_ / "state.h5") {
    State<double> state(context_);
    state.fill(1);
    io::write_checkpoint(path_, state.contents());
    good_ = bytes_of(path_);
    context_.barrier();
  }

  /// Rank 0 damages the file; the others wait.
  template <class F>
  void damage(F&& action) {
    if (context_.rank() == 0) action();
    context_.barrier();
  }
  void poke(std::size_t at, char byte) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }
  void replace_bytes(const std::string& bytes) {
    damage([&] { put_bytes(path_, bytes); });
  }

  /// Reads into a state with other values and returns the error, which is the same on all ranks.
  template <class T = double>
  std::string refusal(Int3 n = cells, const std::string& solver = "test") {
    State<T> state(context_, n);
    state.fill(50);
    const auto [sentence, code] = error_of([&] { io::read_checkpoint(path_, state.contents(solver)); });
    std::string of_rank_0 = sentence;
    context_.broadcast(of_rank_0);
    EXPECT_EQ(sentence, of_rank_0);
    EXPECT_EQ(code, Exit::storage) << sentence;
    EXPECT_TRUE(state.holds(50)) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(path_), std::string::npos) << sentence;
    return sentence;
  }

  TestContext context_;
  Folder folder_;
  std::string path_;
  std::string good_;
};

#define EXPECT_SAYS(sentence, words) EXPECT_PRED2(says, sentence, words)
bool says(const std::string& sentence, const std::string& words) {
  return sentence.find(words) != std::string::npos;
}

/// Offset of the first value of pressure, whose bits occur only once.
std::size_t data_position(const std::string& bytes) {
  const double first = value_at<double>(2, 0, 0, 0, 0);
  const std::string needle(reinterpret_cast<const char*>(&first), 8);
  return bytes.find(needle);
}

TEST_F(Damage, FlippedBitInTheData) {
  std::string bytes = good_;
  const std::size_t at = data_position(bytes);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  replace_bytes(bytes);
  EXPECT_SAYS(refusal(), "is damaged: the checksum of \"pressure\" does not match");
}

TEST_F(Damage, TwoValuesSwapped) {
  std::string bytes = good_;
  const std::size_t at = data_position(bytes);
  ASSERT_NE(at, std::string::npos);
  std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at) + 8,
                   bytes.begin() + static_cast<std::ptrdiff_t>(at) + 8);
  replace_bytes(bytes);
  EXPECT_SAYS(refusal(), "is damaged: the checksum of \"pressure\" does not match");
}

TEST_F(Damage, FlippedBitInTheStructure) {
  const std::size_t at = good_.find("subcurrent checkpoint", 4096);  // the attribute, not the first line
  ASSERT_NE(at, std::string::npos);
  std::string bytes = good_;
  bytes[at] = 'S';
  replace_bytes(bytes);
  EXPECT_SAYS(refusal(), "is damaged: the checksum of its structure does not match");
}

TEST_F(Damage, CutShort) {
  for (const std::size_t keep : {good_.size() - 1, good_.size() / 2, std::size_t{5000}}) {
    replace_bytes(good_.substr(0, keep));
    EXPECT_SAYS(refusal(), "is damaged: it is cut short");
  }
  replace_bytes(good_.substr(0, 200));
  EXPECT_SAYS(refusal(), "is not a checkpoint");
}

TEST_F(Damage, Empty) {
  replace_bytes("");
  EXPECT_SAYS(refusal(), "is not a checkpoint: it is not an HDF5 file");
}

TEST_F(Damage, NotHdf5) {
  replace_bytes(std::string(5000, 'x'));
  EXPECT_SAYS(refusal(), "is not a checkpoint: it is not an HDF5 file");
}

TEST_F(Damage, AnotherProgramsHdf5) {
  damage([&] {
    const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
  });
  EXPECT_SAYS(refusal(), "is not a checkpoint of this program");
}

TEST_F(Damage, Missing) {
  damage([&] { std::filesystem::remove(path_); });
  EXPECT_SAYS(refusal(), "does not exist");
}

TEST_F(Damage, Folder) {
  damage([&] {
    std::filesystem::remove(path_);
    std::filesystem::create_directory(path_);
  });
  EXPECT_SAYS(refusal(), "is a folder");
}

TEST_F(Damage, Unreadable) {
  damage([&] {
    chmod(path_.c_str(), 0);
    chmod(folder_.path().c_str(), 0755);
  });
  const OrdinaryUser user;
  EXPECT_SAYS(refusal(), "cannot read " + path_ + ": permission denied");
}

TEST_F(Damage, AnotherSolver) {
  EXPECT_SAYS(refusal<double>(cells, "dendrite"), "is of the solver \"test\", not \"dendrite\"");
}

TEST_F(Damage, OtherCells) {
  EXPECT_SAYS(refusal<double>({6, 8, 5}), "has cells [6, 5, 8]; this run has [6, 8, 5]");
}

TEST_F(Damage, OtherPrecision) {
  EXPECT_SAYS(refusal<float>(), "holds \"velocity\" as double precision; this run needs single precision");
}

template <class F>
void edit(const std::string& path, F&& action) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  action(file);
  H5Fclose(file);
  // With valid checksums, as if it had been written so.
  std::istringstream head(bytes_of(path));
  std::string format;
  std::int64_t size = 0;
  std::int64_t structure_end = 0;
  std::getline(head, format) >> size >> structure_end;
  io::seal_checkpoint(path, structure_end);
}

TEST_F(Damage, MissingField) {
  damage([&] { edit(path_, [](hid_t file) { H5Ldelete(file, "fields/pressure", H5P_DEFAULT); }); });
  EXPECT_SAYS(refusal(), "has no field \"pressure\"");
}

TEST_F(Damage, MissingScalar) {
  damage([&] { edit(path_, [](hid_t file) { H5Adelete_by_name(file, "scalars", "time", H5P_DEFAULT); }); });
  EXPECT_SAYS(refusal(), "has no value \"time\"");
}

TEST_F(Damage, MissingHeader) {
  damage([&] { edit(path_, [](hid_t file) { H5Adelete(file, "cells"); }); });
  EXPECT_SAYS(refusal(), "is damaged: it has no \"cells\"");
}

void set_integer(hid_t file, const char* object, const char* name, std::int64_t value) {
  H5Adelete_by_name(file, object, name, H5P_DEFAULT);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute =
      H5Acreate_by_name(file, object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT64, &value), 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

TEST_F(Damage, NewerFormat) {
  damage([&] { edit(path_, [](hid_t file) { set_integer(file, "/", "version", 2); }); });
  EXPECT_SAYS(refusal(), "is of format version 2; this program reads version 1");
}

// A file that is valid for HDF5, with a changed value.
TEST_F(Damage, ChangedScalar) {
  damage([&] { edit(path_, [](hid_t file) { set_integer(file, "scalars", "step", 7); }); });
  EXPECT_SAYS(refusal(), "is damaged: the checksum of its header does not match");
}

TEST_F(Damage, OtherShape) {
  damage([&] {
    edit(path_, [](hid_t file) {
      H5Ldelete(file, "fields/pressure", H5P_DEFAULT);
      H5Lcreate_soft("/fields/velocity", file, "fields/pressure", H5P_DEFAULT, H5P_DEFAULT);
    });
  });
  EXPECT_SAYS(refusal(), "holds \"pressure\" in shape [3, 10, 7, 8]; this run needs [1, 8, 5, 6]");
}

// For every single wrong byte, the file is refused or the values are right.
TEST_F(Damage, NoFlippedByteGoesUnnoticed) {
  if (context_.size() != 1) GTEST_SKIP() << "one rank is enough";
  constexpr std::size_t stride = 5;  // reaches every bit of a byte and every byte of a value
  int refused = 0;
  int harmless = 0;
  State<double> state(context_);
  for (std::size_t at = 0; at < good_.size(); at += stride) {
    poke(at, static_cast<char>(good_[at] ^ (1 << (at % 8))));
    state.fill(50);
    const auto [sentence, code] = error_of([&] { io::read_checkpoint(path_, state.contents()); });
    poke(at, good_[at]);
    if (code == Exit::ok) {
      ASSERT_TRUE(state.holds(1)) << "byte " << at;
      ++harmless;
    } else {
      ASSERT_EQ(code, Exit::storage) << sentence;
      ASSERT_TRUE(state.holds(50)) << "byte " << at << ": " << sentence;
      ++refused;
    }
  }
  const int data = (3 * 8 * 7 * 10 + 6 * 5 * 8) * 8;
  EXPECT_GE(refused, data / static_cast<int>(stride));
  EXPECT_GT(harmless, 0);  // padding between the arrays
}

}  // namespace
}  // namespace sc::test
