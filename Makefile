# The verbs of this project. Needs make and Python >= 3.11; no Node, compiler or GPU.
#   make try      a pipeline on sample photos: what each step gives and costs, and its pictures
#   make lab      JupyterLab with the designer and sample photos
#   make test     all tests; QUICK=1: two minutes of them        make lint   style, types, layers
#   make test-floors   some tests with the lowest versions of the dependencies
#   make bench    benchmarks       make generated   what is generated from the code
#   make verified runs the checks of operators and records them for docs/support.md
#   make kernels  compiles the C++ kernels for this processor     make levels   those for other processors, too
#   make wheels   releases for all platforms
#   make emulate  GPU tests of kernels on the CPU
#   make sanitize   kernels under clang's sanitizers      make arm64   kernels for arm64, emulated (qemu-user, Debian)
#   make endurance   long and repeated runs; ARGS="--device cpu" without a GPU
#   make fuzz     search for faults with mutated inputs, without end
#   make wheel    a release in dist/
# PYTHON=python3.12 chooses the interpreter of a new .venv; EXTRAS=dev,peer adds extras; ARGS passes options on.

PYTHON ?= python3
EXTRAS ?= dev
ARGS ?=
QUICK ?=
VENV := .venv
STAMPS := $(VENV)/.stamps
BIN := $(VENV)/bin
STATIC := dali_studio/studio/static
BUNDLE := $(STATIC)/widget.js
# Compiled kernels: for this processor, from sources that are compared by their contents.
KERNELS := dali_studio/kernels/build.py $(wildcard dali_studio/kernels/cpu/*.?pp dali_studio/kernels/include/*.hpp)
# Shows on one line what a command is at, and all that it said if it fails.
SHOW := "$(CURDIR)/$(BIN)/python" "$(CURDIR)/.ci/progress.py"
FRONTEND := extension/package.json extension/package-lock.json extension/build.mjs \
	$(shell find extension/packages -name node_modules -prune -o -type f \( -name '*.ts' -o -name '*.tsx' -o -name '*.css' \) -print 2>/dev/null)
# Node and npm come from PyPI into the environment; the build must find them first.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Not `npm ci`: it demands every platform's optional packages of the registry, and not each mirror has them all.
NPM_INSTALL := $(SHOW) "Installing what the designer is built of" npm install --no-save --no-fund --no-audit --loglevel=error
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup try lab test test-floors bench kernels levels emulate sanitize arm64 endurance fuzz lint generated verified frontend frontend-test wheel wheels clean
.DELETE_ON_ERROR:

setup: $(STAMPS)/ready
	@:

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "DALI Studio needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Run: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) .ci/progress.py "Making the environment $(VENV)" $(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# What builds the package, without isolation afterwards: one Node and one compiler in the environment serve all builds.
$(STAMPS)/builders: pyproject.toml | $(STAMPS)/venv
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], "editables>=0.5", sep="\n")' > $(STAMPS)/builders.txt
	@$(SHOW) "Installing what builds the package (Node and a C++ compiler from PyPI)" $(BIN)/python -m pip install -r $(STAMPS)/builders.txt
	@touch $@

$(STAMPS)/kernels: $(KERNELS) $(STAMPS)/builders
	@$(BIN)/python dali_studio/kernels/build.py --level native
	@touch $@

kernels: $(STAMPS)/kernels

# For all levels of processors, which tests compare.
$(STAMPS)/levels: $(STAMPS)/kernels
	@$(BIN)/python dali_studio/kernels/build.py
	@touch $@

levels: $(STAMPS)/levels

$(STAMPS)/package-$(EXTRAS): pyproject.toml hatch_build.py $(STAMPS)/builders | $(STAMPS)/kernels
	@$(SHOW) "Installing DALI Studio into $(VENV), building the designer if need be" \
		$(BIN)/python -m pip install --verbose --no-build-isolation --editable '.[$(EXTRAS)]'
	@touch $@

# A fresh checkout gets its bundle from the installation above; edited sources are bundled anew here.
$(BUNDLE): $(FRONTEND) | $(STAMPS)/package-$(EXTRAS)
	@if [ ! -f $@ ] || [ -n "$$(find $(FRONTEND) -newer $@)" ]; then \
		cd extension && $(NPM_INSTALL) && $(SHOW) "Building the designer" npm run build; fi
	@touch $@

frontend: $(BUNDLE)

$(STAMPS)/ready: $(BUNDLE) $(STAMPS)/package-$(EXTRAS) $(STAMPS)/kernels
	@touch $@

try: $(STAMPS)/ready
	@$(BIN)/dali-studio run $(ARGS)

# Opens a copy of the notebook: what is run and saved there leaves the checkout as it is.
lab: $(STAMPS)/ready
	@$(BIN)/dali-studio lab $(ARGS)

test: $(STAMPS)/ready $(if $(QUICK),,$(STAMPS)/levels)
	@$(BIN)/python -m pytest $(if $(QUICK),--quick) $(ARGS)

# A second environment with the lowest versions that pyproject.toml allows, and what of the tests concerns them. It has
# neither nvidia.dali nor PyTorch, so CI, which would make their absence an error, is not set.
FLOORS := .venv-floors
FLOORS_TESTS := tests/unit tests/studio tests/properties tests/architecture/test_layers.py tests/architecture/test_generated.py
# What the compiler makes of the kernels does not depend on the dependencies.
FLOORS_TESTS += $(addprefix --ignore=tests/unit/kernels/test_,levels.py build.py)
$(FLOORS)/.installed: pyproject.toml
	@test -x $(FLOORS)/bin/python || $(PYTHON) .ci/progress.py "Making the environment $(FLOORS)" $(PYTHON) -m venv $(FLOORS)
	@$(FLOORS)/bin/python tests/lowest.py > $(FLOORS)/lowest.txt
	@$(PYTHON) .ci/progress.py "Installing the lowest versions of the dependencies" $(FLOORS)/bin/python -m pip install -r $(FLOORS)/lowest.txt
	@touch $@

test-floors: $(BUNDLE) $(FLOORS)/.installed
	@env -u CI PYTHONPATH=$(CURDIR) PYTHONDONTWRITEBYTECODE=1 \
		$(FLOORS)/bin/python -m pytest -p no:cacheprovider $(FLOORS_TESTS) $(ARGS)

bench: $(STAMPS)/ready
	@$(BIN)/python tests/benchmarks $(ARGS)
	@$(BIN)/python tests/benchmarks/latency.py

# The GPU's kernels, compiled for the CPU (tests/emulation): the tests of pixels, launches and placement, none of the JPEG hardware.
EMULATED := $(addprefix tests/gpu/test_,$(addsuffix .py,bytes conformance operators copies fusion jpeg_kernels launches placement warp_affine))
emulate: $(STAMPS)/ready
	@PYTHONPATH=tests/emulation $(BIN)/python -m pytest $(EMULATED) $(ARGS)

# Tests of the CPU's kernels while clang's sanitizers (address and undefined behaviour, thread) watch them.
CLANG ?= clang++
sanitize: $(STAMPS)/ready
	@$(BIN)/python tests/sanitized.py --clang $(CLANG)

# Kernels for arm64 against this processor's, byte by byte.
arm64: $(STAMPS)/ready
	@$(BIN)/python .ci/progress.py "Unpacking an arm64 Python into build/arm64" sh tests/arm64.sh build/arm64 $(BIN)/python
	@$(BIN)/python -m pytest tests/unit/kernels/test_levels.py -k arm64 $(ARGS)

endurance: $(STAMPS)/ready
	@$(BIN)/python tests/benchmarks/endurance.py $(ARGS)

# Ends by itself with ARGS="--seconds 600" or ARGS="--inputs 1000000"; tests/fuzz/README.md has the other options.
fuzz: $(STAMPS)/ready
	@$(BIN)/python tests/fuzz $(ARGS)

# All of them run, also after one has found something.
lint: $(STAMPS)/package-$(EXTRAS)
	@cd extension && { test -d node_modules || $(NPM_INSTALL); }
	@code=0; \
	$(BIN)/ruff check dali_studio tests || code=1; \
	$(SHOW) "Import contracts" $(BIN)/lint-imports --no-logo || code=1; \
	$(SHOW) "Types (pyright)" $(BIN)/pyright || code=1; \
	cd extension && { npm run --silent typecheck && npm run --silent lint; } || code=1; \
	exit $$code

frontend-test: $(STAMPS)/package-$(EXTRAS)
	@cd extension && { test -d node_modules || $(NPM_INSTALL); } && npm run --silent test -- --passWithNoTests

# The TypeScript of the messages, the stubs of fn and ops, the reference.
generated: $(STAMPS)/package-$(EXTRAS)
	@$(BIN)/python -m dali_studio.studio.codegen_ts
	@$(BIN)/python -m dali_studio.api.stubs
	@$(BIN)/python -m dali_studio.api.support_page
	@$(BIN)/python -m dali_studio.api.instantiations

# What the checks that follow from the declarations have shown, for docs/support.md; with a GPU also: ARGS=--gpu.
verified: $(STAMPS)/ready
	@$(BIN)/python tests/conformance/verified.py $(ARGS)
	@$(BIN)/python -m dali_studio.api.support_page

# The wheel and the sdist of a release, with a fresh bundle.
wheel: $(STAMPS)/package-$(EXTRAS)
	@rm -f $(STATIC)/widget.js $(STATIC)/widget.css
	@$(SHOW) "Building the wheel and the sdist" $(BIN)/hatchling build --directory dist

# One wheel for each platform, all compiled on this one.
wheels: wheel
	@for target in $$($(BIN)/python dali_studio/kernels/build.py --list); do \
		DALI_STUDIO_TARGET=$$target $(SHOW) "Building the wheel of $$target" $(BIN)/hatchling build --target wheel --directory dist || exit 1; done

clean:
	rm -rf $(VENV) $(FLOORS) $(STATIC) dali_studio/photos dali_studio/kernels/cpu/lib extension/node_modules build dist tests/.artifacts
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
