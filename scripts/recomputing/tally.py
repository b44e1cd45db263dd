"""What is compared, what differs, and files that may be compressed."""

import gzip
import json


class Unreadable(Exception):
    """What is to be checked is missing, or of a format that is not known."""


class Tally:
    """What was compared, and what differs."""

    def __init__(self):
        self.numbers = self.verdicts = 0
        self.mismatches = []

    def text(self, place, stated, recomputed):
        if stated != recomputed:
            self.mismatches.append((place, stated, recomputed))

    def number(self, place, stated, recomputed):
        self.numbers += 1
        self.text(place, stated, recomputed)

    def told(self, place, before):
        """A line for all that was compared since `before`, which `so_far` gave."""
        compared, differ = (now - then for now, then in zip(self.so_far(), before))
        print(f"{place}: {compared} compared, {differ or 'none'} differ{'s' if differ == 1 else ''}")

    def so_far(self):
        return self.numbers, len(self.mismatches)


def read(path):
    """The text of a file, which may be there as .gz alone."""
    packed = path.with_name(f"{path.name}.gz")
    if not (path.exists() or packed.exists()):
        raise Unreadable(f"{path} is missing")
    try:
        if path.exists():
            return path.read_text(encoding="utf-8")
        with gzip.open(packed, "rt", encoding="utf-8") as text:
            return text.read()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: {error}") from error


def json_lines(path):
    return [json.loads(line) for line in read(path).splitlines()]
