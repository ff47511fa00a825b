// SPDX-License-Identifier: Apache-2.0
#include "engine/base/run_main.hpp"

#include <mpi.h>

#include <charconv>
#include <cstdio>
#include <new>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/base/start.hpp"
#include "engine/base/vote.hpp"

namespace sc {

namespace {

constexpr double timeout_seconds = 10;  // that a rank which failed waits for the others

/// Nothing if the word is more or less than a number of this type.
template <class T>
std::optional<T> parsed(const std::string& word) {
  T value{};
  const char* end = word.data() + word.size();
  const auto [stop, code] = std::from_chars(word.data(), end, value);
  if (code != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

[[noreturn]] void refuse_word(const std::string& what, const std::string& word, const std::string& needed) {
  refuse(what + " is \"" + word + "\"; it must be " + needed);
}

void print(const char* path, const std::string& sentence) {
  const std::string program = path ? path : "subcurrent";
  std::fprintf(stderr, "%s: %s\n", program.substr(program.rfind('/') + 1).c_str(), sentence.c_str());
  std::fflush(stderr);
}

/// What `action` throws, if anything.
template <class Action>
std::optional<Error> thrown(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Exit::failure, "there is not enough memory");
  } catch (const std::exception& error) {
    return Error(Exit::failure, error.what());
  }
  return std::nullopt;
}

}  // namespace

Arguments::Arguments(int argc, char** argv) {
  for (int n = 1; n < argc; ++n) words_.emplace_back(argv[n]);
}

const std::string* Arguments::next(const std::string& what) {
  taken_.push_back(what);
  return taken_.size() <= words_.size() ? &words_[taken_.size() - 1] : nullptr;
}

int Arguments::whole(const std::string& what, int otherwise, int least) {
  const std::string* word = next(what);
  if (!word) return otherwise;
  const auto value = parsed<int>(*word);
  if (!value || *value < least)
    refuse_word(what, *word, "a whole number from " + std::to_string(least) + " on");
  return *value;
}

double Arguments::number(const std::string& what, double otherwise, double least, double most) {
  const std::string* word = next(what);
  if (!word) return otherwise;
  const auto value = parsed<double>(*word);
  const bool bounded = most < std::numeric_limits<double>::max();
  if (!value || !(*value >= least && *value <= most))  // so that NaN is refused
    refuse_word(what, *word, "a number from " + shown(least) + (bounded ? " to " + shown(most) : " on"));
  return *value;
}

std::string Arguments::text(const std::string& what, const std::string& otherwise) {
  const std::string* word = next(what);
  return word ? *word : otherwise;
}

void Arguments::end() const {
  if (words_.size() <= taken_.size()) return;
  std::string sentence = "the argument \"" + words_[taken_.size()] + "\" is one too many";
  if (taken_.empty()) refuse(sentence + "; there are none");
  sentence += "; the arguments are";
  for (std::size_t n = 0; n < taken_.size(); ++n)
    sentence += (n == 0 ? " " : n + 1 < taken_.size() ? ", " : " and ") + taken_[n];
  refuse(sentence);
}

int run_main(int argc, char** argv, const std::function<void(Context&, Arguments)>& body,
             const ContextOptions& options) {
  start_mpi();
  MPI_Comm all = MPI_COMM_NULL;  // of its own: a failure may leave an operation behind on another
  mpi::check(MPI_Comm_dup(MPI_COMM_WORLD, &all));
  std::optional<Context> ctx;
  const auto mine = thrown([&] {
    ctx.emplace(MPI_COMM_WORLD, options);
    body(*ctx, Arguments(argc, argv));
  });
  if (!any_within(all, mine.has_value(), mine ? timeout_seconds : 0)) {
    print(argv[0], mine->what());
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(mine->code()));
  }
  const auto failure =
      thrown([&] { agree(all, mine ? mine->code() : Exit::ok, mine ? mine->what() : std::string()); });
  if (failure && rank_of(all) == 0) print(argv[0], failure->what());
  if (ctx) ctx->close();
  mpi::check(MPI_Comm_free(&all));
  return static_cast<int>(failure ? failure->code() : Exit::ok);
}

}  // namespace sc
