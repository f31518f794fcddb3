import type { EventRecorder } from '@binnacle/client';
import type { Node, NodeStatus } from '@binnacle/api/core/v1';

/** Something about the node that people are told. */
export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What is told of a condition's status, by its type: the reasons of upstream's kubelet. */
const REASONS: { readonly [type: string]: { readonly [status: string]: string } | undefined } = {
  MemoryPressure: { False: 'NodeHasSufficientMemory', True: 'NodeHasInsufficientMemory' },
  DiskPressure: { False: 'NodeHasNoDiskPressure', True: 'NodeHasDiskPressure' },
  PIDPressure: { False: 'NodeHasSufficientPID', True: 'NodeHasInsufficientPID' },
  Ready: { True: 'NodeReady', False: 'NodeNotReady' },
};

/** Which conditions say something else than they did. `before` absent: this kubelet has told none yet, so each is told. */
export function conditionEvents(name: string, before: NodeStatus | undefined, after: NodeStatus): NodeEvent[] {
  const events: NodeEvent[] = [];
  for (const { type, status } of after.conditions ?? []) {
    const reason = REASONS[type ?? '']?.[status ?? ''];
    if (reason === undefined || before?.conditions?.find((old) => old.type === type)?.status === status) continue;
    events.push(isNow(name, reason));
  }
  return events;
}

/** Whether it was cordoned or uncordoned since it was looked at. */
export function scheduleEvents(name: string, before: Node | undefined, after: Node): NodeEvent[] {
  const isOff = after.spec?.unschedulable === true;
  if ((before?.spec?.unschedulable === true) === isOff) return [];
  return [isNow(name, isOff ? 'NodeNotSchedulable' : 'NodeSchedulable')];
}

/** Whether the machine was started anew since the API last heard of it. */
export function rebootEvents(name: string, before: NodeStatus | undefined, bootId: string): NodeEvent[] {
  const old = before?.nodeInfo?.bootID ?? '';
  if (old === '' || old === bootId) return [];
  return [{ type: 'Warning', reason: 'Rebooted', message: `Node ${name} has been rebooted, boot id: ${bootId}` }];
}

/** The first word of a kubelet. */
export const STARTING: NodeEvent = { type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' };

/** Tells them; as upstream's kubelet the Node is named by its name for a uid, which is known before it is registered. */
export function tellNodeEvents(to: EventRecorder | undefined, name: string, events: readonly NodeEvent[]): void {
  const node = { apiVersion: 'v1', kind: 'Node', name, uid: name };
  for (const { type, reason, message } of events) to?.event(node, type, reason, message);
}

function isNow(name: string, reason: string): NodeEvent {
  return { type: 'Normal', reason, message: `Node ${name} status is now: ${reason}` };
}
