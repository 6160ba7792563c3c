"""Finding raw files, and refusing wrong ones."""

import bz2
import gzip
import hashlib
import http.server
import lzma
import ssl
import threading
from functools import partial
from pathlib import Path

import pytest

from toplabel.reproduction.config.documents import Fault, validate
from toplabel.reproduction.config.entry import Entry, RawFile
from toplabel.reproduction.data import fetch as fetching
from toplabel.reproduction.data.fetch import ChecksumError, fetch
from toplabel.reproduction.data.locate import (
    MIRROR_VARIABLE,
    SHIPPED,
    FetchError,
    available,
    mirror_folders,
)

CERTIFICATE = Path(__file__).with_name("loopback.pem")  # self-signed, of 127.0.0.1, with its key
CONTENT = b"1 1:0.5\n2 1:0.25\n" * 5000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
COMPRESS = {"": bytes, ".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}


def entry_with(*files, **changes):
    fields = {
        "name": "toy",
        "title": "Toy",
        "task": "multiclass",
        "protocol": "multiclass",
        "licence": "",
        "citation": "",
        "format": "libsvm",
        "folder": "toy",
        "files": files,
    }
    return Entry(**{**fields, **changes})


def raw_file(**changes):
    return RawFile(
        **{"name": "toy.txt", "part": "train", "sha256": SHA256, "size": len(CONTENT), **changes}
    )


@pytest.fixture
def raw(tmp_path):
    return tmp_path / "raw"


@pytest.fixture
def mirrored(tmp_path):
    """Put bytes into a mirror under a name of the toy set, and return the mirror."""

    def put(name, content, mirror="mirror"):
        path = tmp_path / mirror / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return tmp_path / mirror

    return put


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_mirror_may_be_plain_or_compressed(raw, mirrored, suffix):
    mirror = mirrored("toy.txt" + suffix, COMPRESS[suffix](CONTENT))
    entry = entry_with(raw_file())
    assert available(entry, raw, [mirror]) == (True, "")
    assert fetch(entry, raw, [mirror], network=False) == [raw / "toy" / "toy.txt"]
    assert files_below(raw) == [raw / "toy" / "toy.txt"]
    assert (raw / "toy" / "toy.txt").read_bytes() == CONTENT


def test_the_raw_folder_comes_first_then_the_mirrors_in_order(raw, mirrored):
    first = mirrored("toy.txt", CONTENT, "first")
    second = mirrored("toy.txt", b"other", "second")
    entry = entry_with(raw_file())
    (path,) = fetch(entry, raw, [first, second], network=False)
    assert path.read_bytes() == CONTENT
    assert fetch(entry, raw, [second], network=False) == [path]  # the second is not asked


def test_a_compressed_file_in_the_raw_folder_is_unpacked_there(raw):
    (raw / "toy").mkdir(parents=True)
    (raw / "toy" / "toy.txt.gz").write_bytes(gzip.compress(CONTENT))
    (path,) = fetch(entry_with(raw_file()), raw, network=False)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_wrong_sum_names_both_and_keeps_nothing(raw, mirrored, suffix):
    wrong = CONTENT.replace(b"0.5", b"0.6", 1)
    mirror = mirrored("toy.txt" + suffix, COMPRESS[suffix](wrong))
    with pytest.raises(ChecksumError) as caught:
        fetch(entry_with(raw_file()), raw, [mirror], network=False)
    message = str(caught.value)
    assert SHA256 in message
    assert hashlib.sha256(wrong).hexdigest() in message
    assert "\n" not in message
    assert files_below(raw) == []


def test_a_wrong_size_alone_is_found_too(raw, mirrored):
    mirror = mirrored("toy.txt", CONTENT + b"x")
    with pytest.raises(
        ChecksumError, match=f"more than the {len(CONTENT)} bytes that the registry"
    ):
        fetch(entry_with(raw_file(sha256=None)), raw, [mirror], network=False)
    mirrored("toy.txt", CONTENT[:-1])
    with pytest.raises(ChecksumError, match=f"{len(CONTENT) - 1} bytes, the registry has"):
        fetch(entry_with(raw_file(sha256=None)), raw, [mirror], network=False)
    assert files_below(raw) == []


def test_a_file_already_there_is_checked(raw):
    (raw / "toy").mkdir(parents=True)
    (raw / "toy" / "toy.txt").write_bytes(b"edited")
    with pytest.raises(ChecksumError, match=r"toy\.txt \(remove it to have it fetched again\)"):
        fetch(entry_with(raw_file()), raw, network=False)


@pytest.mark.parametrize("suffix", [".xz", ".gz", ".bz2"])
@pytest.mark.parametrize("damage", ["truncated", "garbage"])
def test_a_damaged_archive_is_told_and_keeps_nothing(raw, mirrored, suffix, damage):
    packed = COMPRESS[suffix](CONTENT)
    content = packed[: len(packed) // 2] if damage == "truncated" else b"no archive at all"
    mirror = mirrored("toy.txt" + suffix, content)
    with pytest.raises(FetchError, match=rf"toy\.txt\{suffix}: truncated or damaged") as caught:
        fetch(entry_with(raw_file()), raw, [mirror], network=False)
    assert "\n" not in str(caught.value)
    assert files_below(raw) == []


def test_without_a_sum_the_file_is_taken_as_it_is(raw, mirrored):
    mirror = mirrored("toy.txt", b"anything")
    (path,) = fetch(entry_with(raw_file(sha256=None, size=None)), raw, [mirror], network=False)
    assert path.read_bytes() == b"anything"


def test_what_is_nowhere_is_told_with_the_places_looked_at(raw, tmp_path):
    entry = entry_with(raw_file(url="https://127.0.0.1:9/toy.txt"), raw_file(name="two.txt"))
    found, reason = available(entry, raw, [tmp_path / "mirror"])
    assert not found
    assert reason == (
        "toy.txt, two.txt not found in data/raw, data/embedded or a mirror (TOPLABEL_MIRROR)"
    )
    with pytest.raises(FetchError, match=r"could not be had: it is not in .*raw/toy nor in"):
        fetch(entry, raw, [tmp_path / "mirror"], network=False)
    with pytest.raises(FetchError, match=r"https://127.0.0.1:9/toy.txt failed \(.*refused\)"):
        fetch(entry, raw, [])
    with pytest.raises(FetchError, match="no address is registered; it waits for rain"):
        fetch(entry_with(raw_file(), waits_for="rain"), raw, [])
    assert not raw.exists() or files_below(raw) == []


def test_a_set_without_a_format_waits(raw):
    entry = entry_with(format=None, files=(), waits_for="features")
    assert available(entry, raw) == (False, "waits for features")
    with pytest.raises(FetchError, match="data set 'toy' waits for features"):
        fetch(entry, raw)


def test_an_embedded_set_needs_no_file(raw):
    entry = entry_with(format=None, embedded="digits")
    assert available(entry, raw) == (True, "")
    assert fetch(entry, raw) == []


def test_mirrors_of_the_environment_come_first(monkeypatch, tmp_path):
    monkeypatch.setenv(MIRROR_VARIABLE, f"{tmp_path}/a:{tmp_path}/b")
    shipped = tmp_path / SHIPPED
    folders = mirror_folders([tmp_path / "c", tmp_path / "a"], tmp_path)
    assert folders == [tmp_path / "a", tmp_path / "b", tmp_path / "c", shipped]
    monkeypatch.delenv(MIRROR_VARIABLE)
    assert mirror_folders([], tmp_path) == [shipped]


def link(mirror, name, content, to):
    """Put a link into a mirror's folder of the toy set, to a file of that content."""
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content)
    (mirror / "toy").mkdir(parents=True, exist_ok=True)
    (mirror / "toy" / name).symlink_to(to)


@pytest.mark.parametrize("name", ["toy.txt", "toy.txt.gz"])
def test_a_link_out_of_a_mirror_is_followed_to_a_registered_sum_alone(raw, tmp_path, name):
    mirror, content = tmp_path / "mirror", gzip.compress(CONTENT) if ".gz" in name else CONTENT
    link(mirror, name, content, tmp_path / "private/other")
    unknown = entry_with(raw_file(sha256=None))
    with pytest.raises(FetchError, match=r"mirror/toy/toy\.txt.*: leads out of the mirror"):
        fetch(unknown, raw, [mirror], network=False)
    with pytest.raises(FetchError, match="leads out of the mirror, and the entry has no sha256"):
        fetching.find_checked(unknown, unknown.files[0], raw, [mirror])
    assert files_below(raw) == []
    (path,) = fetch(entry_with(raw_file()), raw, [mirror], network=False)
    assert path.read_bytes() == CONTENT


def test_links_within_a_mirror_and_in_the_raw_folder_are_the_users_own(raw, tmp_path):
    mirror, unknown = tmp_path / "mirror", entry_with(raw_file(sha256=None))
    link(mirror, "toy.txt", CONTENT, mirror / "other/other.txt")
    (path,) = fetch(unknown, raw, [mirror], network=False)
    path.unlink()
    path.symlink_to(mirror / "other/other.txt")
    assert fetch(unknown, raw, network=False) == [path]


def test_a_mark_that_links_out_of_its_mirror_is_refused(raw, mirrored, tmp_path):
    mirror = mirrored("toy.txt", CONTENT)
    link(mirror, fetching.NOT_COMPARABLE, b"secret", tmp_path / "private/other")
    with pytest.raises(FetchError, match=f"{fetching.NOT_COMPARABLE}: leads out of the mirror"):
        fetch(entry_with(raw_file()), raw, [mirror], network=False)
    assert files_below(raw) == []


def test_long_names_are_told_in_one_line(raw, tmp_path):
    with pytest.raises(Fault, match=r"^name: .* has more than 200 characters$"):
        validate({"name": "x" * 300, "part": "train"}, RawFile)
    for name in ("x" * 300, "a/" * 3000):
        with pytest.raises(FetchError, match=r"cannot be looked into \(File name too long\)"):
            fetch(entry_with(raw_file()), raw, [tmp_path / name], network=False)


class _BrokenOff(http.server.SimpleHTTPRequestHandler):
    """A server that promises more than it sends."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT) + 10))
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, *_):
        pass


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class _Redirecting(_Quiet):
    """A server that sends whoever asks for /to?ADDRESS to that address."""

    def do_GET(self):
        if self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to?"))
            self.end_headers()
        else:
            super().do_GET()


@pytest.fixture
def serve(tmp_path, monkeypatch):
    """Start an https server of a folder on the loop-back interface; return its address."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    servers = []

    def start(handler=_Quiet):
        handler = partial(handler, directory=str(tmp_path / "www"))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        servers.append(server)
        return f"https://127.0.0.1:{server.server_port}"

    (tmp_path / "www").mkdir()
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("suffix", COMPRESS)
def test_the_official_address_may_be_compressed(raw, tmp_path, serve, suffix):
    url = f"{serve()}/toy.txt{suffix}"
    (tmp_path / "www" / f"toy.txt{suffix}").write_bytes(COMPRESS[suffix](CONTENT))
    (path,) = fetch(entry_with(raw_file(url=url)), raw)
    assert path.read_bytes() == CONTENT


def test_a_missing_page_and_a_broken_connection_are_told(raw, serve):
    url = f"{serve()}/nothing.txt"
    with pytest.raises(FetchError, match=r"nothing\.txt failed \(HTTP Error 404"):
        fetch(entry_with(raw_file(url=url)), raw)
    url = f"{serve(_BrokenOff)}/toy.txt"
    message = f"broke off after {len(CONTENT)} of {len(CONTENT) + 10} bytes"
    with pytest.raises(FetchError, match=message):
        fetch(entry_with(raw_file(url=url, sha256=None, size=None)), raw)
    assert files_below(raw) == []


def test_an_address_may_redirect_to_https(raw, tmp_path, serve):
    address = serve(_Redirecting)
    (tmp_path / "www" / "toy.txt").write_bytes(CONTENT)
    url = f"{address}/to?{address}/toy.txt"
    (path,) = fetch(entry_with(raw_file(url=url)), raw)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("kind", ["http", "file", "ftp"])
def test_no_other_address_is_asked_or_followed(raw, tmp_path, serve, kind):
    (tmp_path / "www" / "toy.txt").write_bytes(CONTENT)
    other = {"file": f"file://{tmp_path}/www/toy.txt"}.get(kind, f"{kind}://127.0.0.1:9/toy.txt")
    with pytest.raises(OSError, match=f"{other} is no https address"):
        fetching.open_address(other, 1.0)
    with pytest.raises(Fault, match=r"url: .* does not match \^https://"):
        validate({"name": "toy.txt", "part": "train", "url": other}, RawFile)
    url = f"{serve(_Redirecting)}/to?{other}"
    message = rf"failed \(.*{other}' is not allowed" if kind == "file" else "is no https address"
    with pytest.raises(FetchError, match=message) as caught:
        fetch(entry_with(raw_file(url=url)), raw)
    assert "\n" not in str(caught.value)
    assert not raw.exists() or files_below(raw) == []


class _Endless(_Quiet):
    """A server that sends zeros until nobody listens, at most 64 MiB."""

    sent = 0

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        for _ in range(64):
            try:
                self.wfile.write(bytes(2**20))
            except OSError:
                return
            type(self).sent += 2**20


def test_a_download_stops_at_the_registered_size(raw, serve):
    url = f"{serve(_Endless)}/toy.txt"
    message = f"more than the {len(CONTENT)} bytes that the registry has"
    with pytest.raises(ChecksumError, match=message):
        fetch(entry_with(raw_file(url=url)), raw)
    assert _Endless.sent < 2**25
    assert files_below(raw) == []


@pytest.mark.parametrize("suffix", [".xz", ".gz", ".bz2"])
def test_unpacking_stops_at_the_registered_size(raw, mirrored, monkeypatch, suffix):
    monkeypatch.setattr(fetching, "_CHUNK", 2**16)
    mirror = mirrored("toy.txt" + suffix, COMPRESS[suffix](bytes(2**24)))
    taken = []
    read = fetching._read_chunk
    monkeypatch.setattr(
        fetching, "_read_chunk", lambda *a: taken.append(len(chunk := read(*a))) or chunk
    )
    with pytest.raises(ChecksumError, match=f"more than the {len(CONTENT)} bytes"):
        fetch(entry_with(raw_file()), raw, [mirror], network=False)
    assert sum(taken) < len(CONTENT) + 2**17
    assert files_below(raw) == []


def test_unpacking_a_file_that_is_not_registered_stops_at_a_ratio(raw, mirrored, monkeypatch):
    monkeypatch.setattr(fetching, "_FREE", 2**20)
    entry = entry_with(raw_file(sha256=None, size=None))
    mirror = mirrored("toy.txt.bz2", bz2.compress(bytes(2**24)))
    with pytest.raises(FetchError, match=r"over 100 times its size; state the file's `size`"):
        fetch(entry, raw, [mirror], network=False)
    mirrored("toy.txt.bz2", bz2.compress(CONTENT))
    (path,) = fetch(entry, raw, [mirror], network=False)
    assert path.read_bytes() == CONTENT
