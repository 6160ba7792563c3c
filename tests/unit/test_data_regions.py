"""Pascal VOC and COCO: annotations, the largest object, features of regions."""

import json
import tarfile

import h5py
import numpy as np
import pytest

from toplabel.reproduction.data.formats import FORMATS, FormatError, Source

BOX = "<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>"
# A cat larger than a dog; a dog; only a difficult cat and a small bird.
SCENES = {
    "000005": [("dog", (1, 1, 10, 10), 0), ("cat", (1, 1, 20, 20), 0), ("dog", (5, 5, 6, 6), 0)],
    "000007": [("dog", (3, 4, 9, 9), 0)],
    "000009": [("cat", (1, 1, 90, 90), 1), ("bird", (1, 1, 2, 2), 0)],
}


def xml_of(objects):
    return "<annotation>{}</annotation>".format(
        "".join(
            f"<object><name>{name}</name><difficult>{mark}</difficult>{BOX.format(*box)}</object>"
            for name, box, mark in objects
        )
    )


def write_tar(path, texts):
    folder = path.with_suffix("")
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with tarfile.open(path, "w") as archive:
        archive.add(folder, arcname="VOCdevkit")


def write_regions(folder, images, image=(0, 1, 1, 2), form="npz"):
    arrays = {
        "X": np.arange(len(image) * 3, dtype=np.float32).reshape(-1, 3),
        "image": np.array(image),
        "images": np.array(images),
    }
    path = folder / f"train.{form}"
    if form == "npz":
        np.savez(path, **arrays)
    else:
        with h5py.File(path, "w") as stored:
            for name, array in arrays.items():
                stored[name] = array.astype("S") if array.dtype.kind == "U" else array
    return path


@pytest.fixture
def voc(tmp_path):
    def load(scenes=None, images=tuple(SCENES), form="npz", image=(0, 1, 1, 2), **options):
        texts = {name: xml_of(objects) for name, objects in SCENES.items()} | (scenes or {})
        write_tar(
            tmp_path / "voc.tar",
            {f"VOC2007/Annotations/{name}.xml": text for name, text in texts.items()}
            | {"VOC2007/Annotations/._000005.xml": "macOS"},
        )
        path = write_regions(tmp_path, list(images), image, form)
        source = Source({"train": path}, "multilabel")
        return FORMATS["voc"](source, labels={"train": "voc.tar"}, **options)

    return load


@pytest.mark.parametrize("form", ["npz", "h5"])
def test_regions_in_both_forms(voc, form):
    part = voc(form=form).parts["train"]
    assert part.groups.tolist() == [0, 1, 1, 2]
    np.testing.assert_array_equal(np.asarray(part.X)[1], [3, 4, 5])
    assert isinstance(part.X, np.memmap) == (form != "npz")
    with pytest.raises(FormatError, match=r": 'image' must hold whole numbers"):
        voc(form=form, image=(0.0, 1.0, 2.0))


def test_voc_annotations(voc):
    loaded = voc()
    part = loaded.parts["train"]
    assert loaded.class_names == ["bird", "cat", "dog"]
    assert part.Y.tolist() == [[0, 1, 1], [0, 0, 1], [1, 0, 0]]
    assert [loaded.class_names[j] for j in part.y] == ["cat", "dog", "bird"]
    assert part.groups.tolist() == [0, 1, 1, 2]


