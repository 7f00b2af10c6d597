"""Videos on a GPU: its decoder gives the frames, and the pixels, that the processor gives for the same graph."""

from __future__ import annotations

import gc
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dali_studio import fn, pipeline_def, types
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.kernels.cpu.video import Planes, frame_pixels
from dali_studio.kernels.cpu.video_codec import FrameColors, GpuColored, VideoFile
from dali_studio.kernels.cuda import video
from dali_studio.operators.readers import engines as readers_engines
from dali_studio.operators.readers.ahead import ReaderRun
from dali_studio.operators.readers.engines import Engines, Frame
from dali_studio.schema.sample_videos import encoded_video

pytest.importorskip("av", reason="needs PyAV")
pytestmark = pytest.mark.gpu

SIZE = (192, 160)
#: Of these the hardware gives the same bits as the processor; of MPEG-4 and MJPEG the transform differs.
EXACT = ("h264", "hevc", "vp8", "vp9", "av1")
GREY, ODD, HALVED = ("h264", SIZE, "gray"), ("vp9", (193, 161), ""), ("h264", SIZE, "yuv422p")


def arrays(batches: Any) -> list[list[np.ndarray[Any, Any]]]:
    there = [batch.as_cpu() if hasattr(batch, "as_cpu") else batch for batch in batches]
    return [[np.array(batch.at(place)) for place in range(len(batch))] for batch in there]


def assert_same(pipeline: Any, iterations: int = 3, allowed: float = 0, fed: Any = None) -> None:
    """A pipeline gives on the GPU what it gives where there is none."""
    pipeline.build()
    engine = Engine(pipeline.graph, default_registry(), background=False, devices=False)
    if fed is not None:
        pipeline.feed_input("clip", fed)
        engine.feeders["clip"].feed(fed)
    made = [arrays(pipeline.run()) for _ in range(iterations)]
    for iteration in made:
        assert engine.schedule()
        expected = arrays(engine.result())
        for batch, other in zip(iteration, expected, strict=True):
            for sample, wanted in zip(batch, other, strict=True):
                assert sample.dtype == wanted.dtype
                assert sample.shape == wanted.shape
                assert np.abs(sample.astype(np.float64) - wanted).max(initial=0) <= allowed


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for number, codec in enumerate(EXACT):
        options = {"g": "7"} if codec != "hevc" else {"x265-params": "keyint=7:bframes=2:log-level=0"}
        path = tmp_path / f"{number}.mkv"
        path.write_bytes(encoded_video(codec, 12 + 9 * number, SIZE, seed=number, options=options))
    return [str(path) for path in sorted(tmp_path.glob("*.mkv"))]


@pytest.mark.parametrize("codec", EXACT)
def test_the_hardware_gives_all_frames(codec: str) -> None:
    if reason := video.missing(0, "av1" if codec == "av1" else "h264"):
        pytest.skip(f"no NVDEC: {reason}")
    file = np.frombuffer(encoded_video(codec, 30, SIZE), np.uint8)
    decoded = video.GpuVideoFile(0, file)
    assert decoded.by_hardware
    for colors in (FrameColors(), FrameColors(ycbcr=True), FrameColors(normalized=True)):
        for wanted in (list(range(30)), [29, 4, 4, 11, -1, 0, 3], [17]):
            dtype = np.dtype(np.float32 if colors.normalized else np.uint8)
            expected = np.empty((len(wanted), SIZE[1], SIZE[0], 3), dtype)
            GpuColored(file).read(wanted, expected, (7, 8, 9), colors)
            there = video.new_frames(0, expected.shape, dtype)
            decoded.read(wanted, there, (7, 8, 9), colors)
            np.testing.assert_array_equal(there.get(), expected)


