"""json: what is asked for the parts that have no text of their own."""

from json import JSONEncoder as _JSONEncoder

from mxlint.says import data

__all__ = ["JSONEncoder", "dump", "dumps"]


class JSONEncoder(_JSONEncoder):
    def __init__(
        self,
        *,
        skipkeys=False,
        ensure_ascii=True,
        check_circular=True,
        allow_nan=True,
        sort_keys=False,
        indent=None,
        separators=None,
        default=None,
    ):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.check_circular = check_circular
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = indent
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {o.__class__.__name__} is not JSON serializable")

    def encode(self, o):
        _told(o, self.default)
        return data("json.JSONEncoder.encode", self, o)

    def iterencode(self, o, _one_shot=False):
        _told(o, self.default)
        return data("json.JSONEncoder.iterencode", self, o)


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
    if cls is not None:
        made = _made(cls, skipkeys, ensure_ascii, check_circular, allow_nan, indent, separators, default, sort_keys, others)
        return made.encode(obj)
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
    if cls is not None:
        made = _made(cls, skipkeys, ensure_ascii, check_circular, allow_nan, indent, separators, default, sort_keys, others)
        made.iterencode(obj)
    elif default is not None:
        _told(obj, default)
    return data(
        "json.dump", obj, fp, skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular, allow_nan=allow_nan, cls=cls,
        indent=indent, separators=separators, sort_keys=sort_keys,
    )  # fmt: skip


def _made(cls, skipkeys, ensure_ascii, check_circular, allow_nan, indent, separators, default, sort_keys, others):
    return cls(
        skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular, allow_nan=allow_nan, indent=indent,
        separators=separators, default=default, sort_keys=sort_keys, **others,
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
