import type { Draft } from '../../draft.ts';
import type { Event as CoreEvent } from '../../generated/core-v1.ts';
import type { Event as GroupEvent } from '../../generated/events-v1.ts';

/**
 * Events have one storage and two forms: core `v1` (which is stored) and `events.k8s.io/v1`. Only names differ;
 * nothing is lost either way. What is not named here is called the same in both.
 */
const CORE_TO_GROUP: { readonly [core: string]: string } = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};

const GROUP_TO_CORE: { readonly [group: string]: string } = Object.fromEntries(
  Object.entries(CORE_TO_GROUP).map(([core, group]) => [group, core]),
);

/** The core event as events.k8s.io/v1 shows it. Shares the parts it did not have to change. */
export function toGroupEvent(event: CoreEvent): GroupEvent {
  return renamed(event, CORE_TO_GROUP, 'events.k8s.io/v1') as unknown as GroupEvent;
}

/** The form that is stored of an event that came as events.k8s.io/v1. */
export function toCoreEvent(event: GroupEvent): CoreEvent {
  const core = renamed(event, GROUP_TO_CORE, 'v1') as unknown as Draft<CoreEvent>;
  // Required without omitempty in the core form: there even when empty.
  core.involvedObject ??= {};
  core.reportingComponent ??= '';
  core.reportingInstance ??= '';
  return core;
}

function renamed(event: object, names: { readonly [from: string]: string }, apiVersion: string): object {
  const out: { [name: string]: unknown } = {};
  for (const [key, value] of Object.entries(event)) out[names[key] ?? key] = value;
  if (out['apiVersion'] !== undefined) out['apiVersion'] = apiVersion;
  return out;
}
