"""Programs that show a feature each: kinds of readers, ways to define a pipeline, conditions, arithmetic."""

from __future__ import annotations

PROGRAMS: dict[str, str] = {
    "imagenet training": """
import argparse
from nvidia.dali.plugin.pytorch import DALIClassificationIterator, LastBatchPolicy

@pipeline_def(exec_dynamic=True)
def create_dali_pipeline(data_dir, crop, size, shard_id, num_shards, dali_cpu=False, is_training=True):
    images, labels = fn.readers.file(file_root=data_dir, shard_id=shard_id, num_shards=num_shards,
                                     random_shuffle=is_training, pad_last_batch=True, name="Reader")
    dali_device = "cpu" if dali_cpu else "gpu"
    decoder_device = "cpu" if dali_cpu else "mixed"
    preallocate_width_hint = 5980 if decoder_device == "mixed" else 0
    if is_training:
        images = fn.decoders.image_random_crop(images, device=decoder_device, output_type=types.RGB,
                                               preallocate_width_hint=preallocate_width_hint,
                                               random_aspect_ratio=[0.8, 1.25], random_area=[0.1, 1.0], num_attempts=100)
        images = fn.resize(images, device=dali_device, resize_x=crop, resize_y=crop, interp_type=types.INTERP_TRIANGULAR)
        mirror = fn.random.coin_flip(probability=0.5)
    else:
        images = fn.decoders.image(images, device=decoder_device, output_type=types.RGB)
        images = fn.resize(images, device=dali_device, size=size, mode="not_smaller", interp_type=types.INTERP_TRIANGULAR)
        mirror = False
    images = fn.crop_mirror_normalize(images.gpu(), dtype=types.FLOAT, output_layout="CHW", crop=(crop, crop),
                                      mean=[0.485 * 255, 0.456 * 255, 0.406 * 255],
                                      std=[0.229 * 255, 0.224 * 255, 0.225 * 255], mirror=mirror)
    labels = labels.gpu()
    return images, labels

def main():
    args = argparse.ArgumentParser().parse_args()
    train_pipe = create_dali_pipeline(batch_size=args.batch_size, num_threads=args.workers, device_id=args.local_rank,
                                      seed=12 + args.local_rank, data_dir=args.data, crop=224, size=256,
                                      dali_cpu=False, shard_id=0, num_shards=1, is_training=True)
    train_pipe.build()
    loader = DALIClassificationIterator(train_pipe, reader_name="Reader", last_batch_policy=LastBatchPolicy.PARTIAL)

if __name__ == "__main__":
    main()
""",
    "class of the old kind": """
class HybridTrainPipe(Pipeline):
    def __init__(self, batch_size, num_threads, device_id, data_dir, crop, local_rank=0, world_size=1):
        super(HybridTrainPipe, self).__init__(batch_size, num_threads, device_id, seed=12 + device_id)
        self.input = ops.readers.File(file_root=data_dir, shard_id=local_rank, num_shards=world_size, random_shuffle=True)
        self.decode = ops.decoders.ImageRandomCrop(device="cpu", output_type=types.RGB)
        self.res = ops.Resize(device="cpu", resize_x=crop, resize_y=crop)
        self.cmnp = ops.CropMirrorNormalize(device="cpu", dtype=types.FLOAT, output_layout=types.NCHW, crop=(crop, crop),
                                            mean=[0.485 * 255, 0.456 * 255, 0.406 * 255], std=[58.395, 57.12, 57.375])
        self.coin = ops.random.CoinFlip(probability=0.5)

    def define_graph(self):
        rng = self.coin()
        self.jpegs, self.labels = self.input(name="Reader")
        images = self.decode(self.jpegs)
        images = self.res(images)
        output = self.cmnp(images, mirror=rng)
        return [output, self.labels]

pipe = HybridTrainPipe(batch_size=32, num_threads=2, device_id=0, data_dir="/data/train", crop=224)
pipe.build()
""",
    "with a pipeline": """
pipe = Pipeline(batch_size=4, num_threads=2, device_id=None, seed=7)
with pipe:
    files, labels = fn.readers.file(file_root="/data", random_shuffle=True)
    images = fn.decoders.image(files)
    images = fn.resize(images, size=[224, 224])
    pipe.set_outputs(images, labels)
pipe.build()
""",
    "two views in a loop": """
VIEWS = 2
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]

def augment(images):
    images = fn.resize(images, size=(224, 224))
    images = fn.brightness_contrast(images, brightness=fn.random.uniform(range=(0.6, 1.4)),
                                    contrast=fn.random.uniform(range=(0.6, 1.4)))
    images = fn.hsv(images, hue=fn.random.uniform(range=(-20.0, 20.0)), saturation=fn.random.uniform(range=(0.6, 1.4)))
    return fn.crop_mirror_normalize(images, mean=MEAN, std=STD, mirror=fn.random.coin_flip())

@pipeline_def(batch_size=8, num_threads=2, device_id=None)
def contrastive(root="/data"):
    files, _ = fn.readers.file(file_root=root, random_shuffle=True)
    images = fn.decoders.image(files)
    views = []
    for _ in range(VIEWS):
        views.append(augment(images))
    return tuple(views)
""",
    "external source": """
class ExternalInputIterator:
    def __init__(self, batch_size):
        self.batch_size = batch_size

    def __iter__(self):
        return self

    def __next__(self):
        return [], []

eii = ExternalInputIterator(16)
pipe = Pipeline(batch_size=16, num_threads=2, device_id=0)
with pipe:
    jpegs, labels = fn.external_source(source=eii, num_outputs=2, dtype=types.UINT8)
    images = fn.decoders.image(jpegs, device="mixed")
    images = fn.resize(images, resize_x=240, resize_y=240)
    pipe.set_outputs(images, labels)
""",
    "conditionals": """
@pipeline_def(enable_conditionals=True, batch_size=8, num_threads=2, device_id=None)
def random_rotate(root="/data", p=0.25):
    files, labels = fn.readers.file(file_root=root)
    images = fn.decoders.image(files)
    do_rotate = fn.random.coin_flip(probability=p, dtype=types.BOOL)
    if do_rotate:
        angle = fn.random.uniform(range=(-20.0, 20.0))
        images = fn.rotate(images, angle=angle, keep_size=True)
    elif fn.random.coin_flip(dtype=types.BOOL) and not do_rotate:
        images = fn.flip(images)
    else:
        images = fn.gaussian_blur(images, sigma=1.0)
    return fn.resize(images, size=(128, 128)), labels
""",
    "arithmetic": """
@pipeline_def(batch_size=8, num_threads=2, device_id=None)
def mixup(root="/data", alpha=0.3):
    files, labels = fn.readers.file(file_root=root)
    images = fn.cast(fn.resize(fn.decoders.image(files), size=(224, 224)), dtype=types.FLOAT)
    weight = fn.random.uniform(range=(0.0, alpha))
    mixed = images * (1 - weight) + fn.permute_batch(images, indices=[1, 0, 3, 2, 5, 4, 7, 6]) * weight
    normalized = (mixed - np.float32(127.5)) / 127.5
    return normalized, labels, weight
""",
    "detection": """
@pipeline_def(batch_size=8, num_threads=4, device_id=0)
def coco_pipeline(file_root, annotations_file, default_boxes):
    images, boxes, labels = fn.readers.coco(file_root=file_root, annotations_file=annotations_file, ratio=True, ltrb=True,
                                            random_shuffle=True, skip_empty=True, name="Reader")
    crop_begin, crop_size, boxes, labels = fn.random_bbox_crop(
        boxes, labels, device="cpu", aspect_ratio=[0.5, 2.0], thresholds=[0, 0.1, 0.3, 0.5, 0.7, 0.9], scaling=[0.3, 1.0],
        bbox_layout="xyXY", allow_no_crop=True, num_attempts=50)
    images = fn.decoders.image_slice(images, crop_begin, crop_size, device="mixed", output_type=types.RGB)
    flip = fn.random.coin_flip(probability=0.5)
    images = fn.resize(images, resize_x=300, resize_y=300, min_filter=types.DALIInterpType.INTERP_TRIANGULAR)
    images = fn.hsv(images, dtype=types.FLOAT, hue=fn.random.uniform(range=[-0.5, 0.5]))
    images = fn.crop_mirror_normalize(images, mirror=flip, mean=[123.675, 116.28, 103.53], std=[58.395, 57.12, 57.375])
    boxes = fn.bb_flip(boxes, ltrb=True, horizontal=flip)
    boxes, labels = fn.box_encoder(boxes, labels, criteria=0.5, anchors=default_boxes.tolist())
    return images, boxes.gpu(), labels.gpu()
""",
    "segmentation": """
@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=1)
def pairs(images_dir="/data/images", masks_dir="/data/masks"):
    images = fn.decoders.image(fn.readers.file(file_root=images_dir, random_shuffle=False)[0])
    masks = fn.decoders.image(fn.readers.file(file_root=masks_dir, random_shuffle=False)[0], output_type=types.GRAY)
    angle = fn.random.uniform(range=(-15.0, 15.0))
    images = fn.rotate(images, angle=angle, keep_size=True, fill_value=0)
    masks = fn.rotate(masks, angle=angle, keep_size=True, fill_value=255, interp_type=types.INTERP_NN)
    return images, masks
""",
    "volumes": """
class NumpyLoader:
    def __init__(self, patch):
        self.patch = patch
        self.crop_shape = types.Constant(np.array(self.patch), dtype=types.INT64)

    def noise(self, data):
        noisy = data + fn.random.normal(data, stddev=fn.random.uniform(range=(0.0, 0.33)))
        return self.choose(0.15, noisy, data)

    def choose(self, probability, true, false):
        on = fn.cast(fn.random.coin_flip(probability=probability), dtype=types.FLOAT)
        return on * true + (1.0 - on) * false

loader = NumpyLoader([64, 64, 64])

@pipeline_def(batch_size=2, num_threads=2, device_id=None)
def training(files_x="/x", files_y="/y"):
    image = fn.readers.numpy(file_root=files_x, file_filter="*.npy", name="ReaderX")
    label = fn.readers.numpy(file_root=files_y, file_filter="*.npy")
    image, label = fn.reshape(image, layout="DHWC"), fn.reshape(label, layout="DHWC")
    image = fn.crop(image, crop_d=64, crop_h=64, crop_w=64, out_of_bounds_policy="pad")
    image = loader.noise(image)
    return image, label
""",
    "speech": """
@pipeline_def(batch_size=8, num_threads=2, device_id=None)
def log_mel(manifest="/data/manifest.json", sample_rate=16000, window=0.02, stride=0.01, nfilter=64):
    audio, rate, label = fn.readers.nemo_asr(manifest_filepaths=[manifest], read_text=True, sample_rate=sample_rate,
                                             downmix=True)
    audio = fn.preemphasis_filter(audio)
    spectrogram = fn.spectrogram(audio, nfft=512, window_length=int(window * sample_rate),
                                 window_step=int(stride * sample_rate))
    mel = fn.mel_filter_bank(spectrogram, sample_rate=sample_rate, nfilter=nfilter, freq_high=sample_rate / 2)
    features = fn.to_decibels(mel, multiplier=np.log(10), reference=1.0, cutoff_db=-80)
    return fn.normalize(features, axes=[1]), label
""",
    "video": """
@pipeline_def
def video_pipe(filenames, sequence_length=8, crop=(112, 112)):
    videos = fn.readers.video(device="gpu", filenames=filenames, sequence_length=sequence_length, random_shuffle=True)
    videos = fn.crop_mirror_normalize(videos, device="gpu", crop=crop, output_layout="CFHW", mean=[127.5], std=[127.5])
    return videos

pipe = video_pipe(batch_size=2, num_threads=2, device_id=0, filenames=["a.mp4", "b.mp4"], seed=123456)
""",
    "tfrecord": """
import nvidia.dali.tfrecord as tfrec

@pipeline_def(batch_size=16, num_threads=4, device_id=0)
def tfrecord_pipeline(path="train.tfrecord", index="train.idx"):
    inputs = fn.readers.tfrecord(path=path, index_path=index, features={
        "image/encoded": tfrec.FixedLenFeature((), tfrec.string, ""),
        "image/class/label": tfrec.FixedLenFeature([1], tfrec.int64, -1)})
    images = fn.decoders.image(inputs["image/encoded"], device="mixed")
    return fn.resize(images, size=(224, 224)), inputs["image/class/label"]
""",
    "webdataset": """
SHARDS = ["train-%04d.tar" % i for i in range(4)]

@pipeline_def(batch_size=16, num_threads=4, device_id=0)
def wds(paths=("train-0000.tar", "train-0001.tar")):
    img, cls = fn.readers.webdataset(paths=list(paths), ext=["jpg", "cls"], missing_component_behavior="error")
    img = fn.decoders.image(img, device="mixed")
    img = fn.crop_mirror_normalize(img, crop=(224, 224), crop_pos_x=fn.random.uniform(range=(0.0, 1.0)))
    return img, cls
""",
    "automatic augmentation": """
from nvidia.dali.auto_aug import rand_augment

@pipeline_def(enable_conditionals=True, batch_size=8, num_threads=2, device_id=0)
def training_pipe(data_dir="/data"):
    jpegs, labels = fn.readers.file(file_root=data_dir, random_shuffle=True)
    shapes = fn.peek_image_shape(jpegs)
    images = fn.decoders.image(jpegs, device="mixed", output_type=types.RGB)
    images = rand_augment.rand_augment(images, shape=shapes, n=2, m=9, fill_value=128)
    return fn.resize(images, size=[224, 224]), labels
""",
    "inference server": """
from nvidia.dali.plugin.triton import autoserialize

@autoserialize
@pipeline_def(batch_size=256, num_threads=4, device_id=0)
def pipe():
    images = fn.external_source(device="cpu", name="DALI_INPUT_0")
    images = fn.decoders.image(images, device="mixed", output_type=types.RGB)
    images = fn.resize(images, resize_x=299, resize_y=299)
    return fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="HWC", crop=(299, 299),
                                    mean=[0.485 * 255, 0.456 * 255, 0.406 * 255], std=[58.395, 57.12, 57.375])
""",
    "a function of one's own": """
import cv2

def edges(image):
    return cv2.Canny(image, 100, 200)

@pipeline_def(batch_size=4, num_threads=1, device_id=None, exec_async=False, exec_pipelined=False)
def with_python(root="/data"):
    files, labels = fn.readers.file(file_root=root)
    images = fn.decoders.image(files)
    outline = fn.python_function(images, function=edges, num_outputs=1)
    return outline, labels
""",
    "options in a dictionary": """
CONFIG = {"resize": {"resize_shorter": 256.0, "interp_type": types.INTERP_CUBIC}, "crop": [224, 224]}

def build(batch_size=32, **kwargs):
    @pipeline_def(batch_size=batch_size, num_threads=3, device_id=None)
    def inner(root="/data"):
        files, labels = fn.readers.file(file_root=root, **{"shuffle_after_epoch": True})
        images = fn.resize(fn.decoders.image(files), **CONFIG["resize"])
        return fn.crop(images, crop=CONFIG["crop"]), labels
    return inner(**kwargs)
""",
    "slices and shapes": """
@pipeline_def(batch_size=4, num_threads=1, device_id=None)
def quarters(root="/data"):
    images = fn.decoders.image(fn.readers.file(file_root=root)[0])
    shape = images.shape(dtype=types.INT32)
    height, width = shape[0], shape[1]
    top = images[: height // 2]
    mirrored = images[:, ::-1]
    size = fn.stack(height, width)
    return top, mirrored, size
""",
    "erasing by a list": """
@pipeline_def(batch_size=4, num_threads=1, device_id=None)
def cutout(root="/data", holes=3, side=16):
    files, labels = fn.readers.file(file_root=root)
    images = fn.resize(fn.decoders.image(files), size=(64, 64))
    anchors = [fn.random.uniform(range=(0.0, 1.0)) for _ in range(2 * holes)]
    anchor = fn.stack(*anchors)
    images = fn.erase(images, anchor=anchor, shape=[side, side] * holes, normalized_anchor=True, axis_names="HW")
    return images, labels
""",
}
