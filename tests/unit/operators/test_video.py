"""Videos in codecs that nvidia.dali does not decode on the CPU, damaged ones, and frames in any order."""

from __future__ import annotations

import io
import json
import operator
import re
import struct
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from dali_studio import DaliStudioError, Pipeline, fn, pipeline_def, types
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.codegen.emit import emit
from dali_studio.core.timed import TimedSource
from dali_studio.kernels.cpu.video import frame_pixels, has_full_range, planes_of, rgb_pixels
from dali_studio.kernels.cpu.video_codec import VideoError, VideoFile
from dali_studio.kernels.cuda.video import is_grey
from dali_studio.schema.sample_videos import CODECS, encoded_video
from dali_studio.schema.samples import picture

av: Any = pytest.importorskip("av", reason="needs PyAV")


def frames_of(file: bytes) -> np.ndarray[Any, Any]:
    """All frames, decoded one after the other."""
    return np.stack([frame.to_ndarray(format="rgb24") for frame in av.open(io.BytesIO(file)).decode(video=0)])


def run(*batch: bytes, on_error: str = "raise", **arguments: Any) -> list[np.ndarray[Any, Any]]:
    @pipeline_def(batch_size=len(batch), num_threads=2, device_id=None)
    def pipeline() -> Any:
        files = fn.external_source(source=lambda: [np.frombuffer(file, np.uint8) for file in batch])
        return fn.decoders.video(files, on_error=on_error, **arguments)

    (output,) = pipeline().run()
    return [np.array(output.at(place)) for place in range(len(output))]


@pytest.mark.parametrize("codec", CODECS)
def test_each_codec_gives_the_frames_that_went_in(codec: str) -> None:
    (frames,) = run(encoded_video(codec, 12, (64, 48)))
    whole = picture(60, 88)
    there = np.stack([whole[number : number + 48, 2 * number : 2 * number + 64] for number in range(12)])
    differences = np.abs(frames[:, None].astype(int) - there[None]).mean(axis=(2, 3, 4))
    assert differences.argmin(axis=1).tolist() == list(range(12))
    assert differences.diagonal().max() < 12


@pytest.mark.parametrize(("codec", "options"), [("h264", {"g": "5", "bf": "3"}), ("hevc", {"x265-params": "keyint=5:bframes=3:log-level=0"}),
                                                ("mpeg4", {"g": "4", "bf": "2"}), ("vp9", {"g": "4"}), ("av1", {"g": "4"})])  # fmt: skip
def test_frames_in_any_order_are_those_of_a_whole_decoding(codec: str, options: dict[str, str]) -> None:
    file = np.frombuffer(encoded_video(codec, 23, (64, 48), options=options), np.uint8)
    video = VideoFile(file)
    whole = np.empty((23, 48, 64, 3), np.uint8)
    video.read(range(23), whole)
    wanted = np.random.default_rng(3).integers(0, 23, 60)
    for one in wanted.tolist():
        got = np.empty((1, 48, 64, 3), np.uint8)
        video.read([one], got)
        np.testing.assert_array_equal(got[0], whole[one])


def test_ten_bits_and_odd_sizes() -> None:
    (frames,) = run(encoded_video("hevc", 4, (64, 48), pixels="yuv420p10le"))
    assert frames.shape == (4, 48, 64, 3) and frames.std() > 10
    (odd,) = run(encoded_video("vp9", 3, (1, 1)))
    assert odd.shape == (3, 1, 1, 3)


def with_sound() -> bytes:
    made = io.BytesIO()
    with av.open(made, "w", format="mp4") as file:
        sound, video = file.add_stream("aac", rate=8000), file.add_stream("libx264", rate=25)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        samples = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        samples.rate, samples.pts = 8000, 0
        file.mux([*sound.encode(samples), *sound.encode(None)])
        for number in range(5):
            frame = av.VideoFrame.from_ndarray(picture(48, 64, seed=number), format="rgb24")
            frame.pts = number
            file.mux(video.encode(frame))
        file.mux(video.encode(None))
    return made.getvalue()


