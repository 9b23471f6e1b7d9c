"""Small files, written out where a test needs them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sixpoint.body.skeleton import Skeleton
from sixpoint.kernels import arrays
from sixpoint.motion.motion import Motion, Source

HEADER = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
"""
MOTION = """MOTION
Frames: 2
Frame Time: 0.0333333
1 2 3 10 20 30 40 50 60
4 5 6 11 21 31 41 51 61
"""
BVH = HEADER + MOTION
"""Two joints and a site, two frames."""

ASF = """# a stick figure
:version 1.10
:name stick
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  words that do not matter
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name trunk
    direction 0 1 0
    length 10
    axis 0 0 0 XYZ
    dof rx ry rz
    limits (-20.0 45.0)
           (-30.0 30.0)
           (-inf inf)
  end
  begin
    id 2
    name arm
    direction 1 0 0
    length 5
    axis 90 0 20 XYZ
    dof rz
    limits (-10.0 170.0)
  end
  begin
    id 3
    name leg
    direction 0 -2 0
    length 8
    axis 0 0 20 XYZ
  end
:hierarchy
  begin
    root trunk leg
    trunk arm
  end
"""
AMC = """#!OML:ASF C:\\stick.ASF
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 10 20 30
trunk 5 6 7
arm 40
2
root 1.5 2 3 11 21 31
trunk 6 7 8
arm 41
"""


def bvh(hierarchy: str, *rows: str, time: str = "0.01") -> bytes:
    """A BVH file of a hierarchy and rows of numbers."""
    lines = ["HIERARCHY", hierarchy, "MOTION", f"Frames: {len(rows)}", f"Frame Time: {time}", *rows]
    return "\n".join(lines).encode() + b"\n"


def standing_person(frames: int = 5, stature: float = 1.75, **source: object) -> Motion:
    """The built-in figure, swaying a little, as if it came from a file."""
    body = Skeleton.humanoid(stature)
    rng = np.random.default_rng(0)
    vectors = 0.05 * rng.normal(size=(frames, body.joint_count, 3))
    root = body.offsets[0] + 0.01 * np.arange(frames)[:, None]
    motion = Motion(body, root, arrays.from_rotvec(vectors), rate=60.0)
    return replace(motion, source=Source("bvh", **source)) if source else motion  # type: ignore[arg-type]
