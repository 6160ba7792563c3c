"""Where raw files come from, and which are refused."""

import bz2
import gzip
import hashlib
import http.server
import lzma
import ssl
import threading
import urllib.request
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from toplabel.reproduction.config.datasets import Registry, load_registry
from toplabel.reproduction.config.documents import validate
from toplabel.reproduction.config.entry import Entry, RawFile
from toplabel.reproduction.data import fetch as fetching
from toplabel.reproduction.data.fetch import (
    MIRROR_VARIABLE,
    SHIPPED,
    FetchError,
    FetchTask,
    Places,
    RawFiles,
    check_only_copy,
    fetch_file,
    mirror_folders,
    missing_reason,
    raw_path,
)

CERTIFICATE = Path(__file__).with_name("loopback.pem")  # self-signed, of 127.0.0.1, with its key
CONTENT = b"1 1:0.5\n2 1:0.25\n" * 5000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
COMPRESS = {"": bytes, ".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}
FILE = RawFile("toy.txt", part="train", sha256=SHA256, size=len(CONTENT))
ENTRY = Entry("toy", "Toy", "multiclass", "p", "", "", format="libsvm", files=(FILE,))


def entry_with(**changes):
    return replace(ENTRY, files=(replace(FILE, **changes),))


@pytest.fixture
def target(tmp_path):
    return tmp_path / "raw/toy/toy.txt"


@pytest.fixture
def put(tmp_path):
    """Put bytes into a mirror under a name of the toy set, and return the mirror."""

    def write(name, content, mirror="mirror"):
        path = tmp_path / mirror / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return tmp_path / mirror

    return write


def fetched(target, mirrors=(), download=False, entry=ENTRY):
    """Bring the one file of an entry to a path."""
    places = Places(tuple(map(str, mirrors)), download)
    task = FetchTask(entry.name, entry.folder, entry.files[0], entry.waits_for)
    fetch_file(task, target, places)


def is_untouched(target):
    return not target.parent.exists() or not any(target.parent.iterdir())


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_mirror_may_be_plain_or_compressed(target, put, tmp_path, suffix):
    mirror = put("toy.txt" + suffix, COMPRESS[suffix](CONTENT))
    assert missing_reason(ENTRY, tmp_path / "raw", [mirror]) == ""
    fetched(target, [mirror])
    assert target.read_bytes() == CONTENT
    assert list(target.parent.iterdir()) == [target]


def test_mirrors_are_asked_in_their_order_those_of_the_environment_first(
    target, put, monkeypatch, tmp_path
):
    mirrors = [put("toy.txt", CONTENT, "first"), put("toy.txt", b"other", "second")]
    fetched(target, mirrors)
    assert target.read_bytes() == CONTENT
    monkeypatch.setenv(MIRROR_VARIABLE, f"{tmp_path}/a:{tmp_path}/b")
    folders = mirror_folders([tmp_path / "c", tmp_path / "a"], tmp_path)
    assert folders == [tmp_path / "a", tmp_path / "b", tmp_path / "c", tmp_path / SHIPPED]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_wrong_sum_or_size_is_told_and_nothing_is_kept(target, put, suffix):
    wrong = CONTENT.replace(b"0.5", b"0.6", 1)
    mirror = put("toy.txt" + suffix, COMPRESS[suffix](wrong))
    with pytest.raises(FetchError) as caught:
        fetched(target, [mirror])
    assert SHA256 in str(caught.value)
    assert hashlib.sha256(wrong).hexdigest() in str(caught.value)
    for size in (len(CONTENT) - 1, len(CONTENT) + 1):
        entry = entry_with(sha256=None, size=size)
        with pytest.raises(FetchError, match=str(size)):
            fetched(target, [mirror], entry=entry)
    assert is_untouched(target)


@pytest.mark.parametrize("suffix", [".xz", ".gz", ".bz2"])
@pytest.mark.parametrize("damage", ["truncated", "garbage"])
def test_a_damaged_compressed_file_is_told_and_nothing_is_kept(target, put, suffix, damage):
    packed = COMPRESS[suffix](CONTENT)
    content = packed[: len(packed) // 2] if damage == "truncated" else b"no archive at all"
    mirror = put("toy.txt" + suffix, content)
    with pytest.raises(FetchError, match=rf"toy\.txt\{suffix}: truncated or damaged") as caught:
        fetched(target, [mirror])
    assert "\n" not in str(caught.value)
    assert is_untouched(target)


def test_unpacking_ends_at_the_registered_size_or_at_a_bound(target, put, monkeypatch):
    mirror = put("toy.txt.bz2", bz2.compress(bytes(2**24)))
    with pytest.raises(FetchError, match=str(len(CONTENT))):
        fetched(target, [mirror])
    monkeypatch.setattr(fetching, "_LONGEST", 2**20)
    entry = entry_with(sha256=None, size=None)
    with pytest.raises(FetchError, match=str(2**20)):
        fetched(target, [mirror], entry=entry)
    assert is_untouched(target)


def test_what_is_nowhere_is_told_with_the_places_looked_at(target, tmp_path):
    raw = tmp_path / "raw"
    assert "toy.txt not found in data/raw" in missing_reason(ENTRY, raw)
    with pytest.raises(FetchError, match=r"raw/toy nor in .*/mirror/toy, and no address"):
        fetched(target, [tmp_path / "mirror"], True)
    entry = entry_with(url="https://127.0.0.1:9/toy.txt")
    with pytest.raises(FetchError, match="the network is not to be used"):
        fetched(target, entry=entry)
    with pytest.raises(FetchError, match=r"https://127.0.0.1:9/toy.txt failed \(.*refused\)"):
        fetched(target, download=True, entry=entry)
    assert is_untouched(target)


def test_each_host_is_asked_once_while_a_run_is_planned(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(fetching, "unreachable", lambda url: asked.append(url) or "no answer")
    files = tuple(RawFile(name, url=f"https://host/{name}") for name in "ab")
    entry = replace(ENTRY, files=files)
    assert missing_reason(entry, tmp_path)
    assert asked == []
    assert "host: no answer" in missing_reason(entry, tmp_path, download=True)
    assert len(asked) == 1
    monkeypatch.setattr(fetching, "unreachable", lambda url: "")
    assert missing_reason(entry, tmp_path, download=True) == ""


def test_a_users_own_file_may_be_compressed(tmp_path):
    assert raw_path("toy", "toy.txt", tmp_path) == tmp_path / "toy/toy.txt"
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/toy.txt.gz").write_bytes(b"")
    assert raw_path("toy", "toy.txt", tmp_path) == tmp_path / "toy/toy.txt.gz"


def test_a_file_that_stands_plain_and_compressed_needs_a_sum(tmp_path):
    file = RawFile("toy.txt", part="all")
    for name in ("toy.txt", "toy.txt.gz"):
        check_only_copy(file, tmp_path)
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(FetchError, match=r"toy\.txt and toy\.txt\.gz"):
        check_only_copy(file, tmp_path)
    check_only_copy(replace(file, sha256="0" * 64), tmp_path)


def test_a_file_that_is_there_is_not_replaced_by_the_copy_of_a_mirror(tmp_path, monkeypatch, put):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fetching, "RAW", "raw")
    entry = replace(ENTRY, files=(RawFile("toy.txt", part="train"),))
    mirror, path = put("toy.txt.gz", gzip.compress(CONTENT)), Path("raw/toy/toy.txt")

    def planned():
        raw = RawFiles(Registry({"toy": entry}, {}), Places((str(mirror),), False))
        return [*raw.fetched], raw.own_sums("toy")

    sums = {str(path): SHA256}
    assert planned() == ([str(path)], sums)
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert planned() == ([], sums)
    path.write_bytes(b"edited")
    assert planned() == ([], {str(path): hashlib.sha256(b"edited").hexdigest()})


def test_the_suffix_of_a_compression_is_no_part_of_a_name():
    assert validate({"name": "mine.txt.gz", "part": "all"}, RawFile).name == "mine.txt"


# ---- the network ---------------------------------------------------------------------------------


class _Server(http.server.SimpleHTTPRequestHandler):
    """A server of a folder, that redirects from /to?ADDRESS, and breaks off /short."""

    def do_GET(self):
        if self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to?"))
            self.end_headers()
        elif self.path == "/short":
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT) + 10))
            self.end_headers()
            self.wfile.write(CONTENT)
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def address(tmp_path, monkeypatch):
    """The address of an https server of the folder www on the loop-back interface."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.setattr(
        urllib.request, "_opener", None
    )  # from Python 3.12 on it keeps its certificates
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    (tmp_path / "www").mkdir()
    handler = partial(_Server, directory=str(tmp_path / "www"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
    yield f"https://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("suffix", COMPRESS)
def test_the_official_address_may_be_compressed_and_redirect(target, tmp_path, address, suffix):
    (tmp_path / f"www/toy.txt{suffix}").write_bytes(COMPRESS[suffix](CONTENT))
    url = f"{address}/to?{address}/toy.txt" if not suffix else f"{address}/toy.txt{suffix}"
    entry = entry_with(url=url)
    fetched(target, download=True, entry=entry)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing.txt", "failed .HTTP Error 404"),
        ("short", f"broke off after {len(CONTENT)} of"),
        ("to?http://127.0.0.1:9/toy.txt", "failed"),
        ("to?file:///etc/hostname", "failed"),
    ],
)
def test_what_an_address_does_not_give_is_told(target, address, path, message):
    entry = entry_with(url=f"{address}/{path}", sha256=None, size=None)
    with pytest.raises(FetchError, match=message) as caught:
        fetched(target, download=True, entry=entry)
    assert "\n" not in str(caught.value)
    assert is_untouched(target)


# ---- the files of the checkout -------------------------------------------------------------------


def shipped():
    import csv

    with (Path(__file__).parents[2] / SHIPPED / "SOURCES.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_each_shipped_file_has_its_row_and_the_sums_of_the_registry(repository):
    folder, rows = repository / SHIPPED, shipped()
    stored = {path.relative_to(folder).as_posix(): path for path in folder.glob("*/*.xz")}
    assert {f"{row['set']}/{row['file']}" for row in rows} == set(stored)
    files = {
        (entry.folder, f"{file.name}.xz"): file
        for entry in load_registry(repository / "config/datasets.yaml").values()
        for file in entry.files
    }
    for row in rows:
        packed = stored[f"{row['set']}/{row['file']}"].read_bytes()
        content = lzma.decompress(packed)
        assert hashlib.sha256(packed).hexdigest() == row["sha256_stored"]
        assert hashlib.sha256(content).hexdigest() == row["sha256_original"]
        file = files[row["set"], row["file"]]
        assert (file.sha256, file.size, file.url) == (
            row["sha256_original"],
            len(content),
            row["address"],
        )
        assert row["doi"] or row["licence"] != "CC BY 4.0"
    assert np.sum([path.stat().st_size for path in folder.rglob("*.*")]) < 2_000_000