def rotated(file: bytes) -> bytes:
    """An MP4 file whose track asks to be shown turned by 90 degrees: its display matrix stands in the box `tkhd`."""
    upright, turned = (
        struct.pack(">9i", *(round(value * 2**16) for value in matrix[:8]), 2**30)
        for matrix in ((1, 0, 0, 0, 1, 0, 0, 0), (0, 1, 0, -1, 0, 0, 0, 0))
    )
    head, box, rest = file.partition(b"tkhd")
    assert upright in rest
    return head + box + rest.replace(upright, turned, 1)


@pytest.mark.parametrize("codec", ["h264", "hevc"])
def test_a_rotation_in_the_metadata_has_no_effect(codec: str) -> None:
    plain = encoded_video(codec, 5, (64, 48))
    turned = rotated(plain)
    assert [frame.rotation for frame in av.open(io.BytesIO(turned)).decode(video=0)] == [-90] * 5
    np.testing.assert_array_equal(run(turned)[0], run(plain)[0])


def test_a_sound_track_does_not_matter() -> None:
    (frames,) = run(with_sound(), start_frame=1, stride=2)
    assert frames.shape == (2, 48, 64, 3)


def wave() -> bytes:
    return b"RIFF" + (36).to_bytes(4, "little") + b"WAVEfmt " + bytes.fromhex("10000000010001004 01f0000803e0000020010 00".replace(" ", "")) + b"data" + bytes(4)


