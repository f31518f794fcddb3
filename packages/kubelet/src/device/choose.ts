/** Which devices a container gets. Pure. */

/** What there is of one resource, and what is wanted of it. */
export interface DeviceNeed {
  readonly count: number;
  /** Healthy ones that nobody has, in the order in which they are given out. */
  readonly free: readonly string[];
  /** Of init containers of the same pod that are over by then: given first. */
  readonly reusable: readonly string[];
  /** What the plugin would rather give; it may name others than there are. */
  readonly preferred?: readonly string[];
}

/** Undefined: there are not enough. */
export function chooseDevices({ count, free, reusable, preferred = [] }: DeviceNeed): readonly string[] | undefined {
  const there = new Set([...reusable, ...free]);
  if (there.size < count) return undefined;
  const chosen = new Set(reusable.slice(0, count));
  for (const id of [...preferred, ...free]) {
    if (chosen.size >= count) break;
    if (there.has(id)) chosen.add(id);
  }
  return [...chosen];
}
