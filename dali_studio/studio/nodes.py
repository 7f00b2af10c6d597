"""The nodes of an open designer, for the notebook: what the canvas shows of them, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.tensors import TensorListCPU
from dali_studio.graph.edits import PortRef
from dali_studio.graph.node import Node
from dali_studio.studio.session import Session


@dataclass(frozen=True)
class OpenNode:
    """One node of a designer, as it is now.

    Attributes
    ----------
    name : str
        Its name on the canvas.
    """

    _session: Session
    name: str

    @property
    def node(self) -> Node:
        """Its operator, device and arguments."""
        return self._session.graph.node(self.name)

    def output(self, index: int = 0, sample: int | None = None) -> NDArray[Any]:
        """The result that the canvas shows, with the same random numbers; one with a probability may pass its input.

        Parameters
        ----------
        index
            Which output.
        sample
            Which sample of the shown batch, from 0; the shown one if not given.

        Raises
        ------
        DaliStudioError
            If it cannot be computed.
        """
        chosen = None if sample is None else [sample]
        batch = self._session.answers.output(self._port(index), chosen)
        return np.array(batch.samples[0])

    def outputs(self, index: int = 0) -> TensorListCPU:
        """The results of the whole shown batch (parameters and errors as in `output`)."""
        whole = range(self._session.graph.options.batch_size)
        batch = self._session.answers.output(self._port(index), whole)
        return TensorListCPU([np.array(sample) for sample in batch.samples], batch.layout or None)

    def _port(self, index: int) -> PortRef:
        return self._session.current().cards.real(PortRef(node=self.name, output=index))

    def __repr__(self) -> str:
        node = self.node
        return f"{self.name}: fn.{node.operator} on {node.device}"


class Nodes(Mapping[str, OpenNode]):
    """All nodes of a designer by name."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getitem__(self, name: str) -> OpenNode:
        if name not in self._session.graph:
            raise KeyError(f"There is no node called {name!r}; there are {', '.join(self) or 'none'}.")
        return OpenNode(self._session, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._session.graph)

    def __len__(self) -> int:
        return len(self._session.graph)

    def __repr__(self) -> str:
        return f"Nodes({', '.join(self)})"
