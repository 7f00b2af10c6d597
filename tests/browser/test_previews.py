"""What cards and the inspector show for every kind of data, in JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab

pytestmark = pytest.mark.browser

CODE = """
from functools import partial
import numpy as np
from dali_studio import Designer, Pipeline, fn, samples

y, x = np.mgrid[0:60, 0:80].astype(np.float32)
photo = np.stack([x * 3, y * 4, 255 - x * 3], -1).astype(np.uint8)
frames = np.stack([np.roll(photo, 12 * i, axis=1) for i in range(7)])
d, v, u = np.mgrid[-1:1:24j, -1:1:60j, -1:1:80j].astype(np.float32)
ball = np.clip(1 - np.sqrt(d * d + v * v + u * u), 0, 1)[..., None]
t = np.arange(16000, dtype=np.float32) / 16000
sound = np.stack([np.sin(900 * t) * np.exp(-3 * t), np.sin(70 * t * t * 40) * 0.4], -1).astype(np.float32)
boxes = np.array([[0.1, 0.1, 0.6, 0.9], [0.5, 0.2, 0.9, 0.5]], np.float32)
data = {
    "video": ("FHWC", frames), "volume": ("DHWC", ball), "sound": ("", sound),
    "matrix": ("", np.round(np.random.default_rng(1).normal(size=(3, 3)), 3)),
    "vector": ("", np.random.default_rng(2).normal(size=(50, 100)).astype(np.float32)),
    "words": ("", np.frombuffer("A label that is text, and goes on over lines.".encode(), np.uint8)),
}
made = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=1)
with made:
    nodes = [
        fn.external_source(source=partial(list, [array] * 2), layout=layout or None, name=name)
        for name, (layout, array) in data.items()
    ]
    image, boxed = fn.external_source(source=lambda: ([photo] * 2, [boxes] * 2), num_outputs=2, layout=["HWC"])
    drawn = fn.external_source(source=partial(list, [boxes] * 2), name="alone")
    made.set_outputs(*nodes, image, boxed, drawn)
