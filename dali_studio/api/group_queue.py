"""Iterations that are computed together: asked for as groups, handed out in parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any

from dali_studio.runtime.executor import Executor
from dali_studio.runtime.groups import AHEAD, Groups
from dali_studio.runtime.later import has_later
from dali_studio.runtime.prefetch import Prefetcher
from dali_studio.runtime.request import Request, Store

#: As for `Prefetcher.result`.
Told = Callable[[float], AbstractContextManager[None]]


class GroupQueue:
    """Groups of iterations between a prefetcher and who takes one iteration after the other.

    Ctrl+C may come with any call: what says where the run is changes between calls.

    Parameters
    ----------
    groups : Groups
        Says how many iterations are computed together.
    prefetcher : Prefetcher
        Gives the results of a request, and something else.
    executor : Executor
        Computes parts of what was decoded.
    batch_size : int

    Attributes
    ----------
    there : tuple or None
        Results of the next iterations that are computed, and how many they are; for who takes them.
    computed : int
        The iteration behind those that are there, or have failed.
    requested : int
        Behind what is under way, which may be more than what was asked for.
    """

    def __init__(
        self, groups: Groups, prefetcher: Prefetcher[Request, tuple[Store, Any]], executor: Executor, batch_size: int
    ) -> None:
        self.groups = groups
        self._prefetcher, self._executor, self._batch_size = prefetcher, executor, batch_size
        self.there: tuple[Store, int] | None = None
        self.computed = self.requested = 0
        #: Groups that are being decoded, and the one that is there, of which iterations are left to be computed.
        self._requests: deque[Request] = deque()
        self._decoded: tuple[Request, Store] | None = None

    def begin_at(self, iteration: int) -> None:
        """Where the run begins."""
        self.requested = self.computed = iteration

    def request(self, asked: int) -> None:
        """Ask for the iterations up to the one that the user has asked for, and for what is computed ahead."""
        while self.requested < asked or self._prefetcher.scheduled + (self._decoded is not None) < AHEAD:
            size, number = self._batch_size, self.requested
            request = Request(number, number * size, size, iterations=self.groups.next())
            self.requested += request.iterations
            self._requests.append(request)
            self._prefetcher.schedule(request)

    def wait(self, told: Told, asked: int) -> None:
        """Let the next iterations be `there`.

        A group that fails is computed again, one iteration after the other. The one that fails then is passed over, as
        `computed` says, and its failure is raised.
        """
        while self.there is None:
            if self._decoded is None and not self._in_order():
                self._again(asked)
            try:
                if self._decoded is None:
                    self._take_decoded(told)
                self._compute_next()
            except Exception:
                if (self._requests[0] if self._decoded is None else self._decoded[0]).iterations == 1:
                    self.computed += 1
                    if self._decoded is None:
                        del self._requests[0]
                    self._decoded = None
                    raise
                self.groups.give_up()  # which of them fails is not known
                self._decoded = None

    def go_on(self, told: Told, asked: int) -> None:
        """Let the GPU begin with the iterations behind those that were taken, and ask for more."""
        with suppress(Exception):  # which comes again when it is asked for
            if self._decoded is None and self._prefetcher.ready and self._in_order():
                self._take_decoded(told)
            if self._decoded is not None and has_later(self._decoded[1]):
                self._compute_next()
        self.request(asked)

    def clear(self) -> None:
        """Let go of results."""
        self.there = self._decoded = None

    def _in_order(self) -> bool:
        """Whether the next group that comes is the next one: none has failed, and Ctrl+C has come with none."""
        requests = self._requests
        return len(requests) == self._prefetcher.scheduled > 0 and requests[0].iteration == self.computed

    def _take_decoded(self, told: Told) -> None:
        """Take a group from where it is decoded."""
        found, _ = self._prefetcher.result(told)
        self._decoded = self._requests[0], found
        del self._requests[0]

    def _compute_next(self) -> None:
        """Compute the next iterations of the group that is there, as many as are computed together."""
        assert self._decoded is not None
        request, decoded = self._decoded
        first = self.computed - request.iteration
        count = request.iterations - first
        if has_later(decoded):
            count = min(self.groups.behind, count)
            self.there = self._executor.part(decoded, request.batch_size, first, count), count
        else:
            self.there = decoded, count
        self.computed += count
        if first + count == request.iterations:
            self._decoded = None

    def _again(self, asked: int) -> None:
        """Compute iterations again, from those on that are not there."""
        self._prefetcher.discard()
        self.requested = self.computed
        self._requests.clear()
        self.request(asked)