@pytest.mark.parametrize("name", ["cut", "half", "nothing", "noise", "sound"])
def test_damaged_files_are_named_or_passed_over(name: str) -> None:
    good = encoded_video("mjpeg", 10, (64, 48))
    damaged = {"cut": good[:60], "half": good[: len(good) // 2], "nothing": b"", "noise": bytes(range(256)) * 4, "sound": wave()}[name]
    if name == "half":  # what is there is a video of fewer frames
        assert 0 < len(run(damaged)[0]) < 10
        return
    with pytest.raises(DaliStudioError) as caught:
        run(good, damaged)
    (found,) = caught.value.diagnostics
    assert (found.code, found.sample) == ("DS301", 1)
    assert [len(one) for one in run(good, damaged, on_error="placeholder")] == [10, 0]
    assert [len(one) for one in run(good, damaged, on_error="skip")] == [10]


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.webm"
    path.write_bytes(encoded_video("vp9", 10, (64, 48)))
    index = VideoFile(str(path)).index
    path.write_bytes(encoded_video("vp9", 4, (64, 48)))
    with pytest.raises(VideoError, match="frame 8 of 10 cannot be decoded"):
        VideoFile(str(path), index).read([8], np.empty((1, 48, 64, 3), np.uint8))


@pytest.mark.parametrize("codec", CODECS)
def test_a_file_is_opened_once(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    given = av.open
    file = encoded_video(codec, 12, (64, 48))
    monkeypatch.setattr(av, "open", lambda *args, **options: opened.append(args) or given(*args, **options))
    video = VideoFile(np.frombuffer(file, np.uint8))
    for wanted in ([11, 3, 0], range(12), [4]):
        video.read(wanted, np.empty((len(wanted), 48, 64, 3), np.uint8))
    video.close()
    assert len(opened) == 1


def test_sequences_that_cannot_be_decoded_are_black_and_the_others_are_there(tmp_path: Path) -> None:
    path = tmp_path / "a.avi"
    path.write_bytes(encoded_video("mjpeg", 12, (64, 48)))

    @pipeline_def(batch_size=6, num_threads=2, device_id=None)
    def pipeline() -> Any:
        return fn.experimental.readers.video(filenames=[str(path)], sequence_length=2, on_error="placeholder")

    made = pipeline()
    made.build()
    whole = np.fromfile(path, np.uint8)
    path.write_bytes(whole[: len(whole) * 3 // 4].tobytes())  # after its frames have been looked up
    (video,) = made.run()
    there = [np.array(video.at(place)) for place in range(6)]
    decoded = [one.any() for one in there]
    assert decoded[0] and not decoded[-1] and decoded == sorted(decoded, reverse=True)
    assert {one.shape for one, is_there in zip(there, decoded, strict=True) if is_there} == {(2, 48, 64, 3)}
    assert [one.sample for one in made.failed_samples() if one.iteration == 0] == [place for place in range(6) if not decoded[place]]


def test_without_pyav_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    file = encoded_video("vp9", 2, (64, 48))
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(DaliStudioError, match=r"the package av is not installed.*pip install av"):
        run(file)


def test_readers_leave_out_what_is_no_video_in_a_folder(tmp_path: Path) -> None:
    for folder, count in (("a", 5), ("b", 7)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.webm").write_bytes(encoded_video("vp9", count, (64, 48)))
    (tmp_path / "a" / "note.txt").write_text("no video")

    @pipeline_def(batch_size=3, num_threads=2, device_id=None)
    def pipeline() -> Any:
        video, labels = fn.readers.video(file_root=str(tmp_path), sequence_length=4, dtype="FLOAT", normalized=True)
        return video, labels

    with pytest.warns(UserWarning, match=r"note\.txt is left out: .*cannot be decoded"):
        video, labels = pipeline().run()
    assert np.array(labels.at(1)).tolist() == [1] and np.array(video.at(0)).shape == (4, 48, 64, 3)
    assert 0.2 < np.array(video.at(0)).max() <= 1


def test_ranges_of_the_older_reader(tmp_path: Path) -> None:
    (tmp_path / "v.webm").write_bytes(encoded_video("vp9", 10, (32, 24)))

    def starts(begin_and_end: str, **arguments: Any) -> list[int]:
        (tmp_path / "list.txt").write_text(f"{tmp_path}/v.webm 3 {begin_and_end}")

        @pipeline_def(batch_size=1, num_threads=2, device_id=None)
        def pipeline() -> Any:
            reader = {"file_list": str(tmp_path / "list.txt"), "enable_frame_num": "scalar", "name": "reader"}
            return fn.readers.video(**reader, **{"sequence_length": 2, **arguments})

        made = pipeline()
        return [int(made.run()[2].at(0)[0]) for _ in range(made.reader_meta("reader")["epoch_size"])]

    numbers = {"file_list_frame_num": True}
    assert starts("2 7", **numbers) == [2, 4]
    assert starts("2", **numbers) == [2, 4, 6, 8]  # an end of 0 is that of the video
    assert starts("-5 -1", **numbers) == [5, 7]
    assert starts("2 7", **numbers, step=1, stride=3) == [2, 3]  # the last frame is the last that is needed
    assert starts("4 7", **numbers, step=1, pad_sequences=True) == [4, 5, 6]
    assert starts("0.1 0.3") == [3, 5]
    assert starts("0.1 0.3", file_list_include_preceding_frame=True) == [2, 4, 6]
    with pytest.raises(DaliStudioError, match="the range from 2 to 12 is not in the video, which has 10 frames"):
        starts("2 12", **numbers)


@pytest.mark.parametrize("codec", ["vp9", "mjpeg"])
def test_luma_and_chroma_are_those_of_the_file(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "v.mkv"
    path.write_bytes(encoded_video(codec, 3, (34, 26)))

    @pipeline_def(batch_size=1, num_threads=2, device_id=None)
    def pipeline() -> Any:
        return fn.experimental.readers.video(filenames=str(path), sequence_length=3, image_type=types.YCbCr)

    frames = np.array(pipeline().run()[0].at(0))
    for number, frame in enumerate(av.open(str(path)).decode(video=0)):
        luma, blue, red = (np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width] for plane in frame.planes)
        np.testing.assert_array_equal(frames[number, ..., 0], luma)
        for channel, plane in ((1, blue), (2, red)):  # upsampled between neighbours
            rows, columns = 26 // plane.shape[0], 34 // plane.shape[1]
            nearest = plane.repeat(rows, axis=0).repeat(columns, axis=1)
            assert np.abs(frames[number, ..., channel].astype(int) - nearest).mean() < 4


def test_frames_are_resized_as_by_resize(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.webm").write_bytes(encoded_video("vp9", 7, (34, 26), seed=number))
    reader = {"filenames": [str(tmp_path / f"{number}.webm") for number in range(2)], "labels": [3, 5], "sequence_length": 3}
    half = {"roi_start": [0.1, 0.2], "roi_end": [0.9, 0.7], "roi_relative": True}
    for resizing in ({"size": [12, 17]}, {"resize_shorter": 9, "interp_type": types.INTERP_CUBIC}, {"resize_x": 50, **half}):

        @pipeline_def(batch_size=4, num_threads=2, device_id=None)
        def pipeline(resizing: dict[str, Any] = resizing) -> Any:
            video, labels = fn.readers.video(dtype=types.FLOAT, normalized=True, **reader)
            return fn.resize(video, **resizing), labels, *fn.readers.video_resize(dtype=types.FLOAT, normalized=True, **reader, **resizing)

        wanted, labels, got, got_labels = pipeline().run()
        for place in range(4):
            np.testing.assert_array_equal(got.at(place), wanted.at(place))
        np.testing.assert_array_equal(got_labels.as_array(), labels.as_array())


def test_a_reader_of_the_gpu_alone_is_written_without_copies_of_its_list() -> None:
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipeline() -> Any:
        video, labels = fn.readers.video(file_root="videos", sequence_length=2)
        return video, labels

    emitted = emit(pipeline().graph, default_registry(), "nvidia.dali")
    assert re.search(r'video, labels = fn\.readers\.video\(\s*device="gpu"', emitted.source)
    assert "its outputs are there" in emitted.diagnostics[0].message


def fused(a: Any, b: Any, c: Any) -> np.ndarray[Any, Any]:
    return (np.asarray(a, np.float64) * np.float64(b) + np.asarray(c, np.float64)).astype(np.float32)


def interpolated(plane: np.ndarray[Any, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Chroma in the size of luma, by sixteenths."""
    made = plane.astype(np.float32)
    for axis in (0, 1):
        if plane.shape[axis] == shape[axis]:
            continue
        places = np.arange(shape[axis])
        near = places // 2
        far = np.clip(near + np.where(places % 2, 1, -1), 0, plane.shape[axis] - 1)
        made = (3 * made.take(near, axis) + made.take(far, axis)) / 4
    return made


@pytest.mark.parametrize("full_range", [False, True])
@pytest.mark.parametrize("pixels", ["yuv420p", "yuv422p", "yuv444p", "yuv440p", "gray", "yuv420p10le", "yuv444p12le"])
def test_pixels_as_of_a_gpu(pixels: str, full_range: bool) -> None:
    form = av.VideoFormat(pixels, 37, 23)
    bits, rng = form.components[0].bits, np.random.default_rng(5)
    dtype = np.uint16 if bits > 8 else np.uint8
    arrays = [rng.integers(0, 1 << bits, (part.height, part.width), dtype) for part in form.components]
    frame = av.VideoFrame(37, 23, pixels)
    frame.color_range = 2 if full_range else 1
    for plane, numbers in zip(frame.planes, arrays, strict=True):
        rows = np.zeros((plane.height, plane.line_size), np.uint8)
        rows[:, : numbers.shape[1] * numbers.itemsize] = numbers.view(np.uint8).reshape(plane.height, -1)
        plane.update(rows.tobytes())
    unit, grey = np.float32(2.0 ** (8 - bits)), np.full((23, 37), 1 << (bits - 1))
    luma, blue, red = (interpolated(one, (23, 37)) * unit for one in (*arrays, grey, grey)[:3])
    one = np.float32(1 / 255)
    raw = np.stack([luma * one, blue * one, red * one], axis=-1)
    offset, weight, *more = (0.0, 1.0, 1.402, -0.344136285, -0.714136285, 1.772) if full_range else (
        0.0625, 255 / 219, 1.5960267857, -0.3917622901, -0.8129676472, 2.0172321429)  # fmt: skip
    r, gb, gr, b = (np.float32(value) for value in more)
    y, u, v = fused(luma, one, -offset) * np.float32(weight), fused(blue, one, -0.5), fused(red, one, -0.5)
    rgb = np.stack([fused(v, r, y), fused(v, gr, fused(u, gb, y)), fused(u, b, y)], axis=-1)
    for ycbcr, expected in ((False, rgb), (True, raw)):
        for normalized, scale in ((True, np.float32(1)), (False, np.float32(255))):
            floats = np.empty((23, 37, 3), np.float32)
            options = {"full_range": has_full_range(frame), "ycbcr": ycbcr}
            frame_pixels(planes_of(frame), floats, normalized=normalized, **options)
            np.testing.assert_array_equal(floats, expected * scale)
        made = np.empty((23, 37, 3), np.uint8)
        frame_pixels(planes_of(frame), made, **options)
        np.testing.assert_array_equal(made, np.rint(np.clip(expected * np.float32(255), 0, 255)))


SIZES = [(1, 1), (2, 2), (3, 3), (4, 5), (6, 380), (7, 8), (8, 6), (66, 50), (97, 63), (333, 3), (1279, 5), (5, 1079), (640, 36), (1999, 37)]


@pytest.mark.parametrize("pixels", ["yuv420p", "yuv422p", "yuv440p", "yuv444p", "yuvj420p", "yuvj422p", "yuvj444p"])
def test_pixels_as_of_swscale(pixels: str) -> None:
    rng = np.random.default_rng(7)
    kinds = av.video.reformatter.Interpolation
    flags = kinds.BILINEAR | kinds.ACCURATE_RND | kinds.FULL_CHR_H_INT
    for number, (width, height) in enumerate(SIZES):
        frame = av.VideoFrame(width, height, pixels)
        frame.color_range = 2 if "j" in pixels or number % 2 else 1
        for plane in frame.planes:
            plane.update(rng.integers(0, 256, plane.buffer_size, np.uint8).tobytes())
        made = av.video.reformatter.VideoReformatter().reformat(frame, format="rgb24", interpolation=flags)
        expected = np.frombuffer(made.planes[0], np.uint8).reshape(height, -1)[:, : 3 * width]
        got = np.empty((height, width, 3), np.uint8)
        assert rgb_pixels(frame, got)
        np.testing.assert_array_equal(got.reshape(height, -1), expected, f"{width}x{height}")


@pytest.mark.parametrize(("pixels", "grey"), [("gray", True), ("yuv420p", False), ("yuv444p", False)])
@pytest.mark.parametrize("container", ["mp4", "h264"])
def test_grey_h264_is_known_by_its_settings(pixels: str, grey: bool, container: str) -> None:
    made = io.BytesIO()
    with av.open(made, "w", format=container) as file:
        stream = file.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, pixels
        for packet in (*stream.encode(av.VideoFrame(64, 48, pixels)), *stream.encode()):
            file.mux(packet)
    made.seek(0)
    with av.open(made) as file:
        assert is_grey(file.streams.video[0].codec_context.extradata) == grey


def test_where_there_is_no_gpu_its_pixels_are_computed(tmp_path: Path) -> None:
    file = encoded_video("h264", 6, (64, 48))
    (tmp_path / "clip.mp4").write_bytes(file)
    expected = np.empty((6, 48, 64, 3), np.float32)
    for made, frame in zip(expected, av.open(io.BytesIO(file)).decode(video=0), strict=True):
        frame_pixels(planes_of(frame), made, full_range=False)

    @pipeline_def(batch_size=1, num_threads=1, device_id=0)
    def clips() -> Any:
        name = str(tmp_path / "clip.mp4")
        floats, _ = fn.readers.video(device="gpu", filenames=[name], sequence_length=6, labels=[], dtype=types.FLOAT)
        encoded, _ = fn.readers.file(files=[name])
        video = fn.experimental.readers.video(device="gpu", filenames=[name], sequence_length=6)
        return floats, video, fn.decoders.video(encoded, device="mixed")

    engine = Engine(clips().graph, default_registry(), background=False, devices=False)
    assert engine.schedule()
    floats, *others = (np.array(batch.as_cpu().at(0)) for batch in engine.result())
    np.testing.assert_array_equal(floats, expected)
    for made in others:
        np.testing.assert_array_equal(made, np.rint(np.clip(expected, 0, 255)))


@pytest.mark.parametrize("policy", ["skip", "placeholder"])
def test_what_is_said_of_a_sequence_names_its_file_in_plain_words(tmp_path: Path, policy: str) -> None:
    """Sources of sequences know times, too; reports are written from plain text."""
    path = tmp_path / "cut.webm"
    path.write_bytes(encoded_video("vp9", 64, (64, 48), options={"g": "16"}))
    made = Pipeline(batch_size=8, num_threads=1, device_id=None)
    with made:
        video = fn.experimental.readers.video(filenames=[str(path)], sequence_length=8, on_error=policy)
        made.set_outputs(fn.resize(video, size=[10, 12]))
    made.build()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    (frames,) = made.run()
    source = frames[0].source_info()
    assert isinstance(source, TimedSource)
    np.testing.assert_allclose(source.seconds, np.arange(8) / 25)
    failed = made.failed_samples()
    assert failed and {type(one.source) for one in failed} == {str}
    assert json.loads(msgspec.json.encode([one.source for one in failed])) == [str(path)] * len(failed)


@pytest.mark.parametrize(("reader", "stride", "most"), [("readers.video", 2, 5), ("experimental.readers.video", 4, 2)])
def test_a_sequence_that_is_too_long_is_told_the_longest(tmp_path: Path, reader: str, stride: int, most: int) -> None:
    (tmp_path / "v.webm").write_bytes(encoded_video("vp9", 10, (32, 24)))

    def frames(length: int) -> int:
        @pipeline_def(batch_size=1, num_threads=1, device_id=None)
        def pipeline() -> Any:
            made = operator.attrgetter(reader)(fn)
            out = made(filenames=[str(tmp_path / "v.webm")], sequence_length=length, stride=stride, name="clips")
            return out[0] if isinstance(out, tuple | list) else out

        return len(pipeline().run()[0].at(0))

    with pytest.raises(DaliStudioError, match="the longest video has 10") as caught:
        frames(99)
    (found,) = caught.value.diagnostics
    assert (found.code, found.argument) == ("DS105", "sequence_length")
    assert f"Use at most {most}," in found.hint
    assert frames(most) == most
    with pytest.raises(DaliStudioError):
        frames(most + 1)


def test_more_shards_than_samples_are_told_at_their_argument(tmp_path: Path) -> None:
    (tmp_path / "v.webm").write_bytes(encoded_video("vp9", 10, (32, 24)))

    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def pipeline() -> Any:
        return fn.readers.video(filenames=[str(tmp_path / "v.webm")], sequence_length=5, num_shards=3)[0]

    with pytest.raises(DaliStudioError, match="use at most 2") as caught:
        pipeline().run()
    assert [found.argument for found in caught.value.diagnostics] == ["num_shards"]
