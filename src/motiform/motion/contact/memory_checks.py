"""Sizes of contact problems: what would not fit into memory is refused before it is built."""

from motiform.base.machine import check_memory

__all__ = ["check_candidates", "check_coordinates", "check_pairs"]


def check_coordinates(count: int) -> None:
    """Refuse more degrees of freedom than there is room for: a contact joins any two, by matrices of all."""
    remedy = "Give fewer bodies; grains are a network, whose contacts are links by range."
    needed = 4 * 8 * float(count) ** 2  # M and its factor, of the problem and of its steps
    check_memory(needed, "the inertia of what touches", got=f"{count} degrees of freedom", remedy=remedy)


def check_pairs(count: int) -> None:
    """Refuse more pairs of what may touch than there is room for, before they are listed."""
    remedy = "Give fewer obstacles and contact points, or only those that can touch one another (pairs)."
    check_memory(800 * float(count), "the pairs that may touch", got=f"{count} pairs", remedy=remedy)


def check_candidates(count: int) -> None:
    """Refuse more candidates than there is room for: their problem has three square matrices of three rows for each."""
    remedy = "Give fewer obstacles and contact points, or only those that can touch one another."
    check_memory(3 * 8 * (3.0 * count) ** 2, "the problem of all contacts", got=f"{count} candidates", remedy=remedy)
