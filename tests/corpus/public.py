#!/usr/bin/env python3
"""Runs `xdscope validate` over public configuration: no error but those that are known.

Usage: public.py PATH_OF_XDSCOPE FOLDER_OF_CORPORA
"""

import collections
import concurrent.futures
import json
import os
import subprocess
import sys

# Forms of files (facts.json) that are judged.
FORMS = {"discovery_response", "bare_list", "bootstrap", "config_dump"}
# What the name of a bare list says of its type.
TYPES = {"listeners": "lds", "routes": "rds", "clusters": "cds", "endpoints": "eds", "secrets": "sds"}
# The keys and certificates of the corpus are placeholders, as its README says.
PLACEHOLDERS = {"XDS-V105", "XDS-V107"}
# A folder of these holds one response of each type, and no files for subscriptions: several resources are right there.
AS_RESPONSES = {"XDS-V004"}


# True ones that the list does not name, since it is complete for some checks alone: ipv4_compat beside 0.0.0.0; a router
# without typed_config, which older Envoys found by its name; "*.example.com" where RE2 is wanted; names where EDS has IP
# addresses ("malformed IP address", says Envoy 1.40); a cluster of type EDS from whose dump the source was cut ("cannot
# create an EDS cluster without an EDS config").
ALSO_KNOWN = {
    ("gateway/tcp-listener-ipfamily/lds.yaml", "XDS-V023"),
    ("envoy-configs/configs/envoy-tap-config.yaml", "XDS-V121"),
    ("envoy-configs/overview/tagged.yaml", "XDS-V121"),
    ("envoy-configs/quick-start/envoy-dynamic-lds-demo.yaml", "XDS-V121"),
    ("envoy-configs/configs/using_deprecated_config.yaml", "XDS-V121"),
    ("gateway/cors/rds.yaml", "XDS-V054"),
    ("gateway/websocket-backend-force-http1-upstream/eds.yaml", "XDS-V072"),
    ("istio/config_dump/compare/configdump_diff.json", "XDS-V070"),
}


def is_known(error, known):
    """Whether something is known to be wrong there, or not to be in the schema: by the line, or by rule and resource."""
    rows = known["pgv"] + known["unknown_in_newest_schema"]
    if any((row["file"], row["line"]) == (error["file"], error.get("line")) for row in rows):
        return True
    if (error["file"], error["id"]) in ALSO_KNOWN:
        return True
    name = error.get("resource", {}).get("name")
    return any((row["file"], row["check"], row["resource"]["name"]) == (error["file"], error["id"], name)
               for row in known["semantic"])


def runs(facts):
    """Command lines: each folder of the gateway is one, each other file by itself."""
    folders = collections.defaultdict(list)
    for name, row in sorted(facts["files"].items()):
        if row["form"] not in FORMS:
            continue
        if row["form"] == "bare_list":
            yield [name, "--type", TYPES[name.rsplit(".", 2)[-2]]]
        elif name.startswith("gateway/"):
            folders[os.path.dirname(name)].append(name)
        else:
            yield [name]
    yield from folders.values()


def errors(program, corpora, arguments):
    done = subprocess.run([program, "validate", *arguments, "-o", "json"], cwd=corpora, capture_output=True, timeout=120,
                          check=False)
    if done.returncode not in (0, 1):
        return [{"file": arguments[0], "line": 0, "id": f"exit {done.returncode}", "message": done.stderr.decode()}]
    return [finding for finding in json.loads(done.stdout)["findings"]
            if finding["severity"] == "error" and finding["id"] not in AS_RESPONSES | PLACEHOLDERS]


def main():
    program, corpora = sys.argv[1], os.path.join(sys.argv[2], "public")
    if not os.path.isdir(corpora):
        print(f"skipped: {corpora} is not there")
        return 0
    with open(os.path.join(corpora, "facts.json"), encoding="utf-8") as file:
        facts = json.load(file)
    with open(os.path.join(corpora, "known_findings.json"), encoding="utf-8") as file:
        known = json.load(file)
    lines = list(runs(facts))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [error for batch in pool.map(lambda line: errors(program, corpora, line), lines) for error in batch]
    unexpected = [error for error in found if not is_known(error, known)]
    for error in unexpected:
        print(f"{error['file']}:{error.get('line')}: {error['message']} [{error['id']}] {error.get('path', '')}")
    print(f"{len(lines)} runs, {len(found)} errors, {len(unexpected)} of them not known")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
