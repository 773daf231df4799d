#include "walkthrough/signals.hpp"

#include <signal.h>
#include <sys/select.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace gemm_tutor {
namespace {

constexpr std::array watched = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupt_came = false, end_came = false;
std::array<struct sigaction, watched.size()> actions_before;

void note(int signal) { (signal == SIGINT ? interrupt_came : end_came) = true; }

}  // namespace

SignalWatch::SignalWatch() {
  interrupt_came = end_came = false;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // writes continue after a signal; pselect() returns anyway
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < watched.size(); ++i)
    sigaction(watched[i], &action, &actions_before[i]);
}

SignalWatch::~SignalWatch() {
  for (std::size_t i = 0; i < watched.size(); ++i)
    sigaction(watched[i], &actions_before[i], nullptr);
}

bool SignalWatch::ending() const { return end_came; }

// The signals are unblocked only during the wait. Otherwise a signal just before it would
// be missed.
bool SignalWatch::wait_to_read(int file_descriptor) const {
  sigset_t blocked, usual;
  sigemptyset(&blocked);
  for (const int signal : watched) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &usual);
  bool ready = false;
  while (!ready && !interrupt_came && !end_came) {
    fd_set files;
    FD_ZERO(&files);
    FD_SET(file_descriptor, &files);
    ready = pselect(file_descriptor + 1, &files, nullptr, nullptr, nullptr, &usual) >= 0;
    if (!ready && errno != EINTR) break;
  }
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  return ready;
}

bool SignalWatch::take_interrupted() { return interrupt_came.exchange(false); }

}  // namespace gemm_tutor
