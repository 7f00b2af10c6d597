"""What cards show, by the kind of the data."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from dali_studio import fn, pipeline_def
from dali_studio.api.default import default_registry
from dali_studio.core.meta import KINDS
from dali_studio.graph.edits import PortRef
from dali_studio.studio.drawing import stills
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.renderers import renderer_of
from dali_studio.studio.outputs.renderers.base import Backdrop, Card, Class, Scale, Shown
from dali_studio.studio.outputs.renderers.spectrum import Axis
from dali_studio.studio.outputs.renderers.still import still
from dali_studio.studio.outputs.spectra import scale_of
from dali_studio.studio.protocol import bodies

ROOM = (296, 196)
GRID = np.arange(40 * 60 * 3, dtype=np.uint8).reshape(40, 60, 3)


def card(sample: NDArray[Any], layout: str = "", **more: Any) -> Card:
    shown = Shown(sample, layout, **more)
    return renderer_of(shown).card(shown, *ROOM)


def body(sample: NDArray[Any], layout: str = "", **more: Any) -> Any:
    return card(sample, layout, **more).body


def behind(image: NDArray[Any] = GRID) -> Callable[[], Backdrop]:
    return lambda: Backdrop("decode", image)


# ------------------------------------------------------------------------------------------------------------- images


def test_zeros_and_ones_are_seen_and_dark_pictures_stay_dark() -> None:
    ones = (GRID > 127).astype(np.uint8)
    shown = card(ones, "HWC")
    assert shown.picture is not None and {*np.unique(shown.picture)} >= {0, 255}
    assert shown.note == "shown from 0 to 1, as x·255"
    for image in (GRID // 100, np.zeros_like(GRID)):
        dark = card(image, "HWC")
        assert dark.picture is not None and dark.picture.max() == image.max() and dark.note == ""


@pytest.mark.parametrize(
    ("layout", "shape"), [("DW", (30, 20)), ("DH", (5, 20)), ("FW", (9, 64)), ("DWC", (30, 20, 3)), ("HW", (2, 3))]
)
def test_a_slice_of_a_volume_or_a_sequence_is_a_picture_from_every_side(layout: str, shape: tuple[int, ...]) -> None:
    made = card(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), layout)
    assert isinstance(made.body, bodies.ImageBody) and made.picture is not None
    assert abs(made.picture.shape[0] / made.picture.shape[1] - shape[0] / shape[1]) < 0.05


@pytest.mark.parametrize(
    ("layout", "shape"), [("", (30, 20)), ("DW", (4, 90)), ("DH", (90, 1)), ("CW", (30, 20)), ("DC", (90, 3)), ("D", (99,))]
)
def test_what_is_no_slice_is_no_picture(layout: str, shape: tuple[int, ...]) -> None:
    assert isinstance(body(np.arange(np.prod(shape)).reshape(shape), layout), bodies.StatisticsBody)


# ------------------------------------------------------------------------------------------------------- spectrograms


@pytest.mark.parametrize("layout", ["ft", "tf"])
def test_a_spectrogram_has_low_frequencies_below_and_time_to_the_right(layout: str) -> None:
    power = np.full((64, 200), 1e-9, np.float32)
    power[5, 150:] = 1.0  # a low tone near the end
    shown = Shown(power if layout == "ft" else np.ascontiguousarray(power.T), layout)
    large = renderer_of(shown).large(shown, -1)
    assert large is not None and large.image.shape == (531, 1104, 3)
    inside = large.image[80:450, 120:1080].astype(int)  # between the axes
    bright = np.argwhere((inside[..., 0] > 230) & (inside[..., 2] < 210))
    assert bright[:, 0].min() > 320 and bright[:, 0].max() < 365
    assert 680 < bright[:, 1].min() < 750
    assert large.note == "−80 to 0 dB below the highest"
    made = card(shown.sample, layout)
    assert isinstance(made.body, bodies.ImageBody) and made.picture is not None
    assert made.body.axes and made.picture.shape == (ROOM[1], ROOM[0], 3)


def test_features_that_are_no_powers_are_shown_as_they_are() -> None:
    made = card(np.linspace(-3, 5, 80 * 30, dtype=np.float32).reshape(80, 30), "ft")
    assert made.note == ""
    assert card(np.full((4, 5), np.nan, np.float32), "ft").picture is not None


@pytest.mark.parametrize(
    ("extent", "numbers"),
    [(3.17, "0 1 2 3"), (8, "0 2 4 6 8"), (80, "0 20 40 60 80"), (0.45, "0 0.2 0.4"), (257, "0 100 200"), (1, "0 0.5 1"),
     (12_345, "0 5000 10000"), (1e-3, "0 0.0005 0.001")],
)  # fmt: skip
def test_numbers_along_an_axis(extent: float, numbers: str) -> None:
    ticks, unit = Axis.of(extent, "s")
    assert " ".join(text for _, text in ticks) == numbers and unit == "s"
    for place, text in ticks:
        assert place == pytest.approx(float(text) / extent, abs=1e-6) and place <= 1 + 1e-9


def test_axes_are_drawn_in_units_that_are_known() -> None:
    level = np.random.default_rng(3).normal(0, 1, (80, 300)).astype(np.float32)
    pictures = [card(level, "ft", scale=scale).picture for scale in
                (Scale(), Scale(0.01, 8000.0), Scale(0.01, None, "mel band"), Scale(0.02, 8000.0))]  # fmt: skip
    shown = {picture.tobytes() for picture in pictures if picture is not None}
    assert len(shown) == 4
    one = card(level[:1, :1], "ft", scale=Scale(0.01, 8000.0)).picture  # a single number
    assert one is not None and one.shape == (ROOM[1], ROOM[0], 3)


def test_the_steps_before_a_spectrogram_tell_its_scale() -> None:
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def features() -> Any:
        sound, _ = fn.decoders.audio(fn.readers.file(files=["a.wav"])[0], downmix=True, name="sound")
        spectra = fn.spectrogram(sound, nfft=512, window_length=400, window_step=160, name="spectra")
        mel = fn.mel_filter_bank(spectra, sample_rate=16000.0, nfilter=80, name="mel")
        usual = fn.spectrogram(fn.audio_resample(sound, in_rate=9.0, out_rate=8000.0), name="usual")
        return (
            fn.to_decibels(spectra, name="level"), fn.normalize(fn.to_decibels(mel), name="log_mel"),
            fn.mfcc(mel, name="cepstra"), usual, fn.resize(spectra, size=[9, 9], name="small"),
            fn.spectrogram(fn.random.uniform(shape=[900]), name="noise"), fn.mel_filter_bank(usual, name="other"),
        )  # fmt: skip

    graph, registry = features().graph, default_registry()

    def scale(node: str, rate: float | None = 22050.0) -> Scale:
        return scale_of(graph, PortRef(node=node), registry, lambda port: rate if port.output else None)

    assert scale("spectra") == scale("level") == Scale(160 / 22050, 11025.0)
    assert scale("spectra", None) == Scale()
    assert scale("mel", None) == scale("mel") == scale("log_mel") == Scale(0.01, None, "mel band")
    assert scale("cepstra") == Scale(0.01, None, "coefficient")
    assert scale("usual") == Scale(256 / 8000, 4000.0)
    assert scale("other").rows == "mel band" and scale("other").seconds == 256 / 8000
    assert scale("small") == scale("noise") == Scale()


# ------------------------------------------------------------------------------------------------- sequences, volumes


@pytest.mark.parametrize(("layout", "shape"), [("FHWC", (15, 20, 30, 3)), ("FCHW", (15, 3, 20, 30)), ("FHW", (15, 20, 30))])
def test_frames_stand_side_by_side_with_their_numbers(layout: str, shape: tuple[int, ...]) -> None:
    frames = np.zeros(shape, np.uint8)
    for number in range(shape[0]):
        frames[number] = 15 * number
    made = card(frames, layout)
    assert made.body == bodies.PlanesBody(count=15, shown=(0, 2, 4, 6, 8, 10, 12, 14), width=30)
    assert made.picture is not None and made.picture.shape == (20, 240, 3)
    assert [int(made.picture[5, 30 * i + 15, 0]) for i in range(4)] == [0, 30, 60, 90]
    assert card(np.zeros((2, 400, 600, 3), np.uint8), "FHWC").body == bodies.PlanesBody(count=2, shown=(0, 1), width=264)


@pytest.mark.parametrize(("layout", "shape"), [("DHWC", (33, 20, 30, 1)), ("CDHW", (1, 33, 20, 30)), ("DHW", (33, 20, 30))])
def test_a_volume_shows_slices_from_three_sides_and_its_middle_is_among_them(layout: str, shape: tuple[int, ...]) -> None:
    volume = np.zeros(shape, np.float32)
    np.moveaxis(volume, layout.index("D"), 0)[16] = 1.0
    made = card(volume, layout)
    assert isinstance(made.body, bodies.VolumeBody) and made.picture is not None
    assert (made.body.extents, made.body.sides) == ((33, 20, 30), (30, 20, 30))
    assert [places[-1] for places in made.body.shown] == [32, 19, 29]
    assert all(count // 2 in places for places, count in zip(made.body.shown, made.body.extents, strict=True))
    at, middle = made.body.shown[0].index(16), made.picture.shape[0] // 2
    cells = [made.picture[:, x : x + made.body.width, 0] for x in range(0, made.picture.shape[1], made.body.width)]
    assert cells[at][middle].min() == 255 and max(cell.max() for cell in cells[:at]) == 0  # a whole axial slice
    for cell in cells[len(made.body.shown[0]) :]:  # in the others a line from side to side
        assert cell[middle, 20] > 100 > cell[middle - 20, 20]
    shown = Shown(volume, layout)
    middle, low = renderer_of(shown).large(shown, -1), renderer_of(shown).large(shown, (3 * 20 + 4) * 30 + 5)
    assert middle is not None and low is not None
    assert (middle.extents, middle.depth, middle.plane) == ((33, 20, 30), 30, (16 * 20 + 10) * 30 + 15)
    assert middle.image.shape == low.image.shape == (50, 60, 3)
    assert middle.image[:20, :30].min() == 255 and low.image[:20, :30].max() == 0  # axial: whole slices
    for image in (middle.image, low.image):  # slice 16 of 33 is a line in the middle of the others
        assert image[34, :30].min() > 100 < image[:20, 44].min()
        assert image[20:32, :30].max() == image[:20, 48:].max() == 0
    last = renderer_of(shown).large(shown, 10**6)
    assert last is not None and last.plane == 33 * 20 * 30 - 1


def test_vectors_are_colours_by_direction_and_white_where_nothing_moves() -> None:
    field = np.zeros((2, 8, 12, 2), np.float32)
    field[0, :, :6], field[1, :, :6] = (4, 0), (-2, 0)
    made = card(field, "FHWC")
    assert made.note == "vectors: colour is direction, white 0, full 4" and made.picture is not None
    assert [made.picture[4, x].tolist() for x in (3, 9, 15, 21)] == [[255, 0, 0], [255] * 3, [128, 255, 255], [255] * 3]
    field[0, 0, 0] = np.nan, np.inf
    assert card(field, "FHWC").picture is not None


def test_planes_of_a_volume_cross_in_a_voxel() -> None:
    volume = np.zeros((2, 60, 90), np.uint8)
    volume[1, 20, 70] = 255
    shown = Shown(volume, "DHW")
    large = renderer_of(shown).large(shown, (60 + 20) * 90 + 70)
    assert large is not None and large.depth == 30 and large.image.shape == (90, 120, 3)
    assert large.image[20, 70, 0] == 255  # axial
    assert large.image[89, 70, 0] == large.image[20, 119, 0] == 255  # coronal, sagittal: two slices over 30 pixels
    assert large.image[60, 70, 0] == large.image[20, 90, 0] == 0


@pytest.mark.parametrize("count", [1, 2, 5, 9, 10, 64])
def test_every_number_of_slices_fits_into_the_row(count: int) -> None:
    made = card(np.zeros((count, 400, 500), np.int16), "DHW")
    assert isinstance(made.body, bodies.VolumeBody) and made.picture is not None
    assert count // 2 in made.body.shown[0] and made.body.shown[0][-1] == count - 1
    assert made.picture.shape[1] == made.body.width * sum(map(len, made.body.shown))


def test_a_sequence_of_volumes_shows_their_middle_slices() -> None:
    sequence = np.zeros((3, 5, 8, 8, 1), np.uint8)
    sequence[:, 2] = 200
    made = card(sequence, "FDHWC")
    assert isinstance(made.body, bodies.PlanesBody)
    assert made.picture is not None and made.picture.min() == 200


# -------------------------------------------------------------------------------------------------------------- sound


def test_a_signal_is_a_wave_of_lowest_and_highest_values() -> None:
    signal = np.sin(np.linspace(0, 60, 16000, dtype=np.float32)) * 0.5
    made = body(signal)
    assert isinstance(made, bodies.WaveBody) and (made.length, made.peak) == (16000, 1.0)
    (spans,) = made.channels
    assert len(spans) == 148 and all(low <= high for low, high in spans)
    assert max(high for _, high in spans) == pytest.approx(0.5, abs=1e-3)


def test_below_a_wave_are_its_frequencies() -> None:
    """A tone of an eighth of the rate is a line at a quarter of the height, where it sounds."""
    signal = np.sin(np.arange(16_000, dtype=np.float32) * 2 * np.pi / 8)
    signal[:8_000] = 0
    made = card(signal)
    assert made.picture is not None and made.picture.shape == (round(ROOM[1] * 0.53), ROOM[0], 3)
    sums = made.picture.astype(int).sum(axis=2)
    bright = np.argwhere(sums > 0.7 * sums.max())
    height, width = made.picture.shape[:2]
    assert abs(bright[:, 0].mean() / height - 0.75) < 0.03 and 0.45 < bright[:, 1].min() / width < 0.55
    pictures = [large for rate in (0.0, 8_000.0) if (large := renderer_of(Shown(signal)).large(Shown(signal, rate=rate), -1))]
    assert len(pictures) == 2 and not np.array_equal(pictures[0].image, pictures[1].image)  # other axes
    for odd in (np.zeros(300, np.float32), signal[:256], np.full((900, 2), np.inf, np.float32)):
        assert card(odd).picture is not None


def test_channels_of_a_signal_are_waves_of_their_own() -> None:
    signal = np.stack([np.zeros(1000), np.ones(1000)], axis=1).astype(np.int16) * 9
    made = body(signal, kind="audio")
    assert isinstance(made, bodies.WaveBody) and made.peak == 9
    assert made.channels[0][0] == (0.0, 0.0) and made.channels[1][0] == (9.0, 9.0)


def test_a_wave_with_values_that_are_not_finite_says_so() -> None:
    signal = np.zeros(1000, np.float32)
    signal[3], signal[4] = np.nan, np.inf
    made = card(signal)
    assert isinstance(made.body, bodies.WaveBody) and made.note == "1 NaN, 1 Inf"


# ------------------------------------------------------------------------------------------------------ boxes, masks


def test_boxes_are_drawn_over_their_image() -> None:
    boxes = np.array([[0.25, 0.5, 0.75, 1.0]], np.float32)
    made = card(boxes, kind="boxes", backdrop=behind())
    assert made.body == bodies.BoxesBody(over="decode", count=1, boxes=((0.25, 0.5, 0.75, 1.0),))
    assert made.picture is not None and made.picture.shape == GRID.shape


def test_boxes_in_pixels_and_with_extents_are_drawn_at_the_same_place() -> None:
    wanted = ((0.25, 0.5, 0.75, 1.0),)
    pixels = np.array([[15, 20, 45, 40]], np.float32)
    assert body(pixels, kind="boxes", backdrop=behind()).boxes == wanted
    extents = np.array([[15, 20, 30, 20]], np.int32)
    assert body(extents, kind="boxes", corners=False, backdrop=behind()).boxes == wanted


def test_boxes_without_an_image_and_no_boxes_are_shown_too() -> None:
    assert body(np.zeros((0, 4), np.float32), kind="boxes").count == 0
    assert body(np.array([[0.0, 0.0, 1.0, 0.5]], np.float32), kind="boxes").over == ""


def test_numbers_that_cannot_be_boxes_are_a_table() -> None:
    turned = np.array([[0.75, 0.5, 0.25, 1.0]], np.float32)
    assert isinstance(body(turned, backdrop=behind()), bodies.TableBody)
    outside = np.array([[10, 10, 70, 30]], np.float32)
    assert isinstance(body(outside, backdrop=behind()), bodies.TableBody)
    assert isinstance(body(np.array([[0.1, 0.1, 0.2, 0.2]], np.float32)), bodies.TableBody)
    assert isinstance(body(np.array([[0.1, 0.1, 0.2, 0.2]], np.float32), backdrop=behind()), bodies.BoxesBody)


def test_what_leaves_the_image_is_counted_and_drawn_at_its_edge() -> None:
    made = card(np.array([[-0.2, 0.1, 0.4, 0.9], [0.5, 0.5, 1.3, 0.9], [0.1, 0.1, 0.2, 1.0]], np.float32), kind="boxes", backdrop=behind())
    assert made.body.outside == 2 and made.note == "over decode; 2 of 3 boxes leave it"  # type: ignore[union-attr]
    assert made.body.boxes[0][0] == 0.0 and made.body.boxes[1][2] == 1.0  # type: ignore[union-attr]


def test_points_are_drawn_over_their_image() -> None:
    wanted = ((0.25, 0.5), (1.5, 0.5))
    for points in (np.array(wanted, np.float32), np.array([[15, 20], [90, 20]], np.int32), np.array([[[15, 20], [90, 20]]], np.float32)):
        shown = Shown(points, kind="points", backdrop=behind())
        made = renderer_of(shown).card(shown, *ROOM)
        assert made.body == bodies.PointsBody(over="decode", count=2, points=wanted, outside=1)
        assert made.picture is not None and made.note == "over decode; 1 of 2 points leave it"
        drawn = still(shown)
        assert drawn is not None and (drawn[20, 15] == 255).all()
    assert isinstance(body(np.zeros((3, 3), np.float32), kind="points"), bodies.TableBody)


def test_a_mask_colours_its_image_and_leaves_the_background() -> None:
    mask = np.zeros(GRID.shape[:2], np.int32)
    mask[:, 30:] = 2
    made = card(mask, "HW", kind="mask", backdrop=behind())
    assert made.picture is not None and made.note == "over decode"
    np.testing.assert_array_equal(made.picture[:, :30], GRID[:, :30])
    assert (made.picture[:, 30:] != GRID[:, 30:]).any(axis=2).all()
    assert (made.picture[:, 30] == 255).all() and not (made.picture[:, 33:] == 255).all(axis=2).any()  # a white edge
    alone = card(mask[..., None], "HWC", kind="mask", backdrop=behind(GRID[:10]))
    assert alone.picture is not None and not alone.picture[:, :30].any() and alone.picture[:, 30:].any()


def test_each_class_has_its_colour_in_boxes_as_in_masks() -> None:
    boxes = np.array([[0.1, 0.1, 0.3, 0.3], [0.5, 0.1, 0.7, 0.3], [0.1, 0.6, 0.3, 0.9]], np.float32)
    classes = (Class(2, "cat"), Class(1, "dog"), Class(2, "cat"))
    shown = Shown(boxes, kind="boxes", backdrop=behind(), classes=lambda: classes)
    made = renderer_of(shown).card(shown, *ROOM).body
    assert isinstance(made, bodies.BoxesBody) and made.labels == ("cat", "dog", "cat")
    cat, dog, _ = made.colours
    assert made.colours == (cat, dog, cat) and cat != dog
    mask = np.repeat(np.repeat(np.array([[1, 2, 8]], np.int32), 90, axis=0), 30, axis=1)
    drawn = card(mask, "HW", kind="mask").picture
    assert drawn is not None
    of_mask = ["#" + bytes(drawn[45, x].tolist()).hex() for x in (15, 45, 75)]
    assert of_mask == [dog, cat, dog]  # they repeat
    assert len({Class(number, "").colour for number in range(7)}) == 7
    # and in saved pictures
    svg = stills.drawn(stills.Still(made, np.zeros((98, 148, 3), np.uint8), ""), stills.ROOM, "blue")
    assert [svg.count(f'stroke="{colour}"') for colour in (cat, dog, "#fff", "#111")] == [1, 1, 0, 2]
    assert svg.index("h29.6") and svg.split(f'stroke="{cat}"')[0].count("M") == 4  # both cats in one path


# ------------------------------------------------------------------------------------------------------------ tensors


def test_few_numbers_are_a_table_and_many_are_statistics() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3) / 4
    assert body(matrix) == bodies.TableBody(rows=(("0", "0.25", "0.5"), ("0.75", "1", "1.25")))
    assert body(np.array(7, np.int32)) == bodies.TableBody(rows=(("7",),))
    made = card(np.append(np.ones(99), np.nan).reshape(10, 10))
    assert isinstance(made.body, bodies.StatisticsBody) and made.note == "1 NaN"
    assert (made.body.minimum, made.body.maximum, made.body.mean) == (1.0, 1.0, 1.0)
    assert sum(made.body.histogram) == 99


def test_bytes_are_text_where_they_are_text() -> None:
    def of(raw: bytes) -> Any:
        return body(np.frombuffer(raw, np.uint8))

    assert of("Straße 7, two lines\n".encode()) == bodies.TextBody(text="Straße 7, two lines\n", hex=False)
    assert of("ä".encode() * 500).text.startswith("ääää")
    assert body(np.frombuffer(b"\xff\xd8\xff\xe0", np.uint8), kind="encoded").text == "FF D8 FF E0"
    assert isinstance(of(b"\xff\xd8\xff\xe0"), bodies.TableBody)


ODD: Sequence[NDArray[Any]] = [
    np.zeros(shape, dtype)
    for dtype in (np.uint8, np.int64, np.float16, np.float32, np.bool_)
    for shape in ((), (0,), (1,), (300,), (0, 4), (3, 4), (300, 2), (9, 9), (0, 5, 3), (4, 5, 3), (2, 4, 5, 3), (1,) * 6)
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", ["", "full"])
def test_whatever_comes_is_shown(kind: Any, layout: str) -> None:
    """Any shape, type and kind has a renderer that neither fails nor sends more than a card can show."""
    for sample in ODD:
        for value in (0, 1):
            letters = {3: "HWC", 4: "FHWC", 6: "FDHWCX"}.get(sample.ndim, "") if layout else ""
            shown = Shown(np.full_like(sample, value), letters, kind, backdrop=behind())
            renderer = renderer_of(shown)
            made = renderer.card(shown, *ROOM)
            assert made.picture is None or (made.picture.ndim == 3 and made.picture.dtype == np.uint8)
            renderer.large(shown, 10**6)


@pytest.mark.parametrize("limits", [None, (3.0, 250.0), (-20.5, 100.25)])
@pytest.mark.parametrize("layout", ["HWC", "CHW", "HW", ""])
def test_bytes_are_counted_as_numbers_are(layout: str, limits: tuple[float, float] | None) -> None:
    shape = (4, 31, 17) if layout == "CHW" else (31, 17) if layout == "HW" else (31, 17, 3)
    sample = np.random.default_rng(3).integers(5, 240, shape, dtype=np.uint8)
    counts = images.histogram(sample, layout, limits=limits)
    assert counts == images.histogram(sample.astype(np.float32), layout, limits=limits)
    assert len(counts) == {"CHW": 4, "HWC": 3}.get(layout, 1)
    assert limits is not None or sum(map(sum, counts)) == sample.size


def test_an_atlas_shows_the_colours_of_each_pixel_of_small_pictures() -> None:
    """JPEG's blocks would mix them with those of their neighbours."""
    small = [
        np.full((1, 1, 3), (200, 30, 30), np.uint8), np.array([[[0, 255, 0], [0, 0, 255]]], np.uint8),
        np.full((5, 3, 3), (200, 200, 0), np.uint8), np.arange(32 * 32 * 3, dtype=np.uint8).reshape(32, 32, 3),
    ]  # fmt: skip
    cells, packed = images.atlas([*small, GRID])
    atlas = np.asarray(Image.open(io.BytesIO(packed)), np.int16)
    for picture, cell in zip(small, cells, strict=False):
        each = cell.height // picture.shape[0]
        shown = atlas[cell.y : cell.y + cell.height, cell.x : cell.x + cell.width][::each, ::each]
        assert np.abs(shown - picture).max() <= 2  # what JPEG rounds
