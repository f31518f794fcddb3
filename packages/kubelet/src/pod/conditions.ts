import { isSidecar, mayBeginAnew } from '@binnacle/api';
import type { ContainerStatus, Pod, PodCondition } from '@binnacle/api/core/v1';
import { RESTARTING, restartTriggers } from './restart-all.ts';
import { sandboxNeeded } from './seen.ts';
import type { PodSeen } from './seen.ts';
import type { PodPhase } from './phase.ts';

export interface ConditionInput {
  readonly seen: PodSeen;
  readonly phase: PodPhase;
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
  /** Its end was not its own doing. */
  readonly verdict?: { readonly message: string; readonly disruption?: string };
  /** RFC 3339, for transitions. */
  readonly now: string;
}

type Draft = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message' | 'observedGeneration'>;

const OWNED = new Set([
  'PodResizePending',
  'PodResizeInProgress',
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'AllContainersRestarting',
  'PodScheduled',
]);

/** The kubelet's conditions in upstream's order, transitions kept, then those of others as they are. */
export function podConditions(input: ConditionInput): PodCondition[] {
  const { pod } = input.seen;
  const before = pod.status?.conditions ?? [];
  const containersReady = containersReadyCondition(input);
  const drafts: Draft[] = [
    { type: 'PodReadyToStartContainers', status: sandboxNeeded(input.seen).needed ? 'False' : 'True' },
    initializedCondition(input),
    readyCondition(input, containersReady),
    containersReady,
    ...restartingAll(input),
    { type: 'PodScheduled', status: 'True' },
    ...resizeDrafts(input.seen),
    ...disruption(input),
  ];
  const own = drafts.map((draft) => withHistory(draft, before, input));
  return [...own, ...before.filter(({ type }) => !OWNED.has(type) && !drafts.some((draft) => draft.type === type))];
}

function withHistory(draft: Draft, before: readonly PodCondition[], input: ConditionInput): PodCondition {
  const old = before.find((c) => c.type === draft.type);
  const generation = draft.observedGeneration ?? input.seen.pod.metadata.generation;
  // The scheduler's own words about scheduling stay.
  if (draft.type === 'PodScheduled' && old?.status === 'True') {
    return generation ? { ...old, observedGeneration: generation } : old;
  }
  const same = old?.status === draft.status;
  return {
    type: draft.type,
    ...(generation ? { observedGeneration: generation } : {}),
    status: draft.status ?? 'Unknown',
    lastTransitionTime: (same ? old?.lastTransitionTime : undefined) ?? input.now,
    ...(draft.reason ? { reason: draft.reason } : {}),
    ...(draft.message ? { message: draft.message } : {}),
  };
}

/** So that who made the pod does not count its end against it. */
function disruption({ verdict }: ConditionInput): Draft[] {
  if (verdict?.disruption === undefined) return [];
  return [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: verdict.disruption }];
}

/** Of pods in which the end of one container may ask for all to begin anew. */
function restartingAll({ seen, phase }: ConditionInput): Draft[] {
  if (!mayBeginAnew(seen.pod)) return [];
  const { type } = RESTARTING;
  if (phase === 'Succeeded') return [{ type, status: 'False', reason: 'PodCompleted' }];
  if (phase === 'Failed') return [{ type, status: 'False', reason: 'PodFailed' }];
  return [restartTriggers(seen).length > 0 ? { ...RESTARTING, status: 'True' } : { type, status: 'False' }];
}

/** A resize that waits, and one that is under way: both can be, of two changes of the definition. */
function resizeDrafts({ resize }: PodSeen): Draft[] {
  const drafts: Draft[] = [];
  if (resize?.pending !== undefined)
    drafts.push({
      type: 'PodResizePending',
      status: 'True',
      reason: resize.pending.reason,
      message: resize.pending.message,
    });
  if (resize?.progress !== undefined) {
    const { generation, error } = resize.progress;
    drafts.push({
      type: 'PodResizeInProgress',
      status: 'True',
      observedGeneration: generation,
      ...(error === undefined ? {} : { reason: 'Error', message: error }),
    });
  }
  return drafts;
}

function initializedCondition(input: ConditionInput): Draft {
  const type = 'Initialized';
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of input.seen.pod.spec?.initContainers ?? []) {
    const status = input.init.find((s) => s.name === container.name);
    if (status === undefined) unknown.push(container.name);
    else if (isSidecar(container) ? status.started !== true : !status.ready) incomplete.push(container.name);
  }
  if (input.phase === 'Succeeded' && unknown.length === 0) return { type, status: 'True', reason: 'PodCompleted' };
  const anyRegular = input.regular.some(
    (s) => s.started === true || s.state?.terminated !== undefined || s.lastState?.terminated !== undefined,
  );
  const message = listing(unknown, incomplete, 'incomplete');
  if (anyRegular || message === '') return { type, status: 'True' };
  return { type, status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReadyCondition(input: ConditionInput): Draft {
  const type = 'ContainersReady';
  const { initContainers = [], containers } = input.seen.pod.spec;
  const unknown: string[] = [];
  const unready: string[] = [];
  const check = (name: string, statuses: readonly ContainerStatus[]): void => {
    const status = statuses.find((s) => s.name === name);
    if (status === undefined) unknown.push(name);
    else if (!status.ready) unready.push(name);
  };
  for (const c of initContainers) if (isSidecar(c)) check(c.name, input.init);
  for (const c of containers) check(c.name, input.regular);
  if (input.phase === 'Succeeded' && unknown.length === 0) return { type, status: 'False', reason: 'PodCompleted' };
  if (input.phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const message = listing(unknown, unready, 'unready');
  return message === '' ? { type, status: 'True' } : { type, status: 'False', reason: 'ContainersNotReady', message };
}

function readyCondition(input: ConditionInput, containersReady: Draft): Draft {
  if (containersReady.status !== 'True') return { ...containersReady, type: 'Ready' };
  const message = gateMessages(input.seen.pod).join(', ');
  return message === ''
    ? { type: 'Ready', status: 'True' }
    : { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message };
}

function gateMessages(pod: Pod): string[] {
  const messages: string[] = [];
  for (const gate of pod.spec?.readinessGates ?? []) {
    const condition = pod.status?.conditions?.find((c) => c.type === gate.conditionType);
    if (condition === undefined) {
      messages.push(`corresponding condition of pod readiness gate "${gate.conditionType}" does not exist.`);
    } else if (condition.status !== 'True') {
      messages.push(
        `the status of pod readiness gate "${gate.conditionType}" is not "True", but ${condition.status ?? ''}`,
      );
    }
  }
  return messages;
}

function listing(unknown: readonly string[], others: readonly string[], word: string): string {
  const parts: string[] = [];
  if (unknown.length > 0) parts.push(`containers with unknown status: [${unknown.join(' ')}]`);
  if (others.length > 0) parts.push(`containers with ${word} status: [${others.join(' ')}]`);
  return parts.join(', ');
}
