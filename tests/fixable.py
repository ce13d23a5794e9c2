"""Programs with findings that have fixes: each calls what is compiled at least three times, with other arguments, state or loop variables."""

from __future__ import annotations

PROGRAMS = {
    "a loss printed": """\
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
from functools import partial

mx.random.seed(0)
model = nn.Linear(3, 1)
opt = optim.SGD(learning_rate=0.1)
state = [model.state, opt.state]


def loss_fn(model, x, y):
    return nn.losses.mse_loss(model(x), y)


@partial(mx.compile, inputs=state, outputs=state)
def step(x, y):
    loss, grads = nn.value_and_grad(model, loss_fn)(model, x, y)
    opt.update(model, grads)
    # keep an eye on it
    print("loss is", loss)  # TODO: logging
    return loss


for i in range(4):
    x = mx.ones((2, 3)) * (i + 1)
    y = mx.ones((2, 1))
    l = step(x, y)
    mx.eval(state)
    print(l.item())
""",
    "a method that is kept prints": """\
import mlx.core as mx


class Trainer:
    def __init__(self, w):
        self.w = w
        self.step = mx.compile(self._step)

    def _step(self, x):
        y = x * self.w
        print("y:", y)
        return y + 1

    def run(self, n):
        for i in range(n):
            out = self.step(mx.ones(2) * i)
            print(out.tolist())


Trainer(mx.array([1.0, 2.0])).run(4)
""",
    "a counter of the object": """\
import mlx.core as mx


class Sched:
    def __init__(self):
        self.count = 0
        self.fn = mx.compile(self._fn)

    def _fn(self, x):
        return x * self.count

    def __call__(self, x):
        self.count += 1
        return self.fn(x)


s = Sched()
for i in range(4):
    print(s(mx.array([1.0, 2.0]) + i).tolist())
""",
    "a global number": """\
import mlx.core as mx

SCALE = 1.0


@mx.compile
def f(x):
    return mx.exp(x) * SCALE


def main():
    global SCALE
    for i in range(4):
        SCALE = SCALE / 2
        print(f(mx.array([0.1 * i])).tolist())


main()
""",
    "a list that grows": """\
import mlx.core as mx

history = []


@mx.compile
def step(x):
    y = mx.sin(x) * 2
    history.append(y)
    return y


for i in range(4):
    r = step(mx.array([float(i), 2.0]))
    print(r.tolist())
print([h.tolist() for h in history])
""",
    "noise": """\
import mlx.core as mx
mx.random.seed(1)
noisy = mx.compile(lambda x, s: x + s * mx.random.normal(x.shape))
for i in range(1, 5):
    print(noisy(mx.ones(3) * i, mx.array(0.1 * i)).tolist())
""",
    "half of the state": """\
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
from functools import partial
mx.random.seed(0)
model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
opt = optim.Adam(learning_rate=1e-2)
mx.eval(model.parameters())

def loss_fn(x, y):
    return mx.mean((model(x) - y) ** 2)

lg = nn.value_and_grad(model, loss_fn)

@partial(mx.compile, inputs=model.state, outputs=model.state)
def train_step(x, y):
    loss, g = lg(x, y)
    opt.update(model, g)
    return loss

for epoch in range(5):
    x = mx.arange(4).reshape(2, 2) * 0.1 + epoch
    loss = train_step(x, mx.ones((2, 1)))
    mx.eval(model.state, opt.state)
    print(round(loss.item(), 4))
""",
    "parameters captured": """\
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
from functools import partial
mx.random.seed(0)

model = nn.Linear(2, 2)
optimizer = optim.SGD(learning_rate=0.5)
mx.eval(model.parameters())


@partial(mx.compile, inputs=model.parameters())
def predict(x):
    return model(x)


def loss_fn(m, x):
    return (m(x) ** 2).sum()


vg = nn.value_and_grad(model, loss_fn)
for i in range(4):
    x = mx.ones((1, 2)) * (i + 1) * 0.1
    print(predict(x).tolist())
    loss, grads = vg(model, x)
    optimizer.update(model, grads)
    mx.eval(model.parameters(), optimizer.state)
""",
    "compiled in a loop": """\
import mlx.core as mx

xs = [mx.array([1.0, 2.0]), mx.array([3.0, 4.0]), mx.array([5.0, 6.0])]
total = mx.zeros(2)
for k, x in enumerate(xs):
    act = mx.compile(lambda z: mx.exp(-z) * (1 + z))
    total = total + act(x)
    print(k, total.tolist())
""",
    "compiled in a method": """\
import mlx.core as mx


class Sampler:
    def __init__(self, temp):
        self.temp = temp

    def logits(self, x):
        return mx.softmax(x / self.temp, axis=-1)

    def __call__(self, x):
        return mx.compile(self.logits)(x)


s = Sampler(0.7)
for i in range(4):
    print(s(mx.array([1.0, 2.0, float(i)])).tolist())
""",
    "compiled in a function": """\
import mlx.core as mx


def gelu(x):
    return x * 0.5 * (1 + mx.erf(x / 1.414))


def mlp(x, w):
    g = mx.compile(gelu)
    return g(x @ w)


w = mx.eye(2)
x = mx.array([[1.0, -1.0]])
for i in range(4):
    x = mlp(x + i, w)
    print(x.tolist())
""",
    "the offset of a cache": """\
import mlx.core as mx


class Cache:
    def __init__(self):
        self.offset = 0
        self.keys = None

    def update(self, k):
        self.keys = k if self.keys is None else mx.concatenate([self.keys, k], axis=0)
        self.offset += k.shape[0]
        return self.keys


@mx.compile
def rotate(q, offset):
    angle = mx.arange(2) * 0.5
    return q * mx.cos(angle * offset) + q * mx.sin(angle * offset)


cache = Cache()
tok = mx.array([[1.0, 2.0]])
for _ in range(5):
    q = rotate(tok, cache.offset)
    cache.update(q)
    tok = tok + q.sum() * 0.01
    print(q.tolist())
""",
    "the gradient of a compiled function": """\
import mlx.core as mx

@mx.compile
def loss(w, x):
    return mx.mean((x @ w) ** 2)

grad_fn = mx.grad(loss)
w = mx.array([1.0, -1.0])
for i in range(4):
    x = mx.array([[1.0, 2.0], [0.5, i]])
    w = w - 0.1 * grad_fn(w, x)
    print(w.tolist())
""",
    "heads split": """\
from functools import partial
import mlx.core as mx

H = 2

@partial(mx.compile, shapeless=True)
def split(x):
    B, L, D = x.shape
    return x.reshape(B, L, H, D // H) * 2

for n in range(2, 6):
    print(split(mx.arange(n * 4).reshape(1, n, 4).astype(mx.float32)).tolist())
""",
    "heads of an object": """\
from functools import partial
import mlx.core as mx
import mlx.nn as nn


class Attn(nn.Module):
    def __init__(self, dims, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.f = mx.compile(self.split, shapeless=True)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.n_heads, -1) + 1


a = Attn(6, 3)
for n in range(2, 6):
    print(a.f(mx.zeros((2, n, 6)) + n).tolist())
""",
    "a mean": """\
import mlx.core as mx

norm = mx.compile(lambda x: x - mx.sum(x, axis=1, keepdims=True) / x.shape[1], shapeless=True)
for n in (2, 3, 4, 5):
    print(norm(mx.arange(2 * n).reshape(2, n).astype(mx.float32)).tolist())
""",
    "a compiled method": """\
import mlx.core as mx
import mlx.nn as nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = mx.ones((d, d)) * 0.1

    @mx.compile
    def forward(self, x):
        '''One step.'''
        # through the weights
        return mx.tanh(x @ self.w)  # bounded


b = Block(2)
x = mx.ones((1, 2))
for i in range(4):
    x = b.forward(x + i)
    b.w = b.w * 1.5
    print(x.tolist())
""",
    "a compiled method with options": """\
from functools import partial
import mlx.core as mx


class Kernel:
    gain = 2.0

    @partial(mx.compile, shapeless=True)
    def apply(self, x: mx.array, *, bias: float = 0.5) -> mx.array:
        return mx.exp(x) * self.gain + bias


k = Kernel()
for i in range(2, 6):
    print(k.apply(mx.ones(i), bias=i / 2).tolist())
""",
    "a lazy table": """\
import mlx.core as mx

N = 64
freqs = mx.exp(-mx.arange(N) / N)
table = mx.cumsum(freqs * 2)


@mx.compile
def embed(x):
    return x * table[:4]


for i in range(4):
    print(embed(mx.ones(4) * i).tolist())
""",
    "a log record": """\
import logging
import mlx.core as mx
log = logging.getLogger(__name__)

@mx.compile
def f(x, y):
    z = x @ y
    log.warning(f"z = {z}")
    return z, z.sum()

for i in range(4):
    z, s = f(mx.ones((2, 2)) * i, mx.eye(2))
    print(z.tolist(), s.item())
""",
    "a number of a class": """\
import mlx.core as mx


class Cfg:
    temperature = 1.0


cfg = Cfg()


def sample(logits):
    return mx.softmax(logits / cfg.temperature)


fast = mx.compile(sample)
for t in (1.0, 0.5, 0.25, 2.0):
    cfg.temperature = t
    print(fast(mx.array([1.0, 2.0, 3.0])).tolist())
""",
    "a mode": """\
import mlx.core as mx

training = True

@mx.compile
def f(x):
    if training:
        return x * 2
    return x


for i in range(4):
    training = i % 2 == 0
    print(f(mx.array([1.0 * i])).tolist())
""",
    "a definition in a loop": """\
import mlx.core as mx


def fit(xs, ys, steps):
    w = mx.zeros(2)
    for s in range(steps):
        @mx.compile
        def grad(w, x, y):
            # least squares
            r = x @ w - y
            return x.T @ r

        w = w - 0.05 * grad(w, xs, ys)
        print(s, w.tolist())
    return w


fit(mx.array([[1.0, 2.0], [3.0, 4.0]]), mx.array([1.0, 2.0]), 4)
""",
    "a mask": """\
from functools import partial
import mlx.core as mx


@partial(mx.compile, shapeless=True)
def pad_mask(x):
    mask = mx.zeros(x.shape, dtype=mx.float32)
    return mx.exp(x) + mask, mask


for n in (2, 3, 4, 5):
    a, b = pad_mask(mx.ones((2, n)))
    print(a.tolist(), b.shape)
""",
    "three calls": """\
import mlx.core as mx


@mx.compile
def f(x):
    y = x * 3
    print("y =", y)
    return y


a = f(mx.array([1.0]))
b = f(mx.array([2.0]))
c = f(a + b)
print(a.tolist(), b.tolist(), c.tolist())
""",
    "a rate of an object": """\
import mlx.core as mx


class Opt:
    def __init__(self, lr):
        self.lr = lr
        self._update = mx.compile(self.update)

    def update(self, p, g):
        return p - self.lr * g


opt = Opt(0.1)
p_ = mx.array([1.0, 2.0])
for i in range(5):
    p_ = opt._update(p_, p_ * 2)
    opt.lr *= 0.5
    print(p_.tolist())
""",
    "a closure in a loop": """\
import mlx.core as mx


def make(w):
    def step(x):
        return mx.tanh(x * w)
    return step


def run(xs):
    outs = []
    for x in xs:
        fn = mx.compile(make(mx.array(2.0)))
        outs.append(fn(x))
    return outs


print([o.tolist() for o in run([mx.array([0.1 * i]) for i in range(4)])])
""",
    "checks beside a state": """\
from functools import partial

import mlx.core as mx

state = [mx.zeros(2)]


@partial(mx.compile, inputs=state, outputs=state)
def add(x, scale=1.0):
    '''Add to the state.'''
    # as wide as the state
    assert x.shape == (2,), "want two"

    # now add
    state[0] = state[0] + x * scale
    return state[0] * 2


for x in (mx.ones(2), mx.ones(3), mx.ones(2) * 2, mx.ones(1), mx.ones(2) * 5):
    try:
        print(add(x).tolist())
    except AssertionError as e:
        print("no:", e)
print(add.__doc__)
""",
    "a container bound anew": """\
from functools import partial

import mlx.core as mx

cache = {"k": mx.zeros(2)}


@partial(mx.compile, inputs=cache, outputs=cache)
def put(x):
    cache["k"] = cache["k"] + x
    return cache["k"] * 2


def reset(start):
    global cache
    cache = {"k": mx.zeros(2) + start * 10}


for epoch in range(3):
    for i in range(2):
        print(put(mx.ones(2) * i).tolist())
    reset(epoch + 1)
""",
    "a trainer that captures half": """\
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim

mx.random.seed(0)


class Trainer:
    def __init__(self):
        self.model = nn.Linear(2, 1)
        self.opt = optim.Adam(0.01)
        mx.eval(self.model.parameters())
        self.step = mx.compile(self._step, inputs=self.model.state, outputs=self.model.state)

    def loss(self, x, y):
        return ((self.model(x) - y) ** 2).mean()

    def _step(self, x, y):
        loss, grads = nn.value_and_grad(self.model, self.loss)(x, y)
        self.opt.update(self.model, grads)
        return loss


trainer = Trainer()
for i in range(5):
    print(round(trainer.step(mx.ones((3, 2)) * i, mx.zeros((3, 1))).item(), 4))
    mx.eval(trainer.model.state, trainer.opt.state)
""",
    "nothing returned": """\
import mlx.core as mx


@mx.compile
def split(x):
    a, b = x[:1], x[1:]
    a, b = a * 2, b * 3


for i in range(4):
    split(mx.array([1.0, float(i)]))
""",
    "two prints": """\
import mlx.core as mx


@mx.compile
def f(x):
    a = x + 1
    print("a", a)
    b = a * 2
    print("b", b)
    return b


for i in range(3):
    out = f(mx.array(float(i)))
    print(out.item())
""",
    "a method that returns its call": """\
import mlx.core as mx


class Recorder:
    def __init__(self):
        self.seen = []
        self.go = mx.compile(self._go)

    def _go(self, x):
        y = mx.cos(x)
        self.seen.append(y)
        return y

    def __call__(self, x):
        return self.go(x)


r = Recorder()
for i in range(4):
    print(r(mx.array(float(i))).item())
print([s.item() for s in r.seen])
""",
}
"""By what is wrong with them."""
