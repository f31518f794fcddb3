import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { Event } from '../../generated/core-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';

const NAMESPACE = fieldPath('involvedObject', 'namespace');
const MISMATCH = 'does not match event.namespace';
const LENGTH_MAX = 128;
const MESSAGE_LENGTH_MAX = 1024;

/** An event that came by the core group, new or changed: old clients are let do much. */
export function validateEvent(event: Event): FieldError[] {
  const report = new Report();
  if (event.eventTime) validateModern(event, report);
  else validateLegacyNamespace(event, report);
  const namespace = event.metadata.namespace ?? '';
  report.invalidEach(fieldPath('namespace'), namespace, names.subdomainErrors(namespace));
  return report.errors;
}

/** A new event that came by events.k8s.io/v1. Takes the core form of it. */
export function validateGroupEvent(event: Event): FieldError[] {
  const report = new Report();
  report.addAll(validateEvent(event));
  validateSeries(event, report);
  if (!event.eventTime) report.required(fieldPath('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    report.invalid(fieldPath('type'), '', `has invalid value: ${event.type ?? ''}`);
  }
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count'] as const) {
    if (event[field]) report.invalid(fieldPath(field), '', 'needs to be unset');
  }
  if (event.source?.component || event.source?.host) report.invalid(fieldPath('source'), '', 'needs to be unset');
  return report.errors;
}

const IMMUTABLE = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;

/** A changed event that came by events.k8s.io/v1: only its series may change. */
export function validateGroupEventUpdate(event: Event, before: Event): FieldError[] {
  const report = new Report();
  report.addAll(validateEvent(event));
  if (!isSemanticallyEqual('core.v1.Event.series', event.series, before.series)) validateSeries(event, report);
  for (const field of IMMUTABLE) {
    const path = fieldPath(field === 'reportingComponent' ? 'reportingController' : field);
    const isSame = isSemanticallyEqual(`core.v1.Event.${field}`, event[field], before[field]);
    report.immutable(path, event[field] ?? null, isSame);
  }
  return report.errors;
}

function validateLegacyNamespace(event: Event, report: Report): void {
  const involved = event.involvedObject.namespace ?? '';
  const own = event.metadata.namespace ?? '';
  const isRight = involved === '' ? own === '' || own === 'default' : own === involved;
  if (!isRight) report.invalid(NAMESPACE, involved, MISMATCH);
}

/** Events with an exact time are of the newer sort and must say who saw what. */
function validateModern(event: Event, report: Report): void {
  const involved = event.involvedObject.namespace ?? '';
  const own = event.metadata.namespace ?? '';
  if (involved === '' && own !== 'default' && own !== 'kube-system') report.invalid(NAMESPACE, involved, MISMATCH);
  const controller = event.reportingComponent ?? '';
  if (controller === '') report.required(fieldPath('reportingController'));
  report.invalidEach(fieldPath('reportingController'), controller, names.qualifiedNameErrors(controller));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[field] ?? '';
    if (value === '') report.required(fieldPath(field));
    if (names.byteLength(value) > LENGTH_MAX) {
      report.invalid(fieldPath(field), '', `can have at most ${LENGTH_MAX} characters`);
    }
  }
  if (names.byteLength(event.message ?? '') > MESSAGE_LENGTH_MAX) {
    report.invalid(fieldPath('message'), '', `can have at most ${MESSAGE_LENGTH_MAX} characters`);
  }
}

function validateSeries(event: Event, report: Report): void {
  if (!event.series) return;
  if ((event.series.count ?? 0) < 2) report.invalid(fieldPath('series.count'), '', 'should be at least 2');
  if (!event.series.lastObservedTime) report.required(fieldPath('series.lastObservedTime'));
}
