"""Events of contacts that leave and land, as guards of the flat vector."""

from functools import partial

from motiform.motion.run import Guard
from motiform.motion.tree.friction import EVENTS, SlidingFriction
from motiform.motion.tree.model.joint import Array
from motiform.motion.tree.switching.equations import CLEAR, HELD, PARTS, SwitchingEquations

__all__ = ["guards_of_contacts", "told"]

_CLEAR = ": clear of the surface"  # of which nobody is told


def told(name: str) -> bool:
    """Whether an event of this name is recorded."""
    return SlidingFriction.told(name) and not name.endswith(_CLEAR)


def guards_of_contacts(system: SwitchingEquations) -> list[Guard]:
    """Return the events of all contacts: those of friction first, those that last at the end."""
    found = [guard for name in system.rubbing for guard in _rubbing(system, name)]
    found += [guard for i in range(len(system.names)) for guard in _switching(system, i)]
    return found + [_lasting(system, k) for k in range(len(system.phase(system.y0).lasting))]


def _switching(system: SwitchingEquations, i: int) -> list[Guard]:
    """Return the events that hold and part a contact; where it cannot have one the guard is above zero."""
    name = system.names[i]

    def mode(y: Array) -> float:
        return float(system.modes(y)[i])

    def presses(t: float, y: Array) -> float:
        return system.normal_force(i, t, y) if mode(y) == HELD else 1.0

    def apart(t: float, y: Array) -> float:
        """Gap; of what has just left it is known from rounding only where it is clear."""
        own = mode(y)
        return 1.0 if own == HELD else system.gap(i, y) + (CLEAR if own == PARTS else 0.0)

    def clears(t: float, y: Array) -> float:
        return system.gap(i, y) - CLEAR if mode(y) == PARTS else -1.0

    def lift(t: float, y: Array) -> Array:
        return system.lift(i, y) if mode(y) == HELD else y

    def strike(t: float, y: Array) -> Array:
        return y if mode(y) == HELD else system.strike(i, t, y)

    def clear(t: float, y: Array) -> Array:
        return system.clear(i, y) if mode(y) == PARTS else y

    return [
        Guard(f"{name} lifts off", presses, "down", lift),
        Guard(f"{name} lands", apart, "down", strike),
        Guard(f"{name}{_CLEAR}", clears, "up", clear),
    ]


def _rubbing(system: SwitchingEquations, name: str) -> list[Guard]:
    """Return the events of the friction of a contact; where it is not held it neither sticks nor can it slip."""

    def own(k: int, y: Array) -> Guard | None:
        guards = system.phase(y).rubbing.get(name)
        return None if guards is None else guards[k]

    def zero(t: float, y: Array, k: int) -> float:
        guard = own(k, y)
        return (1.0 if EVENTS[k][0] == " sticks" else -1.0) if guard is None else _value(system, guard, t, y)

    def then(t: float, y: Array, k: int) -> Array:
        guard, phase = own(k, y), system.phase(y)
        if guard is None or guard.then is None:
            return y
        return phase.put_state(y, guard.then(t, phase.state(y)))

    return [
        Guard(f"{name}{event}", partial(zero, k=k), sense, None if event == " sticks" else partial(then, k=k))
        for k, (event, sense) in enumerate(EVENTS)
    ]


def _lasting(system: SwitchingEquations, k: int) -> Guard:
    """Return an event of a contact that does not leave and land: it ends the run."""

    def zero(t: float, y: Array) -> float:
        return _value(system, system.phase(y).lasting[k], t, y)

    guard = system.phase(system.y0).lasting[k]
    return Guard(guard.name, zero, guard.crossing, ends=guard.ends)


def _value(system: SwitchingEquations, guard: Guard, t: float, y: Array) -> float:
    return float(guard.zero(t, system.phase(y).state(y)))
