// SPDX-License-Identifier: Apache-2.0
// The interpreter of PTX on the host: its arithmetic against that of C++, divergence and barriers of threads,
// and all faults that it must detect.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/ptx_card/kernel.hpp"

namespace sc::ptx {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A kernel k(a, b, c, out) with four addresses; the elements of 8 bytes for a thread are at %rd1 … %rd4; n
/// threads in a block.
std::string module_of(const std::string& body) {
  std::string text = ".version 9.0\n.target sm_90\n.visible .entry k(\n";
  for (const char* n : {"0,", "1,", "2,", "3"}) text += std::string("\t.param .u64 p") + n + "\n";
  text += ")\n.maxntid 256, 1, 1\n{\n\t.reg .b64 \t%rd<20>;\n";
  text += "\tmov.u32 \t%r1, %tid.x;\n\tmov.u32 \t%r2, %ctaid.x;\n\tmov.u32 \t%r3, %ntid.x;\n";
  text += "\tmad.lo.s32 \t%r4, %r2, %r3, %r1;\n\tmul.wide.s32 \t%rd9, %r4, 8;\n";
  for (const char* n : {"0", "1", "2", "3"}) {
    const std::string number(1, char(n[0] + 1));
    text += std::string("\tld.param.u64 \t%rd5, [p") + n + "];\n\tcvta.to.global.u64 \t%rd6, %rd5;\n";
    text += "\tadd.s64 \t%rd" + number + ", %rd6, %rd9;\n";
  }
  return text + body + "\tret;\n\n}\n";
}

std::vector<std::byte> parameters_of(const std::array<void*, 4>& addresses) {
  std::vector<std::byte> bytes(sizeof addresses);
  std::memcpy(bytes.data(), addresses.data(), bytes.size());
  return bytes;
}

/// Runs the body for every element of `a`; returns `out`.
template <class T>
std::vector<T> run(const std::string& body, std::vector<T> a, std::vector<T> b = {}, std::vector<T> c = {},
                   unsigned blocks = 1) {
  static_assert(sizeof(T) == 8);
  std::vector<T> out(a.size());
  b.resize(a.size());
  c.resize(a.size());
  Memory memory;
  for (auto* array : {&a, &b, &c, &out}) memory.add(array->data(), array->size() * sizeof(T));
  const std::string text = module_of(body);
  memory.begin({});
  launch(read_kernel(text, "k"), {blocks, 1, 1}, {unsigned(a.size()) / blocks, 1, 1},
         parameters_of({a.data(), b.data(), c.data(), out.data()}), memory);
  return out;
}

/// out = op of a, b and c, of type .f64.
std::vector<double> operation(const std::string& opcode, int operands, const std::vector<double>& a,
                              const std::vector<double>& b = {}, const std::vector<double>& c = {}) {
  std::string body =
      "\tld.global.f64 \t%fd1, [%rd1];\n\tld.global.f64 \t%fd2, [%rd2];\n\tld.global.f64 \t%fd3, [%rd3];\n\t";
  body += opcode + " \t%fd4";
  for (int n = 1; n <= operands; ++n) body += ", %fd" + std::to_string(n);
  return run<double>(body + ";\n\tst.global.f64 \t[%rd4], %fd4;\n", a, b, c);
}

/// The same bits, or both NaN.
void expect_same(const std::vector<double>& found, const std::vector<double>& expected, const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    if (std::isnan(found[n]) && std::isnan(expected[n])) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found[n]), std::bit_cast<std::uint64_t>(expected[n]))
        << what << " of pair " << n << ": " << found[n] << " for " << expected[n];
  }
}