Designer(made, height=960)
"""


def _drawn(page: Any, key: str) -> int:
    """How often the canvas of a card was drawn with a picture."""
    return int(lab.by_id(page, f"thumb-{key}").get_attribute("data-drawn") or 0)


def _await_planes(page: Any, *texts: str) -> None:
    page.wait_for_function(
        "t => [...document.querySelectorAll('.ds-plane output')].map(e => e.textContent).join() === t", arg=",".join(texts)
    )


def _listen(page: Any) -> None:
    """A sound is heard once, or again and again until it is stopped."""
    lab.card(page, "sound").click(position={"x": 28, "y": 5})
    play, pressed = lab.by_id(page, "play"), "pressed => document.querySelector('[data-testid=play]').ariaPressed === pressed"
    play.wait_for()
    ends = page.evaluate("() => { const wave = document.querySelector('.ds-preview-wave svg');"
                         "return [wave, wave.parentElement].map(e => e.getBoundingClientRect().right); }")  # fmt: skip
    assert ends[0] <= ends[1]  # to the end of the sound
    play.click()
    page.wait_for_function(pressed, arg="true")
    page.wait_for_function(pressed, arg="false", timeout=20_000)
    page.evaluate("() => { window.heard = []; const start = AudioBufferSourceNode.prototype.start;"
                  "AudioBufferSourceNode.prototype.start = function () { window.heard.push(this); start.call(this); } }")  # fmt: skip
    page.get_by_role("switch", name="Again and again").click()
    play.click()
    page.wait_for_function("() => window.heard.length === 1 && window.heard[0].loop && window.heard[0].buffer.length === 16000")
    page.wait_for_timeout(int(page.evaluate("() => window.heard[0].buffer.duration * 1000") * 1.5))
    assert page.evaluate(pressed, "true")
    play.click()
    page.wait_for_function(pressed, arg="false")
    play.click()
    play.click()  # before it has come: it is not heard
    page.wait_for_timeout(1500)
    assert page.evaluate(pressed, "false") and page.evaluate("() => window.heard.every(one => one.context.state === 'closed')")


def _go_through_frames(page: Any) -> None:
    """The frame of a sequence that is pointed at or chosen by keys, then one after the other, in the browser."""
    frame, strip = lab.by_id(page, "frame-video"), lab.by_id(page, "frames-video")
    assert frame.inner_text() == "frame 1 of 7" and page.locator('[data-testid="node-video"] .ds-clip-strip span').count() == 7
    first = lab.painted(page, "video")
    strip.hover(position={"x": strip.bounding_box()["width"] * 0.93, "y": 9})
    frame.get_by_text("frame 7").wait_for()
    page.wait_for_timeout(100)
    assert lab.painted(page, "video") != first
    page.mouse.move(0, 0)
    strip.focus()
    page.keyboard.press("ArrowLeft")
    frame.get_by_text("frame 6").wait_for()
    lab.by_id(page, "play-video").click()
    for number in ("7", "1", "3"):
        frame.get_by_text(f"frame {number}").wait_for()
    lab.by_id(page, "play-video").click()


def test_every_kind_of_data_is_shown(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    lab.write_notebook(server[1] / "kinds.ipynb", CODE)
    lab.open_notebook(page, server[0], "kinds.ipynb")
    lab.by_id(page, "node-video").wait_for(timeout=90_000)
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    for key in ("video", "volume", "source"):
        page.wait_for_function(
            "key => Number(document.querySelector(`[data-testid='thumb-${key}']`)?.dataset.drawn ?? 0) > 0", arg=key
        )

    _go_through_frames(page)
    for shown in ("node-sound svg.ds-wave path", "node-sound canvas[aria-label^=frequencies]:not([data-drawn='0'])", "node-matrix td", "node-vector .ds-histogram"):
        card, what = shown.split(" ", 1)
        page.locator(f'[data-testid="{card}"] {what}').first.wait_for(state="attached")
    lab.by_id(page, "thumb-words").get_by_text("A label that is text").wait_for()
    assert page.locator('[data-testid="node-sound"] svg.ds-wave path').count() == 2
    assert page.locator('[data-testid="node-matrix"] td').count() == 9
    assert page.locator('[data-testid="node-vector"] .ds-statistics .ds-histogram').count() == 1
    assert (lab.by_id(page, "thumb-words").text_content() or "").startswith("A label that is text")

    # the card shows three planes; where one is pressed, and the arrow keys, move the others without asking the kernel
    planes, names = page.locator('[data-testid="node-volume"] .ds-volume'), '[data-testid="node-volume"] .ds-compare-label'
    assert page.locator(names).all_inner_texts() == ["z 12", "y 30", "x 40"]
    room = planes.first.bounding_box()
    planes.first.click(position={"x": room["width"] * 0.2, "y": room["height"] * 0.35})
    page.wait_for_function("names => [...document.querySelectorAll(names)].map(e => e.textContent).join() === 'z 12,y 15,x 20'", arg=names)
    before, middle = _drawn(page, "volume"), lab.painted(page, "volume")
    lab.by_id(page, "slice-z-volume").focus()
    page.keyboard.press("Home")
    page.wait_for_function(
        "before => Number(document.querySelector('[data-testid=thumb-volume]').dataset.drawn) > before", arg=before
    )
    assert lab.painted(page, "volume") != middle
    page.screenshot(path=artifacts / "kinds_light.png")

    # the inspector shows three planes: a slider, or the pointer in one of them, moves the others
    lab.card(page, "volume").click(position={"x": 28, "y": 5})
    plane = lab.by_id(page, "plane-axial")
    plane.wait_for()
    assert plane.input_value() == "12"
    plane.focus()
    page.keyboard.press("ArrowRight")
    _await_planes(page, "z 13 of 24", "y 30 of 60", "x 40 of 80")
    planes = lab.by_id(page, "volume")
    room = planes.bounding_box()
    planes.click(position={"x": room["width"] * 0.25, "y": room["height"] * 0.2})
    page.wait_for_function("() => !document.querySelector('[data-testid=plane-sagittal]').value.startsWith('40')")
    axial, coronal, sagittal = (int(lab.by_id(page, f"plane-{n}").input_value()) for n in ("axial", "coronal", "sagittal"))
    assert (axial, abs(coronal - 17) < 3, abs(sagittal - 27) < 3) == (13, True, True)
    page.screenshot(path=artifacts / "designer_volume.png")

    _listen(page)

    # boxes stand over the image that comes with them
    lab.card(page, "source").click(position={"x": 28, "y": 5})
    page.get_by_role("tab", name="output_1").or_(page.get_by_role("tab", name="output 2")).click()
    page.wait_for_selector(".ds-compare .ds-overlay i", state="attached")
    assert page.locator(".ds-compare .ds-overlay i").count() == 2
    lab.set_theme(page, "JupyterLab Dark")
    lab.settle(page)
    page.screenshot(path=artifacts / "kinds_dark.png")

    # in the list, numbers of columns that would be cut are told by their shades
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("one => { one.style.width = '520px'; }")
    page.wait_for_selector(".ds-outline-picture .ds-matrix")
    cut = "all => all.map(one => [one.scrollWidth - one.clientWidth, getComputedStyle(one.querySelector('td')).fontSize])"
    assert page.locator(".ds-outline-picture .ds-matrix").evaluate_all(cut) == [[0, "0px"]] * 2


OBJECTS = """
from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
def objects():
    files, boxes, labels, _, corners = fn.readers.coco(
        file_root=str(samples.photos()), annotations_file=str(samples.coco()), ratio=True, ltrb=True, polygon_masks=True, name="reader"
    )
    image = fn.flip(fn.decoders.image(files), horizontal=1, name="flip")
    return image, fn.bb_flip(boxes, ltrb=True, name="boxes"), labels, fn.coord_flip(corners, center_x=0.7, name="points")
