"""``fn.experimental.inputs.video``."""

from __future__ import annotations

from typing import Annotated

from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator, Output
from dali_studio.schema.marks import COMMON, Choices, Doc, Ignored, Range

_MAX_FRAMES = 1 << 16


class Video(Operator):
    """Brings a video from the program, by Pipeline.feed_input, and decodes it over as many iterations as it takes.

    What is fed is the contents of a file, as a batch of one sample: uint8, (bytes,). Each iteration gives the next
    sequences, uint8 (F, H, W, C), as many as the pipeline's batch size says; the last one of a video may give fewer.
    Then comes the next video that was fed. nvidia.dali decodes VP8, VP9 and MJPEG on the CPU.
    """

    path = "experimental.inputs.video"
    category = "sources"
    icon = "code"
    node_name = "video"
    keywords = "input feed stream video frames sequences"
    outputs = (Output("video", "video"),)
    devices = ("cpu", "mixed")
    stateful = True
    role = "external_source"

    sequence_length: Annotated[int, Doc("Frames of a sequence."), Range(1, _MAX_FRAMES), COMMON]
    last_sequence_policy: Annotated[
        str, Doc('A last sequence of fewer frames is given as it is ("partial"), or filled with black ("pad").'),
        Choices(("partial", "pad")), COMMON,
    ] = "partial"  # fmt: skip
    blocking: Annotated[bool, Doc("Without fed data: wait until another thread feeds some.")] = False
    no_copy: Annotated[bool, Ignored("the file is copied when it is fed")] = False
    affine_: Annotated[bool, Ignored("threads are the pipeline's own")] = True

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return TensorMeta(T.UINT8, 4, "FHWC", "video")
