#!/usr/bin/env python3
"""What cuBLAS's FP32 product takes, in time and power, on four kinds of data, and in its first runs after a rest.

For docs/measuring.md. Needs a GPU of NVIDIA's, PyTorch and pynvml; prints for each size and kind of data three rounds of
(median ms, mean W, SM MHz).
"""

import statistics
import time

import pynvml
import torch

QUEUED = 8


def queue(a, b, c, count):
    """Milliseconds of each of `count` products that are queued together."""
    events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    events[0].record()
    for event in events[1:]:
        torch.mm(a, b, out=c)
        event.record()
    torch.cuda.synchronize()
    return [begin.elapsed_time(end) for begin, end in zip(events, events[1:])]


def times_for(seconds, a, b, c):
    times, end = [], time.time() + seconds
    while time.time() < end:
        times += queue(a, b, c, QUEUED)
    return times


def round_of(gpu, a, b, c):
    times_for(1, a, b, c)  # the warm-up
    energy, begin = pynvml.nvmlDeviceGetTotalEnergyConsumption(gpu), time.time()
    times = times_for(2, a, b, c)
    clock = pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM)
    joules = (pynvml.nvmlDeviceGetTotalEnergyConsumption(gpu) - energy) / 1000
    return round(statistics.median(times), 4), round(joules / (time.time() - begin)), clock


def kinds_of_data(n):
    def twice(matrix):
        return matrix(), matrix()

    return {
        'uniform in [-1, 1)': twice(lambda: torch.rand(n, n, device='cuda') * 2 - 1),
        'whole numbers from -8 to 8': twice(lambda: torch.randint(-8, 9, (n, n), device='cuda').float()),
        'all ones': (torch.ones(n, n, device='cuda'),) * 2,
        'all zeros': (torch.zeros(n, n, device='cuda'),) * 2,
    }


def compare_data(gpu):
    for n in (2048, 4096, 8192):
        kinds = kinds_of_data(n)
        c = torch.empty(n, n, device='cuda')
        rounds = {kind: [] for kind in kinds}
        for _ in range(3):
            for kind, (a, b) in kinds.items():
                rounds[kind].append(round_of(gpu, a, b, c))
        for kind, results in rounds.items():
            print(n, kind, *results, flush=True)


def first_runs():
    a = torch.rand(2048, 2048, device='cuda')
    c = torch.empty_like(a)
    for _ in range(3):
        time.sleep(8)
        times = [queue(a, a, c, 1)[0] for _ in range(400)]
        print('first runs', *(round(t, 3) for t in times[:12]), 'median of the last 50',
              round(statistics.median(times[-50:]), 3))


def main():
    pynvml.nvmlInit()
    gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    print(pynvml.nvmlDeviceGetName(gpu), pynvml.nvmlSystemGetDriverVersion(),
          pynvml.nvmlDeviceGetPowerManagementLimit(gpu) / 1000, 'W at most, torch', torch.__version__)
    compare_data(gpu)
    first_runs()


if __name__ == '__main__':
    main()
