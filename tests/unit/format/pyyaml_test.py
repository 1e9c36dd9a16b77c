"""Our YAML, read by PyYAML (YAML 1.1), is the same value as our JSON.

    pyyaml_test.py YAML_SAMPLES"""
import json
import math
import subprocess
import sys

import yaml


def same(a, b):
    if type(a) is not type(b):
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and \
            not isinstance(a, bool) and not isinstance(b, bool) and a == b
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


def main():
    output = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout.decode()
    samples = output.split("%%%\n")[:-1]
    assert len(samples) > 1000, len(samples)
    for sample in samples:
        line, document = sample.split("\n", 1)
        for loader in {yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)}:
            try:
                value = yaml.load(document, loader)
            except yaml.YAMLError as error:
                sys.exit(f"{error}\n{document}")
            if not same(json.loads(line), value):
                sys.exit(f"JSON: {line}\nYAML read back: {value!r}\n{document}")
    print(f"{len(samples)} documents read back")


main()