Designer(objects(), height=800)
"""


def test_boxes_have_names_and_points_that_leave_their_picture_are_counted(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    lab.write_notebook(server[1] / "objects.ipynb", OBJECTS)
    lab.open_notebook(page, server[0], "objects.ipynb")
    name = page.locator('[data-testid="node-boxes"] .ds-overlay i b')
    name.wait_for(state="attached", timeout=90_000)
    assert name.text_content() == "cat"
    assert "over flip" in (lab.by_id(page, "thumb-boxes").get_attribute("aria-label") or "")
    dots = page.locator('[data-testid="node-points"] .ds-overlay u').count()
    title = lab.by_id(page, "leaves-points").get_attribute("title") or ""
    # turned about another line than the picture, which is seen over this one
    assert title.startswith("over flip; ") and title.endswith(f"of {dots} points leave it.")
    page.screenshot(path=artifacts / "objects.png")
    # a small picture has the number alone, and the open row its labels at the edges of its room
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("one => { one.style.width = '520px'; }")
    page.locator('[data-testid="outline-points"]:visible').click()
    chip = page.locator(".ds-outline-picture .ds-leaves").first
    assert chip.inner_text().strip().isdigit() and chip.bounding_box()["width"] < 40
    page.locator(".ds-outline .ds-compare-right").wait_for()
    right = "name => document.querySelector(`.ds-outline ${name}`).getBoundingClientRect().right"
    assert abs(page.evaluate(right, ".ds-compare-right") - page.evaluate(right, ".ds-device-choice .ds-segments")) < 12


CLIPS = """
from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
def clips():
    video, _ = fn.experimental.readers.video(
        file_root=str(samples.videos()), sequence_length=8, stride=3, step=24, name="video"
    )
    return fn.resize(video, size=[90, 120], name="small"), fn.sequence_rearrange(video, new_order=[7, 0], name="moved")
