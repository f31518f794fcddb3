import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event as CoreEvent } from '../../generated/core-v1.ts';
import type { Event as GroupEvent } from '../../generated/events-v1.ts';
import { toCoreEvent, toGroupEvent } from './conversion.ts';

const CORE = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'd' },
  involvedObject: { kind: 'Pod', name: 'p' },
  reason: 'R',
  message: 'M',
  source: { component: 'c' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:01Z',
  count: 2,
  type: 'Normal',
  eventTime: '2026-01-01T00:00:00.000000Z',
  action: 'A',
  reportingComponent: 'rc',
  reportingInstance: 'ri',
} as CoreEvent;

const GROUP = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'd' },
  regarding: { kind: 'Pod', name: 'p' },
  reason: 'R',
  note: 'M',
  deprecatedSource: { component: 'c' },
  deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
  deprecatedLastTimestamp: '2026-01-01T00:00:01Z',
  deprecatedCount: 2,
  type: 'Normal',
  eventTime: '2026-01-01T00:00:00.000000Z',
  action: 'A',
  reportingController: 'rc',
  reportingInstance: 'ri',
} as GroupEvent;

// Names: upstream pkg/apis/events/v1/conversion.go.
describe('the two forms of an event', () => {
  it('core to events.k8s.io', () => assert.deepEqual(toGroupEvent(CORE), GROUP));
  it('events.k8s.io to core', () => assert.deepEqual(toCoreEvent(GROUP), CORE));
  it('fills what core always shows', () => {
    const core = toCoreEvent({ metadata: {}, eventTime: '' });
    assert.deepEqual([core.involvedObject, core.reportingComponent, core.reportingInstance], [{}, '', '']);
  });
});
