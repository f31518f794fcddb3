import type { PriorityLevelConfiguration } from '@binnacle/api/flowcontrol/v1';
import assert from 'node:assert/strict';
import test from 'node:test';
import { mandatoryObjects, suggestedObjects } from './default-objects.ts';
import type { FlowTag } from './priority-level.ts';
import { PriorityLevels } from './priority-levels.ts';
import { Ticket } from './fair-queue.ts';

const OBJECTS = [mandatoryObjects(), suggestedObjects()];
const LEVELS = OBJECTS.flatMap(({ levels }) => levels);
const SCHEMAS = OBJECTS.flatMap(({ schemas }) => schemas);

function start(levels: readonly PriorityLevelConfiguration[] = LEVELS): PriorityLevels {
  const all = new PriorityLevels(600, 0);
  all.configure(levels, SCHEMAS, 0);
  return all;
}

function level(all: PriorityLevels, name: string) {
  const found = all.all.get(name);
  assert.ok(found !== undefined, name);
  return found;
}

/** So many requests of one seat come to a level; answers those that were let in. */
function crowd(all: PriorityLevels, name: string, count: number, now: number): Ticket<FlowTag>[] {
  const { queues } = level(all, name);
  const stats = level(all, name).statsOf('s');
  const schema = { name: 's', uid: '', level: name, precedence: 1, distinguishes: 'nothing', rules: [] } as const;
  const info = { verb: 'get', path: '/' } as FlowTag['info'];
  const user = { name: 'u', groups: [] };
  return Array.from({ length: count }, (_, n) => {
    const tag = { schema, distinguisher: '', stats, user, info, mutating: false, onDispatch: undefined };
    const ticket = new Ticket<FlowTag>(tag, { initialSeats: 1, finalSeats: 0, lingerSeconds: 0 });
    queues.arrive(ticket, [n % 16], now);
    return ticket;
  });
}

const LIMITS: readonly (readonly [name: string, nominal: number, lowest: number, seatsMax: number | undefined])[] = [
  ['system', 74, 50, 12],
  ['node-high', 98, 73, 15],
  ['leader-election', 25, 25, 4],
  ['workload-high', 98, 49, 15],
  ['workload-low', 245, 24, 37],
  ['global-default', 49, 24, 8],
  ['catch-all', 13, 13, undefined],
  ['exempt', 0, 0, undefined],
];

for (const [name, nominal, lowest, seatsMax] of LIMITS) {
  test(`of 600 seats ${name} has ${nominal}`, () => {
    const { limits } = level(start(), name);
    assert.deepEqual(limits, { nominal, lowest, highest: nominal + 600, seatsMax });
  });
}

test('before anything is known there is catch-all with all seats', () => {
  const all = new PriorityLevels(600, 0);
  assert.deepEqual([...all.all.keys()].sort(), ['catch-all', 'exempt']);
  assert.equal(level(all, 'catch-all').queues.limit, 600);
  const info = { verb: 'get', path: '/', isResource: false } as FlowTag['info'];
  assert.equal(all.classify({ name: 'x', groups: [] }, info).name, 'catch-all');
});

test('what is idle lends, who floods borrows, and gets it back in time', () => {
  const all = start();
  crowd(all, 'global-default', 700, 0);
  const { queues } = level(all, 'global-default');
  const before = queues.executing;
  all.adjust(10);
  assert.ok(queues.executing > 2 * before, `${before} then ${queues.executing}`);
  for (const { limits, queues: each, settings } of all.all.values()) {
    if (settings.shape.kind === 'exempt') continue;
    assert.ok(each.limit >= limits.lowest && each.limit <= limits.highest, settings.name);
  }
  crowd(all, 'workload-low', 700, 10);
  all.adjust(20);
  assert.ok(level(all, 'workload-low').queues.limit >= 245, 'its nominal share comes back as soon as it is asked for');
  const sum = [...all.all.values()].reduce((total, { queues: each }) => total + each.limit, 0);
  assert.ok(Math.abs(sum - 602) < 8, `${sum} seats in all`);
});

test('who may not borrow does not', () => {
  const own: PriorityLevelConfiguration = {
    metadata: { name: 'own' },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 10,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Queue', queuing: { queues: 16, handSize: 1, queueLengthLimit: 50 } },
      },
    },
  };
  const all = start([...LEVELS, own]);
  crowd(all, 'own', 200, 0);
  all.adjust(10);
  const { queues, limits } = level(all, 'own');
  assert.deepEqual([queues.limit, limits.highest], [limits.nominal, limits.nominal]);
});

test('a level whose object is gone is served to its end', () => {
  const all = start();
  const [ticket] = crowd(all, 'system', 1, 0);
  assert.ok(ticket !== undefined);
  const findings = all.configure(
    LEVELS.filter(({ metadata }) => metadata.name !== 'system'),
    SCHEMAS,
    1,
  );
  assert.deepEqual(
    findings.filter(({ dangling }) => dangling).map(({ schema }) => schema.metadata.name),
    ['system-nodes'],
  );
  assert.equal(level(all, 'system').quiescing, true);
  level(all, 'system').queues.finish(ticket, 2);
  all.adjust(10);
  assert.equal(all.all.has('system'), false);
});

test('mandatory levels stay, whatever objects there are', () => {
  const all = start([]);
  assert.deepEqual([...all.all.keys()].sort(), ['catch-all', 'exempt']);
  const broken = { metadata: { name: 'catch-all' }, spec: { type: 'Limited' } };
  all.configure([broken], [], 1);
  assert.equal(level(all, 'catch-all').settings.shares, 5);
});
