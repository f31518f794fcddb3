import { checkCreate, checkUpdate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const EVENT: Kind = ['', 'Event', true];
const GROUP_EVENT: Kind = ['events.k8s.io', 'Event', true];
const MODERN = {
  involvedObject: { namespace: 'd' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingComponent: 'c',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  type: 'Normal',
};

// Provenance: upstream pkg/apis/<group>/validation; the function is named in each row.
checkCreate('events', [
  ['right event', 'legacyValidateEvent', EVENT, { involvedObject: { namespace: 'd' } }],
  [
    'event elsewhere',
    'legacyValidateEvent',
    EVENT,
    { involvedObject: { namespace: 'e' } },
    'involvedObject.namespace: Invalid value: "e": does not match event.namespace',
  ],
  ['right newer event', 'ValidateEventCreate', GROUP_EVENT, MODERN],
  [
    'newer event without an action',
    'legacyValidateEvent',
    GROUP_EVENT,
    { ...MODERN, action: '', type: 'Foo', count: 1 },
    'action: Required value',
    'type: Invalid value: "": has invalid value: Foo',
    'count: Invalid value: "": needs to be unset',
  ],
]);

checkUpdate('events', [
  [
    'message of an event',
    'ValidateEventUpdate',
    GROUP_EVENT,
    { ...MODERN, message: 'a' },
    { ...MODERN, message: 'b' },
    'message: Invalid value: "b": field is immutable',
  ],
  [
    'message of an event of old',
    'ValidateEventUpdate',
    EVENT,
    { ...MODERN, message: 'a' },
    { ...MODERN, message: 'b' },
  ],
]);
