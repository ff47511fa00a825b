// SPDX-License-Identifier: Apache-2.0
// The command line of all benchmarks: positional numbers and words, then `--trial`.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace sc::bench {

/// `--trial` selects the smallest sizes, whatever other sizes are given: every line runs, in about a second,
/// and the results mean nothing. To be constructed before MPI starts: invalid arguments end the program.
class Arguments {
 public:
  Arguments(int argc, char** argv) : program_(argv[0]) {
    for (int n = 1; n < argc; ++n)
      if (std::string(argv[n]) == "--trial")
        trial_ = true;
      else
        words_.emplace_back(argv[n]);
  }
  bool trial() const { return trial_; }
  std::size_t count() const { return words_.size(); }

  /// The integer at a position, counted from 1.
  int number(std::size_t place, const char* name, int usual, int in_trial, int least = 1) const {
    const auto value = static_cast<int>(whole(place, name, usual, least, 1'000'000'000));
    return trial_ ? in_trial : value;
  }
  std::int64_t whole(std::size_t place, const char* name, std::int64_t usual, std::int64_t least,
                     std::int64_t most) const {
    if (place > words_.size()) return usual;
    const std::string& word = words_[place - 1];
    char* end = nullptr;
    const long long read = std::strtoll(word.c_str(), &end, 10);
    if (word.empty() || *end != '\0' || read < least || read > most)
      refuse(name, word, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return read;
  }
  /// The integers from a position on.
  std::vector<int> numbers(std::size_t first, const char* name, const std::vector<int>& usual, int in_trial,
                           int least) const {
    std::vector<int> all;
    for (std::size_t n = first; n <= count(); ++n) all.push_back(number(n, name, 0, in_trial, least));
    if (!all.empty()) return all;
    return trial_ ? std::vector{in_trial} : usual;
  }
  /// A number greater than 0.
  double real(std::size_t place, const char* name, double usual, double in_trial) const {
    double value = usual;
    if (place <= words_.size()) {
      const std::string& word = words_[place - 1];
      char* end = nullptr;
      value = std::strtod(word.c_str(), &end);
      if (word.empty() || *end != '\0' || !(value > 0)) refuse(name, word, "a number > 0");
    }
    return trial_ ? in_trial : value;
  }
  std::string word(std::size_t place, const std::string& usual) const {
    return place <= words_.size() ? words_[place - 1] : usual;
  }
  [[noreturn]] void refuse(const char* name, const std::string& word, const std::string& allowed) const {
    std::fprintf(stderr, "%s: %s = \"%s\" is not allowed: it must be %s\n", program_.c_str(), name,
                 word.c_str(), allowed.c_str());
    std::exit(2);
  }

 private:
  std::string program_;
  std::vector<std::string> words_;
  bool trial_ = false;
};

}  // namespace sc::bench
