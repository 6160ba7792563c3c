"""Features of the regions of images: windows, sizes and flips, archives, and the data set that they make."""

import io
import tarfile
import zipfile

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from toplabel.reproduction.config.documents import check
from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.files import FileError
from toplabel.reproduction.networks.regions import OnnxNetwork, extract_regions

SIZES = (32, 48)
SHAPES = {"000007": (50, 40), "000005": (64, 96), "000009": (80, 80)}  # width, height
BOX = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>{0}</xmax><ymax>{0}</ymax></bndbox>"
OBJECTS = {"000007": ["cat"], "000005": ["dog", "cat"], "000009": ["dog"]}


def network():
    generator = torch.Generator().manual_seed(0)
    layers = nn.Sequential(nn.Conv2d(3, 4, 5, stride=8, padding=2), nn.ReLU())
    for parameter in layers.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator)
    return layers


def pictures():
    rng = np.random.default_rng(0)
    for name, (width, height) in SHAPES.items():
        yield name, Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


def encoded(picture, kind="png"):
    stream = io.BytesIO()
    picture.save(stream, kind)
    return stream.getvalue()


@pytest.fixture
def archive(tmp_path):
    """A tar file as that of VOC 2007, with other pictures of the same names in another folder."""
    path = tmp_path / "voc.tar"
    files = {}
    for name, picture in pictures():
        files[f"VOC2007/JPEGImages/{name}.png"] = encoded(picture)
        files[f"VOC2007/SegmentationClass/{name}.png"] = encoded(Image.new("RGB", (9, 9)))
        found = [
            f"<object><name>{o}</name>{BOX.format(9 - i)}</object>"
            for i, o in enumerate(OBJECTS[name])
        ]
        files[f"VOC2007/Annotations/{name}.xml"] = (
            f"<annotation>{''.join(found)}</annotation>".encode()
        )
    with tarfile.open(path, "w") as out:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return path


def inputs_of(picture, size):
    """The inputs of a picture: standardised, and mirrored."""
    factor = size / min(picture.size)
    scaled = picture.resize(
        [round(factor * side) for side in picture.size], Image.Resampling.BILINEAR
    )
    pixels = (np.asarray(scaled) / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    for array in (pixels, pixels[:, ::-1]):
        yield torch.tensor(array.transpose(2, 0, 1).copy(), dtype=torch.float32)


def extracted(folder, part="train"):
    names = ("", "_labels", "_images")
    return [np.load(folder / f"{part}{name}.npy") for name in names]


def test_regions_are_windows_of_the_maps_of_all_sizes_and_flips(archive, tmp_path):
    step = {48: 2}
    extract_regions(
        network(),
        "1",
        archive,
        tmp_path,
        "train",
        within="JPEGImages",
        sizes=SIZES,
        pool=3,
        step=step,
    )
    X, image, names = extracted(tmp_path)
    rows, labels = [], []
    for i, (_, picture) in enumerate(sorted(pictures())):
        for size in SIZES:
            for one in inputs_of(picture, size):
                with torch.no_grad():
                    maps = network()(one[None])[0].numpy()
                n = step.get(size, 1)
                for top in range(0, maps.shape[1] - 2, n):
                    for left in range(0, maps.shape[2] - 2, n):
                        rows.append(maps[:, top : top + 3, left : left + 3].mean(axis=(1, 2)))
                        labels.append(i)
    assert names.tolist() == sorted(SHAPES)
    np.testing.assert_array_equal(image, labels)
    np.testing.assert_allclose(X, rows, rtol=1e-4, atol=1e-5)


def test_regions_are_windows_of_the_image_for_inputs_of_one_size(archive, tmp_path):
    linear = nn.Sequential(nn.Flatten(), nn.Linear(3 * 24 * 24, 5))
    extract_regions(
        linear,
        "",
        archive,
        tmp_path,
        "a",
        within="JPEGImages",
        sizes=SIZES,
        flip=False,
        window=24,
        step=16,
    )
    rows, labels = [], []
    for i, (_, picture) in enumerate(sorted(pictures())):
        for size in SIZES:
            one = next(inputs_of(picture, size))
            for top in range(0, one.shape[1] - 23, 16):
                for left in range(0, one.shape[2] - 23, 16):
                    with torch.no_grad():
                        rows.append(
                            linear(one[None, :, top : top + 24, left : left + 24])[0].numpy()
                        )
                    labels.append(i)
    X, image, _ = extracted(tmp_path, "a")
    np.testing.assert_array_equal(image, labels)
    np.testing.assert_allclose(X, rows, rtol=1e-4, atol=1e-5)


def test_a_folder_and_an_archive_of_coco_give_the_same(archive, tmp_path):
    (tmp_path / "deep/er").mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "train2014.zip", "w") as out:
        for name, picture in pictures():
            picture.save(tmp_path / f"deep/er/{name}.png")
            out.writestr(f"train2014/COCO_train2014_000000{name}.png", encoded(picture))
    options = {"sizes": (32,), "pool": 2}
    extract_regions(network(), "1", archive, tmp_path, "tar", within="JPEGImages", **options)
    extract_regions(network(), "1", tmp_path / "deep", tmp_path, "folder", **options)
    extract_regions(network(), "1", tmp_path / "train2014.zip", tmp_path, "zip", **options)
    tar, folder, zipped = (extracted(tmp_path, part) for part in ("tar", "folder", "zip"))
    np.testing.assert_array_equal(tar[0], folder[0])
    np.testing.assert_array_equal(tar[0], zipped[0][np.argsort(zipped[1], kind="stable")])
    assert zipped[2].tolist() == ["5", "7", "9"]  # their numbers in the annotations


