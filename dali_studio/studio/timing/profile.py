"""Times of a pipeline as an object of the notebook: a table, a figure, a frame of pandas, a trace."""

from __future__ import annotations

import html
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.studio.data.files import write_text
from dali_studio.studio.outputs.images import byte_count
from dali_studio.studio.protocol.run_messages import NodeTiming, RunFinished, Timeline
from dali_studio.studio.timing.timeline import chrome_trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = ("node", "device", "ms", "p95_ms", "share", "cpu_ms", "gpu_ms", "copies_ms", "bytes", "passing_bytes")


@dataclass(frozen=True, repr=False)
class Profile:
    """What a measured run has told; made by `Designer.profile`.

    Attributes
    ----------
    name : str
        Of the pipeline.
    run : RunFinished
        All numbers. Those of nodes, and `samples_per_second`, are of batches made one after the other.
    timeline : Timeline or None
        What the threads did in the last batches.
    """

    name: str
    run: RunFinished
    timeline: Timeline | None

    @property
    def alone(self) -> float:
        """Samples per second of batches that are made one after the other, while every node is measured."""
        return self.run.samples_per_second

    @property
    def in_pipeline(self) -> float:
        """Samples per second of batches that are made ahead, as in training; 0 if that was not measured."""
        return self.run.pipelined.samples_per_second

    def rows(self) -> list[dict[str, Any]]:
        """One row a node, the slowest first; times are medians over the batches, in milliseconds.

        ``bytes`` are held for the whole batch; ``passing_bytes`` are results that never exist all at once.
        """
        return [_row(timing) for timing in sorted(self.run.timings, key=lambda t: -t.milliseconds)]

    def to_frame(self) -> Any:
        """The rows as a ``pandas.DataFrame`` with the nodes as its index.

        Raises
        ------
        DaliStudioError
            DS601 if pandas is not installed.
        """
        try:
            import pandas as pd  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs, reportMissingImports]
        except ImportError as error:
            hint = "pip install pandas, or take rows(), which needs nothing."
            raise DaliStudioError(
                Diagnostic(code="DS601", message="A frame needs pandas, which is not installed.", hint=hint)
            ) from error
        made: Any = pd
        return made.DataFrame(self.rows(), columns=list(_COLUMNS)).set_index("node")

    def plot(self) -> Figure:
        """Times by node above, and what the threads did in the last batches below."""
        from matplotlib.figure import Figure  # noqa: PLC0415 - most sessions draw nothing

        rows, drawn = self.rows()[::-1], self.timeline
        heights = [max(1.2, 0.28 * len(rows)), *([0.35 * len(drawn.lanes) + 0.5] if drawn else [])]
        figure: Any = _in_notebooks(Figure)(figsize=(9, sum(heights) + 1.2), layout="constrained")
        axes = list(figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0])
        _bars(axes[0], rows)
        axes[0].set_title(self._headline(), loc="left", fontsize=10)
        if drawn is not None:
            _lanes(axes[1], drawn, [row["node"] for row in rows[::-1]])
        return figure

    def save_trace(self, path: str | Path) -> None:
        """Write the timeline for Perfetto and ``chrome://tracing``.

        Raises
        ------
        DaliStudioError
            DS304 if nothing ran on the CPU, DS302 if the file cannot be written.
        """
        if self.timeline is None:
            found = Diagnostic(code="DS304", message="This run has no timeline.", hint="Profile a pipeline that runs.")
            raise DaliStudioError(found)
        write_text(Path(path), chrome_trace(self.timeline, self.name))

    def _headline(self) -> str:
        ahead = f"{self.in_pipeline:,.0f} samples/s in the pipeline, " if self.in_pipeline else ""
        one = f"{self.alone:,.0f} one batch at a time ({self.run.milliseconds_per_batch:.3g} ms each)"
        return f"{self.name}: {ahead}{one}"

    def __repr__(self) -> str:
        table = [
            f"  {row['node']:<20} {row['ms']:>9.3f} ms  {row['share']:>5.0%}  {_memory(row)}"
            for row in self.rows()
        ]
        return "\n".join([self._headline(), *table, *(f"  {words}" for words in self._advice())])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("node", "device", "ms", "p95", "share", "memory"))
        body = "".join(
            f"<tr><th>{html.escape(row['node'])}</th><td>{row['device']}</td><td>{row['ms']:.3f}</td>"
            f"<td>{row['p95_ms']:.3f}</td><td>{row['share']:.0%}</td><td>{_memory(row)}</td></tr>"
            for row in self.rows()
        )
        advice = "".join(f"<p>{html.escape(words)}</p>" for words in self._advice())
        return f"<p>{html.escape(self._headline())}</p><table><tr>{head}</tr>{body}</table>{advice}"

    def _advice(self) -> list[str]:
        return [f"{advice.lead} {advice.proof} {advice.offer}" for advice in self.run.advice]


def _row(timing: NodeTiming) -> dict[str, Any]:
    copies = sum(copy.milliseconds for copy in timing.copies)
    size = timing.host + timing.gpu_memory
    values = (
        timing.key, timing.device, timing.milliseconds, timing.p95, timing.share, timing.cpu, timing.gpu, copies, size,
        timing.passing,
    )  # fmt: skip
    return dict(zip(_COLUMNS, values, strict=True))


def _memory(row: dict[str, Any]) -> str:
    """What a batch holds of a node's results; those that never exist all at once stand in brackets."""
    held, passing = row["bytes"], row["passing_bytes"]
    return f"({byte_count(passing)})" if passing and not held else byte_count(held)


def _bars(axes: Any, rows: list[dict[str, Any]]) -> None:
    axes.barh([row["node"] for row in rows], [row["ms"] for row in rows], color="#D9731C")
    axes.set_xlabel("ms of work per batch")
    axes.spines[["top", "right"]].set_visible(False)


def _in_notebooks(base: type[Figure]) -> type[Figure]:
    """Figures that cells show: others they show only once pyplot was imported."""

    class Shown(base):
        def _repr_png_(self) -> bytes:
            content = BytesIO()
            self.savefig(content, format="png")
            return content.getvalue()

    return Shown


def _lanes(axes: Any, drawn: Timeline, order: list[str]) -> None:
    """One colour a node, the slowest ones first; a legend of at most ten."""
    from matplotlib import colormaps  # noqa: PLC0415 - as the figure

    palette: Any = colormaps["tab10"]
    shades = {key: palette(number) if number < 10 else (0.7, 0.7, 0.7, 1.0) for number, key in enumerate(order)}
    for number, key in enumerate(drawn.keys):
        for lane in range(len(drawn.lanes)):
            spans = [(begin, end - begin) for k, at, begin, end in drawn.slices if k == number and at == lane]
            named = key if key in order[:10] and lane == 0 else "_"
            axes.broken_barh(spans, (lane - 0.4, 0.8), color=shades.get(key, "grey"), label=named)
    for begin, _ in drawn.steps:
        axes.axvline(begin, color="black", linewidth=0.6)
    axes.set_yticks(range(len(drawn.lanes)), drawn.lanes)
    axes.invert_yaxis()
    axes.set_xlabel("ms; lines are the beginnings of batches")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=8)
