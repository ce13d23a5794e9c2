"""The interpreter put together, and where a run begins: it fills the table of operations (`machine/operations.py`) with the transfer functions.

`analyse` returns the facts of a file. It runs the module level, then the functions that nothing calls, the compiled functions that nothing called, and the client.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from mxlint.deep import some_room
from mxlint.domain.heap import Field, Info
from mxlint.domain.members import NONE, External, Member, Ref, Spot, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.calls import activations, callables
from mxlint.interpreter.calls.relevance import Reach
from mxlint.interpreter.compiled import calls as compiled_calls
from mxlint.interpreter.compiled import portions, reads, restoring, returning, sinks, writes
from mxlint.interpreter.containers import item_assignment, items
from mxlint.interpreter.expressions import operators
from mxlint.interpreter.expressions.expressions import evaluate
from mxlint.interpreter.generators import dying, generators
from mxlint.interpreter.imports import modules
from mxlint.interpreter.imports.idle import is_idle
from mxlint.interpreter.libraries import external, library
from mxlint.interpreter.loops import iteration
from mxlint.interpreter.machine import journal
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import CALLERS_SHARE, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.observer import Observer
from mxlint.interpreter.machine.operations import Operations
from mxlint.interpreter.mlx import arrays
from mxlint.interpreter.mlx import calls as mlx_calls
from mxlint.interpreter.objects import attributes, classes, lookup, setting, type_tests
from mxlint.interpreter.open_world import candidates, client, entries, inheritance, public_attributes, template_methods, uncalled
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.statements import statements, truths
from mxlint.models.mlx.table import Table
from mxlint.project import Project
from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.syntax.index import TRACERS


def _array(i: Interpreter, name: str, args: Sequence[Value], place: Place, frame: Frame) -> Value:
    return i.symbolic(place, name)


def _use(i: Interpreter, kind: str, member: Member, what: str, place: Place, frame: Frame, operand: Place | None = None) -> None:
    return None


def _compared(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> None:
    return None


def _access(i: Interpreter, oid: int, field: Field, value: Value, place: Place | None, frame: Frame) -> None:
    return None


def _no_read(i: Interpreter, spot: Spot, at: Place | None, frame: Frame) -> None:
    return None


def _statement(i: Interpreter, node: ir.Node, value: Value, frame: Frame) -> None:
    return None


def _derived(i: Interpreter, operation: str, parts: Sequence[Member], place: Place) -> None:
    return None


def _cheap(i: Interpreter) -> None:
    i.limit = 0


def _managed(i: Interpreter, manager: Member, inside: Callable[[Value], None], place: Place, frame: Frame) -> None:
    """Enter a context manager of a library: what its model says that `__enter__` gives. That of an exporter gives itself."""
    if isinstance(manager, Ref) and i.info(manager.oid).kind == "compiled":
        inside(manager)
        return
    cls = i.heap.get(manager.oid, ("#", "class")) if isinstance(manager, Ref) else None
    name = f"{cls.name}.__enter__" if isinstance(cls, External) else ""
    value = library.call_model(i, name, Arguments((manager,), places=(place,)), place, frame) if name else None
    inside(value if value is not None else i.symbolic(place, "entered"))


def python_operations() -> Operations:
    """Python alone."""
    return Operations(
        evaluate=evaluate,
        execute=statements.execute,
        call=callables.call,
        attribute=attributes.attribute,
        set_attribute=setting.set_attribute,
        iterate=iteration.iterate,
        truth=truths.truth,
        item=items.item,
        set_item=item_assignment.set_item,
        delete_item=item_assignment.delete_item,
        is_of_class=type_tests.is_of_class,
        binary=operators.binary,
        function=callables.define,
        define_class=classes.define_class,
        delegated=generators.delegated,
        managed=_managed,
        let_go=dying.let_go,
        annotated=classes.annotated,
        import_module=modules.import_module,
        import_from=modules.import_from,
        missing_name=modules.missing_name,
        external=external.external,
        array=_array,
        use=_use,
        compared=_compared,
        used=portions.used,
        read=_access,
        read_spot=_no_read,
        read_through=_access,
        written=_access,
        returned=_statement,
        raised=_statement,
        fails=lambda i, place, error, frame: False,
        discarded=_statement,
        derived=_derived,
        costly=_cheap,
    )


def mlx_operations() -> Operations:
    """Python with MLX."""
    return replace(
        python_operations(),
        array=arrays.operation,
        use=sinks.use,
        compared=sinks.compared,
        read=reads.python_read,
        read_spot=reads.read_spot,
        read_through=reads.read_through,
        written=writes.on_write,
        returned=_returned,
        raised=_raised,
        fails=_fails,
        discarded=_discarded,
        derived=sinks.derived,
        costly=activations.costly,
    )


def _returned(i: Interpreter, node: ir.Node, value: Value, frame: Frame) -> None:
    returning.on_return(i, node, value, frame)
    if frame.kind == "function":
        writes.escaping(i, value, into=journal.journal(i).returned)


def _raised(i: Interpreter, node: ir.Stmt, value: Value, frame: Frame) -> None:
    sinks.event(i, "raise", frame.place(node), "raise", frame)


def _fails(i: Interpreter, place: Place, error: str, frame: Frame) -> bool:
    return sinks.event(i, "raise", place, error, frame) is not None


def _discarded(i: Interpreter, node: ir.Expr, value: Value, frame: Frame) -> None:
    for member in members(value):
        if isinstance(member, Ref) and i.info(member.oid).kind == "compiled" and i.info(member.oid).place == frame.place(node):
            journal.note(i, events.Note("discarded", journal.where(frame.place(node)), "", member.oid, events.Modality()))


callables.register("compiled", compiled_calls.call)


def prepared_mlx(project: Project, table: Table, observer: Observer | None = None, wrappers: Collection[str] = ()) -> Interpreter:
    """An interpreter of Python with MLX. `wrappers`: dotted names of functions that compile as `mx.compile` does."""
    i = Interpreter(mlx_operations(), project, observer)
    i.wrappers = frozenset(wrappers)
    i.tracers = (*TRACERS, *wrappers)
    i.mlx = mlx_calls.Mlx(table, wrappers)
    i.table = table
    i.journal = journal.Journal()
    i.heap.new(Info("process", None, None))
    return i


def prepared(project: Project, observer: Observer | None = None) -> Interpreter:
    """An interpreter of Python alone."""
    return Interpreter(python_operations(), project, observer)


def run(i: Interpreter, source: Source) -> None:
    """Run a file's module level."""
    i.main = source
    with i.contained():
        modules.run_module(i, source, "__main__")


