import type { ApiObject } from '../live/rows.ts';

/** The containers of a pod by their names, those that serve first. */
export function containersOf({ spec }: ApiObject): readonly string[] {
  if (typeof spec !== 'object' || spec === null) return [];
  const lists = spec as { readonly [field: string]: readonly { readonly name: string }[] | undefined };
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) =>
    (lists[list] ?? []).map(({ name }) => name),
  );
}
