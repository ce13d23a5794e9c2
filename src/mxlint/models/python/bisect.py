"""bisect: what is put into a list that is in order lies where comparisons say."""

from mxlint.says import data, on_list

__all__ = ["insort", "insort_left", "insort_right"]


def insort_right(a, x, lo=0, hi=None, *, key=None):
    found = on_list("bisect.insort_right", a, x) if lo == 0 and hi is None and key is None else None
    if found is None:
        data("bisect.insort_right", a, x, lo, hi, key=key)
    else:
        a[:] = found[0]


def insort_left(a, x, lo=0, hi=None, *, key=None):
    found = on_list("bisect.insort_left", a, x) if lo == 0 and hi is None and key is None else None
    if found is None:
        data("bisect.insort_left", a, x, lo, hi, key=key)
    else:
        a[:] = found[0]


insort = insort_right
