"""Any bytes give a motion or a FormatError, soon, and nothing else."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixpoint.errors import FormatError
from sixpoint.formats import load
from sixpoint.motion.motion import Motion

from .samples import AMC, ASF, BVH

SLOW = 1.0
"""[s] of the processor: ample for files of a few hundred bytes."""
LARGE = 64 << 20
"""[bytes] Likewise."""

JUNK = [
    b"", b"{", b"}", b"{{{{", b"-1", b"0", b"1e308", b"-1e308", b"nan", b"1e-320", b"99999999999",
    b"ROOT", b"JOINT a", b"End Site", b"OFFSET", b"CHANNELS", b"6", b"Xposition", b"Zrotation",
    b"MOTION", b"Frames:", b"Frame Time:", b"HIERARCHY", b"begin", b"end", b":bonedata",
    b":hierarchy", b":root", b"dof rx", b"axis", b"root", b"trunk", b"arm", b"#", b":RADIANS",
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\n", b"\r", b"(", b",", b"1\n",
]  # fmt: skip


@st.composite
def mutated(draw, text):
    """A sound file with words dropped, doubled, exchanged or replaced, and maybe cut."""
    words = text.encode().replace(b"\n", b" \n ").split(b" ")
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(words) - 1))
        match draw(st.sampled_from(["drop", "double", "swap", "junk", "bytes"])):
            case "drop" if len(words) > 1:
                del words[at]
            case "double":
                words[at:at] = words[at : at + draw(st.integers(1, 30))]
            case "swap":
                other = draw(st.integers(0, len(words) - 1))
                words[at], words[other] = words[other], words[at]
            case "junk":
                words[at] = draw(st.sampled_from(JUNK))
            case _:
                words[at] = draw(st.binary(max_size=8))
    data = b" ".join(words)
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


def survive(path, **options):
    """Load; say whether it was a motion."""
    tracemalloc.start()
    start = time.process_time()
    outcome: Motion | FormatError
    try:
        outcome = load(path, **options)
    except FormatError as error:
        outcome = error
    took, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert took < SLOW
    assert peak < LARGE
    if isinstance(outcome, FormatError):
        assert len(str(outcome)) < 1000
        return False
    motion = outcome
    assert np.isfinite(motion.positions()).all()
    return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@given(data=st.one_of(st.binary(max_size=300), mutated(BVH)), lenient=st.booleans())
@settings(max_examples=300)
def test_bvh(folder, data, lenient):
    (folder / "a.bvh").write_bytes(data)
    survive(folder / "a.bvh", lenient=lenient)


@given(data=st.one_of(st.binary(max_size=300), mutated(ASF)))
@settings(max_examples=200)
def test_asf(folder, data):
    (folder / "s.asf").write_bytes(data)
    survive(folder / "s.asf")


@given(data=st.one_of(st.binary(max_size=300), mutated(AMC)), lenient=st.booleans())
@settings(max_examples=200)
def test_amc(folder, data, lenient):
    (folder / "m.asf").write_text(ASF)
    (folder / "m.amc").write_bytes(data)
    survive(folder / "m.amc", lenient=lenient)


def test_the_fuzz_reaches_both_ends(folder):
    """Or else the tests above would show nothing."""
    (folder / "a.bvh").write_text(BVH)
    assert survive(folder / "a.bvh")
    (folder / "a.bvh").write_text(BVH[:200])
    assert not survive(folder / "a.bvh")
