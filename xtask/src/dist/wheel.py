"""python3 -c ... FOLDER WHEEL: packs a folder as a wheel. The same folder gives the same bytes."""

import base64
import hashlib
import os
import sys
import zipfile

folder, wheel = sys.argv[1:]
files = sorted(
    os.path.relpath(os.path.join(where, name), folder)
    for where, _, names in os.walk(folder)
    for name in names
)
(info,) = {f.split("/")[0] for f in files if f.split("/")[0].endswith(".dist-info")}
# The archive's index comes last, as the description of the form wants it.
files.sort(key=lambda f: f.startswith(info))
record = []


def add(archive, name, data, mode):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


with zipfile.ZipFile(wheel, "w") as archive:
    for name in files:
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            data = file.read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
        add(archive, name, data, 0o755 if os.access(path, os.X_OK) and "/scripts/" in name else 0o644)
    record.append(f"{info}/RECORD,,\n")
    add(archive, f"{info}/RECORD", "".join(record), 0o644)
