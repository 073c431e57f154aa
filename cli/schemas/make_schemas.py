#!/usr/bin/env python3
"""JSON Schemas (draft 2020-12) of the command's outputs, from outputs.txt, which explains its notation.

usage: make_schemas.py outputs.txt FOLDER FLATC_SCHEMA
  writes FOLDER/<output>.schema.json for each output, and FOLDER/report-file.schema.json of what flatc made of report.fbs

The schemas are exact: a key that is not in them is an error, and so is one that is missing. A later holdfast of the same schema
version may print more keys; its own schemas have them.
"""
import json
import pathlib
import re
import sys

DRAFT = "https://json-schema.org/draft/2020-12/schema"
UNKNOWN = {"type": "string", "pattern": r"^unknown( \(\d+\))?$"}
UTC = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$"
SIMPLE = {
    "text": {"type": "string"},
    "count": {"type": "integer", "minimum": 0},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "ratio": {"type": "number", "minimum": 0},
    "ms": {"type": "number", "minimum": 0},
    "fraction": {"type": "number", "minimum": 0, "maximum": 1},
    "flag": {"type": "boolean"},
    "true": {"const": True},
    "utc": {"type": "string", "pattern": UTC},
    "hash": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
    "map": {"type": "object", "additionalProperties": {"type": "string"}},
}


class NotationError(Exception):
    pass


def lines_of(text):
    """(line number, depth, content), without comments and empty lines."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, (len(line) - len(line.lstrip())) // 2, line.strip()


def blocks_of(text):
    """[(head, its lines)]."""
    blocks = []
    for number, depth, content in lines_of(text):
        if depth == 0:
            blocks.append((content, []))
        else:
            blocks[-1][1].append((number, depth, content))
    return blocks


class Tables:
    """Definitions and outputs as they are written, and the schemas made of them."""

    def __init__(self, text):
        self.definitions, self.outputs = {}, {}
        for head, lines in blocks_of(text):
            self._take(head, lines)

    def _take(self, head, lines):
        if match := re.fullmatch(r"define (\w+)  (.+)", head):
            self.definitions[match[1]] = (match[2], lines)
        elif match := re.fullmatch(r"output ([\w-]+)  (\d+)  (.+)", head):
            self.outputs[match[1]] = (int(match[2]), match[3], lines, set())
        elif match := re.fullmatch(r"variant ([\w-]+) of ([\w-]+)  (.+)", head):
            version, _, fields, _ = self.outputs[match[2]]
            self.outputs[match[1]] = (version, match[3], fields, {key for line in lines for key in line[2].split()})
        else:
            raise NotationError(f"neither define, output nor variant: {head}")

    def schema(self, name):
        version, printed_by, lines, may_lack = self.outputs[name]
        self.used = set()
        body = self._object(lines, 1)
        if version:
            body["properties"] = {"schema_version": {"const": version}, **body["properties"]}
            body["required"].insert(0, "schema_version")
        body["required"] = [key for key in body["required"] if key not in may_lack]
        schema = {"$schema": DRAFT, "$id": f"urn:holdfast:schema:{name}:{version or 1}", "title": name,
                  "description": f"What {printed_by} prints. {__doc__.rsplit(chr(10) + chr(10), 1)[1].strip()}".replace("\n", " "), **body}
        definitions = {}
        while missing := self.used - set(definitions):
            for one in sorted(missing):
                described, fields = self.definitions[one]
                definitions[one] = {"description": described, **self._object(fields, 1)}
        if definitions:
            schema["$defs"] = {one: definitions[one] for one in sorted(definitions)}
        return schema

    def _object(self, lines, depth):
        """The object whose fields stand at this depth; what stands deeper belongs to the field before it."""
        properties, required, together = {}, [], {}
        at = 0
        while at < len(lines):
            number, _, content = lines[at]
            end = at + 1
            while end < len(lines) and lines[end][1] > depth:
                end += 1
            self._line(number, content, lines[at + 1:end], depth, (properties, required, together))
            at = end
        made = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        if together:
            made["dependentRequired"] = together
        return made

    def _line(self, number, content, below, depth, into):
        properties, required, together = into
        if content.startswith("+ "):
            other = self._object(self.definitions[content[2:]][1], 1)
            properties.update(other["properties"])
            required.extend(other["required"])
            together.update(other.get("dependentRequired", {}))
            return
        if content.startswith("together "):
            keys = content.split()[1:]
            together.update({key: [other for other in keys if other != key] for key in keys})
            return
        parts = re.split(r"  +", content, maxsplit=2)
        if len(parts) < 2:
            raise NotationError(f"line {number}: no type: {content}")
        key, kind = parts[0].removesuffix("?"), parts[1]
        made = self._type(number, kind, below, depth)
        if len(parts) == 3:
            made = {"description": parts[2], **made}
        if key in properties:
            raise NotationError(f"line {number}: {key} is there twice")
        properties[key] = made
        if not parts[0].endswith("?"):
            required.append(key)

    def _type(self, number, kind, below, depth):
        if kind.startswith("["):
            inner, _, rest = kind[1:].rpartition("]")
            return self._or_null(rest == "?", {"type": "array", "items": self._type(number, inner, below, depth)})
        if match := re.fullmatch(r"open(\??) (.+)", kind):
            return self._or_null(bool(match[1]), {"anyOf": [{"enum": match[2].split("|")}, UNKNOWN]})
        null, kind = kind.endswith("?"), kind.removesuffix("?")
        if kind == "object":
            made = self._object(below, depth + 1)
        elif kind.startswith("choice "):
            made = self._choice(kind.split()[1], below, depth + 1)
        elif kind.startswith("@"):
            self.used.add(kind[1:])
            made = {"$ref": f"#/$defs/{kind[1:]}"}
        elif kind in SIMPLE:
            made = dict(SIMPLE[kind])
        elif "|" in kind:
            made = {"enum": kind.split("|")}
        else:
            raise NotationError(f"line {number}: no such type: {kind}")
        return self._or_null(null, made)

    def _choice(self, key, lines, depth):
        cases, made = [], []
        for line in lines:
            if line[1] == depth:
                cases.append((line[2].removeprefix("case "), []))
            else:
                cases[-1][1].append(line)
        for word, fields in cases:
            one = self._object(fields, depth + 1)
            made.append({**one, "properties": {key: {"const": word}, **one["properties"]}, "required": [key, *one["required"]]})
        return {"oneOf": made}

    @staticmethod
    def _or_null(null, made):
        if not null:
            return made
        if "enum" in made:
            return {"enum": [*made["enum"], None]}
        return {"anyOf": [made, {"type": "null"}]}


def of_report_file(made_by_flatc):
    """What `flatc --json --strict-json` writes of a report file without its first 32 bytes."""
    made = json.loads(made_by_flatc.replace("#/definitions/", "#/$defs/"))
    return {"$schema": DRAFT, "$id": "urn:holdfast:schema:report-file:1", "title": "report-file",
            "description": "A report (.hfr) behind its header of 32 bytes, as flatc --json --strict-json writes it by report.fbs.",
            **{key: value for key, value in made.items() if key not in ("$schema", "definitions")}, "$defs": made["definitions"]}


def write(folder, name, schema):
    (folder / f"{name}.schema.json").write_text(json.dumps(schema, indent=1) + "\n")


def main():
    tables = Tables(pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name in tables.outputs:
        write(folder, name, tables.schema(name))
    write(folder, "report-file", of_report_file(pathlib.Path(sys.argv[3]).read_text()))


if __name__ == "__main__":
    main()
