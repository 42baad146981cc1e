"""Reads the counters of a host as often as told; prints the CPU seconds."""
import resource
import sys

import psutil


def read():
    psutil.cpu_times(percpu=True)
    psutil.virtual_memory()
    psutil.swap_memory()
    psutil.getloadavg()
    psutil.disk_usage("/")
    psutil.disk_io_counters(perdisk=True)
    psutil.net_io_counters(pernic=True)


def used():
    times = resource.getrusage(resource.RUSAGE_SELF)
    return times.ru_utime + times.ru_stime


read()
before = used()
for _ in range(int(sys.argv[1])):
    read()
print(used() - before)
