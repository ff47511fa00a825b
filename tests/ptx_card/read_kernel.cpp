// SPDX-License-Identifier: Apache-2.0
// From PTX, one statement a line as nvcc writes it, to instructions whose operands are rows and offsets.
#include <charconv>
#include <unordered_map>
#include <utility>

#include "tests/ptx_card/kernel.hpp"

namespace sc::ptx {

namespace {

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r\n");
  return first == s.npos ? std::string_view{} : s.substr(first, s.find_last_not_of(" \t\r\n") - first + 1);
}
std::string_view first_word(std::string_view s) { return s.substr(0, s.find_first_of(" \t")); }

std::uint64_t hexadecimal(std::string_view digits, std::string_view whole) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
  if (error != std::errc{} || end != digits.end()) throw Fault("\"" + std::string(whole) + "\" is no number");
  return value;
}
/// 12, -12, 0xc, 0f41400000, 0d4028000000000000; floats by their bits.
std::uint64_t number(std::string_view s) {
  const bool negative = s.starts_with('-');
  std::string_view digits = s.substr(negative ? 1 : 0);
  if (digits.ends_with('U')) digits.remove_suffix(1);
  if (digits.size() > 2 && digits[0] == '0' && std::string_view("xXfFdD").find(digits[1]) != s.npos)
    return negative ? 0 - hexadecimal(digits.substr(2), s) : hexadecimal(digits.substr(2), s);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  if (error != std::errc{} || end != digits.end()) throw Fault("\"" + std::string(s) + "\" is no number");
  return negative ? 0 - value : value;
}

/// Splits at commas that no bracket or brace encloses.
std::vector<std::string_view> operands_of(std::string_view s) {
  std::vector<std::string_view> found;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t n = 0; n <= s.size(); ++n) {
    const char c = n < s.size() ? s[n] : ',';
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != ',' || depth != 0) continue;
    if (const auto operand = trimmed(s.substr(begin, n - begin)); !operand.empty()) found.push_back(operand);
    begin = n + 1;
  }
  return found;
}

std::size_t bytes_of(std::string_view type) {  // .u8, .b64, .f32
  const auto digits = type.substr(2);
  std::size_t bits = 0;
  std::from_chars(digits.begin(), digits.end(), bits);
  if (bits == 0) throw Fault("a variable of type " + std::string(type) + " is not known here");
  return bits / 8;
}

/// The lines from the kernel's name to its closing brace.
std::string_view kernel_text(std::string_view module, std::string_view name) {
  const std::string head = ".entry " + std::string(name) + "(";
  const auto begin = module.find(head);
  if (begin == module.npos) throw Fault("there is no kernel " + std::string(name) + " in its module");
  const auto end = module.find("\n}", begin);
  if (end == module.npos) throw Fault("the kernel " + std::string(name) + " has no end");
  return module.substr(begin + head.size(), end - begin - head.size());
}

class Reader {
 public:
  explicit Reader(std::string_view name) { kernel_.name = name; }

