/** A part of a summary, or the whole of it. */
type Part = { readonly [field: string]: unknown };

const KEPT = new Set(['nodeName', 'podRef', 'name', 'startTime', 'cpu', 'memory']);
const LISTS = new Set(['systemContainers', 'containers']);

/** What `/stats/summary?only_cpu_and_memory=true` leaves of a summary: no disk, no network, no processes (the kubelet's stats API). */
export function cpuAndMemoryOf({ node, pods }: { readonly node: object; readonly pods: readonly object[] }): object {
  return { node: kept(node as Part), pods: pods.map((pod) => kept(pod as Part)) };
}

function kept(part: Part): Part {
  const fields: [string, unknown][] = [];
  for (const [field, value] of Object.entries(part)) {
    if (KEPT.has(field)) fields.push([field, value]);
    else if (LISTS.has(field)) fields.push([field, (value as readonly Part[]).map(kept)]);
  }
  return Object.fromEntries(fields);
}
