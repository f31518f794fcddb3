import type { Pod } from '@binnacle/api/core/v1';

/** A pod as `kubectl get pods -A` shows it: namespace, name, ready, status, restarts, age. `now` in milliseconds. */
export function podRow(pod: Pod, now: number): readonly string[] {
  const { namespace = '', name = '' } = pod.metadata;
  const { containerStatuses = [], startTime } = pod.status ?? {};
  const ready = containerStatuses.filter((container) => container.ready).length;
  const restarts = containerStatuses.reduce((sum, container) => sum + container.restartCount, 0);
  const age = startTime === undefined ? '<unknown>' : ageOf(now - Date.parse(startTime));
  return [namespace, name, `${ready}/${pod.spec.containers.length}`, statusOf(pod), String(restarts), age];
}

/** What the first container in trouble says, else the pod. */
function statusOf({ metadata, status }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const trouble = all
    .map(({ state }) => state?.waiting?.reason ?? state?.terminated?.reason)
    .find((r) => r !== undefined && r !== 'Completed');
  return trouble ?? status?.reason ?? status?.phase ?? 'Unknown';
}

const SPANS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

function ageOf(ms: number): string {
  const span = SPANS.find(([, length]) => ms >= 2 * length);
  return span === undefined ? `${Math.max(0, Math.floor(ms / 1000))}s` : `${Math.floor(ms / span[1])}${span[0]}`;
}

/** Columns under their heads, three spaces apart. */
export function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, at) => rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), head.length));
  const line = (cells: readonly string[]): string =>
    `${cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('   ')
      .trimEnd()}\n`;
  return [heads, ...rows].map(line).join('');
}