TEST(PtxMachine, RoundsAsTheHostDoes) {
  const std::vector<double> special{0.0,    -0.0,     1.0,       -1.5, 1e308, -3e-308,
                                    5e-324, infinity, -infinity, nan,  0.1};
  std::vector<double> a, b, c;
  for (const double x : special)
    for (const double y : special) {
      a.push_back(x);
      b.push_back(y);
      c.push_back(x * 0.3 - y);
    }
  const auto each = [&](auto f) {
    std::vector<double> all;
    for (std::size_t n = 0; n < a.size(); ++n) all.push_back(f(a[n], b[n], c[n]));
    return all;
  };
  expect_same(operation("add.rn.f64", 2, a, b), each([](double x, double y, double) { return x + y; }),
              "add");
  expect_same(operation("sub.rn.f64", 2, a, b), each([](double x, double y, double) { return x - y; }),
              "sub");
  expect_same(operation("mul.rn.f64", 2, a, b), each([](double x, double y, double) { return x * y; }),
              "mul");
  expect_same(operation("div.rn.f64", 2, a, b), each([](double x, double y, double) { return x / y; }),
              "div");
  expect_same(operation("fma.rn.f64", 3, a, b, c),
              each([](double x, double y, double z) { return std::fma(x, y, z); }), "fma");
  expect_same(operation("rcp.rn.f64", 1, a), each([](double x, double, double) { return 1 / x; }), "rcp");
  expect_same(operation("sqrt.rn.f64", 1, a), each([](double x, double, double) { return std::sqrt(x); }),
              "sqrt");
  expect_same(operation("neg.f64", 1, a), each([](double x, double, double) { return -x; }), "neg");
  expect_same(operation("max.f64", 2, a, b), each([](double x, double y, double) {
                if (x == 0 && y == 0) return std::signbit(x) && std::signbit(y) ? -0.0 : 0.0;
                return std::fmax(x, y);
              }),
              "max");
}

/// The predicate of setp as 1 or 0.
double holds(const std::string& comparison, double x, double y) {
  return run<double>(
      "\tld.global.f64 \t%fd1, [%rd1];\n\tld.global.f64 \t%fd2, [%rd2];\n\tsetp." + comparison +
          ".f64 \t%p1, %fd1, %fd2;\n\tselp.f64 \t%fd3, 0d3FF0000000000000, 0d0000000000000000, %p1;\n"
          "\tst.global.f64 \t[%rd4], %fd3;\n",
      {x}, {y})[0];
}

