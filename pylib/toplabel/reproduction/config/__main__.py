"""``python -m toplabel.reproduction.config``: docs/config-reference.md; with a folder, JSON schemas
of the config files, there.
"""

import json
import sys
from pathlib import Path

from toplabel.reproduction.config.reference import FILES, page, schema

if len(sys.argv) == 1:
    print(page(), end="")
for folder in map(Path, sys.argv[1:2]):
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in FILES.items():
        found = Path(name)
        stem = found.parent.name if found.stem == "*" else found.stem
        path = folder / f"{stem}.schema.json"
        path.write_text(json.dumps(schema(model), indent=1) + "\n", encoding="utf-8")
