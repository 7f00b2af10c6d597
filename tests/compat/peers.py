"""The same program under two import prefixes, and the comparison of what it gives."""

from __future__ import annotations

import importlib
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from declared import Comparison
from members import as_numbers

from dali_studio.schema.tolerance import EXACT

Array = np.ndarray[Any, Any]
#: Batches by variable name; each becomes an external source. A pair adds the layout ("HWC" for three axes otherwise).
Data = Mapping[str, "Sequence[Array] | tuple[Sequence[Array], str]"]

OURS, THEIRS = "dali_studio", "nvidia.dali"


@dataclass(frozen=True)
class Output:
    """One output of one iteration."""

    dtype: str
    layout: str
    samples: list[Array]


def define(prefix: str, program: str, data: Data, names: Mapping[str, Any]) -> Any:
    """Run a definition: one expression, or lines that end with ``return``, over ``fn``, ``types`` and the variables."""
    space: dict[str, Any] = {
        "fn": importlib.import_module(f"{prefix}.fn"), "types": importlib.import_module(f"{prefix}.types"),
        "math": importlib.import_module(f"{prefix}.math"), "ops": importlib.import_module(f"{prefix}.ops"),
        "tfrecord": importlib.import_module(f"{prefix}.tfrecord"), "np": np, **names,
    }  # fmt: skip
    for name, given in data.items():
        batch, layout = given if isinstance(given, tuple) else (given, None)
        if layout is None and batch[0].ndim == 3:
            layout = "HWC"
        space[name] = space["fn"].external_source(source=_giver(batch), layout=layout)
    body = program if "return" in program else f"return {program.strip()}"
    exec(f"def program():\n{textwrap.indent(textwrap.dedent(body), '    ')}", space)
    return space["program"]()


def _giver(batch: Sequence[Array]) -> Callable[[], Sequence[Array]]:
    return lambda: batch


def pipeline(prefix: str, program: str, data: Data | None = None, names: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """The pipeline of a program; batch_size is the data's unless it is given."""
    data = data or {}
    sizes = [len(given[0] if isinstance(given, tuple) else given) for given in data.values()]
    settings = {"batch_size": sizes[0] if sizes else 3, "num_threads": 2, "device_id": None, "seed": 1234, **options}
    made = importlib.import_module(prefix).Pipeline(**settings)
    with made:
        outputs = define(prefix, program, data, names or {})
        made.set_outputs(*(outputs if isinstance(outputs, tuple | list) else (outputs,)))
    return made


def collect(batches: Sequence[Any]) -> list[Output]:
    """Copies of what one iteration returned."""
    types = [str(batch.dtype) for batch in batches]
    return [Output(dtype, b.layout(), [np.array(b.at(i)) for i in range(len(b))])
            for dtype, b in zip(types, map(as_numbers, batches), strict=True)]  # fmt: skip


def run(
    prefix: str, program: str, data: Data | None = None, iterations: int = 1, names: Mapping[str, Any] | None = None,
    **options: Any,
) -> list[list[Output]]:  # fmt: skip
    """Outputs by iteration."""
    made = pipeline(prefix, program, data, names, **options)
    made.build()
    return [collect(made.run()) for _ in range(iterations)]


def assert_equal(ours: Sequence[Output], theirs: Sequence[Output], tolerance: Comparison = EXACT, what: str = "") -> None:
    """Number of outputs and samples, element types, layouts, shapes and values."""
    assert len(ours) == len(theirs)
    for number, (mine, reference) in enumerate(zip(ours, theirs, strict=True)):
        where = f"{what} output {number}"
        assert (mine.dtype, mine.layout, len(mine.samples)) == (reference.dtype, reference.layout, len(reference.samples)), where
        for index, (result, expected) in enumerate(zip(mine.samples, reference.samples, strict=True)):
            tolerance.check(result, expected, f"{where} sample {index}")


def check(
    program: str, data: Data | None = None, tolerance: Comparison = EXACT, iterations: int = 1,
    names: Mapping[str, Any] | None = None, **options: Any,
) -> None:  # fmt: skip
    """The program gives the same under both prefixes."""
    ours = run(OURS, program, data, iterations, names, **options)
    theirs = run(THEIRS, program, data, iterations, names, **options)
    for number, (mine, reference) in enumerate(zip(ours, theirs, strict=True)):
        assert_equal(mine, reference, tolerance, f"iteration {number}")


def refused(program: str, data: Data | None = None, codes: str = "", names: Mapping[str, Any] | None = None, **options: Any) -> str:
    """Ours refuses the program, with a diagnostic (one of `codes`, if given) that says where and what to do; its text."""
    from dali_studio import DaliStudioError

    with pytest.raises(DaliStudioError) as caught:
        run(OURS, program, data, 1, names, **options)
    found = caught.value.diagnostics[0]
    assert not codes or found.code in codes.split(), str(found)
    assert found.code != "DS305", str(found)
    assert found.node or found.argument, str(found)
    assert found.message.endswith("."), str(found)
    assert found.hint, str(found)
    return str(caught.value)


def check_refused(program: str, data: Data | None = None, codes: str = "", names: Mapping[str, Any] | None = None, **options: Any) -> None:
    """Both refuse the program. Only for programs that nvidia.dali refuses by an exception: some bad calls crash it."""
    with pytest.raises((RuntimeError, TypeError, ValueError, KeyError, AttributeError, OverflowError, IndexError, StopIteration)):
        run(THEIRS, program, data, 1, names, **options)
    refused(program, data, codes, names, **options)
