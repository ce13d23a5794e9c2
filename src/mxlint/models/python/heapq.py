"""heapq: a heap compares what comes into it with what is there. Where each comparison has an outcome, it is known what lies where."""

from mxlint.says import data, on_list

__all__ = ["heapify", "heappop", "heappush", "heappushpop", "heapreplace", "merge", "nlargest", "nsmallest"]


def heappush(heap, item):
    found = on_list("heapq.heappush", heap, item)
    if found is None:
        if heap and item < heap[(len(heap) - 1) // 2]:
            pass
        data("heapq.heappush", heap, item)
    else:
        heap[:] = found[0]


def heappop(heap):
    found = on_list("heapq.heappop", heap)
    if found is None:
        return data("heapq.heappop", heap)
    heap[:] = found[0]
    return found[1]


def heappushpop(heap, item):
    found = on_list("heapq.heappushpop", heap, item)
    if found is None:
        if heap and heap[0] < item:
            pass
        return data("heapq.heappushpop", heap, item)
    heap[:] = found[0]
    return found[1]


def heapreplace(heap, item):
    found = on_list("heapq.heapreplace", heap, item)
    if found is None:
        return data("heapq.heapreplace", heap, item)
    heap[:] = found[0]
    return found[1]


def heapify(x):
    found = on_list("heapq.heapify", x)
    if found is None:
        if len(x) > 1:
            sorted(x)
        data("heapq.heapify", x)
    else:
        x[:] = found[0]


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


def merge(*iterables, key=None, reverse=False):
    runs = [run for run in map(list, iterables) if run]
    if len(runs) > 1:  # what one of them gives alone is compared with nothing
        yield from sorted([item for run in runs for item in run], key=key, reverse=reverse)
    for run in runs[: len(runs) < 2]:
        yield from run
