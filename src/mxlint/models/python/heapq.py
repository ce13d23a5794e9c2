"""heapq: a heap compares what comes into it with what is there."""

from mxlint.says import data

__all__ = ["heapify", "heappush", "heappushpop", "nlargest", "nsmallest"]


def heappush(heap, item):
    if heap and item < heap[(len(heap) - 1) // 2]:
        pass
    data("heapq.heappush", heap, item)


def heappushpop(heap, item):
    if heap and heap[0] < item:
        pass
    return data("heapq.heappushpop", heap, item)


def heapify(x):
    if len(x) > 1:
        sorted(x)
    data("heapq.heapify", x)


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]
