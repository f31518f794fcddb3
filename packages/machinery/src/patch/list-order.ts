/** The order of a merged list: first what the patch says, then the live list. */

export type JsonObject = { readonly [key: string]: unknown };

interface Ordering {
  /** Items (or their merge keys) in the wanted order. */
  readonly order: readonly unknown[];
  /** The list before the patch. */
  readonly live: readonly unknown[];
  /** Empty for lists of scalars. */
  readonly mergeKey: string;
}

/**
 * Items that `order` names come in its order; the others keep the live order and are put before the first named
 * item that they preceded in the live list.
 */
export function orderList(items: readonly unknown[], ordering: Ordering): unknown[] {
  const wanted = ranks(ordering.order, ordering.mergeKey);
  const live = ranks(ordering.live, ordering.mergeKey);
  const key = (item: unknown): unknown => identity(item, ordering.mergeKey);
  const named = items.filter((item) => wanted.has(key(item)));
  const others = items.filter((item) => !wanted.has(key(item)));
  named.sort((a, b) => rank(wanted, key(a)) - rank(wanted, key(b)));
  others.sort((a, b) => rank(live, key(a)) - rank(live, key(b)));
  const out: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const place = live.get(key(item));
    while (next < others.length && place !== undefined && rank(live, key(others[next])) < place) {
      out.push(others[next++]);
    }
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}

function ranks(list: readonly unknown[], mergeKey: string): ReadonlyMap<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [at, item] of list.entries()) places.set(identity(item, mergeKey), at);
  return places;
}

function rank(ranks: ReadonlyMap<unknown, number>, key: unknown): number {
  return ranks.get(key) ?? Number.MAX_SAFE_INTEGER;
}

function identity(item: unknown, mergeKey: string): unknown {
  return mergeKey !== '' && typeof item === 'object' && item !== null ? (item as JsonObject)[mergeKey] : item;
}
