"""How the operators of geometry move points, for the label guard."""

from __future__ import annotations

from msgspec import structs

from dali_studio.schema.model import Apart, Computed, Movement, Twin, Value, Windows

_NEAREST = ("interp_type", "INTERP_NN")
FLIP = Movement(
    words=("flip", "flipped"), unless={"horizontal": 0, "vertical": 0, "depthwise": 0},
    twins=(
        Twin(kind="boxes", operator="bb_flip", arguments={"horizontal": "horizontal", "vertical": "vertical"},
             corners=("ltrb", True, False)),
        Twin(kind="points", operator="coord_flip", arguments={"flip_x": "horizontal", "flip_y": "vertical"},
             free=("layout",)),
    ),
)  # fmt: skip
_TURNED = Twin(
    kind="boxes", operator="bbox_rotate", shape="input_shape", shape_layout="shape_layout",
    corners=("bbox_layout", "xyXY", "xyWH"), normalized="bbox_normalized", free=("mode", "remove_threshold"),
    peek="peek_image_shape",
)  # fmt: skip
#: Of boxes that have been moved, what is in the picture: turned by nothing.
_COMPUTED = Computed(by="position", cut=structs.replace(_TURNED, fixed={"angle": 0.0}), operators={
    "typed": "cast", "joined": "cat", "placed": "coord_transform", "row": "stack", "shaped": "reshape",
    "turned": "transforms.rotation", "least": "reductions.min", "greatest": "reductions.max",
})  # fmt: skip
ROTATE = Movement(
    words=("rotate", "rotated"), unless={"angle": 0}, by=("size", "keep_size"), nearest=_NEAREST,
    computed=structs.replace(_COMPUTED, by="angle"),
    twins=(structs.replace(_TURNED, arguments={name: name for name in ("angle", "keep_size", "size")}),),
)  # fmt: skip
WARP = Movement(
    by=("matrix", "size", "inverse_map"), nearest=_NEAREST, computed=structs.replace(_COMPUTED, by="matrix")
)  # fmt: skip
_REGION: dict[str, Value] = {"roi_start": None, "roi_end": None}
_SIZES = (
    "resize_x", "resize_y", "resize_z", "size", "resize_shorter", "resize_longer", "max_size", "mode", "subpixel_scale",
)  # fmt: skip
_RESIZED = ("cast", ("INT16", "UINT8", "UINT16", "FLOAT"))
RESIZE = Movement(by=(*_REGION, "roi_relative", *_SIZES), scales=_REGION, nearest=_NEAREST, takes=_RESIZED)
_WINDOW = ("crop_d", "crop_pos_x", "crop_pos_y", "crop_pos_z", "rounding", "out_of_bounds_policy")
#: The middle of a picture, as of one that is turned by nothing onto a smaller canvas.
_CENTRED = structs.replace(
    _TURNED, arguments={"size": "crop"}, fixed={"angle": 0.0}, only={"crop_pos_x": 0.5, "crop_pos_y": 0.5}
)  # fmt: skip
CROP = Movement(
    words=("crop", "cropped"), unless={"crop": None, "crop_h": 0, "crop_w": 0}, by=_WINDOW, twins=(_CENTRED,),
    computed=_COMPUTED,
)  # fmt: skip
_MIRRORED = Apart(operator="flip", arguments={"horizontal": "mirror"}, plain=(0, 1))
_AT = ("crop_d", "crop_pos_x", "crop_pos_y", "crop_pos_z", "rounding")
RESIZE_AND_CROP = Movement(
    by=(*RESIZE.by, *CROP.unless, *_AT, "mirror"), nearest=_NEAREST, takes=_RESIZED,
    scales={**_REGION, **CROP.unless, "mirror": 0}, core="resize",
    apart=(_MIRRORED, Apart(operator="crop", arguments={name: name for name in (*CROP.unless, *_AT)})),
)  # fmt: skip
CROP_AND_MIRROR = Movement(
    unless={**CROP.unless, "mirror": 0}, by=_WINDOW, apart=(_MIRRORED,), core="crop", computed=_COMPUTED,
    twins=(
        Twin(kind="boxes", operator="bb_flip", arguments={"horizontal": "mirror"}, corners=("ltrb", True, False)),
        _CENTRED,
    ),
)  # fmt: skip
PASTE = Movement(
    words=("paste", "pasted"), takes=("cast", ("UINT8",)), by=("ratio", "paste_x", "paste_y", "min_canvas_size"),
    computed=_COMPUTED,
    twins=(
        Twin(kind="boxes", operator="bbox_paste", arguments={name: name for name in ("ratio", "paste_x", "paste_y")},
             corners=("ltrb", True, False)),
    ),
)  # fmt: skip
#: The window is also given by further inputs, which are compared as well.
SLICE = Movement(
    by=("axes", "axis_names", "start", "rel_start", "end", "rel_end", "shape", "rel_shape", "normalized_anchor",
        "normalized_shape", "out_of_bounds_policy"),
    computed=structs.replace(_COMPUTED, by="corner"),
)  # fmt: skip
PERSPECTIVE = Movement(
    by=("matrix", "size", "inverse_map", "pixel_origin"), nearest=_NEAREST,
    computed=structs.replace(_COMPUTED, by="perspective"),
)  # fmt: skip
WATER = Movement(
    by=("ampl_x", "ampl_y", "freq_x", "freq_y", "phase_x", "phase_y", "mask"), nearest=_NEAREST
)  # fmt: skip
SPHERE = Movement(by=("mask",), nearest=_NEAREST)
#: Of operators that draw by themselves what goes where.
RANDOM_WINDOW = Movement(drawn=True)
_FOR_BOXES = Windows(
    twin=Twin(kind="boxes", operator="random_bbox_crop", corners=("bbox_layout", "xyXY", "xyWH"),
              fixed={"allow_no_crop": False}),
    drawn={"aspect_ratio": "random_aspect_ratio", "scaling": "random_area"}, lengths="scaling", cut="slice",
    sized="resize",
)  # fmt: skip
RANDOM_RESIZED_WINDOW = Movement(drawn=True, windows=_FOR_BOXES)
RANDOM_DECODED_WINDOW = Movement(
    drawn=True, windows=structs.replace(_FOR_BOXES, cut="decoders.image_slice", sized="")
)  # fmt: skip
