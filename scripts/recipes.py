"""How to call each public name of MLX so that its behaviour can be measured: the data of `measure_mlx.py`.

A `Case` is one expression over traced inputs. `inputs` names them with symbolic shapes: `x:A,B y:int:B` is a float32 `x` of shape (A, B)
and an int32 `y` of shape (B,). A letter is a size that varies between calls, a number one that is always the same; two inputs that share a
letter always agree. `setup` runs once, outside the traced function: what it defines are constants. In a template `{f}` stands for the name as
it is written in a program (`mx.abs`, `nn.losses.mse_loss`), and `{m}` for the bare method name.

A name may be followed by a form in brackets, for ways of calling it that behave differently: `mlx.core.squeeze[axis]`. `[axis]` is a
call that gives that parameter, `[axis=-1]` one that gives it that value; a plain name with such forms covers every way to call it. A form
that behaves like the plain name does not appear in the folded table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

SIZES: dict[str, tuple[int, int, int, int]] = {
    # base, two growths by different factors, one shrink; all even, so that halves and pairs exist at every size
    "A": (4, 6, 12, 2),
    "B": (6, 10, 18, 4),
    "C": (8, 12, 20, 4),
    "H": (8, 16, 64, 4),  # powers of two, for what demands them
    "G": (64, 128, 192, 32),  # multiples of a quantisation group
    "M": (16, 24, 48, 8),  # long enough for windows
}


@dataclass(frozen=True)
class Case:
    """One expression and its traced inputs."""

    call: str
    inputs: str = "x:A,B"
    setup: str = ""


@dataclass(frozen=True)
class Recipe:
    """How to measure one name. `kind` and `returns` override what the measurement would say (transforms return functions)."""

    cases: tuple[Case, ...]
    kind: str | None = None
    returns: str | None = None
    facts: tuple[str, ...] = ()  # layers: the constructor arguments to try as `active_when`


UNARY = (Case("{f}(x)"), Case("{f}(x)", "x:A,B,C"))
BINARY = (Case("{f}(x, y)", "x:A,B y:A,B"), Case("{f}(x, y)", "x:A,B y:B"), Case("{f}(x, 2.0)"), Case("{f}(x, y)", "x:A,B,C y:A,B,C"))
BITWISE = (Case("{f}(x, y)", "x:int:A,B y:int:A,B"), Case("{f}(x, y)", "x:int:A,B,C y:int:B,C"))
LOGICAL = (Case("{f}(x, y)", "x:bool:A,B y:bool:A,B"), Case("{f}(x, y)", "x:bool:A,B,C y:bool:B,C"))
REDUCE = (
    *UNARY,
    Case("{f}(x, axis=0)"),
    Case("{f}(x, axis=-1)"),
    Case("{f}(x, axis=-1, keepdims=True)"),
    Case("{f}(x, axis=1)", "x:A,B,C"),
    Case("{f}(x, axis=(0, 1))", "x:A,B,C"),
)
REDUCE_ONE = tuple(case for case in REDUCE if "(0, 1)" not in case.call)
ALONG = (Case("{f}(x, axis=0)"), Case("{f}(x, axis=-1)"), Case("{f}(x, axis=1)", "x:A,B,C"))
SQUARE = (Case("{f}(x, stream=mx.cpu)", "x:A,A"), Case("{f}(x, stream=mx.cpu)", "x:C,A,A"))
POSITIVE = (Case("{f}(x, stream=mx.cpu)", "x:spd:A,A"), Case("{f}(x, stream=mx.cpu)", "x:spd:C,A,A"))
CONSTANT = (Case("{f}"),)  # reads nothing that is traced

METHOD_UNARY = (Case("x.{m}()"), Case("x.{m}()", "x:A,B,C"))
METHOD_REDUCE = tuple(Case(case.call.replace("{f}(x, ", "x.{m}(").replace("{f}(x)", "x.{m}()"), case.inputs) for case in REDUCE)
METHOD_REDUCE_ONE = tuple(case for case in METHOD_REDUCE if "(0, 1)" not in case.call)
PROPERTY = (Case("x.{m}"), Case("x.{m}", "x:A,B,C"))

RECIPES: dict[str, Recipe] = {}


def add(names: str, *cases: Case | str, kind: str | None = None, returns: str | None = None, facts: tuple[str, ...] = ()) -> None:
    """Give every one of `names` (words; a prefix before a colon is put before each) these cases; a plain string is a case on x:A,B."""
    prefix, _, words = names.rpartition(":")
    shaped = tuple(case if isinstance(case, Case) else Case(case) for case in cases)
    for word in words.split():
        RECIPES[prefix + word] = Recipe(shaped, kind, returns, facts)


def forms(name: str, table: Mapping[str, tuple[Case | str, ...]], kind: str | None = None) -> None:
    """Give `name` several forms of call; the form "" is the plain name."""
    for form, cases in table.items():
        add(f"{name}[{form}]" if form else name, *cases, kind=kind)


MX = "mlx.core."

# -- elementwise ------------------------------------------------------------------------------------------------------------------------
add(
    f"{MX}:abs acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil conj conjugate cos cosh degrees erf erfinv exp "
    "expm1 floor imag isfinite isinf isnan isneginf isposinf log log10 log1p log2 logical_not nan_to_num negative positive radians real "
    "reciprocal round rsqrt sigmoid sign sin sinh sqrt square stop_gradient tan tanh trunc zeros_like ones_like empty_like contiguous sort "
    "argsort softmax transpose permute_dims matrix_transpose flatten fft.fftshift fft.ifftshift",
    *UNARY,
)
add(f"{MX}:bitwise_invert", Case("{f}(x)", "x:int:A,B"), Case("{f}(x)", "x:int:A,B,C"))
add(f"{MX}:to_fp8", *UNARY)
add(f"{MX}:from_fp8", Case("{f}(x, mx.float32)", "x:u8:A,B"))
add(
    f"{MX}:add divide equal floor_divide greater greater_equal less less_equal logaddexp maximum minimum multiply not_equal "
    "pow power remainder subtract divmod",
    *BINARY,
)
add(f"{MX}:allclose array_equal isclose arctan2 atan2", Case("{f}(x, y)", "x:A,B y:A,B"), Case("{f}(x, y)", "x:A,B,C y:A,B,C"))
add(f"{MX}:bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift", *BITWISE)
add(f"{MX}:logical_and logical_or logical_xor", *LOGICAL)
add(f"{MX}:clip", "{f}(x, 0.2, 0.8)", "{f}(x, None, 0.8)", Case("{f}(x, y, 0.9)", "x:A,B,C y:A,B,C"))
add(f"{MX}:where", Case("{f}(x > 0.5, x, y)", "x:A,B y:A,B"), "{f}(x > 0.5, x, 0.0)", Case("{f}(x > 0.5, x, 0.0)", "x:A,B,C"))
add(f"{MX}:astype view", "{f}(x, mx.int32)", Case("{f}(x, mx.int32)", "x:A,B,C"))
add(f"{MX}:full_like", "{f}(x, 2.0)", Case("{f}(x, 2.0)", "x:A,B,C"))
add(f"{MX}:asarray", *UNARY)

# -- reductions and scans ---------------------------------------------------------------------------------------------------------------
add(f"{MX}:all any", *(Case(case.call.replace("(x", "(x > 0.5"), case.inputs) for case in REDUCE))
add(f"{MX}:count_nonzero", *(Case(case.call.replace("(x", "(mx.floor(x * 2)"), case.inputs) for case in REDUCE))
for name in ("max", "mean", "min", "minmax", "prod", "std", "sum", "var"):  # reducing an axis of size 1 is left out of the trace
    forms(MX + name, {"": REDUCE, "axis": tuple(case for case in REDUCE if "axis" in case.call)})
add(f"{MX}:median", *REDUCE)
add(f"{MX}:argmax argmin", *REDUCE_ONE)
LAST = tuple(case for case in REDUCE if "axis=-1" in case.call)
FIRST = tuple(case for case in REDUCE if "axis=0" in case.call)
METHOD_LAST = tuple(case for case in METHOD_REDUCE if "axis=-1" in case.call)
METHOD_FIRST = tuple(case for case in METHOD_REDUCE if "axis=0" in case.call)
forms(f"{MX}logsumexp", {"": REDUCE, "axis=-1": LAST, "axis=0": FIRST})
SCANS = "cummax cummin cumprod cumsum logcumsumexp"
for name in f"{SCANS} cumulative_prod cumulative_sum".split():
    forms(MX + name, {"": UNARY, "axis": ALONG})
add(f"{MX}linalg.norm", *REDUCE)
add(f"{MX}matrix_norm", *UNARY)
TALL = (Case("{f}(x)", "x:B,A"), Case("{f}(x)", "x:B,A,C"))  # the shorter axis says how long a diagonal is
forms(f"{MX}trace", {"": UNARY, "tall": TALL})
add(f"{MX}diff", *UNARY)

# -- shapes -----------------------------------------------------------------------------------------------------------------------------
forms(
    f"{MX}reshape",
    {
        "": ("{f}(x, (-1, 2))", Case("{f}(x, (-1, 4))", "x:A,B,C")),
        "-1": ("{f}(x, (-1,))", Case("{f}(x, (-1,))", "x:A,B,C")),
        "fixed": (Case("{f}(x, (4, 3))", "x:2,6"),),
    },
)
forms(f"{MX}flatten", {"": UNARY, "axis": (Case("{f}(x, 1)", "x:A,B,C"), Case("{f}(x, 0, 1)", "x:A,B,C"), Case("{f}(x, -2)", "x:A,B,C"))})
UNFLATTEN = {
    "axis=0": ("{f}(x, 0, (2, -1))",),
    "axis=-1": ("{f}(x, -1, (2, -1))", Case("{f}(x, -1, (2, -1))", "x:A,B,C")),
    "axis=1": (Case("{f}(x, 1, (2, -1))", "x:A,B,C"),),
}
forms(f"{MX}unflatten", {"": sum(UNFLATTEN.values(), ()), **UNFLATTEN})
forms(
    f"{MX}squeeze",
    {
        "": (Case("{f}(x)", "x:A,1,B"), Case("{f}(x)", "x:A,B")),
        "axis": (Case("{f}(x, 1)", "x:A,1,B"), Case("{f}(x, axis=-1)", "x:A,1")),
    },
)
add(f"{MX}expand_dims", "{f}(x, 0)", "{f}(x, -1)", Case("{f}(x, 1)", "x:A,B,C"), Case("{f}(x, (0, 2))", "x:A,B,C"))
add(f"{MX}:swapaxes moveaxis", "{f}(x, 0, 1)", Case("{f}(x, 1, 2)", "x:A,B,C"))
add(f"{MX}:atleast_1d atleast_2d atleast_3d", *UNARY)
forms(f"{MX}transpose", {"": UNARY, "axes": ("{f}(x, (1, 0))", Case("{f}(x, (0, 2, 1))", "x:A,B,C"))})
forms(f"{MX}permute_dims", {"": UNARY, "axes": ("{f}(x, (1, 0))", Case("{f}(x, (0, 2, 1))", "x:A,B,C"))})
add(f"{MX}broadcast_to", Case("{f}(x, (3, 4, 6))", "x:4,6"), Case("{f}(x, (5, 6))", "x:1,6"))
add(f"{MX}broadcast_arrays", Case("{f}(x, y)", "x:A,B y:B"), Case("{f}(x, y)", "x:A,B,C y:B,1"))
add(f"{MX}as_strided", "{f}(x, (4,), (6,))", "{f}(x)")
add(f"{MX}meshgrid", Case("{f}(x, y)", "x:A y:B"))
forms(f"{MX}diag", {"": (Case("{f}(x)", "x:A,A"), Case("{f}(x, k=1)", "x:A,A")), "vector": (Case("{f}(x)", "x:A"),)})
forms(f"{MX}diagonal", {"": UNARY, "tall": TALL})
add(f"{MX}:tril triu", *UNARY, "{f}(x, 1)")
add(
    f"{MX}:concatenate concat",
    Case("{f}([x, y], axis=0)", "x:A,B y:A,B"),
    Case("{f}([x, y], axis=-1)", "x:A,B y:A,B"),
    Case("{f}([x, y], 1)", "x:A,B,C y:A,B,C"),
)
add(
    f"{MX}:concatenate[constant] concat[constant]",
    Case("{f}([z, x], axis=0)", "x:A,6", "z = arr(2, 6)"),
    Case("{f}([z, x], axis=1)", "x:4,B,6", "z = arr(4, 2, 6)"),
)
add(
    f"{MX}stack", Case("{f}([x, y])", "x:A,B y:A,B"), Case("{f}([x, y], axis=-1)", "x:A,B y:A,B"), Case("{f}([x, y], 1)", "x:A,B,C y:A,B,C")
)
add(f"{MX}unstack", "{f}(x)", Case("{f}(x, axis=1)", "x:A,2,C"))
add(f"{MX}split", "{f}(x, 2)", "{f}(x, 2, axis=-1)", "{f}(x, [1])", Case("{f}(x, 2, axis=1)", "x:A,B,C"))
add(f"{MX}repeat", "{f}(x, 2, axis=0)", "{f}(x, 2, axis=-1)", "{f}(x, 2)", Case("{f}(x, 2, axis=1)", "x:A,B,C"))
add(f"{MX}tile", "{f}(x, 2)", "{f}(x, (2, 3))", Case("{f}(x, (1, 2, 1))", "x:A,B,C"))
add(f"{MX}pad", "{f}(x, 1)", "{f}(x, [(0, 0), (0, 2)])", Case("{f}(x, [(0, 0), (1, 0), (0, 0)])", "x:A,B,C"))
add(f"{MX}roll", "{f}(x, 1)", "{f}(x, 1, 0)", "{f}(x, 1, -1)", Case("{f}(x, 1, 1)", "x:A,B,C"))
add(f"{MX}flip", *UNARY, "{f}(x, axis=0)", "{f}(x, axis=-1)")

# -- selection --------------------------------------------------------------------------------------------------------------------------
add(f"{MX}:topk partition argpartition", "{f}(x, 2)", "{f}(x, 1, axis=0)", Case("{f}(x, 2)", "x:A,B,C"))
add(f"{MX}:partition[negative] argpartition[negative]", "{f}(x, -2)", Case("{f}(x, -2)", "x:A,B,C"))
add(f"{MX}:sort[axis=None] argsort[axis=None]", "{f}(x, axis=None)", Case("{f}(x, axis=None)", "x:A,B,C"))
TAKE = {
    "axis=0": ("{f}(x, mx.array([0, 1]), axis=0)", Case("{f}(x, mx.array([0, 1]), axis=0)", "x:A,B,C")),
    "axis=-1": ("{f}(x, mx.array([1, 0]), axis=-1)", Case("{f}(x, mx.array([1, 0]), axis=-1)", "x:A,B,C")),
    "axis=1": ("{f}(x, mx.array([1, 0]), axis=1)", Case("{f}(x, mx.array([1, 0]), axis=1)", "x:A,B,C")),
}
forms(
    f"{MX}take",
    {
        "": ("{f}(x, mx.array([0, 2]))", Case("{f}(x, i)", "x:A,B i:idx:4")),
        "axis": sum(TAKE.values(), ()),
        **TAKE,
        "int": ("{f}(x, 1, axis=0)", "{f}(x, 1, axis=1)", Case("{f}(x, 1, axis=1)", "x:A,B,C")),
    },
)
add(f"{MX}take_along_axis", Case("{f}(x, i, axis=-1)", "x:A,B i:idx:A,B"), Case("{f}(x, i, axis=1)", "x:A,B,C i:idx:A,B,C"))
add(
    f"{MX}put_along_axis",
    Case("{f}(x, i, y, axis=-1)", "x:A,B i:order:A,B y:A,B"),
    Case("{f}(x, i, mx.array(9.0), axis=0)", "x:A,B i:idx:1,B"),
)
add(f"{MX}searchsorted", Case("{f}(mx.sort(x), y)", "x:A y:B"))
add(f"{MX}unique", Case("{f}(x, 3)", "x:int:A,B"), Case("{f}(x, 3)", "x:int:A,B,C"))
add(f"{MX}slice", "{f}(x, mx.array([1]), (0,), (1, 2))", Case("{f}(x, mx.array([1]), (1,), (2, 2, 4))", "x:A,B,C"))
add(f"{MX}slice_update", "{f}(x, mx.zeros((1, 2)), mx.array([0, 0]), (0, 1))", Case("{f}(x, y, mx.array([1]), (1,))", "x:A,B,C y:A,2,C"))

# -- products ---------------------------------------------------------------------------------------------------------------------------
forms(
    f"{MX}matmul",
    {
        "": (
            Case("{f}(x, w)", "x:A,6", "w = arr(6, 3)"),
            Case("{f}(x, y)", "x:A,B y:B,C"),
            Case("{f}(x, w)", "x:A,B,6", "w = arr(6, 3)"),
            Case("{f}(x, y)", "x:A,B,C y:A,C,B"),
        ),
    },
)
add(
    f"{MX}addmm",
    Case("{f}(c, x, w)", "x:A,6", "w = arr(6, 3); c = arr(3)"),
    Case("{f}(c, x, w)", "x:A,B,6", "w = arr(6, 3); c = arr(3)"),
)
add(f"{MX}inner", Case("{f}(x, y)", "x:A,C y:B,C"), Case("{f}(x, y)", "x:A,B,C y:B,C"))
add(f"{MX}outer", Case("{f}(x, y)", "x:A y:B"))
add(f"{MX}kron", Case("{f}(x, y)", "x:A,B y:C,2"))
add(f"{MX}vecdot", Case("{f}(x, y)", "x:A,B y:A,B"), Case("{f}(x, y)", "x:A,B,C y:A,B,C"))
add(f"{MX}tensordot", Case("{f}(x, y, axes=[[1], [1]])", "x:A,C y:B,C"), Case("{f}(x, y, axes=1)", "x:A,B,C y:C,6"))
add(f"{MX}einsum", Case("{f}('ij,kj->ik', x, y)", "x:A,C y:B,C"), Case("{f}('bij,bkj->bik', x, y)", "x:A,B,C y:A,B,C"))
add(f"{MX}einsum_path", Case("{f}('ij,kj->ik', x, y)", "x:A,C y:B,C"))
add(f"{MX}block_masked_mm", Case("{f}(x, y, 32, m)", "x:32,32 y:32,32", "m = mx.array([[True]])"))
add(f"{MX}segmented_mm", Case("{f}(x, y, s)", "x:A,6 y:6,B", "s = mx.array([[0, 2], [2, 6]], mx.uint32)"))
add(f"{MX}gather_mm", Case("{f}(x, w, rhs_indices=i)", "x:2,A,6 i:idx:2", "w = arr(2, 6, 3)"))
add(f"{MX}hadamard_transform", Case("{f}(x)", "x:A,H"), Case("{f}(x)", "x:A,B,H"))
add(f"{MX}convolve", Case("{f}(x, w)", "x:M", "w = arr(3)"))
for n, shape in ((1, "M,3"), (2, "M,M,3"), (3, "C,C,C,3")):
    kernel = ", ".join(["3"] * n)
    add(f"{MX}:conv{n}d", Case("{f}(x, w)", f"x:A,{shape}", f"w = arr(2, {kernel}, 3)"))
    add(f"{MX}:conv_transpose{n}d", Case("{f}(x, w)", f"x:A,{shape}", f"w = arr(2, {kernel}, 3)"))
add(f"{MX}conv_general", Case("{f}(x, w)", "x:A,M,M,3", "w = arr(2, 3, 3, 3)"))
QUANTISED = "q = mx.quantize(arr(8, 64), group_size=32, bits=4)"
add(f"{MX}quantize", Case("{f}(x, group_size=32, bits=4)", "x:A,G"))
add(f"{MX}dequantize", Case("{f}(w, s, b, group_size=32, bits=4)", "w:u32:A,8 s:A,2 b:A,2"))
add(
    f"{MX}quantized_matmul",
    Case("{f}(x, *q, transpose=True, group_size=32, bits=4)", "x:A,64", QUANTISED),
    Case("{f}(x, *q, transpose=True, group_size=32, bits=4)", "x:A,B,64", QUANTISED),
)
add(
    f"{MX}gather_qmm",
    Case(
        "{f}(x, *q, rhs_indices=i, transpose=True, group_size=32, bits=4)",
        "x:2,A,64 i:idx:2",
        "q = mx.quantize(arr(2, 8, 64), group_size=32, bits=4)",
    ),
)

# -- creation: no traced input, constants of the trace ---------------------------------------------------------------------------------
add(f"{MX}:arange", "{f}(5)", "{f}(1, 5)", "{f}(0, 1, 0.25)")
add(f"{MX}:bartlett blackman hamming hanning identity", "{f}(5)")
add(f"{MX}:eye tri", "{f}(4)", "{f}(4, 6)")
add(f"{MX}:empty zeros ones", "{f}((4, 3))", "{f}(5)")
add(f"{MX}full", "{f}((4, 3), 2.0)")
add(f"{MX}linspace", "{f}(0, 1, 5)")
add(f"{MX}:fft.fftfreq fft.rfftfreq", "{f}(6)")
forms(
    f"{MX}array",
    {
        "": ("{f}([1.0, 2.0])", "{f}(2)"),
        "array": ("{f}(x)", Case("{f}(x)", "x:A,B,C")),
        "list": (Case("{f}([x, y])", "x: y:"), Case("{f}([1.0, x])", "x:")),
    },
    kind="class",
)

# -- sizes that Python read from the shape of an argument --------------------------------------------------------------------------------
# What is made of them alone, and where it meets the argument itself.
for names, call, inputs in (
    ("empty zeros ones", "{f}(x.shape)", "x:A,B"),
    ("full", "{f}(x.shape, 2.0)", "x:A,B"),
    ("arange bartlett blackman hamming hanning", "{f}(x.shape[0])", "x:A"),
    ("linspace", "{f}(0, 1, x.shape[0])", "x:A"),
    ("eye identity tri", "{f}(x.shape[0])", "x:A,A"),
):
    for word in names.split():
        add(f"{MX}{word}[baked]", Case(call, inputs), Case(f"{call} + x", inputs))
add(f"{MX}reshape[baked]", "{f}(x, (x.shape[0] * x.shape[1],))", "{f}(x, (2, x.shape[0], x.shape[1] // 2))")
add(f"{MX}reshape[baked,-1]", "{f}(x, (x.shape[0], -1))", Case("{f}(x, (x.shape[0], -1))", "x:A,5"))
add(f"{MX}unflatten[baked]", "{f}(x, -1, (x.shape[1] // 2, 2))", "{f}(x, 1, (2, x.shape[1] // 2))")
add(f"{MX}as_strided[baked]", "{f}(x, (x.shape[0],), (x.shape[1],))")
add(f"{MX}take[baked]", "{f}(x, x.shape[0] - 1, axis=0)", "{f}(x, mx.array(x.shape[0] - 1), axis=0)")
add(f"{MX}array[baked]", "{f}(x.shape[0])", "{f}(x.shape[0]) * x", kind="class")
add(f"{MX}multiply[baked]", "{f}(x, x.shape[0])")
add("mlx.core.array.__getitem__[baked]", Case("x[x.shape[0] - 1]", "x:A"), kind="index")

# -- fast, linalg, fft ------------------------------------------------------------------------------------------------------------------
add(
    f"{MX}fast.layer_norm",
    Case("{f}(x, w, b, 1e-5)", "x:A,6", "w = arr(6); b = arr(6)"),
    Case("{f}(x, w, b, 1e-5)", "x:A,B,6", "w = arr(6); b = arr(6)"),
)
add(f"{MX}fast.rms_norm", Case("{f}(x, w, 1e-5)", "x:A,6", "w = arr(6)"), Case("{f}(x, w, 1e-5)", "x:A,B,6", "w = arr(6)"))
add(f"{MX}fast.cross_entropy", Case("{f}(x, i)", "x:A,B i:idx:A"), Case("{f}(x, i)", "x:A,B,C i:idx:A,B"))
add(
    f"{MX}fast.rope",
    Case("{f}(x, 8, traditional=False, base=10000.0, scale=1.0, offset=0)", "x:A,2,B,8"),
    Case("{f}(x, 8, traditional=True, base=10000.0, scale=1.0, offset=o)", "x:A,2,B,8 o:idx:"),
)
add(f"{MX}fast.gated_delta_update", Case("{f}(q, k, v, g, b)", "q:1,B,2,64 k:1,B,2,64 v:1,B,2,64 g:1,B,2 b:1,B,2"))
SDPA = "x:A,2,B,8 k:A,2,C,8 v:A,2,C,8"
forms(
    f"{MX}fast.scaled_dot_product_attention",
    {
        "": (Case("{f}(x, k, v, scale=0.5)", SDPA), Case("{f}(x, k, v, scale=0.5)", "x:A,4,B,8 k:A,2,C,8 v:A,2,C,8")),
        "mask": (
            Case("{f}(x, k, v, scale=0.5, mask=m)", SDPA + " m:B,C"),
            Case("{f}(x, k, v, scale=0.5, mask=m)", SDPA + " m:bool:A,1,B,C"),
        ),
        "mask=causal": (Case("{f}(x, k, v, scale=0.5, mask='causal')", "x:A,2,B,8 k:A,2,B,8 v:A,2,B,8"),),
    },
)
add(f"{MX}:linalg.inv linalg.pinv linalg.lu linalg.lu_factor linalg.det linalg.slogdet linalg.eig linalg.eigvals", *SQUARE)
add(f"{MX}:linalg.cholesky linalg.cholesky_inv linalg.eigh linalg.eigvalsh", *POSITIVE)
add(f"{MX}linalg.tri_inv", Case("{f}(mx.where(m, x, 0.0), stream=mx.cpu)", "x:spd:A,A m:lower:A,A"))
add(f"{MX}:linalg.qr", Case("{f}(x, stream=mx.cpu)", "x:C,A"), Case("{f}(x, stream=mx.cpu)", "x:B,C,A"))
add(f"{MX}:linalg.svd", Case("{f}(x, stream=mx.cpu)[1]", "x:A,B"), Case("{f}(x, stream=mx.cpu)[1]", "x:A,B,C"), returns="arrays")
add(f"{MX}linalg.solve", Case("{f}(x, y, stream=mx.cpu)", "x:A,A y:A,B"))
add(f"{MX}linalg.solve_triangular", Case("{f}(x, y, upper=False, stream=mx.cpu)", "x:spd:A,A y:A,B"))
add(f"{MX}linalg.cross", Case("{f}(x, y)", "x:A,3 y:A,3"))
add(f"{MX}:fft.fft fft.ifft fft.fftn fft.ifftn fft.fft2 fft.ifft2 fft.rfft fft.rfft2 fft.rfftn fft.irfft fft.irfft2 fft.irfftn", *UNARY)
add(f"{MX}fft.stft", Case("{f}(x, n_fft=8)", "x:M"))
add(f"{MX}fft.istft", Case("{f}(mx.fft.stft(x, n_fft=8), n_fft=8)", "x:M"))

# -- random -----------------------------------------------------------------------------------------------------------------------------
for form, key in (("", ""), ("[key]", ", key=k")):
    keyed = "x:A,B k:key:"
    add(f"{MX}:random.uniform{form} random.normal{form} random.gumbel{form} random.laplace{form}", Case(f"{{f}}(shape=(4, 3){key})", keyed))
    add(f"{MX}random.bernoulli{form}", Case(f"{{f}}(0.5, (4, 3){key})", keyed), Case(f"{{f}}(x{key})", keyed))
    add(f"{MX}random.randint{form}", Case(f"{{f}}(0, 9, (4, 3){key})", keyed))
    add(f"{MX}random.truncated_normal{form}", Case(f"{{f}}(-1.0, 1.0, (4, 3){key})", keyed))
    add(f"{MX}random.multivariate_normal{form}", Case(f"{{f}}(mx.zeros((2,)), mx.eye(2), (4,){key}, stream=mx.cpu)", keyed))
    add(f"{MX}random.categorical{form}", Case(f"{{f}}(x{key})", keyed), Case(f"{{f}}(x{key})", "x:A,B,C k:key:"))
    add(f"{MX}random.permutation{form}", Case(f"{{f}}(x{key})", keyed), Case(f"{{f}}(x, 1{key})", "x:A,B,C k:key:"))
add(f"{MX}random.split", Case("{f}(k)", "k:key:"), Case("{f}(k, 3)", "k:key:"))
add(f"{MX}:random.key random.seed", "{f}(7)")

# -- evaluation, files, devices, Python values ------------------------------------------------------------------------------------------
add(f"{MX}:eval async_eval", *UNARY)
add(f"{MX}save", "{f}(tmp + '/a.npy', x)")
add(f"{MX}:savez savez_compressed", "{f}(tmp + '/a.npz', a=x)")
add(f"{MX}:save_safetensors", "{f}(tmp + '/a.safetensors', {'a': x})")
add(f"{MX}:save_gguf", "{f}(tmp + '/a.gguf', {'a': x})")
add(f"{MX}load", Case("{f}(tmp + '/in.npy')", setup="mx.save(tmp + '/in.npy', arr(4, 6))"))
add(f"{MX}export_to_dot", "{f}(tmp + '/a.dot', x)")
add(f"{MX}from_dlpack", *UNARY)
add(f"{MX}get_array_buffer_size", *UNARY)
add(f"{MX}depends", Case("{f}(x, y)", "x:A,B y:A,B"))
add(f"{MX}result_type", Case("{f}(x, mx.float16)"))
add(f"{MX}can_cast", Case("{f}(mx.float16, mx.float32)"))
add(f"{MX}:isdtype", "{f}(mx.float32, mx.float32)")
add(f"{MX}issubdtype", "{f}(mx.float32, mx.floating)")
add(f"{MX}broadcast_shapes", "{f}((4, 6), (6,))")
add(f"{MX}:finfo iinfo", "{f}(mx.float32 if '{m}' == 'finfo' else mx.int32).max")
add(
    f"{MX}:synchronize default_device get_active_memory get_peak_memory get_cache_memory get_memory_limit clear_cache reset_peak_memory "
    "get_printoptions metal.is_available cuda.is_available distributed.is_available",
    "{f}()",
)
add(f"{MX}:is_available device_count default_stream device_info new_stream new_thread_local_stream new_thread_unsafe_stream", "{f}(mx.cpu)")
add(f"{MX}:set_cache_limit set_memory_limit", "{f}(1 << 28)")
add(f"{MX}:stream", "{f}(mx.cpu)")
add(f"{MX}:set_default_device", "{f}(mx.cpu)")
add(f"{MX}:set_default_stream", "{f}(mx.default_stream(mx.cpu))")
add(f"{MX}:set_printoptions printoptions", "{f}(precision=4)")

# -- transforms -------------------------------------------------------------------------------------------------------------------------
SQUARED = "g = lambda z: (z * z).sum()"
for name, call in (
    ("grad", "{f}(g)(x)"),
    ("value_and_grad", "{f}(g)(x)"),
    ("vmap", "{f}(lambda r: r * 2 + r.sum())(x)"),
    ("checkpoint", "{f}(lambda z: mx.exp(z) * 2)(x)"),
    ("custom_function", "{f}(lambda z: mx.exp(z) * 2)(x)"),
    ("compile", "{f}(lambda z: mx.exp(z) * 2)(x)"),
):
    add(MX + name, Case(call, setup=SQUARED), Case(call, "x:A,B,C", SQUARED), kind="transform", returns="function")
add(f"{MX}vjp", Case("{f}(lambda z: z * z, [x], [y])", "x:A,B y:A,B"), kind="transform")
add(f"{MX}jvp", Case("{f}(lambda z: z * z, [x], [y])", "x:A,B y:A,B"), kind="transform")

# -- array: methods, properties, operators ----------------------------------------------------------------------------------------------
ARRAY = "mlx.core.array."
add(f"{ARRAY}:abs conj cos exp flatten log log10 log1p log2 reciprocal round rsqrt sin sqrt square", *METHOD_UNARY, kind="method")
add(f"{ARRAY}:all any", *(Case(case.call.replace("x.", "(x > 0.5)."), case.inputs) for case in METHOD_REDUCE), kind="method")
for name in ("max", "mean", "min", "prod", "std", "sum", "var"):
    forms(ARRAY + name, {"": METHOD_REDUCE, "axis": tuple(case for case in METHOD_REDUCE if "axis" in case.call)}, kind="method")
add(f"{ARRAY}:argmax argmin", *METHOD_REDUCE_ONE, kind="method")
forms(f"{ARRAY}logsumexp", {"": METHOD_REDUCE, "axis=-1": METHOD_LAST, "axis=0": METHOD_FIRST}, kind="method")
for name in SCANS.split():
    along = (Case("x.{m}(axis=0)"), Case("x.{m}(axis=-1)"), Case("x.{m}(axis=1)", "x:A,B,C"))
    forms(ARRAY + name, {"": METHOD_UNARY, "axis": along}, kind="method")
forms(
    f"{ARRAY}flatten",
    {"": METHOD_UNARY, "axis": (Case("x.flatten(1)", "x:A,B,C"), Case("x.flatten(0, 1)", "x:A,B,C"), Case("x.flatten(-2)", "x:A,B,C"))},
    kind="method",
)
forms(
    f"{ARRAY}reshape",
    {
        "": ("x.reshape(-1, 2)", Case("x.reshape(-1, 4)", "x:A,B,C")),
        "-1": ("x.reshape(-1)", "x.reshape((-1,))", Case("x.reshape(-1)", "x:A,B,C")),
        "fixed": (Case("x.reshape(4, 3)", "x:2,6"),),
    },
    kind="method",
)
forms(
    f"{ARRAY}squeeze",
    {
        "": (Case("x.squeeze()", "x:A,1,B"), Case("x.squeeze()", "x:A,B")),
        "axis": (Case("x.squeeze(1)", "x:A,1,B"), Case("x.squeeze(-1)", "x:A,1")),
    },
    kind="method",
)
add(f"{ARRAY}:swapaxes moveaxis", "x.{m}(0, 1)", Case("x.{m}(1, 2)", "x:A,B,C"), kind="method")
forms(f"{ARRAY}transpose", {"": METHOD_UNARY, "axes": ("x.transpose(1, 0)", Case("x.transpose(0, 2, 1)", "x:A,B,C"))}, kind="method")
add(f"{ARRAY}:astype view", "x.{m}(mx.int32)", Case("x.{m}(mx.int32)", "x:A,B,C"), kind="method")
add(f"{ARRAY}split", "x.split(2)", "x.split(2, axis=-1)", Case("x.split(2, axis=1)", "x:A,B,C"), kind="method")
forms(f"{ARRAY}diag", {"": (Case("x.diag()", "x:A,A"),), "vector": (Case("x.diag()", "x:A"),)}, kind="method")
METHOD_TALL = (Case("x.{m}()", "x:B,A"), Case("x.{m}()", "x:B,A,C"))
forms(f"{ARRAY}diagonal", {"": METHOD_UNARY, "tall": METHOD_TALL}, kind="method")
add(f"{ARRAY}:item", Case("x.item()", "x:"), kind="method")
add(f"{ARRAY}:tolist", *METHOD_UNARY, kind="method")
add(f"{ARRAY}:T mT real imag dtype itemsize nbytes ndim shape size", *PROPERTY, kind="property")
for op, symbol in (
    ("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("floordiv", "//"), ("mod", "%"), ("pow", "**"),
):  # fmt: skip
    operands = (Case(f"x {symbol} y", "x:A,B y:A,B"), Case(f"x {symbol} y", "x:A,B,C y:C"), Case(f"x {symbol} 2.0"))
    add(f"{ARRAY}__{op}__", *operands, kind="operator")
    add(f"{ARRAY}__r{op}__", f"2.0 {symbol} x", kind="operator")
    add(f"{ARRAY}__i{op}__", Case(f"operator.i{op}(x, y)", "x:A,B y:A,B"), Case(f"operator.i{op}(x, y)", "x:A,B,C y:C"), kind="operator")
for op, symbol in (("and", "&"), ("or", "|"), ("xor", "^"), ("lshift", "<<"), ("rshift", ">>")):
    add(f"{ARRAY}__{op}__", *(Case(f"x {symbol} y", case.inputs) for case in BITWISE), kind="operator")
    add(f"{ARRAY}__i{op}__", *(Case(f"operator.i{op}(x, y)", case.inputs) for case in BITWISE), kind="operator")
for op, symbol in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    add(f"{ARRAY}__{op}__", Case(f"x {symbol} y", "x:A,B y:A,B"), Case(f"x {symbol} y", "x:A,B,C y:C"), f"x {symbol} 0.5", kind="operator")
MATMUL = RECIPES["mlx.core.matmul"].cases
add(
    f"{ARRAY}__matmul__",
    *(Case(case.call.replace("{f}(x, ", "x @ ").rstrip(")"), case.inputs, case.setup) for case in MATMUL),
    kind="operator",
)
add(f"{ARRAY}__imatmul__", Case("operator.imatmul(x, y)", "x:A,6 y:6,6"), kind="operator")
add(f"{ARRAY}:__neg__ __pos__ __abs__ __invert__", "x.{m}()", kind="operator")
add(f"{ARRAY}:__invert__", Case("~x", "x:bool:A,B"), kind="operator")
add(f"{ARRAY}:__div__ __rdiv__", "x.{m}(2.0)", kind="operator")
for op, call in (("bool", "bool(x)"), ("float", "float(x)"), ("int", "int(x)"), ("complex", "complex(x)")):
    add(f"{ARRAY}__{op}__", Case(call, "x:"), kind="operator")
add(f"{ARRAY}__index__", Case("operator.index(x)", "x:idx:"), kind="operator")
for op, call in (
    ("bytes", "bytes(x)"), ("repr", "repr(x)"), ("str", "str(x)"), ("format", "format(x)"), ("len", "len(x)"), ("hash", "hash(x)"),
    ("iter", "list(x)"), ("copy", "copy.copy(x)"), ("deepcopy", "copy.deepcopy(x)"), ("buffer", "memoryview(x)"),
    ("array", "np.array(x)"), ("dlpack", "x.__dlpack__()"), ("dlpack_device", "x.__dlpack_device__()"), ("reduce", "pickle.dumps(x)"),
    ("getstate", "x.__getstate__()"), ("sizeof", "x.__sizeof__()"), ("array_namespace", "x.__array_namespace__()"),
):  # fmt: skip
    add(f"{ARRAY}__{op}__", call, Case(call, "x:A,B,C"), kind="operator")
add(f"{ARRAY}__contains__", Case("0.5 in x", "x:A"), kind="operator")

# -- indexing: the form is how the key is written -----------------------------------------------------------------------------------------
INDEX = {
    "int": "0", "negint": "-1", "slice": ":3", "slice_from": "1:", "slice_neg": ":-1", "fullslice": ":", "step": "::-1", "newaxis": "None", "ellipsis": "...",
    "ellipsis_newaxis": "..., None", "slice_newaxis": ":, None", "slice_int": ":, 0", "slice_negint": ":, -1", "ellipsis_int": "..., 0",
    "ellipsis_negint": "..., -1", "ellipsis_slice": "..., :3", "slice_slice": ":, :3", "int_int": "0, 1", "int_slice": "0, :3",
    "array": "i", "slice_array": ":, i", "two_arrays": "i, j", "array_newaxis": "i, None", "int_newaxis": "0, None",
}  # fmt: skip
for form, key in INDEX.items():
    index = " i:idx:3" * ("i" in key.split(", ")) + " j:idx:3" * ("j" in key.split(", "))
    ranks = ("x:A,B" + index, "x:A,B,C" + index)
    add(f"{ARRAY}__getitem__[{form}]", *(Case(f"x[{key}]", rank) for rank in ranks), kind="index")
    add(f"{ARRAY}__setitem__[{form}]", *(Case(f"assign(x, index[{key}], 9.0)", rank) for rank in ranks), kind="index", returns="none")
    add(f"{ARRAY}at[{form}]", *(Case(f"x.at[{key}].add(2.0)", rank) for rank in ranks), kind="index")

# -- mlx.nn functions ---------------------------------------------------------------------------------------------------------------------
NN = "mlx.nn."
add(
    f"{NN}:celu elu gelu gelu_approx gelu_fast_approx glu hard_shrink hard_tanh hardswish leaky_relu log_sigmoid log_softmax mish relu relu2 relu6 "
    "selu sigmoid silu softmax softmin softplus softshrink softsign step tanh",
    *UNARY,
)
add(f"{NN}prelu", Case("{f}(x, w)", "x:A,B", "w = arr(1)"), Case("{f}(x, w)", "x:A,B,C", "w = arr(1)"))
add(
    f"{NN}value_and_grad",
    Case("{f}(m, lambda z: (m(z) ** 2).sum())(x)[1]['weight']", "x:A,6", "m = nn.Linear(6, 3, bias=False)"),
    kind="transform",
    returns="function",
)
add(f"{NN}utils.checkpoint", Case("{f}(m)(x)", "x:A,6", "m = nn.Linear(6, 3, bias=False)"), kind="transform", returns="function")
add(f"{NN}quantize", Case("{f}(nn.Sequential(nn.Linear(64, 8)), group_size=32)"))
LOSS = (Case("{f}(x, y)", "x:A,B y:A,B"), Case("{f}(x, y, reduction='mean')", "x:A,B y:A,B"), Case("{f}(x, y)", "x:A,B,C y:A,B,C"))
add(
    f"{NN}losses.:binary_cross_entropy cosine_similarity_loss hinge_loss huber_loss kl_div_loss l1_loss log_cosh_loss mse_loss smooth_l1_loss",
    *LOSS,
)
for name in ("cross_entropy", "nll_loss"):
    targets = (
        Case("{f}(x, i)", "x:A,B i:idx:A"),
        Case("{f}(x, i, reduction='mean')", "x:A,B i:idx:A"),
        Case("{f}(x, i)", "x:A,B,C i:idx:A,B"),
    )
    add(f"{NN}losses.{name}", *targets)
add(
    f"{NN}losses.:gaussian_nll_loss triplet_loss",
    Case("{f}(x, y, z)", "x:A,B y:A,B z:A,B"),
    Case("{f}(x, y, z)", "x:A,B,C y:A,B,C z:A,B,C"),
)
add(f"{NN}losses.margin_ranking_loss", Case("{f}(x, y, z)", "x:A y:A z:A"), Case("{f}(x, y, z)", "x:A,B y:A,B z:A,B"))
add(f"{NN}init.:constant sparse", Case("{f}(0.5)(x)"), returns="function")
add(f"{NN}init.:normal uniform glorot_normal glorot_uniform he_normal he_uniform", Case("{f}()(x)"), returns="function")
add(f"{NN}init.:identity orthogonal", Case("{f}()(x)", "x:A,A"), returns="function")

# -- layers: the call of an instance `m` -----------------------------------------------------------------------------------------------------


def layer(name: str, constructor: str, *inputs: str, call: str = "m(x)", facts: tuple[str, ...] = ()) -> None:
    """A module: built once, called on traced inputs in training mode."""
    made = re.split(r"\W", name)[0]
    add(NN + name, *(Case(call, shape, f"m = nn.{made}({constructor})") for shape in inputs), kind="layer", facts=facts)


ELEMENTWISE = (
    "CELU ELU GELU GLU HardShrink HardTanh Hardswish Identity LeakyReLU LogSigmoid LogSoftmax Mish PReLU ReLU ReLU2 ReLU6 SELU SiLU Sigmoid "
    "Softmax Softmin Softplus Softshrink Softsign Step Tanh"
)
for name in ELEMENTWISE.split():
    layer(name, "", "x:A,B", "x:A,B,C")
layer("Linear", "6, 3", "x:A,6", "x:A,B,6")
layer("Linear[bias=False]", "6, 3, bias=False", "x:A,6", "x:A,B,6")
layer("QuantizedLinear", "64, 8, group_size=32, bits=4", "x:A,64", "x:A,B,64")
layer("Bilinear", "6, 4, 3", "x:A,6 y:A,4", call="m(x, y)")
layer("Embedding", "16, 4", "x:idx:A", "x:idx:A,B")
layer("Embedding.as_linear", "16, 4", "x:A,4", "x:A,B,4", call="m.as_linear(x)")
layer("QuantizedEmbedding", "16, 64, group_size=32, bits=4", "x:idx:A", "x:idx:A,B")
layer("QuantizedEmbedding.as_linear", "16, 64, group_size=32, bits=4", "x:A,64", "x:A,B,64", call="m.as_linear(x)")
layer("LayerNorm", "6", "x:A,6", "x:A,B,6")
layer("RMSNorm", "6", "x:A,6", "x:A,B,6")
layer("GroupNorm", "2, 6", "x:A,B,6", "x:A,B,C,6")
layer("InstanceNorm", "6", "x:A,B,C", "x:A,B,C,H")  # without weights it takes any number of channels
layer("BatchNorm", "6", "x:A,6", "x:A,B,6")
layer("Dropout", "", "x:A,B", "x:A,B,C", facts=("p",))
layer("Dropout2d", "", "x:A,B,C", "x:A,B,C,6", facts=("p",))
layer("Dropout3d", "", "x:A,B,C,2", "x:A,B,C,2,6", facts=("p",))
layer("Conv1d", "3, 2, 3", "x:A,M,3")
layer("Conv2d", "3, 2, 3", "x:A,M,M,3")
layer("Conv3d", "3, 2, 3", "x:A,C,C,C,3")
layer("ConvTranspose1d", "3, 2, 3", "x:A,M,3")
layer("ConvTranspose2d", "3, 2, 3", "x:A,M,M,3")
layer("ConvTranspose3d", "3, 2, 3", "x:A,C,C,C,3")
for pool in ("Avg", "Max"):
    layer(f"{pool}Pool1d", "2", "x:A,M,B")
    layer(f"{pool}Pool2d", "2", "x:A,M,C,B")
    layer(f"{pool}Pool3d", "2", "x:A,C,C,C,B")
layer("Upsample", "2", "x:A,M,C,3")
layer("RNN", "6, 4", "x:A,6", "x:A,B,6")
layer("GRU", "6, 4", "x:A,6", "x:A,B,6")
layer("LSTM", "6, 4", "x:A,6", "x:A,B,6")
layer("RoPE", "8", "x:A,B,8", "x:A,2,B,8")
layer("SinusoidalPositionalEncoding", "6", "x:A", "x:A,B")
layer("ALiBi", "", "x:1,4,B,B")
layer("MultiHeadAttention", "8, 2", "x:A,B,8", call="m(x, x, x)")
layer("TransformerEncoderLayer", "8, 2", "x:A,B,8", call="m(x, None)", facts=("dropout",))
layer("TransformerEncoder", "1, 8, 2", "x:A,B,8", call="m(x, None)", facts=("dropout",))
layer("TransformerDecoderLayer", "8, 2", "x:A,B,8 y:A,C,8", call="m(x, y, None, None)", facts=("dropout",))
layer("TransformerDecoder", "1, 8, 2", "x:A,B,8 y:A,C,8", call="m(x, y, None, None)", facts=("dropout",))
layer("Transformer", "8, 2, 1, 1", "x:A,B,8 y:A,C,8", call="m(x, y, None, None, None)", facts=("dropout",))
layer("Sequential", "", "x:A,B")
layer("ShardedToAllLinear", "6, 3", "x:A,6")
layer("AllToShardedLinear", "6, 3", "x:A,6")
layer("QuantizedShardedToAllLinear", "64, 8, group_size=32, bits=4", "x:A,64")
layer("QuantizedAllToShardedLinear", "64, 8, group_size=32, bits=4", "x:A,64")

# -- optimizers and utilities ---------------------------------------------------------------------------------------------------------------
OPT = "mlx.optimizers."
INITIAL = "o = {f}({a}); o.init({'w': arr(4, 6), 'b': arr(6)})"
for name, arguments in (
    ("SGD", "0.1"), ("SGD[momentum]", "0.1, momentum=0.9"), ("RMSprop", "0.1"), ("Adagrad", "0.1"), ("AdaDelta", "0.1"), ("Adam", "0.1"), ("AdamW", "0.1"), ("Adamax", "0.1"),
    ("Lion", "0.1"), ("Muon", "0.1"), ("Adafactor", ""), ("Adafactor[beta_1]", "beta_1=0.9"),
    ("MultiOptimizer", "[mlx.optimizers.SGD(0.1), mlx.optimizers.Adam(0.1)], [lambda n, w: n == 'w']"),
):  # fmt: skip
    add(
        OPT + name,
        Case("o.apply_gradients({'w': y, 'b': v}, {'w': x, 'b': u})", "x:4,6 y:4,6 u:6 v:6", INITIAL.replace("{a}", arguments)),
        kind="optimizer",
        returns="tree",
        facts=(arguments,),
    )
add(f"{OPT}clip_grad_norm", Case("{f}({'w': x}, 1.0)"), Case("{f}({'w': x}, 1.0)", "x:A,B,C"))
for name, call in (
    ("cosine_decay", "{f}(0.1, 10)(s)"), ("exponential_decay", "{f}(0.1, 0.9)(s)"), ("linear_schedule", "{f}(0.0, 0.1, 10)(s)"),
    ("step_decay", "{f}(0.1, 0.9, 5)(s)"), ("join_schedules", "{f}([mlx.optimizers.linear_schedule(0.0, 0.1, 3), lambda n: 0.1 * n], [2])(s)"),
):  # fmt: skip
    add(OPT + name, Case(call, "s:int:"), returns="function")
UTILS = "mlx.utils."
add(f"{UTILS}tree_map", Case("{f}(lambda a: a * 2, {'w': [x]})"))
add(f"{UTILS}tree_map_with_path", Case("{f}(lambda p, a: a * 2, {'w': [x]})"))
add(f"{UTILS}tree_flatten", Case("{f}({'w': [x]})"))
add(f"{UTILS}tree_unflatten", Case("{f}([('w.0', x)])"))
add(f"{UTILS}tree_reduce", Case("{f}(lambda a, b: a + b, {'w': [x, x]})"))
add(f"{UTILS}tree_merge", Case("{f}({'a': x}, {'b': x})"))

# -- not measured ---------------------------------------------------------------------------------------------------------------------------
SKIPPED: dict[str, str] = {}
for words, reason in (
    ("mlx.core.:Device DeviceType Dtype DtypeCategory PrintOptions Stream StreamContext ThreadLocalStream", "a value of Python, no operation"),
    ("mlx.core.:ArrayLike ArrayIterator ArrayAt", "a helper of arrays, measured through the array"),
    ("mlx.core.:FunctionExporter exporter export_function import_function", "export of functions to files"),
    ("mlx.core.:compile_off disable_compile enable_compile", "switches compilation for the whole process"),
    ("mlx.core.:clear_streams set_wired_limit", "process-wide; needs a GPU or breaks the measuring process"),
    ("mlx.core.fast.:metal_kernel cuda_kernel precompiled_cuda_kernel", "needs a GPU"),
    ("mlx.core.:qqmm gather_qqmm", "not implemented on the CPU, where the table is measured"),
    ("mlx.nn.:QQLinear", "not implemented on the CPU, where the table is measured"),
    ("mlx.core.:metal.* cuda.* distributed.*", "device or multi-process management"),
    ("mlx.core.array.:__init__ __new__ __class__ __doc__ __module__ __delattr__ __dir__ __getattribute__", "Python's object protocol"),
    ("mlx.core.array.:__init_subclass__ __setattr__ __subclasshook__ __reduce_ex__ __setstate__ __release_buffer__", "Python's object protocol"),
    ("mlx.core.array.:__getitem__ __setitem__ at", "measured by form: __getitem__[int]"),
    ("mlx.nn.:Module FullyShardedModule", "a base class or wrapper: what a call does is what the wrapped code does"),
    ("mlx.nn.:average_gradients fully_shard fsdp_apply_gradients", "multi-process"),
    ("mlx.nn.utils.:value_and_grad", "mlx.nn.value_and_grad"),
    ("mlx.nn.utils.:average_gradients clip_grad_norm_sharded fsdp_apply_gradients", "multi-process"),
    ("mlx.optimizers.:Optimizer", "the base class"),
):  # fmt: skip
    prefix, _, names = words.rpartition(":")
    SKIPPED.update({prefix + word: reason for word in names.split()})
