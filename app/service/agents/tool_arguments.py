"""The arguments of tools as agents see them: their schemas, and the check of what comes against these."""

from typing import Any

from app.common.errors import InputError
from app.common.language import localize
from app.core.delivery import LATIN_READINGS, Bounds
from app.core.synthesis_types import BOUNDS, INDEX_BOUNDS

MAX_CALL_CHARS = 10_000
MAX_EXPORTED_LINES = 200
FILE_FORMATS = ("wav", "flac", "ogg", "opus", "mp3")
MAX_NAME_CHARS = 200
Schema = dict[str, Any]


def build_number_schema(bounds: Bounds, description: str) -> Schema:
    return {"type": "number", "minimum": bounds.low, "maximum": bounds.high, "description": description}


VOICE_ARGUMENTS: dict[str, Schema] = {
    "voice": {"type": "string", "maxLength": MAX_NAME_CHARS, "description": "Name of a speaker, as `voices` lists them"},
    "style": {"type": "string", "maxLength": MAX_NAME_CHARS, "description": "Name of one of the speaker's styles"},
    "speed": build_number_schema(BOUNDS["speed"], "1 is the usual speed"),
}
FORMAT_ARGUMENT: Schema = {
    "type": "string",
    "enum": list(FILE_FORMATS),
    "description": "Format of the file; by default as the name ends, else wav",
}


def build_text_schema(max_chars: int, **description: str) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": max_chars, **description}


def build_object_schema(properties: dict[str, Schema], *required: str) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


def build_array_schema(most: int, items: Schema, description: str = "") -> Schema:
    """Return the schema of a list that is not empty."""
    return {"type": "array", "minItems": 1, "maxItems": most, "items": items} | ({"description": description} if description else {})


def build_index_schema(highest: int = int(INDEX_BOUNDS.high), description: str = "", lowest: int = 0) -> Schema:
    """Return the schema of a number that counts."""
    return {"type": "integer", "minimum": lowest, "maximum": highest, "description": description}


def build_delivery_schemas() -> dict[str, Schema]:
    """Return the schemas of what says how a line is spoken, by name: all numbers, and the reading of Latin letters."""
    numbers = {name: build_number_schema(bounds, bounds.tips[1]) for name, bounds in BOUNDS.items()}
    description = "How words in Latin letters are read; english where the voice speaks it"
    return numbers | {"latin": {"type": "string", "enum": list(LATIN_READINGS), "description": description}}


def describe_tool(name: str, title: str, description: str, properties: dict[str, Schema], *required: str, reads: bool) -> Schema:
    annotations = {"readOnlyHint": reads, "destructiveHint": False, "openWorldHint": False}
    schema = build_object_schema(properties, *required)
    return {"name": name, "title": title, "description": description, "inputSchema": schema, "annotations": annotations}


def filter_arguments(schema: Schema, values: Any, where: str = "arguments") -> Any:
    """Return what a tool takes of its arguments: without null, which is none, and what no tool knows; raise InputError for what our schema does not allow."""
    match schema["type"]:
        case "object":
            return _filter_object(schema, values, where)
        case "array":
            if not isinstance(values, list) or not schema["minItems"] <= len(values) <= schema["maxItems"]:
                raise _create_refusal(where)
            return [filter_arguments(schema["items"], item, f"{where}[{index}]") for index, item in enumerate(values)]
        case "string":
            longest, shortest = schema.get("maxLength", MAX_NAME_CHARS), schema.get("minLength", 0)
            if not isinstance(values, str) or not shortest <= len(values) <= longest or values not in schema.get("enum", (values,)):
                raise _create_refusal(where)
        case "boolean":
            if not isinstance(values, bool):
                raise _create_refusal(where)
        case kind:
            if kind == "integer" and isinstance(values, float) and values.is_integer():
                values = int(values)  # in JSON both are one number
            if type(values) not in ((int,) if kind == "integer" else (int, float)) or not schema["minimum"] <= values <= schema["maximum"]:
                raise _create_refusal(where)
    return values


def _filter_object(schema: Schema, values: Any, where: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise _create_refusal(where)
    named = {name: values[name] for name in schema["properties"] if values.get(name) is not None}
    for name in schema["required"]:
        if name not in named:
            raise _create_refusal(f"{where}.{name}")
    return {name: filter_arguments(schema["properties"][name], value, f"{where}.{name}") for name, value in named.items()}


def _create_refusal(where: str) -> InputError:
    return InputError(localize(f"引数「{where}」を使用できません。", f"The argument “{where}” is missing or out of bounds."))
