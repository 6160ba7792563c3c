"""The directive `config-keys`: a table of the keys of each config file, made of its model.

    ```{config-keys}
    config/methods.yaml toplabel.reproduction.config.methods.MethodsFile
    ```

A line names a file and its model.
"""

from collections.abc import Mapping
from importlib import import_module

from pydantic import TypeAdapter
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from toplabel.reproduction.config.documents import ConfigModel

LOGGER = logging.getLogger(__name__)
BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
TYPES = {"integer": "whole number", "number": "number", "boolean": "true or false"}


def setup(app: Sphinx) -> dict:
    """Register the directive."""
    app.add_directive("config-keys", ConfigKeys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class ConfigKeys(SphinxDirective):
    """The tables of the keys of config files."""

    has_content = True

    def run(self) -> list:
        """Make the tables, as the text of a page, and parse them."""
        parts = []
        for line in self.content:
            title, path = line.rsplit(maxsplit=1)
            module, name = path.rsplit(".", 1)
            parts.append(tables(f"## {title}", getattr(import_module(module), name)))
        return self.parse_text_to_nodes("\n".join(parts), allow_section_headings=True)


def tables(title: str, model: type) -> str:
    """Return the table of a model under its title, and those of the models within."""
    schema = TypeAdapter(model).json_schema()
    parts = [f"{title}\n\n{table(schema, descriptions(model))}"]
    for name, part in schema.get("$defs", {}).items():
        texts = descriptions(named(name))
        parts.append(f"### {name}\n\n{table(part, texts)}")
    return "\n".join(parts)


def named(name: str, base: type = ConfigModel) -> type | None:
    """Return the model of a name."""
    found = (named(name, one) for one in base.__subclasses__())
    return base if base.__name__ == name else next(filter(None, found), None)


def descriptions(model: type) -> dict[str, str]:
    """Return the texts below the fields of a model and of its bases, by the keys of the fields."""
    texts = {}
    for base in reversed(model.__mro__):
        if base.__module__.startswith("toplabel"):
            found = ModuleAnalyzer.for_module(base.__module__).find_attr_docs()
            texts |= {
                field: " ".join(text)
                for (name, field), text in found.items()
                if name == base.__name__
            }
    fields = model.__pydantic_fields__
    return {fields[name].alias or name: text for name, text in texts.items() if name in fields}


def table(part: Mapping, texts: Mapping[str, str]) -> str:
    """Return what a schema says of a mapping, as a paragraph and a table of its keys."""
    lines = [part.get("description", ""), "", "| key | value | default | |", "|---|---|---|---|"]
    for key, value in part.get("properties", {}).items():
        if value.get("rowName"):
            continue  # the name of a row stands before its colon
        default = "required" if key in part.get("required", ()) else shown(value.get("default"))
        if not (text := texts.get(key, "")):
            LOGGER.warning("the key %s of %s is not described", key, part.get("title"))
        cells = (f"`{key}`", kind(value), default, " ".join(text.split()))
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines if len(lines) > 4 else lines[:1]) + "\n"


def shown(default: object) -> str:
    """Return a default as it stands in YAML; nothing where it says nothing."""
    simple = isinstance(default, (bool, int, float, str)) and default != ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`" if simple else ""


def kind(value: Mapping) -> str:
    """Return what a value may be, in words."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if forms := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(filter(None, map(kind, forms))))
    if choices := value.get("enum") or ([value["const"]] if "const" in value else []):
        return ", ".join(f"`{choice}`" for choice in choices if choice != "")
    type_ = value.get("type")
    if type_ == "null":
        return ""
    if type_ == "array":
        return f"list: {kind(value.get('items', {}))}"
    if type_ == "object":
        rows = [value.get("additionalProperties"), *value.get("patternProperties", {}).values()]
        return f"by name: {kind(rows[-1])}" if isinstance(rows[-1], Mapping) else "mapping"
    if type_ == "string":
        return f"text: `{value['pattern']}`" if "pattern" in value else "text"
    bounds = [f"{word} {value[key]:g}" for key, word in BOUNDS.items() if key in value]
    return " ".join([TYPES.get(type_, "anything"), " and ".join(bounds)]).strip()
