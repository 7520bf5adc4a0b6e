# Two commands for a stranger: `make demo` and `make test`. Everything they need goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements/lock.txt
STAMP := $(VENV)/.installed

.PHONY: demo test torture lint types wheel lock clean

demo: $(STAMP)
	$(BIN)/steerbo demo

test: $(STAMP) lint types
	$(BIN)/python -m pytest -n 2

# Kills, crowds, damage and rubbish, for minutes; figures in docs/results/torture.json.
torture: $(STAMP)
	$(BIN)/python -m tests.torture

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

# Speed against plain rivals, such as `make bench-meanfield`, written to docs/results/bench-meanfield.json; rivals
# that are not installed (pip install '.[peers]') are left out.
bench-%: $(STAMP)
	$(BIN)/python -m benchmarks.speed $*

wheel: $(STAMP)
	$(BIN)/python -m build --wheel --outdir dist

$(STAMP): pyproject.toml $(LOCK)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r $(LOCK)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

# Writes the exact versions that the tests run with.
lock:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable ".[plots,graphs,data,genetic,postgres]" --group test
	$(BIN)/pip freeze --exclude-editable --exclude pip | sort -f > $(LOCK)

clean:
	rm -rf $(VENV) dist build out demo .mypy_cache .ruff_cache .hypothesis
