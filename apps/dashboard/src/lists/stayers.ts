/**
 * Which of the things that stand in a row (`present`) may stay where they are while the others are moved, so that all come
 * into an order: as many as can, and `held` in any case. Of some dozens: the cost grows with their square.
 */
export function stayers<T>(present: readonly T[], ordered: readonly T[], held: T | undefined): ReadonlySet<T> {
  const rankOf = new Map(ordered.map((thing, rank) => [thing, rank]));
  const heldRank = held === undefined ? undefined : rankOf.get(held);
  const heldAt = held === undefined ? -1 : present.indexOf(held);
  /** The longest chain that ends with each: how long it is, and what is before it. */
  const chains: { readonly thing: T; readonly rank: number; readonly length: number; readonly before: number }[] = [];
  let longest = -1;
  for (const [at, thing] of present.entries()) {
    const rank = rankOf.get(thing);
    // Who is on the other side of the one that is held has to move.
    if (rank === undefined || (heldRank !== undefined && Math.sign(at - heldAt) !== Math.sign(rank - heldRank)))
      continue;
    let before = -1;
    for (const [each, chain] of chains.entries()) {
      if (chain.rank < rank && chain.length > (chains[before]?.length ?? 0)) before = each;
    }
    chains.push({ thing, rank, length: (chains[before]?.length ?? 0) + 1, before });
    if ((chains.at(-1)?.length ?? 0) > (chains[longest]?.length ?? 0)) longest = chains.length - 1;
  }
  const staying = new Set<T>();
  for (let chain = chains[longest]; chain !== undefined; chain = chains[chain.before]) staying.add(chain.thing);
  return staying;
}
