import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dumpRequests } from './dump.ts';
import type { FlowControl } from './flow-control.ts';

interface Row {
  readonly user?: string;
  readonly lingerSeconds?: number;
  readonly state?: string;
}

const ticket = ({ user = 'jane', lingerSeconds = 0, state = 'executing' }: Row = {}): object => ({
  tag: {
    schema: { name: 'schema' },
    distinguisher: user,
    user: { name: user },
    info: {
      verb: 'list',
      path: '/apis/a/v1/bs',
      namespace: 'n',
      name: '',
      group: 'a',
      version: 'v1',
      resource: 'bs',
      subresource: '',
      isResource: true,
    },
  },
  work: { initialSeats: 2, finalSeats: 1, lingerSeconds },
  arrivedAt: 10,
  startedAt: 10.25,
  state,
});

function control(levels: { readonly [name: string]: object }): FlowControl {
  const all = new Map(Object.entries(levels).map(([name, queues]) => [name, { settings: { name }, queues }]));
  return { now: () => 11, levels: { all } } as unknown as FlowControl;
}

/** The cells of each row below the first. */
function rows(given: FlowControl, details = false): string[][] {
  const [, ...lines] = dumpRequests(given, { details, wallMs: Date.UTC(2026, 0, 1, 0, 0, 1) })
    .trimEnd()
    .split('\n');
  return lines.map((line) => line.split(',').map((cell) => cell.trim()));
}

describe('the requests that wait or run', () => {
  const queue = (waiting: object[], executing: object[]): object => ({
    waiting: new Set(waiting),
    executing: new Set(executing),
  });

  test('levels by their names, queues by their numbers, who waits by its place before who runs', () => {
    const given = control({
      low: {
        queues: [queue([], []), queue([ticket({ user: 'a' }), ticket({ user: 'b' })], [ticket({ user: 'c' })])],
        queueless: new Set(),
      },
      exempt: { queues: [], queueless: new Set([ticket({ user: 'd' })]) },
    });
    assert.deepEqual(
      rows(given).map(([level, , index, place, who]) => [level, index, place, who].join(' ')),
      ['exempt -1 -1 d', 'low 1 0 a', 'low 1 1 b', 'low 1 -1 c'],
    );
  });

  test('times are of the clock on the wall, as Go writes them', () => {
    const waiting = control({ low: { queues: [queue([ticket({ state: 'waiting' })], [])], queueless: new Set() } });
    assert.deepEqual(rows(waiting)[0]?.slice(5), ['2026-01-01T00:00:00Z', '2', '1', '0s', '0001-01-01T00:00:00Z']);
    const running = control({ low: { queues: [], queueless: new Set([ticket()]) } });
    assert.equal(rows(running)[0]?.at(-1), '2026-01-01T00:00:00.25Z');
  });

  for (const [seconds, text] of [
    [0, '0s'],
    [0.005, '5ms'],
    [0.0125, '12.5ms'],
    [1, '1s'],
    [1.5, '1.5s'],
  ] as const) {
    test(`${seconds} seconds more are ${text}`, () => {
      const given = control({ low: { queues: [], queueless: new Set([ticket({ lingerSeconds: seconds })]) } });
      assert.equal(rows(given)[0]?.[8], text);
    });
  }

  test('who asks for what, where that is asked for', () => {
    const given = control({ low: { queues: [], queueless: new Set([ticket()]) } });
    assert.deepEqual(rows(given, true)[0]?.slice(10), ['jane', 'list', '/apis/a/v1/bs', 'n', '', 'a/v1', 'bs', '']);
  });

  test('nothing but the names of the columns, each as wide as its widest cell', () => {
    assert.equal(
      dumpRequests(control({}), { details: false, wallMs: 0 }),
      'PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, FinalSeats, AdditionalLatency, StartTime\n',
    );
  });
});
