// SPDX-License-Identifier: Apache-2.0
// Instructions that compute: PTX ISA 9.0, chapters 9.7.1 to 9.7.9, as far as nvcc uses them for kernels
// without intrinsics of the device. All are exact or rounded to nearest, so that the host gives the card's
// bits; what approximates (ex2.approx and its like) is not here, and refused by its name.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "tests/ptx_card/table.hpp"

namespace sc::ptx {

namespace {

template <class R, class A, auto f>
void unary(const Instruction& i, Block& b) {
  std::uint64_t* const to = b.row(i.to);
  const std::uint64_t* const x = b.row(i.from[0]);
  b.each([&](int t) { put<R>(to, t, f(get<A>(x, t))); });
}
template <class R, class A, class B, auto f>
void binary(const Instruction& i, Block& b) {
  std::uint64_t* const to = b.row(i.to);
  const std::uint64_t *const x = b.row(i.from[0]), *const y = b.row(i.from[1]);
  b.each([&](int t) { put<R>(to, t, f(get<A>(x, t), get<B>(y, t))); });
}
template <class R, class A, class C, auto f>
void ternary(const Instruction& i, Block& b) {
  std::uint64_t* const to = b.row(i.to);
  const std::uint64_t *const x = b.row(i.from[0]), *const y = b.row(i.from[1]), *const z = b.row(i.from[2]);
  b.each([&](int t) { put<R>(to, t, f(get<A>(x, t), get<A>(y, t), get<C>(z, t))); });
}

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
struct TwiceOf;
template <>
struct TwiceOf<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct TwiceOf<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct TwiceOf<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct TwiceOf<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct TwiceOf<std::int64_t> {
  __extension__ using type = __int128;
};
template <>
struct TwiceOf<std::uint64_t> {
  __extension__ using type = unsigned __int128;
};
template <class T>
using Twice = typename TwiceOf<T>::type;

/// Sums and products wrap around, of signed integers too.
template <class T>
constexpr auto plus = [](T a, T b) { return static_cast<T>(std::uint64_t(a) + std::uint64_t(b)); };
template <class T>
constexpr auto minus = [](T a, T b) { return static_cast<T>(std::uint64_t(a) - std::uint64_t(b)); };
template <class T>
constexpr auto times = [](T a, T b) { return static_cast<T>(std::uint64_t(a) * std::uint64_t(b)); };

template <class T>
T quotient(T a, T b) {
  if (b == 0) throw Fault("an integer divided by zero");
  return std::is_signed_v<T> && b == T(-1) ? minus<T>(T(0), a) : static_cast<T>(a / b);
}
template <class T>
T remainder_of(T a, T b) {
  if (b == 0) throw Fault("an integer divided by zero");
  return std::is_signed_v<T> && b == T(-1) ? T(0) : static_cast<T>(a % b);
}

/// A shift by the width or more leaves zeros, or the sign.
template <class T>
constexpr auto shifted_left =
    [](T a, std::uint32_t by) { return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(Unsigned<T>(a) << by); };
template <class T>
constexpr auto shifted_right = [](T a, std::uint32_t by) {
  if (by >= 8 * sizeof(T)) return static_cast<T>(a < 0 ? T(-1) : T(0));
  return static_cast<T>(a >> by);
};

template <class T>
void bit_field_insert(const Instruction& i, Block& b) {
  b.each([&](int t) {
    const T from = get<T>(b.row(i.from[0]), t), into = get<T>(b.row(i.from[1]), t);
    const unsigned bits = 8 * sizeof(T);
    const unsigned first = get<std::uint32_t>(b.row(i.from[2]), t) & 0xff;
    const unsigned count = get<std::uint32_t>(b.row(i.from[3]), t) & 0xff;
    T mask = 0;
    for (unsigned n = first; n < std::min(first + count, bits); ++n) mask |= T{1} << n;
    put<T>(b.row(i.to), t, T((into & ~mask) | (first < bits ? (from << first) & mask : 0)));
  });
}

template <class T>
void comparisons(Table& table, const std::string& type) {
  const std::string setp = "setp.";
  table[setp + "eq" + type] = binary<bool, T, T, [](T a, T b) { return a == b; }>;
  table[setp + "ne" + type] = binary<bool, T, T, [](T a, T b) { return a < b || b < a; }>;
  table[setp + "lt" + type] = binary<bool, T, T, [](T a, T b) { return a < b; }>;
  table[setp + "le" + type] = binary<bool, T, T, [](T a, T b) { return a <= b; }>;
  table[setp + "gt" + type] = binary<bool, T, T, [](T a, T b) { return b < a; }>;
  table[setp + "ge" + type] = binary<bool, T, T, [](T a, T b) { return a >= b; }>;
}

template <class T>
void moves(Table& table, const std::string& type) {
  table["mov" + type] = unary<T, T, [](T a) { return a; }>;
  table["selp" + type] = ternary<T, T, bool, [](T a, T b, bool first) { return first ? a : b; }>;
}

template <class T>
void logic(Table& table, const std::string& type) {
  table["and" + type] = binary<T, T, T, [](T a, T b) { return static_cast<T>(a & b); }>;
  table["or" + type] = binary<T, T, T, [](T a, T b) { return static_cast<T>(a | b); }>;
  table["xor" + type] = binary<T, T, T, [](T a, T b) { return static_cast<T>(a ^ b); }>;
  table["not" + type] = unary<T, T, [](T a) {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return static_cast<T>(~a);
  }>;
}

template <class T>
void untyped(Table& table, const std::string& type) {  // .b16, .b32, .b64
  moves<T>(table, type);
  logic<T>(table, type);
  table["setp.eq" + type] = binary<bool, T, T, [](T a, T b) { return a == b; }>;
  table["setp.ne" + type] = binary<bool, T, T, [](T a, T b) { return a != b; }>;
  table["shl" + type] = binary<T, T, std::uint32_t, shifted_left<T>>;
  table["shr" + type] = binary<T, T, std::uint32_t, shifted_right<T>>;
}

template <class T>
void integers(Table& table, const std::string& type) {
  moves<T>(table, type);
  comparisons<T>(table, type);
  table["add" + type] = binary<T, T, T, plus<T>>;
  table["sub" + type] = binary<T, T, T, minus<T>>;
  table["mul.lo" + type] = binary<T, T, T, times<T>>;
  table["mul.hi" + type] = binary<T, T, T, [](T a, T b) {
    return static_cast<T>((Twice<T>(a) * Twice<T>(b)) >> (8 * sizeof(T)));
  }>;
  table["mad.lo" + type] = ternary<T, T, T, [](T a, T b, T c) { return plus<T>(times<T>(a, b), c); }>;
  if constexpr (sizeof(T) < 8) {
    using W = Twice<T>;
    table["mul.wide" + type] = binary<W, T, T, [](T a, T b) { return static_cast<W>(W(a) * W(b)); }>;
    table["mad.wide" + type] =
        ternary<W, T, W, [](T a, T b, W c) { return plus<W>(static_cast<W>(W(a) * W(b)), c); }>;
  }
  table["div" + type] = binary<T, T, T, quotient<T>>;
  table["rem" + type] = binary<T, T, T, remainder_of<T>>;
  table["min" + type] = binary<T, T, T, [](T a, T b) { return std::min(a, b); }>;
  table["max" + type] = binary<T, T, T, [](T a, T b) { return std::max(a, b); }>;
  table["shr" + type] = binary<T, T, std::uint32_t, shifted_right<T>>;
  if constexpr (std::is_signed_v<T>) {
    table["neg" + type] = unary<T, T, [](T a) { return minus<T>(T(0), a); }>;
    table["abs" + type] = unary<T, T, [](T a) { return a < 0 ? minus<T>(T(0), a) : a; }>;
  }
}

/// Of a number and a NaN the number; -0 is less than +0.
template <class T>
T lesser(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T>
T greater(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
template <class T>
T multiply_add(T a, T b, T c) {
  return std::fma(a, b, c);
}

template <class T>
void reals(Table& table, const std::string& type) {
  moves<T>(table, type);
  comparisons<T>(table, type);
  const std::string setp = "setp.";
  table[setp + "equ" + type] = binary<bool, T, T, [](T a, T b) { return !(a < b || b < a); }>;
  table[setp + "neu" + type] = binary<bool, T, T, [](T a, T b) { return !(a == b); }>;
  table[setp + "ltu" + type] = binary<bool, T, T, [](T a, T b) { return !(a >= b); }>;
  table[setp + "leu" + type] = binary<bool, T, T, [](T a, T b) { return !(b < a); }>;
  table[setp + "gtu" + type] = binary<bool, T, T, [](T a, T b) { return !(a <= b); }>;
  table[setp + "geu" + type] = binary<bool, T, T, [](T a, T b) { return !(a < b); }>;
  table[setp + "num" + type] = binary<bool, T, T, [](T a, T b) { return !std::isunordered(a, b); }>;
  table[setp + "nan" + type] = binary<bool, T, T, [](T a, T b) { return std::isunordered(a, b); }>;
  table["add.rn" + type] = binary<T, T, T, [](T a, T b) { return a + b; }>;
  table["sub.rn" + type] = binary<T, T, T, [](T a, T b) { return a - b; }>;
  table["mul.rn" + type] = binary<T, T, T, [](T a, T b) { return a * b; }>;
  table["div.rn" + type] = binary<T, T, T, [](T a, T b) { return a / b; }>;
  table["fma.rn" + type] = ternary<T, T, T, multiply_add<T>>;
  table["rcp.rn" + type] = unary<T, T, [](T a) { return T(1) / a; }>;
  table["sqrt.rn" + type] = unary<T, T, [](T a) { return std::sqrt(a); }>;
  table["neg" + type] = unary<T, T, [](T a) { return -a; }>;
  table["abs" + type] = unary<T, T, [](T a) { return std::abs(a); }>;
  table["min" + type] = binary<T, T, T, lesser<T>>;
  table["max" + type] = binary<T, T, T, greater<T>>;
}

/// Towards zero, held at the ends of To. Of a NaN: 0, where either side has 64 bits the sign bit alone.
template <class To, class From>
To truncated(From a) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(a))
    return sizeof(From) == 8 || sizeof(To) == 8 ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1))
                                                : To(0);
  if (a <= static_cast<From>(Limits::min())) return Limits::min();
  if (a >= static_cast<From>(Limits::max())) return Limits::max();
  return static_cast<To>(a);
}
template <class To, class From>
void conversion(Table& table, const std::string& to, const std::string& from) {
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    table["cvt" + to + from] = unary<To, From, [](From a) { return static_cast<To>(a); }>;
  } else if constexpr (std::is_integral_v<From>) {
    table["cvt.rn" + to + from] = unary<To, From, [](From a) { return static_cast<To>(a); }>;
  } else if constexpr (std::is_integral_v<To>) {
    table["cvt.rzi" + to + from] = unary<To, From, truncated<To, From>>;
  } else if constexpr (sizeof(To) > sizeof(From)) {
    table["cvt" + to + from] = unary<To, From, [](From a) { return To{a}; }>;
  } else if constexpr (sizeof(To) < sizeof(From)) {
    table["cvt.rn" + to + from] = unary<To, From, [](From a) { return static_cast<To>(a); }>;
  }
}
template <class From>
void conversions(Table& table, const std::string& from) {
  conversion<std::int8_t, From>(table, ".s8", from);
  conversion<std::uint8_t, From>(table, ".u8", from);
  conversion<std::int16_t, From>(table, ".s16", from);
  conversion<std::uint16_t, From>(table, ".u16", from);
  conversion<std::int32_t, From>(table, ".s32", from);
  conversion<std::uint32_t, From>(table, ".u32", from);
  conversion<std::int64_t, From>(table, ".s64", from);
  conversion<std::uint64_t, From>(table, ".u64", from);
  conversion<float, From>(table, ".f32", from);
  conversion<double, From>(table, ".f64", from);
}

}  // namespace

