"""What the iterators of all frameworks share; the same name and terms as ``nvidia.dali.plugin.base_iterator``."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from typing import Any, cast

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.pipeline import Pipeline
from dali_studio.plugin.epochs import Epoch, LastBatchPolicy, ReaderEpoch
from dali_studio.tensors import TensorListCPU, TensorListGPU

__all__ = ["BaseIterator", "LastBatchPolicy"]

Outputs = tuple[TensorListCPU | TensorListGPU, ...]
_log = logging.getLogger("dali_studio")
_AUTO_RESET = {"no": False, "yes": True, False: False, True: True, None: False}


class BaseIterator:
    """Runs pipelines side by side and hands out one dictionary of tensors for each, batch after batch.

    Frameworks override `_converted`.

    Parameters
    ----------
    pipelines : Pipeline or list of Pipeline
        All of one batch size; several are usually one for each GPU, each with its shard.
    output_map : sequence of str
        A name for each output.
    size : int
        Samples of an epoch, of all pipelines together; -1: what the reader says, or, without `reader_name`, as long as
        the pipeline has data.
    reader_name : str, optional
        The ``name`` of the reader in every pipeline; the length of an epoch, shards and padding are taken from it.
    auto_reset : bool or {"yes", "no"}
        Begin the next epoch when one has ended; otherwise `reset`, or ``iter()``, does.
    fill_last_batch : bool, optional
        Deprecated: true means `LastBatchPolicy.FILL`, false `LastBatchPolicy.PARTIAL`.
    last_batch_padded : bool
        With `size`: the source repeats samples at the end of an epoch instead of going on to the next one.
    last_batch_policy : LastBatchPolicy
    prepare_first_batch : bool
        Make the first batch at once.

    Raises
    ------
    DaliStudioError
        DS105 for arguments that exclude each other or fit no pipeline, DS304 if there is no data.
    """

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        given = list(pipelines) if isinstance(pipelines, list | tuple) else [pipelines]
        self._pipes: list[Pipeline] = cast("list[Pipeline]", given)
        self.output_map = list(output_map)
        self.batch_size = _batch_size(self._pipes)
        self._check_names()
        if not isinstance(auto_reset, str | bool | None) or auto_reset not in _AUTO_RESET:
            raise _bad("auto_reset", f"auto_reset is {auto_reset!r}; True, False, 'yes' and 'no' are accepted.",
                       "Give one of them.")  # fmt: skip
        self._auto_reset = _AUTO_RESET[auto_reset]
        policy = _policy(fill_last_batch, last_batch_policy)
        _check_size(int(size), reader_name, last_batch_padded, len(self._pipes))
        for pipe in self._pipes:
            pipe.build()
        if reader_name:
            metas = [pipe.reader_meta(reader_name) for pipe in self._pipes]
            self._epoch: Epoch = ReaderEpoch(metas, self.batch_size, policy)
        else:
            self._epoch = Epoch(int(size), self.batch_size, len(self._pipes), policy, last_batch_padded)
        self._skipping = [_skips(pipe) for pipe in self._pipes]
        self._checkpointing = _checkpointing(self._pipes)
        self._restore()
        self._running = False
        #: Whether the user has asked for a batch of this epoch.
        self._begun = self._handed_out = False
        self._first: list[dict[str, Any]] | None = None
        #: Before the first batch, which may be made already.
        self._initial = self._saved() if self._checkpointing else []
        if prepare_first_batch:
            try:
                self._first = self._produced()
            except StopIteration:
                if any(pipe.is_restored_from_checkpoint for pipe in self._pipes):
                    return  # at the end of an epoch
                raise DaliStudioError(
                    Diagnostic(
                        code="DS304",
                        message=f"The pipelines have no batch to give: an epoch has {max(self.size, 0)} samples, and "
                        f"batch_size is {self.batch_size}.",
                        hint="Make batch_size smaller, or choose another last_batch_policy.",
                    )
                ) from None

    # -------------------------------------------------------------------------------------------------------- iterating

    @property
    def size(self) -> int:
        """Samples of this epoch as they are counted: per pipeline with `reader_name`, else of all together; or -1."""
        return self._epoch.size

    def __len__(self) -> int:
        return len(self._epoch)

    def __iter__(self) -> BaseIterator:
        if self._begun and self._epoch.position:
            self.reset()
        return self

    def next(self) -> list[dict[str, Any]]:
        """The next batch, as ``next()``."""
        return self.__next__()

    def __next__(self) -> list[dict[str, Any]]:
        self._begun = self._handed_out = True
        if self._first is not None:
            first, self._first = self._first, None
            return first
        return self._produced()

    def reset(self) -> None:
        """Begin the next epoch. Before the end of an epoch it is ignored, with a warning in the log."""
        if self._epoch.drops_next and not self._epoch.ended:
            # who counts batches by len() stops before the incomplete one, which must not become the next epoch's first
            self._outputs()
            self._schedule()
            self._epoch.advance()
        if not (self._epoch.ended or self._epoch.endless):
            _log.warning(
                "reset() is ignored: the epoch has not ended (%d of %d samples).", self._epoch.position, self.size
            )
            return
        self._epoch.restart()
        self._begun = False
        for pipe in self._pipes:
            pipe.reset()
        for pipe in self._pipes:
            if pipe.empty():
                pipe.schedule_run()

    def checkpoints(self) -> list[bytes]:
        """A checkpoint for each pipeline, as of the last batch that was handed out.

        A pipeline that is made of one by ``Pipeline(checkpoint=...)`` lets an iterator go on within the epoch.

        Raises
        ------
        DaliStudioError
            DS304 if the pipelines were made without ``enable_checkpointing=True``.
        """
        if not self._checkpointing:
            raise DaliStudioError(
                Diagnostic(
                    code="DS304", message="The pipelines keep no state for checkpoints.",
                    hint="Make them with enable_checkpointing=True.",
                )
            )  # fmt: skip
        return self._saved() if self._handed_out else self._initial

    def _saved(self) -> list[bytes]:
        return [pipe.iterator_checkpoint(self._epoch.save()) for pipe in self._pipes]

    def _restore(self) -> None:
        """Go on where the checkpoints of the pipelines were made."""
        states = [pipe.iterator_state for pipe in self._pipes if pipe.is_restored_from_checkpoint]
        if not states:
            return
        if len(states) < len(self._pipes) or any(state != states[0] for state in states):
            _log.warning("The pipelines were not restored from checkpoints of one iterator: epochs may end elsewhere.")
        if states[0] is None:
            _log.warning("The checkpoints are none of an iterator, which begins an epoch here.")
            return
        try:
            self._epoch.restore(states[0])
        except KeyError as error:
            raise _bad(
                "pipelines", f"The checkpoint is of another kind of iterator: it does not hold {error}.",
                "Make the iterator with the arguments that it had, reader_name among them.",
            ) from error  # fmt: skip

    # ------------------------------------------------------------------------------------------------------ for a batch

    def _converted(self, pipeline: int, outputs: Outputs) -> dict[str, Any]:
        """The tensors of one pipeline's batch, by name; their first axis is the sample."""
        raise NotImplementedError

    def _produced(self) -> list[dict[str, Any]]:
        outputs = self._outputs()
        made = [self._converted(number, lists) for number, lists in enumerate(outputs)]
        del outputs
        self._schedule()
        dropped = self._epoch.drops_next
        self._epoch.advance()
        if dropped:
            self._end()
        kept = self._epoch.kept()
        if kept is None:
            return made
        # `kept` is the shorter one where the last pipelines have nothing to give
        return [
            {name: tensor[:count] for name, tensor in batch.items()}
            for batch, count in zip(made, kept, strict=False)
        ]  # fmt: skip

    def _end(self) -> None:
        if self._auto_reset:
            self.reset()
        raise StopIteration

    def _outputs(self) -> list[Outputs]:
        if not self._running:
            self._running = True
            self._schedule()
        if self._epoch.ended:
            self._end()
        made: list[Outputs] = []
        failure: DaliStudioError | None = None
        for pipe in self._pipes:
            try:
                made.append(pipe.share_outputs())
            except StopIteration:
                return self._no_more_data()
            except DaliStudioError as error:  # the other pipelines must stay in step
                failure = failure or error
            pipe.release_outputs()
        if failure is not None:
            self._schedule()
            self._epoch.advance()
            raise failure
        self._check_sizes(made)
        return made

    def _no_more_data(self) -> list[Outputs]:
        if self._epoch.endless and self._auto_reset:
            self.reset()
        raise StopIteration

    def _schedule(self) -> None:
        for pipe in self._pipes:
            pipe.schedule_run()

    # ----------------------------------------------------------------------------------------------------------- checks

    def _check_names(self) -> None:
        if len(set(self.output_map)) != len(self.output_map):
            raise _bad(
                "output_map", f"output_map has a name twice: {self.output_map}.", "Give each output its own name."
            )
        for number, pipe in enumerate(self._pipes):
            if pipe.num_outputs != len(self.output_map):
                raise _bad(
                    "output_map",
                    f"output_map names {len(self.output_map)} outputs; pipeline {number} has {pipe.num_outputs}.",
                    "Give one name for each output, in their order.",
                )

    def _check_sizes(self, made: list[Outputs]) -> None:
        if self._epoch.endless:
            return
        for number, outputs in enumerate(made):
            for name, batch in zip(self.output_map, outputs, strict=True):
                if len(batch) != self.batch_size and not self._skipping[number]:
                    raise DaliStudioError(
                        Diagnostic(
                            code="DS304",
                            argument=name,
                            message=f"The output {name!r} of pipeline {number} has {len(batch)} samples; with "
                            f"reader_name or size each batch must have {self.batch_size}.",
                            hint="Leave size and reader_name out, so that the iterator runs as long as there is data.",
                        )
                    )