def test_from_images_to_a_data_set_of_regions(archive, tmp_path):
    raw = tmp_path / "scenes"
    raw.mkdir()
    archive.rename(raw / "voc.tar")
    files = [{"name": "voc.tar"}]
    for part in ("train", "test"):
        extract_regions(
            network(), "1", raw / "voc.tar", raw, part, within="JPEGImages", sizes=SIZES, pool=3
        )
        files += [{"name": f"{part}.npy", "part": part}]
        files += [{"name": f"{part}_{what}.npy"} for what in ("labels", "images")]
    entry = {"name": "scenes", "title": "Scenes", "task": "multilabel", "protocol": "half_half"}
    entry |= {
        "format": "voc",
        "options": {"labels": {"train": "voc.tar", "test": "voc.tar"}},
        "files": files,
    }
    entry = check(entry, Entry, "scenes")
    prepared = prepare(PrepareTask.of(entry), tmp_path)
    part = prepared.parts["train"]
    assert prepared.class_names == ["cat", "dog"]
    assert part.Y.tolist() == [[1, 1], [1, 0], [0, 1]]
    assert part.y.tolist() == [1, 0, 1]  # the largest object
    assert len(part.X) == len(part.groups)
    (raw / "train_images.npy").unlink()
    with pytest.raises(ValueError, match=r"train_images\.npy"):
        prepare(PrepareTask.of(entry), tmp_path)


def test_a_network_in_an_onnx_file_gives_the_same(archive, tmp_path):
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    helper, convolution = onnx.helper, network()[0]
    shape = ["n", 3, "height", "width"]
    values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name in "xz"]
    weights = [
        onnx.numpy_helper.from_array(parameter.detach().numpy(), name)
        for name, parameter in convolution.named_parameters()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "weight", "bias"], ["y"], strides=[8, 8], pads=[2] * 4),
        helper.make_node("Relu", ["y"], ["z"]),
    ]
    graph = helper.make_graph(nodes, "tiny", values[:1], values[1:], weights)
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), tmp_path / "tiny.onnx")
    options = {"within": "JPEGImages", "sizes": (32,), "pool": 2}
    extract_regions(network(), "1", archive, tmp_path, "torch", **options)
    extract_regions(OnnxNetwork(tmp_path / "tiny.onnx"), "", archive, tmp_path, "onnx", **options)
    ours, theirs = (extracted(tmp_path, part)[0] for part in ("torch", "onnx"))
    np.testing.assert_allclose(theirs, ours, rtol=1e-4, atol=1e-5)


def test_misuse_is_told_in_one_line(archive, tmp_path):
    def run(layer="1", images=archive, within="JPEGImages", **options):
        extract_regions(
            network(), layer, images, tmp_path, "train", within=within, sizes=SIZES, **options
        )

    with pytest.raises(FileError, match="several images have the name 000"):
        run(within="")
    with pytest.raises(FileError, match="no JPEG or PNG file in it within Annotations"):
        run(within="Annotations")
    with pytest.raises(ValueError, match="window must be at most 32"):
        run(window=40)
    with pytest.raises(
        ValueError, match="window must be at most 32, the smallest size, without pool"
    ):
        run(window=16, pool=2)
    with pytest.raises(ValueError, match="windows of 9 x 9 places do not fit"):
        run(pool=9)