@pytest.mark.parametrize("form", ["nv12", "yuv444p", "p010le"])
def test_pixels_of_frames_in_device_memory_are_made_several_at_a_time(form: str) -> None:
    """Also where the kind of the frames changes in between, and where one goes to two places."""
    dtype, unit, step = video._FORMATS[form]  # pyright: ignore[reportPrivateUsage]
    rng, (width, height), pitch = np.random.default_rng(4), SIZE, 256
    half = 1 if step == 1 else 2
    decoded = video.GpuVideoFile(0, np.frombuffer(encoded_video("h264", 2, SIZE), np.uint8))
    rooms, expected, kept = list[Any](), list[Any](), list[Any]()
    for number in range(2 * video.AT_ONCE + 3):
        full = number > video.AT_ONCE + 1
        chroma = height // half * (2 if step == 1 else 1)
        host = rng.integers(0, 256, (height + chroma, pitch)).astype(dtype) * np.array(1 / unit, dtype)
        there = video.new_frames(0, (1, *host.shape), dtype)
        there[0] = host
        begins = (0, height, height + height // half)[: 3 if step == 1 else 2]
        planes = [
            SimpleNamespace(
                buffer_ptr=there.memory.ptr + begin * pitch * dtype.itemsize, line_size=pitch * dtype.itemsize,
                height=height // (half if begin else 1), width=width // (half if begin else 1),
            )
            for begin in begins
        ]  # fmt: skip
        frame = SimpleNamespace(
            format=SimpleNamespace(name="cuda"), sw_format=SimpleNamespace(name=form), planes=planes,
            color_range=2 if full else 1,
        )  # fmt: skip
        luma = host[:height, :width]
        both = host[height : height + height // half]
        blue, red = (
            (both[:, :width:2], both[:, 1:width:2]) if step == 2 else (both[:, :width], host[2 * height :, :width])
        )
        wanted = np.empty((height, width, 3), np.uint8)
        frame_pixels(Planes(luma, np.ascontiguousarray(blue), np.ascontiguousarray(red), unit), wanted, full_range=full)
        mine = [video.new_frames(0, (height, width, 3), np.dtype(np.uint8)) for _ in range(1 + number % 2)]
        decoded._write(frame, mine, FrameColors())  # pyright: ignore[reportPrivateUsage]
        rooms += mine
        expected += [wanted] * len(mine)
        kept.append(there)
    decoded.finish()
    for room, wanted in zip(rooms, expected, strict=True):
        assert np.array_equal(room.get(), wanted)


def test_hardware_that_gives_other_pixels_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "_hardware", lambda _: SimpleNamespace(create=lambda _: None))
    monkeypatch.setattr(video._Decoders, "hardware", lambda _: None)  # pyright: ignore[reportPrivateUsage]
    check = video._missing.__wrapped__  # pyright: ignore[reportPrivateUsage]
    assert check(0, "h264") == ""
    assert check(0, "av1") == "it does not take AV1"  # its decoder is there, and has nothing to decode with
    monkeypatch.setattr(video.DeviceFrames, "get", lambda frames: np.zeros(frames.shape, np.uint8))
    assert "other pixels" in check(0, "h264")


def test_what_the_hardware_alone_decodes_falls_back_to_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "missing", lambda *_: "")
    monkeypatch.setattr(video._Decoders, "hardware", lambda _: None)  # pyright: ignore[reportPrivateUsage]
    file, wanted = np.frombuffer(encoded_video("av1", 12, SIZE, options={"g": "5"}), np.uint8), [3, 11, 0, -1]
    expected = np.empty((len(wanted), SIZE[1], SIZE[0], 3), np.uint8)
    GpuColored(file).read(wanted, expected)
    there, decoded = video.new_frames(0, expected.shape, expected.dtype), video.GpuVideoFile(0, file)
    decoded.read(wanted, there)
    assert not decoded.by_hardware
    np.testing.assert_array_equal(there.get(), expected)


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"stride": 2, "step": 3, "enable_frame_num": True, "enable_timestamps": True},
        {"pad_sequences": True, "step": 7, "enable_frame_num": "sequence"}, {"random_shuffle": True, "initial_fill": 5},
        {"num_shards": 3, "shard_id": 1, "stick_to_shard": True}, {"image_type": types.YCbCr},
        {"dtype": types.FLOAT}, {"dtype": types.FLOAT, "normalized": True},
    ],
)  # fmt: skip
def test_readers_video(files: list[str], arguments: dict[str, Any]) -> None:
    @pipeline_def(batch_size=3, num_threads=2, device_id=0, seed=5)
    def clips() -> Any:
        return tuple(fn.readers.video(device="gpu", filenames=files, labels=[], sequence_length=4, **arguments))

    assert_same(clips(), 12)


