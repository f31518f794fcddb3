/** Who is kept where, as nft tells it, to be told again to a table that is made anew. */
interface ListedSet {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly elem?: readonly unknown[];
}

interface ListedElement {
  readonly elem?: { readonly val?: unknown; readonly timeout?: unknown; readonly expires?: unknown };
}

/** Lines that put clients back to their backends, from `nft -j list sets`; only sets that will be there. */
export function keptAffinities(listing: string, ref: string, wanted: (set: string) => boolean): string[] {
  const { nftables = [] } = JSON.parse(listing) as { readonly nftables?: readonly { readonly set?: ListedSet }[] };
  return nftables.flatMap(({ set }) => {
    if (set === undefined || `${set.family} ${set.table}` !== ref || !set.name.startsWith('affinity-')) return [];
    if (!wanted(set.name)) return [];
    const clients = (set.elem ?? []).flatMap((one) => elementOf(one as ListedElement));
    return clients.length === 0 ? [] : [`add element ${ref} ${set.name} { ${clients.join(', ')} }`];
  });
}

function elementOf({ elem }: ListedElement): string[] {
  const { val, expires } = elem ?? {};
  if (typeof val !== 'string' || typeof expires !== 'number' || expires <= 0) return [];
  return [`${val} expires ${Math.ceil(expires)}s`];
}
