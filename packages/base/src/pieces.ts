/** Work that rests after each piece, for others to have their turn. */
export type Pieces<T> = Generator<void, T>;

/** Does all of it at once, for those whom nobody waits for. */
export function atOnce<T>(pieces: Pieces<T>): T {
  for (let piece = pieces.next(); ; piece = pieces.next()) if (piece.done === true) return piece.value;
}

/**
 * A walk through something nested, as a generator: it yields the walk of each part, which is done before it goes on, or
 * undefined where it has worked long enough for others to have their turn.
 */
export interface Walk {
  next(): IteratorResult<Walk | undefined, void>;
}

/** Steps of some microseconds each: together they take a fraction of a turn. */
const STEPS_PER_PIECE = 128;

/**
 * Does a walk piece by piece. A step costs the same however deep it is: handed on from generator to generator by `yield*`
 * each rest would take a step per level.
 */
export function* walkInPieces(walk: Walk): Pieces<void> {
  const open = [walk];
  let steps = 0;
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { done, value } = top.next();
    if (done === true) open.pop();
    else if (value !== undefined) open.push(value);
    if (++steps < STEPS_PER_PIECE && (done === true || value !== undefined)) continue;
    steps = 0;
    yield;
  }
}
