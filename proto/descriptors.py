"""Descriptors as bytes: reading a FileDescriptorProto without the protobuf library, finding them in programs and wheels.

Knows the few fields of FileDescriptorProto that it needs. lib/schema/program_scan.cc holds the same scan for users'
programs; a test checks that both find the same files in Envoy.
"""

import ast
import re
import sys
import zipfile
import zlib

NAME, PACKAGE, DEPENDENCY, MESSAGE, ENUM, SERVICE, EXTENSION, OPTIONS, SOURCE_INFO = range(1, 10)
PUBLIC_DEPENDENCY, WEAK_DEPENDENCY, SYNTAX, EDITION = 10, 11, 12, 14
VARINT, BYTES = 0, 2

# What may follow the name, with the wire type it must have.
WIRE_TYPES = {
    PACKAGE: BYTES, DEPENDENCY: BYTES, MESSAGE: BYTES, ENUM: BYTES, SERVICE: BYTES, EXTENSION: BYTES, OPTIONS: BYTES,
    SOURCE_INFO: BYTES, PUBLIC_DEPENDENCY: VARINT, WEAK_DEPENDENCY: VARINT, SYNTAX: BYTES, EDITION: VARINT,
}
ONCE = {PACKAGE, OPTIONS, SOURCE_INFO, SYNTAX, EDITION}
NAMED = {MESSAGE, ENUM, SERVICE, EXTENSION}
SYNTAXES = (b"proto2", b"proto3", b"editions")

IDENTIFIER = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*\Z")
PACKAGE_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_.]*\Z")
MAX_NAME = 255
FILE_NAME = re.compile(rb"[A-Za-z0-9_.+@/-]+\.proto\Z")


class Malformed(Exception):
    """The bytes are not what they should be."""


def read_varint(data, at):
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Malformed("a number runs over the end")


def read_field(data, at):
    """(number, wire type, value, end) of the field at `at`; only the two wire types a FileDescriptorProto has."""
    tag, at = read_varint(data, at)
    number, wire_type = tag >> 3, tag & 7
    value, at = read_varint(data, at)
    if wire_type == VARINT:
        return number, wire_type, value, at
    if wire_type != BYTES or at + value > len(data):
        raise Malformed("damaged or cut off, or not made of descriptors")
    return number, wire_type, data[at:at + value], at + value


def fields(data):
    at = 0
    while at < len(data):
        number, wire_type, value, at = read_field(data, at)
        yield number, wire_type, value


def text_fields(data, number):
    return [value.decode() for n, wire_type, value in fields(data) if n == number and wire_type == BYTES]


def file_name(descriptor):
    names = text_fields(descriptor, NAME)
    if len(names) != 1:
        raise Malformed("a file descriptor without a name")
    return names[0]


def dependencies(descriptor):
    return text_fields(descriptor, DEPENDENCY)


def split_set(data):
    """The files of a FileDescriptorSet."""
    files = []
    for number, wire_type, value in fields(data):
        if number != 1 or wire_type != BYTES:
            raise Malformed("not a descriptor set")
        files.append(value)
    return files


def write_varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def join_set(files):
    return b"".join(b"\x0a" + write_varint(len(file)) + file for file in files)


def starts_with_identifier(value):
    """Whether the first field of a message, an enum, a service or an extension is its name."""
    try:
        number, wire_type, name, _ = read_field(value, 0)
    except Malformed:
        return False
    return number == 1 and wire_type == BYTES and IDENTIFIER.match(name) is not None


def plausible(number, value, syntax, imports):
    if number == PACKAGE:
        return PACKAGE_NAME.match(value) is not None
    if number == DEPENDENCY:
        return FILE_NAME.match(value) is not None
    if number in NAMED:
        return starts_with_identifier(value)
    if number in (PUBLIC_DEPENDENCY, WEAK_DEPENDENCY):
        return value < imports
    if number == SYNTAX:
        return value in SYNTAXES
    if number == EDITION:
        return syntax == b"editions"
    return True


def descriptor_end(data, start):
    """Where the descriptor whose name field is at `start` ends, or None if it holds nothing.

    Nothing in a program says how long a descriptor is, so fields are read for as long as they make sense: in rising
    order, of the right wire type, with a value such a field can have.
    """
    at = read_field(data, start)[3]
    last, syntax, imports, content = NAME, b"", 0, False
    while True:
        try:
            number, wire_type, value, end = read_field(data, at)
        except Malformed:
            break
        if WIRE_TYPES.get(number) != wire_type or number < last or (number == last and number in ONCE):
            break
        if not plausible(number, value, syntax, imports):
            break
        syntax = value if number == SYNTAX else syntax
        imports += number == DEPENDENCY
        content = content or number == DEPENDENCY or number in NAMED
        last, at = number, end
    return at if content else None


def is_name_field(data, start, name_end):
    try:
        number, wire_type, name, end = read_field(data[start:name_end], 0)
    except Malformed:
        return False
    return number == NAME and wire_type == BYTES and start + end == name_end and FILE_NAME.match(name) is not None


def name_field_start(data, name_end):
    """Where the name field starts whose text ends at `name_end`, or None. Its tag is a line feed, which no name holds;
    but its length may be one (10), so the last line feed and the one in front of it are tried."""
    line_feed = data.rfind(b"\n", max(0, name_end - MAX_NAME - 3), name_end)
    if line_feed >= 0 and is_name_field(data, line_feed, name_end):
        return line_feed
    if line_feed > 0 and data[line_feed - 1] == 0x0A and is_name_field(data, line_feed - 1, name_end):
        return line_feed - 1
    return None


def scan_program(data):
    """The file descriptors in the bytes of a program, by file name; of two with one name the longer."""
    found = {}
    at = data.find(b".proto")
    while at >= 0:
        name_end = at + len(b".proto")
        start = name_field_start(data, name_end)
        end = descriptor_end(data, start) if start is not None else None
        if end is not None:
            descriptor = data[start:end]
            name = file_name(descriptor)
            if len(descriptor) > len(found.get(name, b"")):
                found[name] = descriptor
        at = data.find(b".proto", end or name_end)
    return found


def scan_python_wheel(path):
    """The file descriptors in a wheel of generated Python modules, by file name: the argument of AddSerializedFile."""
    found = {}
    with zipfile.ZipFile(path) as wheel:
        for member in sorted(wheel.namelist()):
            if not member.endswith("_pb2.py"):
                continue
            for node in ast.walk(ast.parse(wheel.read(member))):
                if (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "AddSerializedFile"
                        and node.args and isinstance(node.args[0], ast.Constant)):
                    descriptor = node.args[0].value
                    found[file_name(descriptor)] = descriptor
    return found


def main():
    """descriptors.py PROGRAM: checksum, size and name of each file found, for comparison with lib/schema."""
    with open(sys.argv[1], "rb") as program:
        found = scan_program(program.read())
    for name in sorted(found):
        print(f"{zlib.crc32(found[name]):08x} {len(found[name])} {name}")


if __name__ == "__main__":
    main()
