# For readers:
#   make reproduce   the default run with both reports: the papers' data in data/embedded, no network but the package registry
#   make show        the reports on what there is, beside the kept run: seconds, computes nothing
#   make whole       config/full.yaml: all that a mirror (TOPLABEL_MIRROR) or the network has; hours, and resumes
#   make verify      CELLS=20 published cells (MINUTES=30: those that fit into this together), from raw data, beside reports/summary
#   make docs        the site, build/docs/index.html
#   make clean       removes the environment and what was built
# For developers (CONTRIBUTING.md):
#   make test        linters, C tests with sanitizers, pytest with a small workflow and both reports
#   make check, make format, make lock, make wheel, make bench, make test-torch, make test-slurm, make test-versions, make test-platforms
#
# Each does its own set-up. Variables: CORES (2), PYTHON (python3), ARGS (added to snakemake or pytest).

PYTHON ?= python3
CORES ?= 2
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard csrc/*/*.[ch] csrc/Makefile pylib/build_native.py setup.py pyproject.toml)

# One BLAS thread each: the workflow runs jobs side by side, and results do not depend on the thread count.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
# A run starts some hundred processes: none compiles the sources again, or looks for plugins of pydantic, which it has not.
export PYTHONDONTWRITEBYTECODE :=
export PYDANTIC_DISABLE_PLUGINS := __all__

.PHONY: setup reproduce show whole verify test test-slurm test-torch test-versions test-platforms test-with bench check format ctest lock docs types wheel summary clean

setup: $(VENV)/.installed

$(VENV)/.locked: requirements.lock
	$(PYTHON) -c 'import sys; sys.exit("toplabel needs Python 3.11 or later") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

# Editable: Python sources are used in place; a changed C source compiles the extension again.
$(VENV)/.installed: $(VENV)/.locked $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

reproduce: setup
	$(BIN)/snakemake $(ARGS) --cores $(CORES)
	@echo "The report is reports/index.html."

show: setup
	$(BIN)/snakemake $(ARGS) --config show=true --cores $(CORES)

whole: setup
	$(BIN)/snakemake $(ARGS) --configfile config/full.yaml --cores $(CORES)

# Published cells drawn at random, from raw data in a folder of their own, beside reports/summary. With MINUTES, those that
# are known to take as little.
CELLS ?= 20

verify: setup
	$(BIN)/python -m toplabel.reproduction.verify --cells $(CELLS) $(if $(MINUTES),--minutes $(MINUTES)) --cores $(CORES) $(ARGS)

test: check ctest
	$(BIN)/python -m pytest -n $(CORES) $(ARGS)

# PyTorch is large, so nothing else installs it. Where pip is not told of a smaller build, this is the one for GPUs. Its
# hash is that of the build, which you choose, so none is asked for.
TORCH ?= torch==2.13.0
TORCH_VENV := build/torch
TORCH_INSTALLED := $(TORCH_VENV)/.installed-$(shell echo "$(TORCH)" | cksum | cut -d " " -f 1)

test-torch: setup $(TORCH_INSTALLED)
	PYTHONPATH=$(CURDIR)/pylib $(TORCH_VENV)/bin/python -m pytest -p no:cacheprovider tests/pytorch $(ARGS)

$(TORCH_INSTALLED): requirements.lock
	$(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(TORCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH) onnx onnxruntime
	touch $@

# The library's tests with the lowest versions that pyproject.toml names, and with the highest of all, Python's too. The
# extension is that of the checkout: it serves every Python from 3.11 on.
NEWEST_PYTHON ?= $(shell python3.13 -c "" 2> /dev/null && echo python3.13 || echo $(PYTHON))
PINS := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"])
VERSION_TESTS := $(wildcard tests/unit/test_estimators*.py tests/unit/test_simplex_*.py) tests/unit/test_metrics.py tests/property/test_metrics_oracles.py \
	tests/unit/test_solver_inputs.py tests/unit/test_data_fetch.py tests/unit/test_data_readers.py

test-versions: setup
	$(MAKE) test-with ROOM=build/oldest WITH="$$($(BIN)/python -c '$(PINS)' | sed 's/>=/==/g')"
	$(MAKE) test-with ROOM=build/newest WITH="$$($(BIN)/python -c '$(PINS)')" PYTHON=$(NEWEST_PYTHON)

test-with:
	$(PYTHON) -m venv --clear $(ROOM)
	$(ROOM)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-binary liac-arff \
		$(WITH) pytest hypothesis pandas array-api-strict pydantic pyyaml filelock h5py liac-arff
	$(ROOM)/bin/python -m pip list --disable-pip-version-check | grep -iE "^(numpy|scipy|cffi|scikit-learn) "
	PYTHONPATH=$(CURDIR)/pylib $(ROOM)/bin/python -m pytest -q -p no:cacheprovider -o addopts= $(VERSION_TESTS) $(ARGS)

# The C test programs under emulation (csrc/tests/platforms.sh): ten minutes on one core. PLATFORMS="s390x musl": these alone.
test-platforms:
	$(MAKE) --silent -C csrc platforms PLATFORMS="$(PLATFORMS)"

# A controller on this machine, cores and memory of its node on paper (tests/cluster/slurm.sh). The plugins are in a
# folder of their own: Snakemake asks Slurm at each start where it finds them.
SLURM_PLUGINS := build/slurm

test-slurm: setup $(SLURM_PLUGINS)/.installed
	PYTHONPATH=$(CURDIR)/$(SLURM_PLUGINS) tests/cluster/slurm.sh run $(BIN)/python -m pytest -p no:cacheprovider \
		--durations=0 tests/cluster/slurm_faults.py tests/workflow/test_submit_script.py $(ARGS)

$(SLURM_PLUGINS)/.installed: tests/cluster/requirements.lock | $(VENV)/.installed
	tests/cluster/slurm.sh install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --target $(SLURM_PLUGINS) -r $<
	touch $@

# Data sets and options of benchopt, as `make bench BENCH="-d tiny -r 1"`.
BENCH ?= -d synthetic -d published -r 3 --timeout 300
bench: setup $(VENV)/.peers
	$(BIN)/benchopt run benchmarks --max-runs 1000 --no-cache --no-display $(BENCH)
	$(BIN)/python benchmarks/kernels.py $(ARGS)
	$(BIN)/python benchmarks/ratios.py
	$(BIN)/python benchmarks/jobs.py $(ARGS)


# Solvers to compare with that nothing else needs, their latest versions; the benchmark says which of them it has to do
# without.
$(VENV)/.peers: | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "benchopt>=1.10"
	for peer in spams-bin snapml; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: $$peer || \
			echo "bench: $$peer cannot be installed here and is left out"; \
	done
	touch $@

# What documents, releases and `make lock` need and nothing else does.
$(VENV)/.release: requirements-release.lock | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	touch $@

# Without network. A warning is an error: a link without target, a docstring that cannot be read, an example that fails.
docs: setup $(VENV)/.release
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --doctree-dir build/doctrees docs build/docs

types: setup
	$(BIN)/mypy --strict --follow-imports=silent --cache-dir build/mypy tests/typing/public_api.py

# The wheel is built from the sdist, so that nothing can be missing there, and without network. auditwheel is for Linux.
DIST := build/dist
BARE := $(abspath build/bare)

wheel: setup $(VENV)/.release
	rm -rf $(DIST) $(BARE)
	$(BIN)/python -m build --no-isolation --outdir $(DIST) .
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --strip --wheel-dir $(DIST) $(DIST)/toplabel-*-linux_*.whl
	rm $(DIST)/toplabel-*-linux_*.whl
	$(PYTHON) -m venv $(BARE)
	grep == requirements.lock | tr -d '\\' > $(BARE)/versions.txt # the wheel is new, so no file has its hash
	$(BARE)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
		--constraint $(BARE)/versions.txt $(DIST)/toplabel-*.whl pytest hypothesis pandas
	env -u PYTHONPATH PATH="$(BARE)/bin" $(BARE)/bin/python -m pytest -q -p no:cacheprovider -o addopts= $(WHEEL_TESTS)
	ls -l $(DIST)

# They need neither the checkout nor a compiler.
WHEEL_TESTS := $(wildcard tests/unit/test_estimators*.py tests/property/test_prox.py)

ctest:
	$(MAKE) --silent --jobs=$(CORES) --output-sync -C csrc test sanitize WERROR=-Werror PYTHON=$(abspath $(BIN)/python)
	if command -v clang > /dev/null; then for level in -O0 -O3; do \
	  $(MAKE) --silent --jobs=$(CORES) --output-sync -C csrc unit CC=clang WERROR=-Werror \
	    BUILD=build/clang$$level CFLAGS=$$level || exit 1; done; fi

# The C flags (-Wall -Wextra -Wpedantic -Wshadow -Wconversion) are in csrc/Makefile.
check: setup
	$(BIN)/clang-format --dry-run -Werror csrc/*/*.[ch]
	$(MAKE) --silent --jobs=$(CORES) -C csrc WERROR=-Werror
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

format: setup
	$(BIN)/clang-format -i csrc/*/*.[ch]
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

# Versions stay as they are unless ARGS=--upgrade, or --upgrade-package NAME. Hashes of the files of all platforms.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command 'make lock'

lock: setup $(VENV)/.release
	echo 'setuptools>=77' | $(COMPILE) --extra dev $(ARGS) pyproject.toml - -o requirements.lock
	for file in requirements-release.lock tests/cluster/requirements.lock; do \
		sed -n 's/==.*//p' $$file | $(COMPILE) --no-deps $(ARGS) - -o $$file || exit 1; done

# What the documents need of a whole run, kept in reports/summary, and the documents from there.
RUN ?= results

summary: setup
	$(BIN)/python benchmarks/evidence/summary.py $(RUN) $(ARGS)

# Not .snakemake: without what it keeps of results/, Snakemake would take them for those of any code and config.
clean:
	rm -rf $(VENV) build csrc/build
