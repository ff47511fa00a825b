// SPDX-License-Identifier: Apache-2.0
// Instructions that touch memory: PTX ISA 9.0, chapters 9.7.9 and 9.7.13. Addresses in .param, .shared and
// .local are counted from the beginning of each.
#include <algorithm>

#include "tests/ptx_card/kernel.hpp"
#include "tests/ptx_card/table.hpp"

namespace sc::ptx {

namespace {

enum class Where { global, shared, local, parameter };
enum class Access { read, write, atomic };

std::uint64_t address_of(const Instruction& i, Block& b, int thread, int operand) {
  return b.row(i.from[operand])[thread] + static_cast<std::uint64_t>(i.offset);
}

void check_range(std::uint64_t offset, std::size_t bytes, std::size_t aligned, std::size_t all,
                 const char* what) {
  if ((offset & (aligned - 1)) != 0 || offset > all || all - offset < bytes)
    throw Fault(std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of the " +
                std::to_string(all) + " bytes of ." + what);
}

/// Where a thread's value lies, once it is known that it may lie there.
template <class T, Where where, Access access>
std::byte* place(const Instruction& i, Block& b, int thread, int operand) {
  const std::uint64_t address = address_of(i, b, thread, operand);
  if constexpr (where == Where::parameter) {
    check_range(address, sizeof(T), i.aligned, b.parameters.size(), "param");
    return b.parameters.data() + address;
  } else if constexpr (where == Where::local) {
    check_range(address, sizeof(T), i.aligned, b.local_bytes, "local");
    return b.local.data() + std::size_t(thread) * b.local_bytes + address;
  } else {
    // A register of 32 bits holds an address in .shared: what lies above them is not part of it.
    Region& region = where == Where::shared
                         ? b.shared
                         : b.memory->find(address, sizeof(T), i.aligned, b.last[std::size_t(i.number)]);
    std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(region.data);
    if (where == Where::shared) {
      offset = std::uint32_t(address);
      check_range(offset, sizeof(T), i.aligned, region.bytes, "shared");
    }
    const std::uint32_t now = where == Where::shared ? b.ordered : b.memory->launch();
    const std::uint32_t who = b.thread_in_grid(thread);
    if (access == Access::read) region.touches.read(offset, sizeof(T), now, who);
    if (access == Access::write) region.touches.write(offset, sizeof(T), now, who);
    if (access == Access::atomic) region.touches.atomic(offset, sizeof(T), now, who);
    if (where == Where::global) {
      constexpr auto kind = access == Access::read    ? StreamTouches::reads
                            : access == Access::write ? StreamTouches::writes
                                                      : StreamTouches::changes;
      region.streams.touch(kind, offset, sizeof(T), b.memory->task());
    }
    return region.data + offset;
  }
}

template <class T, Where where>
void load(const Instruction& i, Block& b) {
  if (where == Where::parameter && i.same_for_all) {
    T value;
    std::memcpy(&value, place<T, where, Access::read>(i, b, b.active.front(), 0), sizeof value);
    std::uint64_t* const to = b.row(i.to);
    b.each([&](int thread) { put<T>(to, thread, value); });
    return;
  }
  b.each([&](int thread) {
    T value;
    std::memcpy(&value, place<T, where, Access::read>(i, b, thread, 0), sizeof value);
    put<T>(b.row(i.to), thread, value);
  });
}
template <class T, Where where>
void store(const Instruction& i, Block& b) {
  b.each([&](int thread) {
    const T value = get<T>(b.row(i.from[1]), thread);
    std::memcpy(place<T, where, Access::write>(i, b, thread, 0), &value, sizeof value);
  });
}
/// The threads one after another, which is an order that atomics may have.
template <class T, Where where, auto f>
void atomic(const Instruction& i, Block& b) {
  b.each([&](int thread) {
    std::byte* const at = place<T, where, Access::atomic>(i, b, thread, 0);
    T old;
    std::memcpy(&old, at, sizeof old);
    const T value = f(old, get<T>(b.row(i.from[1]), thread));
    std::memcpy(at, &value, sizeof value);
    put<T>(b.row(i.to), thread, old);
  });
}

template <class T>
void of_type(Table& table, const std::string& type) {
  table["ld.param" + type] = load<T, Where::parameter>;
  table["ld.local" + type] = load<T, Where::local>;
  table["st.local" + type] = store<T, Where::local>;
  if constexpr (sizeof(T) >= 4) {  // who touched what is known by words of 4 bytes
    table["ld.global" + type] = table["ld.global.nc" + type] = load<T, Where::global>;
    table["st.global" + type] = store<T, Where::global>;
    table["ld.shared" + type] = load<T, Where::shared>;
    table["st.shared" + type] = store<T, Where::shared>;
  }
}

template <class T>
void atomics(Table& table, const std::string& type) {
  static constexpr auto add = [](T a, T b) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  };
  static constexpr auto most = [](T a, T b) { return std::max(a, b); };
  static constexpr auto least = [](T a, T b) { return std::min(a, b); };
  table["atom.global.add" + type] = atomic<T, Where::global, add>;
  table["atom.global.max" + type] = atomic<T, Where::global, most>;
  table["atom.global.min" + type] = atomic<T, Where::global, least>;
  table["atom.shared.add" + type] = atomic<T, Where::shared, add>;
  table["atom.shared.max" + type] = atomic<T, Where::shared, most>;
  table["atom.shared.min" + type] = atomic<T, Where::shared, least>;
}

/// Generic addresses of global memory are those of .global.
void to_global(const Instruction& i, Block& b) {
  b.each([&](int thread) { b.row(i.to)[thread] = b.row(i.from[0])[thread]; });
}

}  // namespace

void add_access(Table& table) {
  of_type<std::int8_t>(table, ".s8");
  of_type<std::uint8_t>(table, ".u8");
  of_type<std::uint8_t>(table, ".b8");
  of_type<std::int16_t>(table, ".s16");
  of_type<std::uint16_t>(table, ".u16");
  of_type<std::uint16_t>(table, ".b16");
  of_type<std::int32_t>(table, ".s32");
  of_type<std::uint32_t>(table, ".u32");
  of_type<std::uint32_t>(table, ".b32");
  of_type<std::int64_t>(table, ".s64");
  of_type<std::uint64_t>(table, ".u64");
  of_type<std::uint64_t>(table, ".b64");
  of_type<float>(table, ".f32");
  of_type<double>(table, ".f64");
  atomics<std::int32_t>(table, ".s32");
  atomics<std::uint32_t>(table, ".u32");
  atomics<std::int64_t>(table, ".s64");
  atomics<std::uint64_t>(table, ".u64");
  table["cvta.to.global.u64"] = to_global;
}

Handler handler_of(const std::string& opcode) {
  static const Table table = [] {
    Table all;
    add_arithmetic(all);
    add_access(all);
    return all;
  }();
  const auto found = table.find(opcode);
  if (found == table.end()) throw Fault("the instruction " + opcode + " is not known here");
  return found->second;
}

}  // namespace sc::ptx