def test_experimental_reader(files: list[str]) -> None:
    @pipeline_def(batch_size=3, num_threads=2, device_id=0, seed=5)
    def clips() -> Any:
        return fn.experimental.readers.video(
            device="gpu", filenames=files, sequence_length=5, pad_mode="constant", fill_value=[7, 8, 9], step=4
        )

    assert_same(clips(), 10)


def test_sizes_of_frames_differ_within_a_batch(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "small.mp4").write_bytes(encoded_video("h264", 9, (64, 48)))

    @pipeline_def(batch_size=4, num_threads=2, device_id=0)
    def clips() -> Any:
        return fn.experimental.readers.video(
            device="gpu", filenames=[str(tmp_path / "small.mp4"), files[1]], sequence_length=4
        )

    assert_same(clips())


def test_readers_video_resize(files: list[str]) -> None:
    @pipeline_def(batch_size=3, num_threads=2, device_id=0)
    def clips() -> Any:
        return fn.readers.video_resize(device="gpu", filenames=files, labels=[], sequence_length=3, size=[50, 61])[0]

    assert_same(clips(), allowed=1)  # sums of weights in another order are rounded


def test_decoders_and_what_the_hardware_refuses(files: list[str]) -> None:
    made = [Path(name).read_bytes() for name in files]
    made += [encoded_video(codec, 11, size, pixels=pixels) for codec, size, pixels in (GREY, ODD, HALVED)]
    batch = [np.frombuffer(file, np.uint8) for file in made]

    @pipeline_def(batch_size=len(batch), num_threads=2, device_id=0)
    def clips() -> Any:
        encoded = fn.external_source(source=lambda: batch)
        return (
            fn.decoders.video(encoded, device="mixed", frames=[9, 2, 2, 30], fill_value=[1, 2, 3]),
            fn.decoders.video(encoded, device="mixed", start_frame=3, sequence_length=4, stride=2),
        )

    assert_same(clips(), 1)