def _batch_size(pipelines: list[Pipeline]) -> int:
    if not pipelines:
        raise _bad("pipelines", "The list of pipelines is empty.", "Give at least one pipeline.")
    for item in cast("list[Any]", pipelines):
        if not isinstance(item, Pipeline):
            raise _bad(
                "pipelines",
                f"{type(item).__name__} is no pipeline.",
                "Give what a function decorated by pipeline_def returns when it is called, or a list of such.",
            )
    sizes = [int(pipe.max_batch_size) for pipe in pipelines]
    if len(set(sizes)) > 1:
        raise _bad("pipelines", f"The pipelines differ in batch_size: {sizes}.", "Make them with one batch_size.")
    return sizes[0]


def _skips(pipe: Pipeline) -> bool:
    """Whether samples may be left out of a batch because their files are damaged."""
    graph = pipe.graph
    return any(graph.node(key).arguments.get("on_error") == "skip" for key in graph)


def _checkpointing(pipelines: list[Pipeline]) -> bool:
    enabled = {pipe.enable_checkpointing for pipe in pipelines}
    if len(enabled) > 1:
        raise _bad(
            "pipelines", "Some of the pipelines have enable_checkpointing=True, and some have not.",
            "Make all of them with the same value.",
        )  # fmt: skip
    return enabled.pop()


