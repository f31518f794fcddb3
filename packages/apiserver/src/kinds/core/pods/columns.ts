import { isSidecar } from '@binnacle/api';
import type { ContainerStatus, Pod } from '@binnacle/api/core/v1';
import { AGE, NAME, createdAgo, nameOf, orNone, printer, since, text, wide } from '../../../render/columns.ts';
import type { Cell } from '../../../render/columns.ts';

/** What the rows count while they look at the containers. */
interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  /** When a container last ended before it was started again; milliseconds since the epoch, 0: never. */
  lastRestart: number;
}

export const podPrinter = printer<Pod>(
  [
    NAME,
    text('Ready', 'Containers that are ready, of all.'),
    text('Status', 'What the pod is doing, or what keeps it from doing it.'),
    text('Restarts', 'How often its containers were started again, and when last.'),
    AGE,
    wide(text('IP', 'Address of the pod.')),
    wide(text('Node', 'Node that the pod is bound to.')),
    wide(text('Nominated Node', 'Node where others are making room for the pod.')),
    wide(text('Readiness Gates', 'Conditions of others that hold, of those the pod waits for.')),
  ],
  podRow,
);

function podRow(pod: Pod, now: number): readonly Cell[] {
  const tally = tallyOf(pod);
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar).length;
  return [
    nameOf(pod),
    `${tally.ready}/${pod.spec.containers.length + sidecars}`,
    tally.reason,
    restartsText(tally, now),
    createdAgo(pod, now),
    orNone(pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP),
    orNone(pod.spec.nodeName),
    orNone(pod.status?.nominatedNodeName),
    gatesText(pod),
  ];
}

function tallyOf(pod: Pod): Tally {
  const { status } = pod;
  const tally: Tally = { reason: status?.reason || (status?.phase ?? ''), ready: 0, restarts: 0, lastRestart: 0 };
  const isGated = status?.conditions?.some((one) => one.type === 'PodScheduled' && one.reason === 'SchedulingGated');
  if (isGated === true) tally.reason = 'SchedulingGated';
  const sidecars: Tally = { ...tally };
  const isInitializing = tallyInit(pod, tally, sidecars);
  const isInitialized = status?.conditions?.some((one) => one.type === 'Initialized' && one.status === 'True');
  if (!isInitializing || isInitialized === true) {
    // Init containers that are done count no more; those that run beside do.
    tally.restarts = sidecars.restarts;
    tally.lastRestart = sidecars.lastRestart;
    tallyMain(pod, tally);
  }
  if ((pod.metadata.deletionTimestamp ?? '') !== '') {
    if (status?.reason === 'NodeLost') tally.reason = 'Unknown';
    else if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') tally.reason = 'Terminating';
  }
  return tally;
}

/** Looks at the init containers in order, up to the one that is not done. Answers whether there is one. */
function tallyInit(pod: Pod, tally: Tally, sidecars: Tally): boolean {
  const specs = new Map((pod.spec.initContainers ?? []).map((container) => [container.name, container]));
  for (const [i, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    countRestarts(status, tally);
    const spec = specs.get(status.name);
    const isBeside = spec !== undefined && isSidecar(spec);
    if (isBeside) countRestarts(status, sidecars);
    if (status.state?.terminated?.exitCode === 0) continue;
    if (isBeside && status.started === true) {
      if (status.ready) tally.ready += 1;
      continue;
    }
    tally.reason = initReason(status, `Init:${i}/${specs.size}`);
    return true;
  }
  return false;
}

function initReason({ state }: ContainerStatus, otherwise: string): string {
  if (state?.terminated !== undefined) return `Init:${endReason(state.terminated)}`;
  const waiting = state?.waiting?.reason ?? '';
  return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : otherwise;
}

function tallyMain({ status }: Pod, tally: Tally): void {
  let hasRunning = false;
  for (const container of (status?.containerStatuses ?? []).toReversed()) {
    countRestarts(container, tally);
    const { waiting, terminated, running } = container.state ?? {};
    if ((waiting?.reason ?? '') !== '') tally.reason = waiting?.reason ?? '';
    else if (terminated !== undefined) tally.reason = endReason(terminated);
    else if (container.ready && running !== undefined) {
      hasRunning = true;
      tally.ready += 1;
    }
  }
  if (tally.reason !== 'Completed' || !hasRunning) return;
  const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
  tally.reason = isReady === true ? 'Running' : 'NotReady';
}

function endReason(ended: { readonly reason?: string; readonly signal?: number; readonly exitCode: number }): string {
  if ((ended.reason ?? '') !== '') return ended.reason ?? '';
  return (ended.signal ?? 0) === 0 ? `ExitCode:${ended.exitCode}` : `Signal:${ended.signal}`;
}

function countRestarts(status: ContainerStatus, tally: Tally): void {
  tally.restarts += status.restartCount;
  const finished = status.lastState?.terminated?.finishedAt;
  if (finished) tally.lastRestart = Math.max(tally.lastRestart, Date.parse(finished));
}

function restartsText({ restarts, lastRestart }: Tally, now: number): string {
  if (restarts === 0 || lastRestart === 0) return String(restarts);
  return `${restarts} (${since(new Date(lastRestart).toISOString(), now)} ago)`;
}

function gatesText({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const holding = gates.filter((gate) =>
    status?.conditions?.some((one) => one.type === gate.conditionType && one.status === 'True'),
  );
  return `${holding.length}/${gates.length}`;
}