def test_a_damaged_file_is_an_error_of_its_sample(files: list[str]) -> None:
    whole = np.fromfile(files[0], np.uint8)
    cut = whole[: len(whole) // 3]

    @pipeline_def(batch_size=2, num_threads=2, device_id=0)
    def clips() -> Any:
        encoded = fn.external_source(source=lambda: [whole, cut[:100]])
        return fn.decoders.video(encoded, device="mixed", on_error="placeholder", sequence_length=3)

    good, bad = arrays(clips().run())[0]
    assert good.shape == (3, SIZE[1], SIZE[0], 3)
    assert good.any()
    assert len(bad) == 0


@pytest.mark.parametrize("policy", ["partial", "pad"])
def test_inputs_video(files: list[str], policy: str) -> None:
    @pipeline_def(batch_size=3, num_threads=2, device_id=0)
    def stream() -> Any:
        return fn.experimental.inputs.video(name="clip", device="mixed", sequence_length=5, last_sequence_policy=policy)

    assert_same(stream(), 2, fed=[np.fromfile(files[2], np.uint8)])


@pytest.fixture
def hardware(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Decoders of the processor in place of the hardware's, made and kept in the same way; the names of those made."""
    made, kept = list[str](), video._Decoders(0)  # pyright: ignore[reportPrivateUsage]

    def noted(_: Any, decoder: Any) -> Any:
        made.append(decoder.name)
        return decoder

    monkeypatch.setattr(video, "missing", lambda *_: "")
    monkeypatch.setattr(video, "_decoders", lambda _: kept)
    monkeypatch.setattr(video._Decoders, "hardware", lambda _: None)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(video._Decoders, "for_hardware", noted)  # pyright: ignore[reportPrivateUsage]
    return made


def test_decoders_go_from_file_to_file(hardware: list[str], tmp_path: Path) -> None:
    """Also where frames refer to ones behind a later key frame, and where key frames are next to each other."""
    files = [tmp_path / f"{number}.mp4" for number in range(9)]
    settings = {"g": "20", "bf": "3", "x264-params": "open-gop=1:scenecut=0"}, {"g": "5", "bf": "2"}, {"g": "1"}
    for number, path in enumerate(files):
        path.write_bytes(encoded_video("h264", 90, (96, 64), seed=number, options=settings[number % 3]))

    @pipeline_def(batch_size=3, num_threads=2, device_id=0, seed=5)
    def clips() -> Any:
        return fn.readers.video(device="gpu", filenames=[str(path) for path in files], labels=[], sequence_length=7)[0]

    assert_same(clips(), 40)
    assert set(hardware) == {"h264"}
    hardware.clear()
    room = video.new_frames(0, (1, 64, 96, 3), np.dtype(np.uint8))
    for number in range(90):  # more than decoders wait for files
        decoded = video.GpuVideoFile(0, str(files[number % 9]))
        decoded.read((number,), room)
        decoded.close()
    assert len(hardware) <= 3  # one for each kind of settings, unless the reader has left some


def asked_for(engines: Engines, batch: int) -> bool:
    with engines._lock:  # pyright: ignore[reportPrivateUsage]
        return len(engines._goals) > batch  # pyright: ignore[reportPrivateUsage]


def test_what_follows_a_key_frame_is_decoded_once_for_all_batches(
    hardware: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches end between key frames. All of them are asked for before any is decoded."""
    fed, demuxed = list[int](), VideoFile._demuxed  # pyright: ignore[reportPrivateUsage]

    def noted(self: VideoFile) -> Any:
        for packet in demuxed(self):
            if packet.size:
                fed.append(packet.pts)
            yield packet

    path = tmp_path / "long.mp4"
    path.write_bytes(encoded_video("h264", 800, (96, 64), options={"g": "20", "bf": "2", "sc_threshold": "0"}))
    index = VideoFile(str(path)).index
    monkeypatch.setattr(VideoFile, "_demuxed", noted)
    engines = Engines(cast("Any", SimpleNamespace(device_id=0, capacity=1 << 40)), FrameColors())
    decoders, held = engines._threads, list[Any]()  # pyright: ignore[reportPrivateUsage]
    submit = decoders.submit
    monkeypatch.setattr(decoders, "submit", lambda *work: held.append(work))
    rooms = [video.new_frames(0, (16, 64, 96, 3), np.dtype(np.uint8)) for _ in range(50)]
    depths = list[int]()
    with ThreadPoolExecutor(50) as threads, closing(engines):
        read = list[Any]()
        for batch, room in enumerate(rooms):
            frames = [Frame(str(path), index, 16 * batch + place, 0, place) for place in range(16)]
            read.append(threads.submit(engines.decode, frames, [room], room.size))
            while not asked_for(engines, batch):
                assert not read[-1].done()
                time.sleep(1e-3)
            depths.append(engines.in_advance())
        assert len(held) == 40  # one for each key frame
        assert set(depths[10:]) <= set(range(50, 65))  # 0.8 key frames in a batch, on average, and 96 tasks
        for work in held:
            submit(*work)
        assert [one.result(60) for one in read] == [{}] * 50
    assert len(fed) == len(set(fed)) == 800
    assert len(hardware) <= readers_engines._THREADS + readers_engines._HALFWAY  # pyright: ignore[reportPrivateUsage]
    expected = np.empty((800, 64, 96, 3), np.uint8)
    GpuColored(str(path)).read(range(800), expected)
    assert np.array_equal(np.concatenate([room.get() for room in rooms]), expected)


def test_memory_limits_how_many_batches_are_read_in_advance() -> None:
    class Stream:
        device_id, capacity = 0, 800

    engines = Engines(cast("Any", Stream()), FrameColors())
    assert engines.in_advance() == 2
    for size, begun, expected in ((1, 4.0, 25), (1, 0.01, 64), (10, 1.0, 10), (1000, 1.0, 0)):
        engines._size, engines._begun = size, begun  # pyright: ignore[reportPrivateUsage]
        assert engines.in_advance() == expected
    engines.close()


@pytest.mark.parametrize("policy", ["placeholder", "skip"])
def test_a_reader_goes_on_without_what_cannot_be_decoded(hardware: list[str], tmp_path: Path, policy: str) -> None:
    """The file is cut off after it was looked up; sequences before that are there."""
    path = tmp_path / "cut.webm"
    path.write_bytes(encoded_video("vp9", 64, SIZE, options={"g": "16"}))

    @pipeline_def(batch_size=4, num_threads=2, device_id=0)
    def clips() -> Any:
        return fn.readers.video(
            device="gpu", filenames=[str(path)], sequence_length=8, on_error=policy, enable_frame_num="scalar"
        )

    pipeline = clips()
    pipeline.build()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    made = [arrays(pipeline.run()) for _ in range(2)]
    frames, begins = ([sample for batch in made for sample in batch[output]] for output in range(2))
    black = [not sample.any() for sample in frames]
    assert [int(begin[0]) for begin in begins] == list(range(0, 8 * len(frames), 8))
    assert 1 < len(frames) == (8 if policy == "placeholder" else sum(not one for one in black))
    assert not black[0]
    assert black == sorted(black)


def test_batches_that_are_being_read_end_with_the_reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path, let_go, begun = tmp_path / "one.mp4", threading.Event(), threading.Event()
    path.write_bytes(encoded_video("h264", 9, SIZE))
    index = VideoFile(str(path)).index

    def put(*_: Any) -> None:
        begun.set()
        assert let_go.wait(30)

    monkeypatch.setattr(video.GpuVideoFile, "put", put)
    monkeypatch.setattr(video, "missing", lambda *_: "put is replaced")  # which would decode a clip by it
    engines = Engines(cast("Any", SimpleNamespace(device_id=0, capacity=1 << 30)), FrameColors())
    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(engines.decode, [Frame(str(path), index, 3, 0, 0)], [[None]], 1) for _ in range(2)]
        assert begun.wait(30)
        engines.close()
        for one in waiting:
            with pytest.raises(CancelledError):
                one.result(30)
        let_go.set()
    with pytest.raises(CancelledError):
        engines.decode([Frame(str(path), index, 3, 0, 0)], [[None]], 1)


def test_a_defect_ends_the_batches_that_want_the_frame(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "one.mp4"
    path.write_bytes(encoded_video("h264", 9, SIZE))
    index = VideoFile(str(path)).index

    def put(self: Any, number: int, *_: Any) -> None:
        if number == 3:
            raise MemoryError("no room")

    monkeypatch.setattr(video.GpuVideoFile, "put", put)
    monkeypatch.setattr(video, "missing", lambda *_: "put is replaced")  # which would decode a clip by it
    engines = Engines(cast("Any", SimpleNamespace(device_id=0, capacity=1 << 30)), FrameColors())
    frames = [Frame(str(path), index, number, 0, number) for number in range(6)]
    with pytest.raises(MemoryError, match="no room"):
        engines.decode(frames, [[None] * 6], 1)
    assert engines.decode([frames[5]], [[None] * 6], 1) == {}
    engines.close()


def test_decoders_wait_for_no_lock_of_batches_that_begin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Who has it may wait for the interpreter's, and all decoders would stand still."""
    path, let_go, begun = tmp_path / "one.mp4", threading.Event(), threading.Event()
    path.write_bytes(encoded_video("h264", 30, (64, 48)))
    index = VideoFile(str(path)).index

    def put(*_: Any) -> None:
        begun.set()
        assert let_go.wait(30)

    monkeypatch.setattr(video.GpuVideoFile, "put", put)
    monkeypatch.setattr(video, "missing", lambda *_: "put is replaced")  # which would decode a clip by it
    engines = Engines(cast("Any", SimpleNamespace(device_id=0, capacity=1 << 30)), FrameColors())
    frames = [Frame(str(path), index, number, 0, number) for number in range(30)]
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(engines.decode, frames, [[None] * 30], 1)
        assert begun.wait(30)
        with engines._lock:  # pyright: ignore[reportPrivateUsage]
            let_go.set()
            assert waiting.result(30) == {}
    engines.close()


def test_tasks_that_have_ended_are_forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Frames that come after the end of a task, or for one that is past them, are decoded by another one."""
    path = tmp_path / "one.mp4"
    path.write_bytes(encoded_video("h264", 96, (64, 48), options={"g": "16"}))
    index, made = VideoFile(str(path)).index, list[int]()

    def put(self: Any, number: int, *_: Any) -> None:
        made.append(number)

    monkeypatch.setattr(video.GpuVideoFile, "put", put)
    monkeypatch.setattr(video, "missing", lambda *_: "put is replaced")  # which would decode a clip by it
    monkeypatch.setattr(readers_engines, "_ENDED", 2)
    engines = Engines(cast("Any", SimpleNamespace(device_id=0, capacity=1 << 30)), FrameColors())
    wanted = [0, 16, 32, 48, 64, 80, 3, 2, 16, 95]
    for number in wanted:
        assert engines.decode([Frame(str(path), index, number, 0, 0)], [[None]], 1) == {}
        assert len(engines._tasks) <= 4  # pyright: ignore[reportPrivateUsage]
    assert made == wanted
    engines.close()


def test_a_pipeline_that_nobody_has_any_more_gives_back_what_it_read_in_advance(
    hardware: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches that outlive the pool that their memory is of do not go back to the GPU."""
    (path := tmp_path / "long.mp4").write_bytes(encoded_video("h264", 90, (96, 64), options={"g": "10"}))
    readers, begin = set[ReaderRun[Any]](), ReaderRun[Any]._begin  # pyright: ignore[reportPrivateUsage]

    def noted(reader: ReaderRun[Any], *arguments: Any) -> Any:
        readers.add(reader)
        return begin(reader, *arguments)

    monkeypatch.setattr(ReaderRun, "_begin", noted)

    @pipeline_def(batch_size=2, num_threads=2, device_id=0)
    def clips() -> Any:
        return fn.readers.video(device="gpu", filenames=[str(path)], labels=[], sequence_length=4)

    pipe = clips()
    pipe.build()
    for _ in range(5):
        pipe.run()
    (reader,) = readers
    assert reader._ahead  # pyright: ignore[reportPrivateUsage]
    assert hardware
    del pipe
    gc.collect()
    engines = cast("Any", reader.data)._engines
    until = time.monotonic() + 10  # what is forgotten is closed by a thread of its own, one thing after the other
    while (reader._ahead or not engines._closed) and time.monotonic() < until:  # pyright: ignore[reportPrivateUsage]
        time.sleep(0.01)
    assert not reader._ahead  # pyright: ignore[reportPrivateUsage]
    assert engines._closed