def _policy(fill_last_batch: bool | None, last_batch_policy: Any) -> LastBatchPolicy:
    if fill_last_batch is not None:
        warnings.warn("fill_last_batch is deprecated; give last_batch_policy.", UserWarning, stacklevel=4)
        return LastBatchPolicy.FILL if fill_last_batch else LastBatchPolicy.PARTIAL
    if not isinstance(last_batch_policy, LastBatchPolicy):
        raise _bad(
            "last_batch_policy",
            f"last_batch_policy is {last_batch_policy!r}; a LastBatchPolicy is accepted.",
            "Give LastBatchPolicy.FILL, LastBatchPolicy.DROP or LastBatchPolicy.PARTIAL.",
        )
    return last_batch_policy


def _check_size(size: int, reader_name: str | None, padded: bool, pipelines: int) -> None:
    if size == 0:
        raise _bad("size", "size is 0; a number of samples from 1, or -1, is accepted.", "Leave it out, or give one.")
    if reader_name and size > 0:
        raise _bad("size", f"size is {size}, and reader_name is given, which tells the size.", "Take one away.")
    if reader_name and padded:
        raise _bad(
            "last_batch_padded", "last_batch_padded and reader_name are both given.",
            "Take it away: the reader tells whether it pads (pad_last_batch).",
        )  # fmt: skip
    if size < 0 and not reader_name and pipelines > 1:
        raise _bad(
            "size", f"{pipelines} pipelines are given without reader_name or size.",
            "Give reader_name, so that all end their epochs together.",
        )  # fmt: skip
    if size > 0:
        warnings.warn(
            "size may miss or repeat samples where shards differ in size; give reader_name where there is a reader.",
            UserWarning,
            stacklevel=4,
        )


def _bad(argument: str, message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS105", argument=argument, message=message, hint=hint))
