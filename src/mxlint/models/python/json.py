"""json: what is asked for the parts that have no text of their own."""

from mxlint.says import data

__all__ = ["dump", "dumps"]


def dumps(
    obj,
    *,
    skipkeys=False,
    ensure_ascii=True,
    check_circular=True,
    allow_nan=True,
    cls=None,
    indent=None,
    separators=None,
    default=None,
    sort_keys=False,
    **others,
):
    if default is not None:
        _told(obj, default)
    return data(
        "json.dumps", obj, skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular, allow_nan=allow_nan, cls=cls,
        indent=indent, separators=separators, sort_keys=sort_keys,
    )  # fmt: skip


def dump(
    obj,
    fp,
    *,
    skipkeys=False,
    ensure_ascii=True,
    check_circular=True,
    allow_nan=True,
    cls=None,
    indent=None,
    separators=None,
    default=None,
    sort_keys=False,
    **others,
):
    if default is not None:
        _told(obj, default)
    return data(
        "json.dump", obj, fp, skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular, allow_nan=allow_nan, cls=cls,
        indent=indent, separators=separators, sort_keys=sort_keys,
    )  # fmt: skip


def _told(obj, default):
    if obj is None or isinstance(obj, (str, int, float)):
        return
    if isinstance(obj, (list, tuple)):
        for item in obj:
            _told(item, default)
    elif isinstance(obj, dict):
        for item in obj.values():
            _told(item, default)
    else:
        _told(default(obj), default)