def test_the_registry_names_and_orders_the_classes_of_voc(voc):
    loaded = voc(classes={"dog": "D", "cat": "C", "bird": "B", "cow": "no picture"})
    assert loaded.class_names == ["D", "C", "B", "no picture"]
    assert loaded.parts["train"].Y.tolist() == [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
    with pytest.raises(FormatError, match="unknown class 'cat'"):
        voc(classes={"dog": "dog", "bird": "bird"})
    with pytest.raises(FormatError, match="'000006' has no annotation"):
        voc(images=("000009", "000005", "000006"))


def test_an_unknown_class_is_told_with_the_file_that_has_it(tmp_path):
    for part, name in (("train", "cow"), ("test", "dog")):
        annotation = xml_of([(name, (1, 1, 2, 2), 0)])
        write_tar(tmp_path / f"{part}.tar", {"VOC2007/Annotations/000005.xml": annotation})
    regions = write_regions(tmp_path, ["000005"], (0,))
    source = Source({"train": regions, "test": regions}, "multilabel")
    labels = {"train": "train.tar", "test": "test.tar"}
    with pytest.raises(FormatError, match=r"train\.tar: objects of the unknown class 'cow'"):
        FORMATS["voc"](source, labels=labels, classes={"dog": "dog"})


@pytest.mark.parametrize(
    "content",
    [
        "<annotation>\n<object>\n</annotation>",
        f"<a><object>{BOX.format(1, 1, 2, 2)}</object></a>",
        "<a><object><name>cat</name></object></a>",
        f"<a><object><name>cat</name>{BOX.format(1, 1, 'x', 2)}</object></a>",
    ],
)
def test_a_malformed_annotation_is_named(voc, content):
    with pytest.raises(FormatError, match=r"Annotations/000007\.xml: ") as caught:
        voc({"000007": content})
    assert "\n" not in str(caught.value)


ONE = {"image_id": 30, "category_id": 18, "bbox": [0, 0, 9, 9]}
INSTANCES = {
    "categories": [{"id": 18, "name": "dog"}, {"id": 1, "name": "person"}],
    "images": [{"id": number} for number in (30, 4, 9, 11)],
    "annotations": [
        ONE,
        ONE | {"category_id": 1, "bbox": [5, 5, 2, 2]},
        ONE | {"image_id": 4, "category_id": 1},
        ONE | {"image_id": 9, "bbox": [0, 0, 3, 3]},
        ONE | {"image_id": 9, "category_id": 1, "bbox": [0, 0, 50, 9]},
    ],
}


@pytest.fixture
def coco(tmp_path):
    def load(document=INSTANCES, images=(9, 30, 4, 11)):
        text = document if isinstance(document, str) else json.dumps(document)
        (tmp_path / "instances.json").write_text(text)
        path = write_regions(tmp_path, list(images), np.arange(len(images)))
        source = Source({"train": path}, "multilabel")
        return FORMATS["coco"](source, labels={"train": "instances.json"})

    return load


def test_coco_instances(coco):
    loaded = coco()
    part = loaded.parts["train"]
    assert loaded.class_names == ["person", "dog"]
    assert part.Y.tolist() == [[1, 1], [1, 1], [1, 0], [0, 0]]
    assert part.y.tolist() == [0, 1, 0, -1]
    with pytest.raises(FormatError, match="'5' has no annotation"):
        coco(images=(30, 4, 5))


@pytest.mark.parametrize(
    "document",
    [
        '{\n"images": [}',
        "[]",
        '{"images": ' + "[" * 10**5,
        {"images": [], "annotations": []},
        INSTANCES | {"categories": [{"id": 1, "name": name} for name in "ab"]},
        INSTANCES | {"categories": [{"id": number, "name": "dog"} for number in (1, 18)]},
        INSTANCES | {"annotations": [ONE | {"image_id": 2}]},
        INSTANCES | {"annotations": [ONE | {"category_id": 2}]},
        INSTANCES | {"annotations": [ONE | {"bbox": [1, 2]}]},
        INSTANCES | {"annotations": ["?"]},
    ],
)
def test_malformed_instances_are_named(coco, document):
    with pytest.raises(FormatError, match=r"instances\.json: ") as caught:
        coco(document)
    assert "\n" not in str(caught.value)


def test_parts_of_coco_have_the_same_categories(coco, tmp_path):
    coco()
    (tmp_path / "train.npz").rename(tmp_path / "test.npz")
    path = write_regions(tmp_path, [4], [0])
    other = INSTANCES | {"categories": [{"id": 1, "name": "cat"}], "annotations": []}
    (tmp_path / "other.json").write_text(json.dumps(other))
    source = Source({"test": tmp_path / "test.npz", "train": path}, "multilabel")
    with pytest.raises(FormatError, match=r"other\.json: its categories"):
        FORMATS["coco"](source, labels={"train": "other.json", "test": "instances.json"})
    with pytest.raises(FormatError, match="no file for the part 'train'"):
        FORMATS["coco"](source, labels={"test": "instances.json"})
