"""Sources, generators and effects that the models claim, against CPython; and what earlier tables of the project knew."""

from __future__ import annotations

import random
from typing import Any

import pytest

from models.covering import found, real_object
from mxlint.models import load

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "random.uniform": (1, 2), "random.triangular": (), "random.randint": (1, 2**60), "random.choice": (range(2**60),), "random.randrange": (2**60,),
    "random.sample": (range(2**40), 2), "random.shuffle": (list(range(50)),), "random.choices": (range(2**40),), "random.normalvariate": (),
    "random.lognormvariate": (0, 1), "random.expovariate": (1,), "random.vonmisesvariate": (0, 1), "random.gammavariate": (1, 1), "random.gauss": (),
    "random.betavariate": (1, 1), "random.paretovariate": (1,), "random.weibullvariate": (1, 1), "random.getrandbits": (60,), "random.randbytes": (8,),
    "random.random": (), "random.binomialvariate": (1000,),
}  # fmt: skip
DRAWS = [name for name in load.names("random") if name.count(".") == 1 and (model := load.model(name)) and model.draws == "random"]


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_of_the_module_advances_its_generator_and_follows_its_seed(name: str) -> None:
    call = real_object(name)
    random.seed(7)
    before = random.getstate()
    first = call(*ARGUMENTS[name])
    after = random.getstate()
    assert after != before
    random.seed(7)
    assert call(*([list(range(50))] if name == "random.shuffle" else ARGUMENTS[name])) == first


@pytest.mark.parametrize("name", ["random.seed", "random.setstate"])
def test_what_sets_the_state_is_no_draw(name: str) -> None:
    model = found(name)
    assert (model.seeds, model.draws, model.source) == ("random", "", "")


SYSTEM: dict[str, tuple[Any, ...]] = {
    "os.urandom": (8,),
    "secrets.token_hex": (),
    "secrets.token_bytes": (),
    "secrets.randbits": (60,),
    "uuid.uuid4": (),
}


@pytest.mark.parametrize("name", SYSTEM)
def test_a_draw_of_the_system_has_no_seed(name: str) -> None:
    results = set()
    for _ in range(2):
        random.seed(7)
        before = random.getstate()
        results.add(str(real_object(name)(*SYSTEM[name])))
        assert random.getstate() == before
    assert len(results) == 2 and found(name).draws == "system"


FROZEN = [
    "time.time", "time.time_ns", "time.perf_counter", "time.perf_counter_ns", "time.monotonic", "time.monotonic_ns", "time.process_time",
    "time.process_time_ns", "time.localtime", "time.gmtime", "time.ctime", "time.strftime", "datetime.datetime.now", "datetime.datetime.utcnow",
    "datetime.datetime.today", "datetime.date.today", "os.urandom", "os.getrandom", "os.times", "builtins.input", "uuid.uuid1", "uuid.uuid4",
    "secrets.token_hex", "secrets.choice", "random.random", "random.Random.random", "random.SystemRandom.random",
]  # fmt: skip


@pytest.mark.parametrize("name", FROZEN)
def test_what_differs_each_time_has_a_source(name: str) -> None:
    assert found(name).source in {"clock", "random", "input"}


@pytest.mark.parametrize("name", ["time.localtime", "time.gmtime", "time.ctime"])
def test_a_clock_is_not_asked_when_the_time_is_given(name: str) -> None:
    assert real_object(name)(0) == real_object(name)(0)
    assert found(name).source_without in [p.name for p in found(name).parameters]


@pytest.mark.parametrize(
    "name", ["math.sqrt", "builtins.len", "os.path.join", "json.dumps", "time.strptime", "random.getstate", "random.Random.getstate"]
)
def test_what_is_pure_draws_nothing_and_has_no_effect(name: str) -> None:
    assert not found(name).draws and found(name).effect is None


LEVELS = {"debug": "10", "info": "20", "warning": "30", "error": "40", "exception": "40", "critical": "50"}


@pytest.mark.parametrize("owner", ["logging", "logging.Logger", "logging.LoggerAdapter"])
@pytest.mark.parametrize("name", LEVELS)
def test_a_log_record_has_its_level(owner: str, name: str) -> None:
    effect = found(f"{owner}.{name}").effect
    assert effect is not None and (effect.kind, effect.detail) == ("logs", LEVELS[name])


@pytest.mark.parametrize("name", ["sys.exit", "os._exit", "os.abort", "builtins.exit", "builtins.quit"])
def test_what_ends_the_program_does_not_return(name: str) -> None:
    assert str(found(name).result) == "never"


CALLED: dict[str, tuple[str, str]] = {
    "builtins.map": ("func", "each"), "builtins.sorted": ("key", "each"), "functools.reduce": ("function", "each"),
    "threading.Thread": ("target", "beside"), "threading.Timer": ("function", "beside"), "concurrent.futures.Executor.submit": ("fn", "beside"),
    "concurrent.futures.ThreadPoolExecutor.map": ("fn", "beside"), "atexit.register": ("func", "later"), "multiprocessing.Process": ("target", "later"),
    "collections.defaultdict": ("default_factory", "later"), "asyncio.to_thread": ("func", "beside"), "signal.signal": ("handler", "later"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLED)
def test_callbacks_are_known(name: str) -> None:
    parameter, times = CALLED[name]
    assert (parameter, times) in {(each.function.name, each.times) for each in found(name).calls}
