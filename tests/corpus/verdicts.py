#!/usr/bin/env python3
"""Scores `xdscope validate` against what a real Envoy said: the corpus envoy-verdicts, as its README has it.

Usage: verdicts.py PATH_OF_XDSCOPE FOLDER_OF_CORPORA [--show]

Prints by kind how many errors are caught and how many alarms are false; with --show which are not right. Fails below
the limits.
"""

import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

# Of the cases that are errors to a user, so many have an error finding with one of the expected ids: all of them.
LEAST_CAUGHT = 228
# Error findings in cases that are clean.
MOST_FALSE = 0


def judged(program, folder):
    """The findings of a folder, without those about gRPC, and whether the exit code fits; None: that was no answer."""
    with tempfile.TemporaryDirectory() as scratch:
        case = os.path.join(scratch, "case")
        shutil.copytree(folder, case)
        os.remove(os.path.join(case, "case.json"))
        done = subprocess.run([program, "validate", case, "-o", "json"], cwd=case, capture_output=True, timeout=60,
                              check=False)
    if done.returncode not in (0, 1, 3):
        return None
    try:
        findings = json.loads(done.stdout)["findings"]
    except (ValueError, KeyError):
        return None
    findings = [finding for finding in findings if finding.get("client") != "grpc"]
    has_error = any(finding["severity"] == "error" for finding in findings)
    return None if has_error and done.returncode == 0 else findings


def ids(findings, severity):
    return sorted({finding["id"] for finding in findings if finding["severity"] == severity})


def fits(wanted, found):
    """Whether one of the ids found is one of those wanted; `parse` and `ref` stand for any."""
    return not wanted or bool({"parse", "ref"} & set(wanted)) or bool(set(wanted) & set(found))


def score(case, findings):
    """One word for a case."""
    if findings is None:
        return "no answer"
    errors = ids(findings, "error")
    if case["expect"] == "error":
        return "missed" if not errors else "caught" if fits(case["ids"], errors) else "another id"
    if errors:
        return "false error" if case["expect"] == "clean" else "error for a warning"
    warnings = ids(findings, "warning")
    if case["expect"] == "warning":
        return "missed warning" if not warnings else "caught"
    return "needless warning" if warnings else "silent"


def main():
    program, corpora = sys.argv[1], os.path.join(sys.argv[2], "envoy-verdicts")
    if not os.path.isdir(corpora):
        print(f"skipped: {corpora} is not there")
        return 0
    with open(os.path.join(corpora, "index.jsonl"), encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: judged(program, os.path.join(corpora, case["name"])), cases))
    words = collections.defaultdict(collections.Counter)
    for case, findings in zip(cases, results):
        word = score(case, findings)
        words[f"{case['kind']} {case['expect']}"][word] += 1
        words[case["expect"]][word] += 1
        if "--show" in sys.argv and word not in ("caught", "silent"):
            print(f"{word}: {case['name']} {case['ids']} {[] if findings is None else sorted({f['id'] for f in findings})}"
                  f" {case['envoy']['message'][:90]}")
    for row, counts in sorted(words.items()):
        print(f"{row:20} " + ", ".join(f"{count} {word}" for word, count in counts.most_common()))
    errors = sum(words["error"].values())
    caught = words["error"]["caught"]
    alarms = words["clean"]["false error"]
    silent = sum(counts["no answer"] for counts in words.values())
    print(f"errors caught: {caught} of {errors} ({caught / errors:.1%}); false errors: {alarms}")
    return 0 if caught >= LEAST_CAUGHT and alarms <= MOST_FALSE and silent == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
