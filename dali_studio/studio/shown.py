"""What a canvas shows: of which sample its pictures are, and the jobs that make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.studio.outputs.preview_renderer import PreviewRequest

if TYPE_CHECKING:
    from dali_studio.studio.protocol import requests
    from dali_studio.studio.session import Session

#: The largest whole number that the browser tells from the next.
_LAST_BATCH = 2**53 - 1


class Shown:
    """What a session's canvas shows.

    Attributes
    ----------
    iteration
        The batch.
    sample
        Which of its samples.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.sample = self.iteration = 0
        self._detail: requests.RequestDetail | None = None

    def choose(self, message: requests.ChooseSample) -> None:
        """Show another sample.

        Raises
        ------
        DaliStudioError
            DS105 if no batch has that number.
        """
        if message.iteration > _LAST_BATCH:
            text, hint = f"There is no batch {message.iteration + 1:,}.", f"Choose one from 1 to {_LAST_BATCH + 1:,}."
            raise DaliStudioError(Diagnostic(code="DS105", message=text, hint=hint))
        turned = message.iteration != self.iteration
        self.iteration, self.sample = max(message.iteration, 0), max(message.sample, 0)
        self.render(strip=turned)

    def look_at(self, message: requests.RequestDetail) -> None:
        """Show an output large, too; none if `message` names no node."""
        self._detail = message if message.key else None
        self._render_detail()

    def request(self) -> PreviewRequest:
        """What is shown now."""
        session = self._session
        self.sample = min(self.sample, session.graph.options.batch_size - 1)
        return PreviewRequest(session.current(), self.iteration, self.sample, session.since)

    def render(self, *, everything: bool = False, strip: bool = False) -> None:
        """Have the pictures made: those that have changed, or `everything`; also those of a new batch's `strip`."""
        request, worker, renderer = self.request(), self._session.worker, self._session.renderer
        if everything:
            renderer.resend()
        worker.submit("preview", lambda: renderer.cards(request))
        worker.insist("strip", lambda: renderer.strip(request, again=everything or strip))
        waited = worker.drop("detail")  # asked for another batch, perhaps a far one
        if waited or (self._detail and not self._detail.whole):
            self._render_detail()

    def _render_detail(self) -> None:
        request, wanted, renderer = self.request(), self._detail, self._session.renderer
        if wanted is not None:
            real = request.revision.cards.real(PortRef(node=wanted.key, output=wanted.output))
            wanted = msgspec.structs.replace(wanted, key=real.node, output=real.output)
            self._session.worker.submit("detail", lambda: renderer.detail(request, wanted))