@some_room
def interpret(source: Source, project: Project, observer: Observer | None = None) -> Interpreter:
    """Run a file's module level, as Python alone."""
    i = prepared(project, observer)
    run(i, source)
    return i


@some_room
def analyse(source: Source, project: Project, table: Table, *, wrappers: Collection[str] = (), everything: bool = False) -> events.Log:
    """Return the facts of a file: of its module level, of what it compiles and never calls, and of the functions that nothing in sight calls.

    Raises what the parser raises, and RecursionError for what nests too deep for this stack. `everything`: all functions are taken to be
    compiled, and called as nothing in sight calls them.
    """
    project.lowered(source)
    i = prepared_mlx(project, table, wrappers=wrappers)
    if not everything and not wrappers and is_idle(project, source, i.tracers):
        return journal.journal(i).log()
    symbols = project.symbols(source, i.tracers)
    if not (symbols.sites or symbols.perhaps or everything):
        i.most, i.left = i.most // CALLERS_SHARE, i.left // CALLERS_SHARE
    try:
        run(i, source)
        module = i.modules.get(source.name)
        if module is not None:
            _enter(i, source, module, everything)
        log: events.Log = journal.journal(i).log()
        return log.but(classes=tuple(inheritance.classes(i, project, {compiled.site.span for compiled in log.compiled})))
    finally:
        i.release()


def _enter(i: Interpreter, source: Source, module: int, everything: bool) -> None:
    """Run what module level does not."""
    writes.note_kept(i, 0)
    restoring.ended(i)
    frame = lookup.module_frame(i, Ref(module))
    functions = candidates.callers_first(i, source, candidates.functions(i, source, module))
    held: candidates.Holding | None = None
    while held != (held := candidates.holding(i)):  # once objects are made, it is known under which names they hold what
        reaching = candidates.reaching(i, source, module, held)
        for function in functions:
            if reaching(i.info(function[0].oid).payload.node):  # type: ignore[attr-defined]
                entries.enter(i, function, frame)
    for function in list(candidates.calling_methods_elsewhere(i, source, functions)):
        entries.enter(i, function, frame)
    for function in list(candidates.decorated(i, source, module)):
        if Reach(i, (function[0], function[2] or NONE)).compiled:
            entries.enter(i, function, frame)
    differing = list(template_methods.differing(i, source, module, functions))
    for function in list(template_methods.inherited(i, source, differing, reaching)):
        entries.enter_inherited(i, function, frame)
    for holder in (Ref(module), *i.ledger.of(Standing).samples.values()):
        entries.enter_lying(i, holder or NONE, frame)
    uncalled.trace_uncalled(i, frame)
    owners = dict.fromkeys((*(cls for _, cls, _ in functions if cls is not None), *(cls for cls, _ in differing)))
    public_attributes.make_owners(i, source, module, owners, reaching, frame)
    client.clients(i, source, module, frame)  # what traces read decides what runs between two calls
    if everything:
        uncalled.compile_all(i, source, module, frame)
