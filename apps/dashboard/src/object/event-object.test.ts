import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { eventTimeOf } from './event-object.ts';
import type { EventObject } from './event-object.ts';

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