  Kernel read(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      line(trimmed(text.substr(0, end)));
      text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    }
    for (const auto& [instruction, label] : branches_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) throw Fault("a branch to " + std::string(label) + ", which is nowhere");
      kernel_.code[instruction].target = found->second;
    }
    if (kernel_.code.empty() || kernel_.code.back().flow != Flow::end)
      throw Fault("the kernel " + kernel_.name + " does not end with ret");
    return std::move(kernel_);
  }

 private:
  void line(std::string_view s) {
    s = trimmed(s.substr(0, s.find("//")));
    if (s.empty() || s == "(" || s == ")" || s == "{" || s == "}") return;
    if (s.starts_with('.')) return declaration(s);
    if (s.ends_with(':')) {
      labels_[s.substr(0, s.size() - 1)] = int(kernel_.code.size());
      return;
    }
    try {
      statement(s);
    } catch (const Fault& fault) {
      throw Fault(std::string(fault.what()) + "; in \"" + std::string(s) + "\" of " + kernel_.name);
    }
  }

  void declaration(std::string_view s) {
    const std::string_view kind = first_word(s);
    if (kind == ".reg" || kind == ".pragma" || kind == ".loc" || kind == ".minnctapersm") return;
    if (kind == ".maxntid") {
      kernel_.most_threads = 1;
      for (const auto size : operands_of(s.substr(kind.size()))) kernel_.most_threads *= int(number(size));
    } else if (kind == ".param") {
      const auto [name, at, bytes] = variable(s.substr(kind.size()), kernel_.parameter_bytes);
      kernel_.parameters.push_back({at, bytes});
      variables_[name] = at;
    } else if (kind == ".shared" || kind == ".local") {
      auto& all = kind == ".shared" ? kernel_.shared_bytes : kernel_.local_bytes;
      const auto [name, at, bytes] = variable(s.substr(kind.size()), all);
      variables_[name] = at;
    } else {
      throw Fault("the declaration " + std::string(s) + " of " + kernel_.name + " is not known here");
    }
  }

  struct Variable {
    std::string_view name;
    std::size_t at, bytes;
  };
  /// ".align 8 .b8 name[96]," or ".u64 name": placed after the `all` bytes before it, which it is added to.
  Variable variable(std::string_view s, std::size_t& all) {
    std::size_t alignment = 0, count = 1;
    s = trimmed(s);
    if (s.starts_with(".align")) {
      s = trimmed(s.substr(6));
      alignment = number(first_word(s));
      s = trimmed(s.substr(first_word(s).size()));
    }
    const std::size_t size = bytes_of(first_word(s));
    std::string_view name = trimmed(s.substr(first_word(s).size()));
    while (name.ends_with(',') || name.ends_with(';')) name.remove_suffix(1);
    if (const auto bracket = name.find('['); bracket != name.npos) {
      count = number(name.substr(bracket + 1, name.size() - bracket - 2));
      name = name.substr(0, bracket);
    }
    if (alignment == 0) alignment = size;
    const std::size_t at = (all + alignment - 1) / alignment * alignment;
    all = at + size * count;
    return {name, at, size * count};
  }

  void statement(std::string_view s) {
    Instruction i;
    i.written = s;
    if (!s.ends_with(';')) throw Fault("a statement without its end");
    s.remove_suffix(1);
    if (s.starts_with('@')) {
      const std::string_view guard = first_word(s);
      i.guard_holds = guard[1] != '!';
      i.guard = row_of(guard.substr(i.guard_holds ? 1 : 2));
      s = trimmed(s.substr(guard.size()));
    }
    const std::string opcode(first_word(s));
    const auto operands = operands_of(s.substr(opcode.size()));
    if (opcode == "ret" || opcode == "exit") {
      i.flow = Flow::end;
      add(i);
    } else if (opcode == "bra" || opcode == "bra.uni") {
      i.flow = Flow::branch;
      branches_.emplace_back(kernel_.code.size(), operands.at(0));
      add(i);
    } else if (opcode == "bar.sync" || opcode == "barrier.sync") {
      if (operands.size() != 1 || operands[0] != "0")
        throw Fault("a barrier of some threads is not known here");
      i.flow = Flow::barrier;
      add(i);
    } else if (opcode.starts_with("ld.") || opcode.starts_with("st.") || opcode.starts_with("atom.")) {
      access(i, opcode, operands);
    } else {
      i.handler = handler_of(opcode);
      if (operands.empty() || operands.size() > 5) throw Fault("too few operands, or too many");
      i.to = row_of(operands[0]);
      for (std::size_t n = 1; n < operands.size(); ++n) i.from[n - 1] = row_of(operands[n]);
      add(i);
    }
  }

  /// Vectors become as many instructions, which differ from one of the card in nothing that a kernel can see,
  /// but for their alignment: the first asks for that of the whole.
  void access(Instruction i, std::string opcode, const std::vector<std::string_view>& operands) {
    const bool stores = opcode.starts_with("st.");
    std::string_view address = operands.at(stores ? 0 : 1), value = operands.at(stores ? 1 : 0);
    std::vector<std::string_view> values{value};
    if (value.starts_with('{')) {
      const auto v = opcode.find(".v");
      if (v == opcode.npos) throw Fault("a vector that its instruction does not name");
      opcode.erase(v, 3);
      values = operands_of(value.substr(1, value.size() - 2));
    }
    const std::size_t bytes = bytes_of(std::string_view(opcode).substr(opcode.rfind('.')));
    if (!address.starts_with('[') || !address.ends_with(']')) throw Fault("an address without brackets");
    address = address.substr(1, address.size() - 2);
    const auto plus = address.find('+');
    i.from[0] = row_of(trimmed(address.substr(0, plus)));
    i.same_for_all = !address.starts_with('%');
    const std::int64_t offset =
        plus == address.npos ? 0 : static_cast<std::int64_t>(number(trimmed(address.substr(plus + 1))));
    i.handler = handler_of(opcode);
    // Values loaded in parts must not change the address on the way.
    if (!stores && values.size() > 1)
      for (const auto to : values)
        if (row_of(to) == i.from[0]) throw Fault("a vector loaded over its own address is not known here");
    for (std::size_t n = 0; n < values.size(); ++n) {
      i.offset = offset + static_cast<std::int64_t>(n * bytes);
      i.aligned = n == 0 ? values.size() * bytes : bytes;
      (stores ? i.from[1] : i.to) = row_of(values[n]);
      if (opcode.starts_with("atom.")) i.from[1] = row_of(operands.at(2));
      add(i);
    }
  }

  void add(Instruction i) {
    i.number = int(kernel_.code.size());
    kernel_.code.push_back(i);
  }
  int new_row() { return kernel_.rows++; }
  int constant(std::uint64_t value) {
    const auto [found, is_new] = kernel_.constants.try_emplace(value, kernel_.rows);
    if (is_new) new_row();
    return found->second;
  }
  /// The row of a register, of a place (%tid.x), or of a constant: a number, or where a variable begins.
  int row_of(std::string_view operand) {
    if (operand.starts_with('%')) {
      if (const auto dot = operand.find('.'); dot != operand.npos) return row_of_place(operand, dot);
      const auto [found, is_new] = registers_.try_emplace(operand, kernel_.rows);
      if (is_new) new_row();
      return found->second;
    }
    if (const auto found = variables_.find(operand); found != variables_.end())
      return constant(found->second);
    return constant(number(operand));
  }
  static int row_of_place(std::string_view operand, std::size_t dot) {
    const std::string_view name = operand.substr(0, dot), axis = operand.substr(dot + 1);
    const int first = name == "%tid"      ? tid
                      : name == "%ntid"   ? ntid
                      : name == "%ctaid"  ? ctaid
                      : name == "%nctaid" ? nctaid
                                          : -1;
    if (first < 0 || axis.size() != 1 || axis[0] < 'x' || axis[0] > 'z')
      throw Fault("the register " + std::string(operand) + " is not known here");
    return first + (axis[0] - 'x');
  }

  Kernel kernel_;
  std::unordered_map<std::string_view, int> registers_, labels_;
  std::unordered_map<std::string_view, std::size_t> variables_;
  std::vector<std::pair<std::size_t, std::string_view>> branches_;
};

}  // namespace

Kernel read_kernel(std::string_view module, std::string_view name) {
  return Reader(name).read(kernel_text(module, name));
}

}  // namespace sc::ptx
