"""Skeleton: the bones of one person, hand or other articulated body, and nothing that moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Literal, Self, TypeAlias

from numpy.typing import ArrayLike

from ..errors import InputError
from .anatomy import Anatomy, build_anatomy
from .anthropometry import stature_of_figure
from .articulation import Articulation, build_articulation
from .chains import build_chain, build_tree
from .hand import build_hand, is_hand
from .humanoid import build_humanoid
from .plot import figure_html, stick_figures
from .roles import Roles, find_roles, search_roles
from .tree import JointKind, JointTree

Kind: TypeAlias = Literal["human", "hand", "other"]
"""What a skeleton is; solvers, limits and masses differ between them."""


@dataclass(frozen=True, eq=False, repr=False)
class Skeleton(JointTree):
    """The bones of one person, hand or other articulated body. Immutable.

    Joints come first, parents before children. *Sites* are points that are fixed to a joint and do
    not rotate (BVH End Sites, fingertips); they are numbered after the joints, so that a *node* is
    a joint (``node < joint_count``) or a site.

    Two skeletons are equal if their nodes have the same names, parents and offsets; bind pose,
    roles and hinges do not count.
    """

    @cached_property
    def kind(self) -> Kind:
        """What this is: "human" if all roles of a person are found, a "hand", or "other"."""
        if self._roles is not None:
            return "human"
        return "hand" if is_hand(self) else "other"

    @cached_property
    def _roles(self) -> Roles | None:
        return None if self.roles is not None and not self.roles else search_roles(self)

    @cached_property
    def anatomy(self) -> Anatomy:
        """This skeleton as a person in the neutral stance.

        Raises:
            RolesNotFound: `kind` is not "human"; says which roles are missing.
        """
        return build_anatomy(self, self._roles or find_roles(self))

    @cached_property
    def articulation(self) -> Articulation:
        """The degrees of freedom of this skeleton, whatever its kind."""
        return build_articulation(self, self.anatomy if self.kind == "human" else None)

    def _repr_html_(self) -> str | None:
        return figure_html(lambda: stick_figures(self, self.rest()[0][None]), repr(self))

    @classmethod
    def _of(cls, tree: JointTree) -> Self:
        return cls(**{field.name: getattr(tree, field.name) for field in fields(JointTree)})

    @classmethod
    def humanoid(
        cls,
        height: float | None = None,
        *,
        lengths: Mapping[str, float] | None = None,
        figure: str | None = None,
    ) -> Self:
        """The built-in person: 34 H-Anim joints in the neutral stance.

        Args:
            height: stature [m], from the ground to the top of the head; default 1.75 m.
            lengths: some or all of `sixpoint.body.anthropometry.LENGTHS` [m]; the others follow
                from `height`.
            figure: instead of `height`, one of the figures of Unzueta et al. 2008, "boxing", "jump
                kick" or "playground": 1.86, 1.82 and 1.83 m without foot and head.

        Raises:
            UnknownName: a length or a figure that does not exist.
            InputError: a length that no person has, or both a height and a figure.
        """
        if figure is not None:
            if height is not None:
                raise InputError(
                    f"Expected `height` or `figure`, got both: {height} and {figure!r}."
                )
            height = stature_of_figure(figure)
        return cls._of(build_humanoid(height, lengths))

    @classmethod
    def chain(
        cls,
        joints: int,
        length: float | Sequence[float] = 1.0,
        *,
        kind: JointKind = "ball",
        axis: ArrayLike = (0.0, 0.0, 1.0),
        bone: ArrayLike = (0.0, 1.0, 0.0),
    ) -> Self:
        """Joints in a row, ``joint_1`` at the origin, with a site ``tip`` at the far end.

        Args:
            joints: how many, at least one.
            length: of the whole chain, or of each bone [m].
            kind: what the joints are, "ball" or "hinge".
            axis: of the hinges, shape (3,); or of several, shape (n, 3), used in rotation.
            bone: direction of the straight chain, shape (3,).
        """
        return cls._of(build_chain(joints, length, kind=kind, axis=axis, bone=bone))

    @classmethod
    def tree(
        cls,
        branches: int = 2,
        joints: int = 3,
        *,
        trunk: int = 2,
        length: float = 1.0,
        spread: float = 1.0,
        kind: JointKind = "ball",
    ) -> Self:
        """A trunk upwards with several branches, each with a site ``tip_1``, ``tip_2`` ...

        Args:
            branches: how many, at least one.
            joints: of each branch, at least one.
            trunk: joints below the branches, at least one.
            length: from the root to a tip along the bones, which are all equally long [m].
            spread: angle between the outermost branches, which make a fan in the XY plane [rad].
            kind: what the joints are: "ball", or "hinge" with axes along Z.
        """
        tree = build_tree(branches, joints, trunk=trunk, length=length, spread=spread, kind=kind)
        return cls._of(tree)

    @classmethod
    def hand(cls, length: float = 0.19) -> Self:
        """A left forearm and hand with 26 degrees of freedom; see `sixpoint.body.hand`.

        Args:
            length: from the wrist to the tip of the middle finger [m].
        """
        return cls._of(build_hand(length))
