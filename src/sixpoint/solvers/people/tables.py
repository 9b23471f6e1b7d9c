"""What the sequential solvers read and write: one body, its memory and scratch, as records.

Rows of joints, in this order: the n joints of the spine (0 the pelvis, n-1 the head), then for each
limb four: clavicle (none in legs), root (shoulder, hip), hinge (elbow, knee), end (wrist, ankle);
then, where a joint on the pelvis carries the spine (vl5, LowerBack), that one, which turns only
when the pelvis's own rotation is known; last, where a rig has joints in the forearms that twist the
hands, those. Limbs are left arm, right arm, left leg, right leg; points are pelvis, head and the
ends of limbs in that order.

Records, not tuples of arrays: compiled code hands on one pointer, where it would count references
to dozens of arrays at every call (half of the time of a frame, as measured). A record's layout is
part of the compiled type, so it has room for the longest spine rather than the one at hand.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from ..context import record_type

SPINE = 64
"""Most joints of a spine, both ends included; people have 25."""
LIMBS, LIMB_ROWS = 4, 4
PELVIS, HEAD, FIRST_LIMB = 0, 1, 2
"""Rows of the six points."""
LONG_AGO = 1_000_000
"""Frames since a point was seen again that stand for always."""
HOLD, PREDICT = 0, 1
"""Choices of `PersonSettings.missing`."""
ROWS = SPINE + LIMBS * LIMB_ROWS + 1 + 2
STRETCH_SAMPLES = 65
"""Stored lengths of the spine between neutral and fully stretched."""
CORNERS = 8
"""Corners of a torso prism."""

Body: TypeAlias = Any
"""One person in the neutral stance, a record of `BODY`; outside of kernels, an array of one."""
State: TypeAlias = Any
"""What the solver remembers from frame to frame, a record of `STATE`."""
Work: TypeAlias = Any
"""Scratch memory of one tracker, a record of `WORK`."""
Settings: TypeAlias = Any
"""Settings of a method as numbers; a record made by `settings_record`."""


class PersonContext(Protocol):
    """What the kernels of any method for people have in their contexts."""

    @property
    def body(self) -> Body:
        """One person in the neutral stance."""

    @property
    def settings(self) -> Settings:
        """Settings of the method, and those of `PersonSettings` in frames."""

    @property
    def state(self) -> State:
        """What is remembered from frame to frame."""

    @property
    def work(self) -> Work:
        """Scratch memory."""


BODY = record_type(
    ("joints", "i8"),  # n: joints of the spine
    ("rows", "i8"),  # rows of joints
    ("lumbar", "i8"),  # row of the joint on the pelvis that carries the spine, -1 for none
    ("twists", "i8", (4,)),  # row of the joint in the forearm that twists the hand, -1 for none
    ("segments", "f8", (SPINE, 3)),  # from each spine joint to the next
    # For a spine that starts at the pelvis (0) or at the joint above (1): the axis about which
    # each segment turns towards the chord when the spine stretches, how far it can, and the chord
    # for t = 0 (neutral) ... 1 (straight).
    ("stretch_axes", "f8", (2, SPINE, 3)),
    ("stretch_angles", "f8", (2, SPINE)),
    ("stretch_lengths", "f8", (2, STRETCH_SAMPLES)),
    ("twistable", "f8", (SPINE,)),  # 1 for joints that share an axial turn (not lumbar), else 0
    ("carrier", "i8", (4,)),  # spine joint that carries each limb
    ("bases", "f8", (4, 3)),  # from there to the clavicle, or to the root where there is none
    ("clavicles", "f8", (4, 3)),  # from the clavicle to the limb's root; zero without a clavicle
    ("bones", "f8", (4, 2)),  # lengths of the upper and lower bone
    ("bend", "f8", (4,)),  # +1 where the hinge bends backwards (elbow), -1 forwards (knee)
    ("stance", "f8", (6, 3)),  # the six points, relative to the pelvis
    ("prisms", "i8"),  # number of torso prisms; then, for each:
    ("prism_joints", "i8", (SPINE,)),  # spine joint that carries it
    ("prism_low", "f8", (SPINE,)),  # lower end along that joint's Y
    ("prism_high", "f8", (SPINE,)),  # upper end
    ("prism_polygons", "f8", (SPINE, CORNERS, 2)),  # corners (x, z)
    ("elbow_radius", "f8"),
    ("height", "f8"),  # body height, the unit of all tolerances
    ("rig", "i8", (ROWS,)),  # joint of the rig that each row turns, -1 for none
    ("before", "f8", (ROWS, 4)),  # rig rotation = before * anatomical rotation * after
    ("after", "f8", (ROWS, 4)),
    ("anchor", "f8", (3,)),  # where the pelvis joint's parent is (it does not move); 0 for a root
    ("anchor_rotation", "f8", (4,)),  # its world rotation; identity for a root
)

STATE = record_type(
    ("frames", "i8"),  # solved so far
    ("left", "f8", (3,)),  # X axis of the pelvis estimated last
    ("pelvis", "f8", (4,)),  # world rotation of the pelvis solved last
    ("turning", "i8"),  # frames in which the pelvis still eases to where it faces
    ("bent", "i8"),  # whether the spine was bent, not stretched, in the frame before; then:
    ("normal", "f8", (3,)),  # normal of the plane in which it bent
    ("angle", "f8"),  # and how far [rad]
    ("chord", "f8", (3,)),  # from pelvis to head as solved last
    ("clavicles", "f8", (4, 4)),  # clavicle rotations solved last
    ("poles", "f8", (4, 3)),  # axis about which each limb was last swung
    ("swivels", "f8", (4,)),  # turn of each limb about its root-end line found by the search
    ("points", "f8", (6, 3)),  # positions used last
    ("held", "f8", (6, 3)),  # in the pelvis frame of the time: where a lost point stays
    ("speeds", "f8", (6, 3)),  # their change per frame in the pelvis frame
    ("drifts", "f8", (6, 3)),  # how far a lost point was let move on, in the pelvis frame
    ("corrections", "f8", (6, 3)),  # offset that eases a point back after it was lost
    ("ages", "i8", (6,)),  # frames since each point was seen again; minus frames while it is lost
    ("eases", "f8", (6,)),  # frames in which it eases back
)

WORK = record_type(
    ("local", "f8", (ROWS, 4)),  # anatomical local rotation of each row
    ("trial", "f8", (SPINE, 4)),  # spine rotations while searching
    ("world", "f8", (SPINE, 4)),  # world rotations of the spine joints
    ("places", "f8", (SPINE, 3)),  # world positions of the spine joints
    ("points", "f8", (6, 3)),  # the six positions in use
    ("lines", "f8", (6, 3)),  # those that tell where the pelvis faces
    ("ends", "f8", (6, 3)),  # where the six points of the body are after solving
    ("hinges", "f8", (4, 3)),  # hinge axis of each limb that a prior says, in the world
)
