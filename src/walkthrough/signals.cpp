#include "walkthrough/signals.hpp"

#include <signal.h>

#include <array>
#include <atomic>

namespace gemm_tutor {
namespace {

constexpr std::array watched = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupt_came = false, end_came = false;
std::array<struct sigaction, watched.size()> before;

void note(int signal) { (signal == SIGINT ? interrupt_came : end_came) = true; }

}  // namespace

SignalWatch::SignalWatch() {
  interrupt_came = end_came = false;
  struct sigaction action {};
  action.sa_handler = note;  // without SA_RESTART: a read that waits returns
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < watched.size(); ++i) sigaction(watched[i], &action, &before[i]);
}

SignalWatch::~SignalWatch() {
  for (std::size_t i = 0; i < watched.size(); ++i) sigaction(watched[i], &before[i], nullptr);
}

bool SignalWatch::ending() const { return end_came; }

bool SignalWatch::take_interrupted() { return interrupt_came.exchange(false); }

}  // namespace gemm_tutor
