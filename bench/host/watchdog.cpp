// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/watchdog.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>

#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr std::array stop_signals{SIGTERM, SIGINT, SIGHUP};
// The other ranks speak up only when rank 0 has not ended the run so many seconds later.
constexpr double patience_of_others = 5;

// Signal handlers reach nothing else: what they need is here, prepared as text.
struct State {
  std::atomic<unsigned long> beats{0};
  unsigned long beats_at_last_tick = 0;
  int idle_ticks = 0;
  int max_idle_ticks = 0;
  bool reports_signals = false;
  bool on_terminal = false;
  std::array<char, 128> program{};
  std::array<char, 128> timeout_text{};
  std::array<char, 192> launcher_text{};
  std::array<char, 1024> activity{};
  std::array<char, 1024> cause{};
  std::array<char, 128> to_remove{};
};
State state;  // the one exception to "no globals": a signal handler has no other argument

template <std::size_t size>
void set_text(std::array<char, size>& target, std::string_view text) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(target.data(), text.data(), length);
  target[length] = '\0';
}

// Writes a text to standard error, with nothing but what is async-signal-safe.
void say(const char* text) {
  // A message that cannot be written has no other way out.
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

[[noreturn]] void leave(int exit_code) {
  if (state.to_remove[0] != '\0') unlink(state.to_remove.data());
  _exit(exit_code);
}

[[noreturn]] void end(const char* why, int exit_code, const char* advice = "") {
  if (state.on_terminal) say("\r\033[K");  // where the progress stands
  say(state.program.data());
  say(": ");
  say(why);
  say(state.activity.data());
  say(state.cause.data());
  say(advice);
  say("\n");
  leave(exit_code);
}

void on_stop_signal(int signal) {
  const char* const why = signal == SIGTERM  ? "stopped by SIGTERM"
                          : signal == SIGINT ? "stopped by SIGINT"
                                             : "stopped by SIGHUP";
  if (!state.reports_signals) leave(128 + signal);
  const char* const who =
      signal == SIGTERM ? "; a launcher sends this signal too when another rank has ended" : "";
  end(why, 128 + signal, who);
}

void on_tick(int /*signal*/) {
  const unsigned long beats = state.beats.load(std::memory_order_relaxed);
  state.idle_ticks = beats == state.beats_at_last_tick ? state.idle_ticks + 1 : 0;
  state.beats_at_last_tick = beats;
  if (state.idle_ticks >= state.max_idle_ticks) {
    end(state.timeout_text.data(), Watchdog::timeout_exit_code, state.launcher_text.data());
  }
}

/// Returns a remark for the message: launchers wait for ranks that they cannot reach, as where a
/// link to another host is down.
std::string about_launcher() {
  std::array<char, 64> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return {};
  return fmt::format("; if the launcher does not return, end it: process {} on {}", getppid(),
                     host.data());
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// Returns whether the process was started to ignore the signal, as nohup has it.
bool is_ignored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

void set_timer(double seconds) {
  itimerval timer{};
  timer.it_interval.tv_sec = static_cast<time_t>(seconds);
  timer.it_interval.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1'000'000);
  timer.it_value = timer.it_interval;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

sigset_t held_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : stop_signals) sigaddset(&set, signal);
  sigaddset(&set, SIGALRM);
  return set;
}

}  // namespace

Watchdog::Watchdog(std::string_view program, int rank, double timeout) : timeout_(timeout) {
  set_text(state.program, program);
  set_text(state.launcher_text, about_launcher());
  set_text(state.activity, "");
  set_text(state.cause, "");
  if (rank == 0 || !mpi::rank_model().one_process) watch(rank);
}

void Watchdog::set_rank(int rank) {
  beat();
  if (rank == 0 || !mpi::rank_model().one_process) watch(rank);
}

void Watchdog::watch(int rank) {
  const SignalsHeld held;
  watches_ = true;
  const double tick = std::clamp(timeout_ / 4, 0.0025, 1.0);
  const double patience = timeout_ + (rank == 0 ? 0 : patience_of_others);
  state.max_idle_ticks = static_cast<int>(std::min(std::ceil(patience / tick), 1e9));
  state.idle_ticks = 0;
  state.reports_signals = rank == 0 || rank == unknown_rank;
  state.on_terminal = isatty(STDERR_FILENO) == 1;
  set_text(state.timeout_text,
           fmt::format("{} made no progress for {:g} s (--timeout)",
                       rank == unknown_rank ? "a rank" : fmt::format("rank {}", rank), patience));
  handle(SIGALRM, on_tick);
  for (const int signal : stop_signals) {
    if (!is_ignored(signal)) handle(signal, on_stop_signal);
  }
  set_timer(tick);
}

Watchdog::~Watchdog() {
  if (!watches_) return;
  set_timer(0);
  for (const int signal : stop_signals) {
    if (!is_ignored(signal)) handle(signal, SIG_DFL);
  }
}

void Watchdog::beat() { state.beats.fetch_add(1, std::memory_order_relaxed); }

void Watchdog::describe(std::string_view activity) {
  const SignalsHeld held;
  set_text(state.activity, activity);
}

std::string_view Watchdog::activity() { return state.activity.data(); }

void Watchdog::suspect(std::string_view cause) {
  const SignalsHeld held;
  set_text(state.cause, cause);
}

std::string_view Watchdog::suspected() { return state.cause.data(); }

void Watchdog::say_no_more() { state.reports_signals = false; }

void Watchdog::remove_at_end(std::string_view path) {
  const SignalsHeld held;
  set_text(state.to_remove, path);
}

SignalsHeld::SignalsHeld() : before_{} {
  const sigset_t set = held_signals();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace gatherbench::bench
