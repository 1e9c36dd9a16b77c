import sys,re
t=sys.stdin.read()
parts=re.split(r"^=+$",t,flags=re.M)
print(parts[0][-300:])
for p in parts[1:]:
    lines=[l for l in p.strip().splitlines() if l.strip() not in ("|","")]
    head=lines[0]
    loc=[l.strip() for l in lines if 'test_repl' in l and 'File' in l]
    i=next((k for k,l in enumerate(lines) if re.match(r"\w*(Error|Exception)\b",l)),0)
    print("##",head); print("  ",[re.search(r'line (\d+)',l).group(1) for l in loc]); print("\n".join(l[:300] for l in lines[i:i+40]))