Designer(clips(), height=700)
"""


def test_a_video_plays_at_its_speed_and_tells_times(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    """The samples have 12 frames a second, of which every third is taken."""
    lab.write_notebook(server[1] / "clips.ipynb", CLIPS)
    lab.open_notebook(page, server[0], "clips.ipynb")
    lab.by_id(page, "node-small").wait_for(timeout=90_000)
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    page.wait_for_function("() => Number(document.querySelector('[data-testid=thumb-moved]')?.dataset.drawn ?? 0) > 0")
    for key in ("video", "small"):
        assert lab.by_id(page, f"time-{key}").inner_text() == "at 0.00 s"
    assert page.locator('[data-testid="time-moved"]').count() == 0  # frames in another order
    time, strip = lab.by_id(page, "time-small"), lab.by_id(page, "frames-small")
    strip.hover(position={"x": strip.bounding_box()["width"] * 0.7, "y": 9})
    time.get_by_text("at 1.25 s").wait_for()

    # what differs between two frames, in place of the picture
    page.wait_for_timeout(200)
    frame = lab.painted(page, "small")
    lab.by_id(page, "differ-small").click()
    page.wait_for_timeout(200)
    page.screenshot(path=artifacts / "video_difference.png")
    colours = [value for place, value in enumerate(lab.painted(page, "small")) if place % 4 < 3]
    assert 0 < sum(colours) < 0.9 * sum(value for place, value in enumerate(frame) if place % 4 < 3)
    lab.by_id(page, "differ-small").click()

    # a quarter of a second from frame to frame
    lab.by_id(page, "play-small").click()
    begun = page.evaluate("() => performance.now()")
    for seconds in ("1.50 s", "0.00 s", "0.50 s"):
        time.get_by_text(f"at {seconds}", exact=True).wait_for()
    assert page.evaluate("() => performance.now()") - begun > 4 * 200
    lab.by_id(page, "play-small").click()
    page.screenshot(path=artifacts / "video.png")

    # enlarged, it is counted and stepped through alike, and played once to its end
    lab.card(page, "small").click(position={"x": 28, "y": 5})
    page.keyboard.press("v")
    gain = page.locator(".ds-compare-view .ds-gain label")
    gain.get_by_text("Frame 1 of 8, 0.00 s").wait_for()
    page.keyboard.press(".")
    gain.get_by_text("Frame 2 of 8, 0.25 s").wait_for()
    page.keyboard.press(",")
    gain.get_by_text("Frame 1 of 8").wait_for()
    begun = page.evaluate("() => performance.now()")
    lab.by_id(page, "pair-play").click()
    gain.get_by_text("Frame 8 of 8, 1.75 s").wait_for()
    assert page.evaluate("() => performance.now()") - begun > 1000
    page.wait_for_function("() => document.querySelector('[data-testid=pair-play]').ariaPressed === 'false'")
    page.keyboard.press("Escape")


_SPECTRUM = """
from dali_studio import Designer, Pipeline, fn, samples, types
made = Pipeline(batch_size=4, num_threads=1, device_id=None, seed=1)
with made:
    files, _ = fn.readers.file(file_root=str(samples.sounds()))
    sound = fn.decoders.audio(files, dtype=types.FLOAT, downmix=True)[0]
    mel = fn.mel_filter_bank(fn.spectrogram(sound, nfft=512), nfilter=64, name="mel")
    loud = fn.to_decibels(mel, name="loud")
    fn.random.uniform(range=(0.0, 1.0), name="spare")
    made.set_outputs(loud)
Designer(made, height=820)
"""
#: How far the first of two elements ends above the begin of the second.
_ABOVE = """([upper, lower]) => document.querySelector(lower).getBoundingClientRect().top
    - document.querySelector(upper).getBoundingClientRect().bottom"""


def test_words_cover_no_numbers_and_no_bars(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    lab.write_notebook(server[1] / "axes.ipynb", _SPECTRUM)
    lab.open_notebook(page, server[0], "axes.ipynb")
    lab.by_id(page, "thumb-loud").wait_for(timeout=90_000)
    lab.by_id(page, "run").click()
    lab.by_id(page, "time-loud").wait_for()
    lab.card(page, "loud").click()
    lab.by_id(page, "compare").locator(".ds-compare-in").wait_for()
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_axes.png")
    for word, picture in (('[data-testid="time-loud"]', '[data-testid="thumb-loud"]'), (".ds-compare-in", ".ds-compare")):
        chip, room = (page.locator(one).first.bounding_box() for one in (word, picture))
        assert chip["y"] + chip["height"] < room["y"] + 0.25 * room["height"]
        assert chip["x"] > room["x"] + 0.25 * room["width"]  # "mel band" stands there
    lab.by_id(page, "canvas").focus()
    for _ in range(12):
        if page.locator(".ds-detail-compact").count():
            break
        page.keyboard.press("-")
        lab.settle(page)
    page.screenshot(path=artifacts / "designer_unused_small.png")
    bars = '[data-testid="node-spare"] .ds-values'
    assert page.evaluate(_ABOVE, [bars, '[data-testid="unused-spare"]']) >= -1
