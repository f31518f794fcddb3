import type { Event } from '../../generated/core-v1.ts';

/** Field selectors of events, under the names of the core group. */
export const EVENT_FIELDS: { readonly [label: string]: (event: Event) => string } = {
  'involvedObject.kind': (event) => event.involvedObject.kind ?? '',
  'involvedObject.namespace': (event) => event.involvedObject.namespace ?? '',
  'involvedObject.name': (event) => event.involvedObject.name ?? '',
  'involvedObject.uid': (event) => event.involvedObject.uid ?? '',
  'involvedObject.apiVersion': (event) => event.involvedObject.apiVersion ?? '',
  'involvedObject.resourceVersion': (event) => event.involvedObject.resourceVersion ?? '',
  'involvedObject.fieldPath': (event) => event.involvedObject.fieldPath ?? '',
  reason: (event) => event.reason ?? '',
  reportingComponent: (event) => event.reportingComponent ?? '',
  source: (event) => event.source?.component || event.reportingComponent || '',
  type: (event) => event.type ?? '',
};

/** What events.k8s.io calls the same fields, by that group's name. */
export const EVENTS_GROUP_FIELDS: { readonly [label: string]: string } = {
  'regarding.kind': 'involvedObject.kind',
  'regarding.namespace': 'involvedObject.namespace',
  'regarding.name': 'involvedObject.name',
  'regarding.uid': 'involvedObject.uid',
  'regarding.apiVersion': 'involvedObject.apiVersion',
  'regarding.resourceVersion': 'involvedObject.resourceVersion',
  'regarding.fieldPath': 'involvedObject.fieldPath',
  reason: 'reason',
  reportingController: 'reportingComponent',
  type: 'type',
};
