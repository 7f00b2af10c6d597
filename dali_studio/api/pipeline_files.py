"""What a pipeline writes to files, and reads from them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from dali_studio.api.checkpoints import Checkpoint
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.api.expected import ExpectedOutputs
from dali_studio.api.serialized.messages import Definition
from dali_studio.api.serialized.read import Reading, definition_in, options_of
from dali_studio.api.serialized.write import serialized
from dali_studio.codegen.diagrams import dot
from dali_studio.graph.model import Graph


class PipelineFiles(ABC):
    """The part of `Pipeline` that writes it down: its definition, in nvidia.dali's form, and where its run is."""

    _expected: ExpectedOutputs
    _checkpointing: bool
    _checkpoint: Checkpoint | None
    _engine: Engine | None

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """A copy of the graph (the definition runs if it has not)."""

    @abstractmethod
    def define(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Let a function define the operators; the outputs are what it returns."""

    @abstractmethod
    def build(self) -> None:
        """Check the definition, compile it and open its sources."""

    @abstractmethod
    def _built(self) -> Engine:
        """What runs the pipeline; it is built if it has not been."""

    @classmethod
    def deserialize(
        cls, serialized_pipeline: bytes | None = None, filename: str | os.PathLike[str] | None = None, **kwargs: Any
    ) -> Self:
        """A built pipeline that `serialize` of nvidia.dali or dali_studio has written.

        Parameters
        ----------
        serialized_pipeline : bytes, optional
            What `serialize` returned.
        filename : str, optional
            The file with it instead, such as a ``model.dali`` of Triton.
        **kwargs
            Arguments of Pipeline in place of those that are written.

        Raises
        ------
        ValueError
            If both are given, or none.
        DaliStudioError
            DS401 for other bytes, DS502 for operators that only a Python program can hold.
        """
        if (serialized_pipeline is None) == (filename is None):
            raise ValueError("Pipeline.deserialize takes either serialized_pipeline or filename.")
        made = cls.from_definition(*definition_in(serialized_pipeline or Path(filename or "")), **kwargs)
        made.build()
        return made

    @classmethod
    def from_definition(cls, definition: Definition, name: str, **options: Any) -> Self:
        """The pipeline of a serialized one, which is called `name` in errors."""
        made = cls(**{**options_of(definition), **options})
        made.define(Reading(definition, name).outputs)
        return made

    def deserialize_and_build(self, serialized_pipeline: bytes) -> None:
        """Take the operators of a serialized pipeline, with this one's batch size, threads and device."""
        self.define(Reading(*definition_in(serialized_pipeline)).outputs)
        self.build()

    def serialize(
        self, define_graph: Callable[[], Any] | None = None, filename: str | os.PathLike[str] | None = None
    ) -> bytes:
        """The definition as bytes, which `deserialize` of nvidia.dali and dali_studio reads.

        Parameters
        ----------
        define_graph : callable, optional
            Defines the operators in place of the method.
        filename : str, optional
            File to which it is written, too.

        Raises
        ------
        DaliStudioError
            DS501 for what only a Python program can hold.
        """
        if define_graph is not None:
            self.define(define_graph)
        made = serialized(self.graph, default_registry(), self._expected, checkpointing=self._checkpointing)
        if filename is not None:
            Path(filename).write_bytes(made)
        return made

    def checkpoint(self, filename: str | os.PathLike[str] | None = None) -> bytes:
        """The place in the run, as of the last iteration that was returned.

        Parameters
        ----------
        filename : str, optional
            File to which it is written, too.

        Returns
        -------
        bytes
            For ``Pipeline(checkpoint=...)`` of the same definition.

        Raises
        ------
        DaliStudioError
            DS304 without ``enable_checkpointing=True``.
        """
        made = self._built().checkpoint().encode()
        if filename is not None:
            Path(filename).write_bytes(made)
        return made

    def iterator_checkpoint(self, iterator: dict[str, Any]) -> bytes:
        """A checkpoint that holds what an iterator adds."""
        return self._built().checkpoint(iterator).encode()

    @property
    def is_restored_from_checkpoint(self) -> bool:
        """Whether the pipeline was built, and goes on where a checkpoint was made."""
        return self._engine is not None and self._checkpoint is not None

    @property
    def enable_checkpointing(self) -> bool:
        """Whether the pipeline gives checkpoints."""
        return self._checkpointing

    @property
    def iterator_state(self) -> dict[str, Any] | None:
        """What an iterator has added to the checkpoint from which the pipeline was restored."""
        return None if self._checkpoint is None else self._checkpoint.iterator

    def save_graph_to_dot_file(
        self, filename: str | os.PathLike[str], *, show_tensors: bool = False, show_ids: bool | None = None,
        use_colors: bool = False,
    ) -> None:  # fmt: skip
        """Write the graph for Graphviz: operators with their devices, tensors as wires.

        Parameters
        ----------
        filename : str
        show_tensors, show_ids, use_colors : bool
            Accepted without effect.
        """
        del show_tensors, show_ids, use_colors
        Path(filename).write_text(dot(self.graph), "utf-8")


def read_serialized(data: bytes | str | os.PathLike[str]) -> Graph:
    """The graph in a file, or in its bytes, that ``Pipeline.serialize`` of nvidia.dali or dali_studio has written.

    Raises
    ------
    DaliStudioError
        DS401 if it is no such file, DS502 for operators that only a Python program can hold.
    """
    from dali_studio.api.pipeline import Pipeline  # noqa: PLC0415 - which derives from the class above

    return Pipeline.from_definition(*definition_in(data if isinstance(data, bytes) else Path(data))).graph
