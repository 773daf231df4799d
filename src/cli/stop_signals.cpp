#include "cli/stop_signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stop_token>

namespace gemm_tutor::cli {
namespace {

constexpr std::array watched = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> first = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // which a signal handler needs
std::array<struct sigaction, watched.size()> actions_before;

void note(int signal) {
  int none = 0;
  first.compare_exchange_strong(none, signal);
}

}  // namespace

StopSignals::StopSignals() {
  first = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < watched.size(); ++i) {
    sigaction(watched[i], nullptr, &actions_before[i]);
    // Signals that the shell ignores for a background program stay ignored.
    if (actions_before[i].sa_handler != SIG_IGN) sigaction(watched[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < watched.size(); ++i)
    sigaction(watched[i], &actions_before[i], nullptr);
}

int StopSignals::came() const { return first; }

StopWatch::StopWatch(const StopSignals& signals, Activity& activity)
    : thread_([&signals, &activity](const std::stop_token& over) {
        using namespace std::chrono_literals;
        for (; !over.stop_requested(); std::this_thread::sleep_for(20ms)) {
          if (signals.came() != 0) activity.stop();
        }
      }) {}

void end_by(int signal_number) {
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, signal_number);
  signal(signal_number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
  raise(signal_number);
  _exit(128 + signal_number);  // as a shell would say it; not reached
}

}  // namespace gemm_tutor::cli
