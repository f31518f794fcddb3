import { formatTime } from '@binnacle/base';
import type { Pod, PodStatus } from '@binnacle/api/core/v1';
import { podConditions } from './conditions.ts';
import { containerStatuses } from './container-status.ts';
import type { StatusInput } from './container-status.ts';
import { podPhase } from './phase.ts';
import type { PodPhase } from './phase.ts';
import { withLostEnds } from './lost-ends.ts';
import { withinBudget } from './message-budget.ts';
import { latestOf } from './seen.ts';
import type { PodSeen } from './seen.ts';

export interface PodStatusInput extends StatusInput {
  readonly nowMs: number;
  readonly hostIPs: readonly string[];
  /** When this kubelet first saw the pod, for pods whose status says nothing yet. */
  readonly seenAtMs: number;
  /** The kubelet decided the end: a deadline, a refused admission. */
  readonly verdict?: {
    readonly phase: PodPhase;
    readonly reason: string;
    readonly message: string;
    readonly disruption?: string;
    /** It was never taken in: nothing of it was ever looked at. */
    readonly isRejection?: true;
  };
}

/** The whole status of a pod, as the kubelet reports it. Pure. */
export function podStatus(input: PodStatusInput): PodStatus {
  const { seen } = input;
  const { spec, status: before, metadata } = seen.pod;
  if (wasRejected(input)) return rejectedStatus(input);
  const found = {
    init: containerStatuses(input, spec?.initContainers ?? [], 'init'),
    regular: containerStatuses(input, spec?.containers ?? [], 'regular'),
  };
  const { init, regular } = input.terminal ? withLostEnds(seen.pod, found) : found;
  const ephemeral = containerStatuses(input, existing(input), 'ephemeral');
  const phase = finalPhase(input, podPhase({ pod: seen.pod, init, regular, terminal: input.terminal }));
  // They belong to the phase that they were told with.
  const told = phase === before?.phase ? before : undefined;
  const reason = input.verdict?.reason ?? told?.reason;
  const message = input.verdict?.message ?? told?.message;
  const ips = podIPs(input);
  return {
    ...(metadata.generation ? { observedGeneration: metadata.generation } : {}),
    phase,
    conditions: podConditions({ ...input, phase, init, regular, now: formatTime(input.nowMs) }),
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    ...(input.hostIPs[0] === undefined
      ? {}
      : { hostIP: input.hostIPs[0], hostIPs: input.hostIPs.map((ip) => ({ ip })) }),
    ...(ips[0] === undefined ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    startTime: before?.startTime ?? formatTime(input.seenAtMs),
    ...wholeResources(seen),
    ...withinBudget(seen.pod, {
      ...(init.length > 0 ? { initContainerStatuses: init } : {}),
      containerStatuses: regular,
      ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
    }),
  };
}

/** Of a pod that has resources as a whole: what it was given, and what its group has. */
function wholeResources({ pod, resize }: PodSeen): Pick<PodStatus, 'allocatedResources' | 'resources'> {
  const given = pod.spec.resources;
  if (given === undefined) return {};
  const { limits, requests } = resize === undefined ? given : (resize.whole ?? {});
  return {
    ...(given.requests === undefined ? {} : { allocatedResources: given.requests }),
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
  };
}

/** Also by an earlier kubelet: then nothing tells but that its status says nothing of containers, and there are none. */
function wasRejected({ verdict, seen }: PodStatusInput): boolean {
  if (verdict?.isRejection === true) return true;
  const { status } = seen.pod;
  const isBare = status?.phase === 'Failed' && Boolean(status.reason) && !status.containerStatuses && !status.podIPs;
  return isBare && seen.containers.length === 0 && seen.sandboxes.length === 0;
}

/** Who asks for the pod reads why it was sent away, and not that its containers are on their way. */
function rejectedStatus({ verdict, seen: { pod }, seenAtMs }: PodStatusInput): PodStatus {
  const { status: before, metadata } = pod;
  const reason = verdict?.reason ?? before?.reason;
  const message = verdict?.message ?? before?.message;
  return {
    ...(metadata.generation ? { observedGeneration: metadata.generation } : {}),
    phase: 'Failed',
    ...(before?.conditions === undefined ? {} : { conditions: before.conditions }),
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    startTime: before?.startTime ?? formatTime(seenAtMs),
  };
}

/** Terminal phases are for ever. */
function finalPhase(input: PodStatusInput, phase: PodPhase): PodPhase {
  const old = input.seen.pod.status?.phase;
  if (old === 'Succeeded' || old === 'Failed') return old;
  return input.verdict?.phase ?? phase;
}

function podIPs(input: PodStatusInput): readonly string[] {
  const { pod, sandboxes } = input.seen;
  const [latest] = sandboxes;
  if (pod.spec?.hostNetwork === true && latest !== undefined) return input.hostIPs;
  if (latest !== undefined && latest.ips.length > 0) return latest.ips;
  return (pod.status?.podIPs ?? []).map((entry) => entry.ip);
}

/** Ephemeral containers are shown once they exist or have a problem. */
function existing(input: PodStatusInput): NonNullable<NonNullable<Pod['spec']>['ephemeralContainers']> {
  return (input.seen.pod.spec?.ephemeralContainers ?? []).filter(
    (c) => latestOf(input.seen, c.name) !== undefined || input.seen.problems.has(c.name),
  );
}
