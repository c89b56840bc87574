# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks JSON against the part of JSON Schema that docs/schemas uses. Other keywords are an error,
so that none is silently taken for checked."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
         "number": (int, float)}
WORDS = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "required", "properties",
         "additionalProperties", "items", "prefixItems", "minItems", "maxItems", "minimum", "enum",
         "const", "pattern"}


def check(value, schema, root=None, path="$"):
    """The complaints about value, one line each; none when it fits."""
    root = root or schema
    if unknown := set(schema) - WORDS:
        raise ValueError(f"{path}: the checker does not know {sorted(unknown)}")
    if "$ref" in schema:
        target = root
        for name in schema["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        return check(value, target, root, path)
    return (_check_value(value, schema, path) + _check_object(value, schema, root, path)
            + _check_array(value, schema, root, path))


def _is_of_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def _check_value(value, schema, path):
    found = []
    if "type" in schema and not _is_of_type(value, schema["type"]):
        found.append(f"{path}: {value!r} is no {schema['type']}")
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: {value!r}, expected {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is none of {schema['enum']}")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        found.append(f"{path}: {value!r} does not match {schema['pattern']}")
    if "minimum" in schema and _is_of_type(value, "number") and value < schema["minimum"]:
        found.append(f"{path}: {value} is below {schema['minimum']}")
    return found


def _check_object(value, schema, root, path):
    if not isinstance(value, dict):
        return []
    found = [f"{path}: '{name}' is missing" for name in schema.get("required", [])
             if name not in value]
    for name, item in value.items():
        rule = schema.get("properties", {}).get(name, schema.get("additionalProperties", True))
        if rule is False:
            found.append(f"{path}: '{name}' is not expected")
        elif rule is not True:
            found += check(item, rule, root, f"{path}.{name}")
    return found


def _check_array(value, schema, root, path):
    if not isinstance(value, list):
        return []
    found = []
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        found.append(f"{path}: {len(value)} elements")
    first = schema.get("prefixItems", [])
    for i, item in enumerate(value):
        if i < len(first):
            found += check(item, first[i], root, f"{path}[{i}]")
        elif "items" in schema:
            found += check(item, schema["items"], root, f"{path}[{i}]")
    return found
