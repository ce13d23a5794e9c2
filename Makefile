# A fresh machine needs Python 3.10 or newer, make and, for the tests that run MLX on the CPU, a C++ compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Byte code is kept: of the tests, whose asserts pytest rewrites, and of mxlint, which tests start in processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo fast release-check site test

demo: $(VENV)/.installed
	$(BIN)/mxlint check --exit-zero tests/fixtures/demo
	$(BIN)/mxlint check --exit-zero tests/fixtures/project

# What needs neither MLX nor --verify and is not slow: about a minute on two cores.
fast: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/pytest -n auto --dist worksteal -m "static and not slow"

test: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/pytest -n auto --dist worksteal

# The documentation, in build/site.
site: $(VENV)/.installed-dev
	$(BIN)/python scripts/site_build.py

# What a release has to pass beside the tests: two builds, uvx, pipx, the oldest dependencies. It asks the package index.
release-check: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --editable '.[release]'
	$(BIN)/python scripts/release_check.py

# The stamps make a second run start at once; a changed pyproject.toml installs again.
$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: pyproject.toml | $(VENV)/.created
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/.created
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.installed
