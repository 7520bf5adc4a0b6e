# Three commands for a stranger: `make demo`, `make test` and `make docs`. Everything they need goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements/lock.txt
STAMP := $(VENV)/.installed
PYTHONS := 3.11 3.12 3.13 3.14
PIP := -m pip install --quiet --disable-pip-version-check
# Tests start hundreds of processes: bytecode that is not kept is compiled in each of them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test units test-all test-lowest test-dist torture mutants docs pictures evidence workflows lint types wheel dist lock lowest clean

demo: $(STAMP)
	$(BIN)/steerbo demo

# Types are checked beside the tests: one core would have nothing to do meanwhile.
test: $(STAMP) lint
	$(MAKE) --no-print-directory --jobs=2 types units

# Each worker begins with a half of the tests, in order, and takes of the other's when it has done its own: what a class
# or a module has played is played once.
units: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The tests on every Python that is installed here, each with a virtual environment of its own.
test-all:
	@for version in $(PYTHONS); do \
	  if ! python$$version -c "" 2>/dev/null; then missing="$$missing $$version"; continue; fi; \
	  echo "Python $$version"; \
	  $(MAKE) --no-print-directory VENV=.venv-$$version PYTHON=python$$version .venv-$$version/.installed && \
	    .venv-$$version/bin/python -m pytest -n 2 --dist worksteal && passed="$$passed $$version" || failed="$$failed $$version"; \
	done; \
	echo "passed:$${passed:- none}; failed:$${failed:- none}; not found, so not tested:$${missing:- none}"; \
	[ -n "$$passed" ] && [ -z "$$failed" ]

# The tests with the lowest versions that pyproject.toml allows, on the lowest Python. What old packages say of newer
# Pythons and of each other is no error.
test-lowest:
	python3.11 -m venv .venv-lowest
	.venv-lowest/bin/python $(PIP) -r requirements/lowest.txt
	.venv-lowest/bin/python $(PIP) --no-deps --editable .
	.venv-lowest/bin/python -m pytest -n 2 --dist worksteal -W default::DeprecationWarning -W default::PendingDeprecationWarning \
	  -W default::SyntaxWarning

# Kills, crowds, damage and rubbish, for minutes; figures in evidence/torture.json.
torture: $(STAMP)
	$(BIN)/python -m tests.torture

# Faults seeded into the source, one at a time: which does no test notice? Some hours; MUTANTS="--count 36" takes a sample.
mutants: $(STAMP)
	$(BIN)/python -m tests.mutants $(MUTANTS)

# The pictures of docs/pictures/ anew, from the files beside them; that of the page needs Chromium.
pictures: $(STAMP)
	$(BIN)/python -m sitebuild.pictures

# The site, into site/: every page is run; a warning is an error. Open site/index.html.
docs: $(VENV)/.docs-installed
	$(BIN)/python -m mkdocs build --strict

$(VENV)/.docs-installed: $(STAMP) requirements/docs.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements/docs.txt
	touch $@

# The workflow files by two linters: are they valid, and is nothing left open that others could use?
workflows: $(STAMP)
	$(BIN)/python $(PIP) "check-jsonschema==0.39.0" "zizmor==1.32.0"
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline .github

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

# The core, registered: what is missing is played, and its page and the papers' are written from the runs.
evidence: $(STAMP)
	$(BIN)/pcb core --registration $$(cat evidence/runs/core.registration) > /dev/null
	$(BIN)/python -m partial_control_bench.store evidence/runs
	$(BIN)/python -m partial_control_bench.papers evidence

wheel: $(STAMP)
	$(BIN)/python -m build --wheel --outdir dist

# Wheel and source distribution, and whether an index would take them.
dist: $(STAMP)
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python $(PIP) "twine>=6.1"
	$(BIN)/python -m twine check --strict dist/*

# The tests that are in the source distribution, with the wheel, in an environment and a folder of their own.
test-dist:
	rm -rf build/dist && mkdir -p build/dist
	tar -xzf dist/steerbo-*.tar.gz -C build/dist --strip-components 1
	$(PYTHON) -m venv build/dist/.venv
	build/dist/.venv/bin/python $(PIP) -r $(LOCK)
	build/dist/.venv/bin/python $(PIP) --no-deps dist/steerbo-*.whl
	cd build/dist && .venv/bin/python -m pytest -n 2 --dist worksteal tests benchmarks

$(STAMP): pyproject.toml $(LOCK)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r $(LOCK)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable . --editable ./benchmarks
	touch $@

# Writes the exact versions that the tests run with.
lock:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable ".[plots,graphs,postgres]" --editable "./benchmarks[data,genetic]" --group test
	$(BIN)/pip freeze --exclude-editable --exclude pip | sort -f > $(LOCK)

# Writes the lowest versions that pyproject.toml allows, and what these need on Python 3.11. Needs uv. Versions of typer
# before 0.16 need a click before 8.2, and test clients of old Starlettes need httpx; neither says so itself.
lowest:
	rm -f requirements/lowest.txt  # or uv would prefer what stands there
	printf 'click>=8.1.7,<8.2\nhttpx>=0.27\npooch>=1.8\npymoo>=0.6.1.5\n' | \
	uv pip compile --quiet --no-header --no-annotate --resolution lowest-direct --python-version 3.11 pyproject.toml - \
	  --extra plots --extra graphs --extra postgres --extra optuna --extra pandas --extra serve --extra gest --group test \
	  --output-file requirements/lowest.txt

clean:
	rm -rf $(VENV) .venv-* dist build out demo site .mypy_cache .ruff_cache .hypothesis
