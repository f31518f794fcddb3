import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { eventTimeOf, isAbout } from './event-object.ts';
import type { EventObject } from './event-object.ts';

const metadata = { name: 'node-0', uid: 'u', resourceVersion: '1' };
const event = (involvedObject: object) => ({ apiVersion: 'v1', kind: 'Event', metadata, involvedObject });
const node = { apiVersion: 'v1', kind: 'Node', metadata };

for (const [name, about, isIt] of [
  ['the object', { uid: 'u' }, true],
  ['one of the same name before it', { uid: 'older' }, false],
  ['a node, as older kubelets tell of it', { uid: 'node-0' }, true],
  ['a name alone', {}, true],
] as const) {
  test(`an Event about ${name}`, () => equal(isAbout(event(about), node), isIt));
}

test('the time of an event, whichever form it has', () => {
  const at = (part: Partial<EventObject>): number =>
    eventTimeOf({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', resourceVersion: '1' }, ...part });
  const time = '1970-01-01T00:00:01Z';
  deepEqual(
    [
      at({ lastTimestamp: time }),
      at({ eventTime: time }),
      at({ series: { lastObservedTime: time } }),
      at({}),
      at({ eventTime: 'x' }),
    ],
    [1000, 1000, 1000, 0, 0],
  );
});