TEST(PtxMachine, ComparesWithWhatIsNoNumber) {
  for (const char* ordered : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_EQ(holds(ordered, 1, nan), 0) << ordered;
  for (const char* unordered : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_EQ(holds(unordered, 1, nan), 1) << unordered;
  EXPECT_EQ(holds("ltu", 2, 1), 0);
  EXPECT_EQ(holds("ge", 2, 2), 1);
  EXPECT_EQ(holds("neu", 2, 2), 0);
}

/// The value of %rd10 after the lines, with a and b in %rd7 and %rd8.
std::int64_t integer(const std::string& lines, std::int64_t a, std::int64_t b = 0) {
  return run<std::int64_t>("\tld.global.u64 \t%rd7, [%rd1];\n\tld.global.u64 \t%rd8, [%rd2];\n" + lines +
                               "\tst.global.u64 \t[%rd4], %rd10;\n",
                           {a}, {b})[0];
}

TEST(PtxMachine, WrapsAndShiftsAsPtxDoes) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(integer("\tadd.s64 \t%rd10, %rd7, %rd8;\n", least, -1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer("\tdiv.s64 \t%rd10, %rd7, %rd8;\n", least, -1), least);
  EXPECT_EQ(integer("\tmul.hi.s64 \t%rd10, %rd7, %rd8;\n", least, 6), -3);
  EXPECT_EQ(integer("\tcvt.u32.u64 \t%r5, %rd8;\n\tshl.b64 \t%rd10, %rd7, %r5;\n", 1, 64), 0);
  EXPECT_EQ(integer("\tcvt.u32.u64 \t%r5, %rd8;\n\tshr.s64 \t%rd10, %rd7, %r5;\n", -5, 70), -1);
  EXPECT_EQ(
      integer("\tcvt.u32.u64 \t%r5, %rd7;\n\tshr.u32 \t%r6, %r5, 4;\n\tcvt.u64.u32 \t%rd10, %r6;\n", -1),
      0x0fffffff);
  EXPECT_EQ(integer("\tcvt.u32.u64 \t%r5, %rd7;\n\tmul.wide.s32 \t%rd10, %r5, -3;\n", 0x7fffffff),
            -3ll * 0x7fffffff);
  EXPECT_EQ(integer("\tcvt.u32.u64 \t%r5, %rd7;\n\tcvt.s64.s32 \t%rd10, %r5;\n", 0xffffffff), -1);
  EXPECT_EQ(integer("\tbfi.b64 \t%rd10, %rd7, %rd8, 4, 8;\n", 0xab, 0x1234567), 0x1234ab7);
}

TEST(PtxMachine, HoldsConversionsAtTheEnds) {
  const auto to_s64 = [](double x) {
    return integer("\tmov.b64 \t%fd1, %rd7;\n\tcvt.rzi.s64.f64 \t%rd10, %fd1;\n",
                   std::bit_cast<std::int64_t>(x));
  };
  EXPECT_EQ(to_s64(-2.9), -2);
  EXPECT_EQ(to_s64(1e300), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(to_s64(-infinity), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(to_s64(nan), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(
      integer("\tmov.f32 \t%f1, 0f7FC00000;\n\tcvt.rzi.s32.f32 \t%r5, %f1;\n\tcvt.s64.s32 \t%rd10, %r5;\n",
              7),
      0);
}

// A loop that thread t leaves after t iterations.
const char* const count_to_thread =
    "\tmov.u32 \t%r5, 0;\n\tmov.u64 \t%rd10, 0;\n"
    "$L_1:\n\tsetp.ge.s32 \t%p1, %r5, %r4;\n\t@%p1 bra \t$L_2;\n"
    "\tadd.s64 \t%rd10, %rd10, 3;\n\tadd.s32 \t%r5, %r5, 1;\n\tbra.uni \t$L_1;\n"
    "$L_2:\n";

TEST(PtxMachine, ThreadsPartAndMeet) {
  const std::vector<std::int64_t> found =
      run<std::int64_t>(count_to_thread + std::string("\tst.global.u64 \t[%rd4], %rd10;\n"),
                        std::vector<std::int64_t>(96), {}, {}, 3);
  for (std::size_t t = 0; t < found.size(); ++t) EXPECT_EQ(found[t], std::int64_t(3 * t));
}

TEST(PtxMachine, GuardsAndLocalMemoryAreOfAThread) {
  const std::string body =
      "\t.local .align 8 .b8 \t__local_depot0[16];\n\tmov.u64 \t%rd11, __local_depot0;\n"
      "\tadd.s32 \t%r5, %r4, 100;\n\tcvt.s64.s32 \t%rd12, %r5;\n\tst.local.u64 \t[%rd11+8], %rd12;\n"
      "\tand.b32 \t%r6, %r4, 1;\n\tsetp.eq.s32 \t%p1, %r6, 1;\n\tld.local.u64 \t%rd13, [%rd11+8];\n"
      "\t@%p1 add.s64 \t%rd13, %rd13, 1000;\n\t@!%p1 neg.s64 \t%rd13, %rd13;\n\tst.global.u64 \t[%rd4], "
      "%rd13;\n";
  EXPECT_EQ(run<std::int64_t>(body, {0, 0, 0, 0}), (std::vector<std::int64_t>{-100, 1101, -102, 1103}));
}

/// Each thread writes its number to .shared and reads that of its neighbour, cyclically.
std::string turned(const std::string& between) {
  return "\t.shared .align 8 .b8 \ts[256];\n\tmov.u32 \t%r5, s;\n\tshl.b32 \t%r6, %r1, 3;\n\tadd.s32 \t%r7, "
         "%r5, %r6;\n"
         "\tcvt.s64.s32 \t%rd10, %r1;\n\tst.shared.u64 \t[%r7], %rd10;\n" +
         between +
         "\tadd.s32 \t%r8, %r1, 1;\n\trem.s32 \t%r9, %r8, %r3;\n\tshl.b32 \t%r10, %r9, 3;\n\tadd.s32 \t%r11, "
         "%r5, %r10;\n"
         "\tld.shared.u64 \t%rd12, [%r11];\n\tst.global.u64 \t[%rd4], %rd12;\n";
}

/// The message of a fault; empty if there is none.
std::string fault_of(const std::string& body, std::size_t threads = 4) {
  try {
    run<std::int64_t>(body, std::vector<std::int64_t>(threads));
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}
#define EXPECT_FAULT(body, part) EXPECT_NE(fault_of(body).find(part), std::string::npos) << fault_of(body)

TEST(PtxMachine, BarriersOrderThreads) {
  EXPECT_EQ(run<std::int64_t>(turned("\tbar.sync \t0;\n"), {0, 0, 0, 0, 0}),
            (std::vector<std::int64_t>{1, 2, 3, 4, 0}));
  EXPECT_FAULT(turned(""), "a race: thread ");
}

TEST(PtxMachine, AtomicsMeetEachOther) {
  const std::string body =
      "\tld.param.u64 \t%rd11, [p0];\n\tcvt.s64.s32 \t%rd12, %r4;\n\tatom.global.add.u64 \t%rd13, [%rd11], "
      "%rd12;\n"
      "\tst.global.u64 \t[%rd4], %rd13;\n";
  EXPECT_EQ(run<std::int64_t>(body, {10, 0, 0, 0}), (std::vector<std::int64_t>{10, 10, 11, 13}));
  EXPECT_FAULT(
      "\tld.param.u64 \t%rd11, [p0];\n\tld.global.u64 \t%rd12, [%rd11];\n"
      "\tatom.global.max.s64 \t%rd13, [%rd11], 7;\n",
      "a race: thread 0 of the grid changes byte 0 of its memory, read by other threads");
}

TEST(PtxMachine, FindsWhatACardWouldNotDo) {
  EXPECT_FAULT("\tst.global.u64 \t[%rd4+8], 1;\n", "32 bytes into an allocation of 32");
  EXPECT_FAULT("\tst.global.u32 \t[%rd4+2], 1;\n", "an address that is no multiple of 4");
  EXPECT_FAULT("\tld.param.u64 \t%rd11, [p3];\n\tst.global.u64 \t[%rd11], 1;\n", "written by thread 0");
  EXPECT_FAULT("\tld.param.u64 \t%rd11, [p3+8];\n", "8 bytes at 32 of the 32 bytes of .param");
  EXPECT_FAULT("\tdiv.s32 \t%r5, %r4, 0;\n", "an integer divided by zero");
  EXPECT_FAULT("\tex2.approx.f32 \t%f1, %f2;\n", "the instruction ex2.approx.f32 is not known here");
  EXPECT_FAULT("\tmov.u32 \t%r5, %laneid.x;\n", "the register %laneid.x is not known here");
  EXPECT_FAULT("\tbra \t$L_9;\n", "a branch to $L_9, which is nowhere");
  EXPECT_THROW(read_kernel(module_of(""), "other"), Fault);
}

TEST(PtxMachine, WritingWhatAnotherLaunchReadIsNoRace) {
  std::vector<std::int64_t> data{1, 2, 3, 4}, out(4);
  Memory memory;
  memory.add(data.data(), 32);
  memory.add(out.data(), 32);
  const std::string text = module_of(
      "\tld.param.u64 \t%rd11, [p0];\n\tld.global.u64 \t%rd12, [%rd11];\n\tst.global.u64 \t[%rd4], %rd12;\n");
  const Kernel kernel = read_kernel(text, "k");
  const auto give = [&](std::int64_t* from, std::int64_t* to) {
    memory.begin({});
    launch(kernel, {1, 1, 1}, {4, 1, 1}, parameters_of({from, from, from, to}), memory);
  };
  give(data.data(), out.data());
  give(out.data(), data.data());
  EXPECT_EQ(data, (std::vector<std::int64_t>{1, 1, 1, 1}));
  EXPECT_THROW(give(out.data(), out.data()), Fault);
}

TEST(PtxMachine, StreamsMeetOnlyInOrder) {
  std::vector<std::int64_t> data(4), out(4);
  const auto fault = [&](const Task& first, const Task& second, bool writes) -> std::string {
    Memory memory;
    memory.add(data.data(), 32);
    memory.add(out.data(), 32);
    memory.begin(first);
    memory.copy(out.data(), data.data(), 32);
    memory.begin(second);
    try {
      memory.copy(writes ? data.data() : out.data(), writes ? out.data() : data.data(), 16);
    } catch (const Fault& why) {
      return why.what();
    }
    return "";
  };
  const Task first{2, {0, 0, 1, 0, 0}}, knows_nothing{0, {1, 0, 0, 0, 0}}, knows{0, {1, 0, 1, 0, 0}},
      same{2, {0, 0, 2, 0, 0}};
  EXPECT_EQ(fault(first, knows, true), "");
  EXPECT_EQ(fault(first, same, true), "");
  EXPECT_EQ(fault(first, knows_nothing, true),
            "two streams that nothing orders: stream 0 reads byte 0 of its memory, which stream 2 writes");
  EXPECT_EQ(fault(first, knows_nothing, false),
            "two streams that nothing orders: stream 0 writes byte 0 of its memory, which stream 2 writes");
  Memory memory;
  memory.add(out.data(), 32);
  memory.begin(first);
  memory.fill(out.data(), 0, 32);
  memory.begin(knows_nothing);
  EXPECT_THROW(memory.fill(out.data(), 0, 32), Fault);
  StreamTouches tally(8);
  tally.touch(StreamTouches::changes, 0, 8, first);
  EXPECT_NO_THROW(tally.touch(StreamTouches::changes, 0, 8, knows_nothing));
  EXPECT_THROW(tally.touch(StreamTouches::reads, 0, 8, first), Fault);
}

}  // namespace
}  // namespace sc::ptx
