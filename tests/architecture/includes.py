"""Reads every #include of lib/ and cli/ and says which of them the design does not allow.

The tables repeat the design: what a folder of lib/ may include, and where headers of certain libraries may stand.
"""

import re
from pathlib import Path

# Which folders of lib/ each folder may include, beside itself.
EDGES = {
    "base": (),
    "types": ("base",),
    "schema": ("base",),
    "finding": ("base",),
    "wire": ("base", "schema", "finding"),
    "encode": ("base", "schema", "wire", "finding"),
    "protocol": ("base", "types", "finding"),
    "transport": ("base",),
    "session": ("base", "types", "finding", "protocol", "transport"),
    "resource": ("base", "types", "schema", "wire", "encode"),
    "format": ("base", "schema", "wire", "encode", "finding"),
    "files": ("base", "types", "schema", "wire", "encode", "finding", "format", "protocol"),
    "rules": ("base", "types", "schema", "wire", "encode", "finding", "format", "resource"),
    "config": ("base", "types", "schema", "wire", "encode", "finding", "format", "transport"),
    "source": ("base", "types", "schema", "wire", "encode", "finding", "format", "files", "resource", "protocol",
               "transport", "session"),
    "client": ("base", "types", "schema", "finding", "protocol", "transport", "session", "wire", "encode", "resource",
               "rules", "format", "files", "config", "source"),
    "server": ("base", "types", "schema", "wire", "encode", "finding", "format", "files", "resource", "protocol",
               "transport", "rules"),
}

# Which places of cli/ each place may include, beside itself: a folder, or a file beside the folders by its stem. Each
# includes what stands before it. args knows no settings of the flags: a TYPE argument is a value of its own there.
CLI_ORDER = ("args", "flags", "console", "print", "workbench", "commands", "run", "main")
CLI_EDGES = {place: CLI_ORDER[:i] for i, place in enumerate(CLI_ORDER)}

# Headers, the files of lib/ that may include them (a folder; its .cc files alone, or any), and why nobody else.
RESTRICTED = (
    (r"grpc|grpcpp/|grpc/", ("transport/*.cc",), "gRPC stays behind lib/transport"),
    # http_socket.h is what the client and the server of HTTP share of Boost; nothing but their .cc files includes it.
    (r"boost/|openssl/", ("base/*.cc", "transport/*.cc", "transport/http_socket.h"),
     "Boost stays behind lib/base and lib/transport"),
    (r"(envoy|xds|udpa|validate|google/(rpc|api))/.*\.pb\.h", (), "there is no generated code, messages are dynamic"),
    (r"absl/flags/", (), "flags are for cli/"),
    (r"iostream$", (), "lib/ does not print"),
)

# What lib/protocol does not know: it is a value, whoever drives it has threads, time and files. <chrono> is there for
# durations; its clocks are not.
NOT_IN_PROTOCOL = re.compile(
    r"(thread|mutex|shared_mutex|condition_variable|future|atomic|ctime|time\.h|fstream|filesystem|cstdio|stdio\.h|"
    r"unistd\.h|fcntl\.h|sys/.*|absl/time/.*|absl/synchronization/.*)$")

CLOCK = re.compile(r"\b(system|steady|high_resolution|file)_clock\b")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def sources(root, folder):
    return sorted(path for path in (root / folder).rglob("*") if path.suffix in (".h", ".cc", ".S"))


def includes(path):
    return INCLUDE.findall(path.read_text())


def check_spelling(root, target, quoted):
    if not quoted:
        return "is ours and belongs in quotes" if target.startswith(("lib/", "cli/")) else None
    if "/" not in target:
        return "is not spelled from the root"
    made = root / f"{target}.in"  # configured into the build folder
    if target.startswith(("lib/", "cli/")) and not (root / target).exists() and not made.exists():
        return "does not exist"
    return None


def check_edge(folder, target):
    """Whether a file of lib/FOLDER may include `target`."""
    if target.startswith(("cli/", "tests/")):
        return "is outside of lib/"
    if not target.startswith("lib/"):
        return None
    other = target.split("/")[1]
    if other == folder or other in EDGES[folder]:
        return None
    return f"lib/{folder} may not include lib/{other}"


def check_restricted(path_in_lib, target):
    for pattern, places, reason in RESTRICTED:
        if re.match(pattern, target) and not any(path_in_lib.match(place) for place in places):
            return reason
    if path_in_lib.parts[0] == "protocol" and NOT_IN_PROTOCOL.match(target):
        return "lib/protocol has no threads, clock or files"
    return None


def place_of(parts):
    """("args", "help.h") is in args, ("run.cc",) in run."""
    return parts[0] if len(parts) > 1 else Path(parts[0]).stem


def check_cli_edge(path_in_cli, target):
    """Whether a file of cli/ may include `target`."""
    if not target.startswith("cli/"):
        return None
    place = place_of(path_in_cli.parts)
    other = place_of(Path(target).parts[1:])
    if other == place or other in CLI_EDGES[place]:
        return None
    return f"cli/{place} may not include cli/{other}"


def check_command(path_in_cli, target):
    """A command is a folder or a file of cli/commands. Their table, `all`, includes them; `help` is about all."""
    if path_in_cli.parts[0] != "commands" or not target.startswith("cli/commands/"):
        return None
    command, other = place_of(path_in_cli.parts[1:]), place_of(Path(target).parts[2:])
    if command == other or "all" in (command, other):
        return None
    return "a command may not include another command"


def complaints(root):
    """One line per include that is not allowed."""
    found = []

    def check(path, target, *verdicts):
        found.extend(f"{path.relative_to(root)}: #include {target}: {verdict}" for verdict in verdicts if verdict)

    for path in sources(root, "lib"):
        inside = path.relative_to(root / "lib")
        if len(inside.parts) < 2 or inside.parts[0] not in EDGES:
            found.append(f"lib/{inside}: the design has no such folder")
            continue
        for bracket, target in includes(path):
            check(path, target, check_spelling(root, target, bracket == '"'), check_edge(inside.parts[0], target),
                  check_restricted(inside, target))
        if inside.parts[0] == "protocol" and CLOCK.search(path.read_text()):
            found.append(f"{path.relative_to(root)}: lib/protocol has no clock")
    for path in sources(root, "cli"):
        inside = path.relative_to(root / "cli")
        if place_of(inside.parts) not in CLI_EDGES:
            found.append(f"cli/{inside}: the design has no such place")
            continue
        for bracket, target in includes(path):
            check(path, target, check_spelling(root, target, bracket == '"'), check_cli_edge(inside, target),
                  check_command(inside, target))
    return found
