"""A file server for tests that speaks WebHDFS, the protocol of Hadoop's file system over HTTP. It shows one folder of the disk.

The addresses are ``webhdfs://127.0.0.1:PORT/…``. As in HDFS, a file is opened or created in two steps: the answer to the first
request names the address that gives or takes the bytes. A file or folder whose mode is 0 belongs to somebody else, and may not
be used. The server checks this itself, because the administrator of a machine may open everything.
"""

import json
import shutil
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

HOST = "127.0.0.1"

# For each error: the status of HTTP, and the class that Hadoop's client raises.
ERRORS: list[tuple[type[Exception], int, str]] = [
    (FileNotFoundError, 404, "java.io.FileNotFoundException"),
    (PermissionError, 403, "org.apache.hadoop.security.AccessControlException"),
    (OSError, 403, "java.io.IOException"),
]


class WebHDFS(ThreadingHTTPServer):
    """A server on loopback, at a port that is free. Use it in a ``with`` statement."""

    daemon_threads = True

    def __init__(self, root: Path) -> None:
        super().__init__((HOST, 0), _Handler)
        self.root = root
        self.url = f"webhdfs://{HOST}:{self.server_port}"
        # How often each file was read.
        self.reads: Counter[str] = Counter()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def server_close(self) -> None:
        self.shutdown()
        super().server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers one request. The method for an operation is named after the method of HTTP and the operation."""

    server: WebHDFS

    def _answer(self) -> None:
        url = urlsplit(self.path)
        self.name = unquote(url.path).removeprefix("/webhdfs/v1").rstrip("/") or "/"
        self.words = {key.lower(): value for key, value in parse_qsl(url.query)}
        # Read the body even if the request is refused. Otherwise the client would not read the answer.
        self.body = self._chunks() if self.headers.get("Transfer-Encoding") == "chunked" else b""
        operation = self.words.get("op", "").lower()
        path = self.server.root / self.name[1:]
        try:
            method = getattr(self, f"_{self.command.lower()}_{operation}", None)
            if method is None:
                raise OSError(f"this server has no {self.command} {operation}")
            # To ask what something is needs only the permission for the folder that contains it.
            self._permit(path.parent if operation == "getfilestatus" else path)
            method(path)
        except OSError as error:
            status, java = next((status, java) for kind, status, java in ERRORS if isinstance(error, kind))
            message = f"{error.strerror or error}: {self.name}"
            self._json({"RemoteException": {"javaClassName": java, "message": message}}, status)

    do_GET = do_PUT = do_DELETE = _answer

    def log_message(self, format: str, *words: Any) -> None:
        """Writes no log."""

    def _chunks(self) -> bytes:
        body = bytearray()
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return bytes(body)

    def _send(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def _json(self, value: dict[str, Any], status: int = 200) -> None:
        # There is no Content-Type, because the client that comes with Spark lacks the class that would parse it.
        self._send(status, json.dumps(value).encode())

    def _redirects(self) -> bool:
        """Sends the address of the second step, if this is the first."""
        if "second" in self.words:
            return False
        self._send(307, Location=f"http://{HOST}:{self.server.server_port}{self.path}&second=true")
        return True

    @staticmethod
    def _permit(path: Path) -> None:
        """Raises PermissionError if the file or folder, or a folder that contains it, belongs to somebody else."""
        if any(one.exists() and not one.stat().st_mode & 0o777 for one in (path, *path.parents)):
            raise PermissionError(13, "Permission denied")

    @staticmethod
    def _status(path: Path, name: str) -> dict[str, Any]:
        stat = path.stat()
        kind, size = ("DIRECTORY", 0) if path.is_dir() else ("FILE", stat.st_size)
        return {
            "pathSuffix": name, "type": kind, "length": size, "blockSize": 1 << 27, "replication": 1, "owner": "owner",
            "group": "group", "permission": f"{stat.st_mode & 0o777:o}", "accessTime": 0,
            "modificationTime": int(stat.st_mtime * 1000),
        }

    def _get_getfilestatus(self, path: Path) -> None:
        self._json({"FileStatus": self._status(path, "")})

    def _get_liststatus(self, path: Path) -> None:
        files = [(file, file.name) for file in sorted(path.iterdir())] if path.is_dir() else [(path, "")]
        self._json({"FileStatuses": {"FileStatus": [self._status(file, name) for file, name in files]}})

    def _get_getcontentsummary(self, path: Path) -> None:
        files = sum(file.is_file() for file in path.rglob("*"))
        sizes = dict.fromkeys(["directoryCount", "length", "quota", "spaceConsumed", "spaceQuota"], 0)
        self._json({"ContentSummary": {"fileCount": files, **sizes}})

    def _get_getfileblocklocations(self, path: Path) -> None:
        self._json({"BlockLocations": {"BlockLocation": []}})

    def _get_open(self, path: Path) -> None:
        data = path.read_bytes()
        if not self._redirects():
            self.server.reads[self.name] += 1
            begin = int(self.words.get("offset", 0))
            self._send(200, data[begin : begin + int(self.words.get("length", len(data)))])

    def _put_create(self, path: Path) -> None:
        if path.is_dir() or path.exists() and self.words.get("overwrite") != "true":
            raise FileExistsError(17, "File already exists")
        if not self._redirects():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.body)
            self._send(201)

    def _put_mkdirs(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._json({"boolean": True})

    def _put_rename(self, path: Path) -> None:
        target = self.server.root / self.words["destination"][1:]
        self._permit(target)
        # As in HDFS, something that is renamed to a folder is moved into it, and nothing is ever replaced.
        target = target / path.name if target.is_dir() else target
        can = path.exists() and target.parent.is_dir() and not target.exists()
        self._json({"boolean": can and bool(path.rename(target))})

    def _delete_delete(self, path: Path) -> None:
        existed = path.exists()
        if path.is_dir():
            shutil.rmtree(path) if self.words.get("recursive") == "true" else path.rmdir()
        else:
            path.unlink(missing_ok=True)
        self._json({"boolean": existed})