void add_arithmetic(Table& table) {
  integers<std::int16_t>(table, ".s16");
  integers<std::uint16_t>(table, ".u16");
  integers<std::int32_t>(table, ".s32");
  integers<std::uint32_t>(table, ".u32");
  integers<std::int64_t>(table, ".s64");
  integers<std::uint64_t>(table, ".u64");
  untyped<std::uint16_t>(table, ".b16");
  untyped<std::uint32_t>(table, ".b32");
  untyped<std::uint64_t>(table, ".b64");
  moves<bool>(table, ".pred");
  logic<bool>(table, ".pred");
  reals<float>(table, ".f32");
  reals<double>(table, ".f64");
  table["bfi.b32"] = bit_field_insert<std::uint32_t>;
  table["bfi.b64"] = bit_field_insert<std::uint64_t>;
  conversions<std::int8_t>(table, ".s8");
  conversions<std::uint8_t>(table, ".u8");
  conversions<std::int16_t>(table, ".s16");
  conversions<std::uint16_t>(table, ".u16");
  conversions<std::int32_t>(table, ".s32");
  conversions<std::uint32_t>(table, ".u32");
  conversions<std::int64_t>(table, ".s64");
  conversions<std::uint64_t>(table, ".u64");
  conversions<float>(table, ".f32");
  conversions<double>(table, ".f64");
}

}  // namespace sc::ptx
