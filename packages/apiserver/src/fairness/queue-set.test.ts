import { createSeededRandom, randomBelow, randomFloat } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import { Ticket } from './fair-queue.ts';
import { QueueSet } from './queue-set.ts';
import type { Work } from './fair-queue.ts';
import type { QueueShape } from './queue-set.ts';
import { dealHand, hashFlow } from './shuffle-shard.ts';

const SHAPE = { kind: 'queue', queues: 128, handSize: 6, lengthLimit: 50 } as const;
const ONE: Work = { initialSeats: 1, finalSeats: 0, lingerSeconds: 0 };

function started(shape: QueueShape, limit: number) {
  const running: string[] = [];
  const held: string[] = [];
  const set = new QueueSet<string>(shape, {
    limit,
    now: 0,
    observer: {
      queued: () => undefined,
      dispatched: ({ tag }) => void running.push(tag),
      heldBack: ({ tag }) => void held.push(tag),
      changed: () => undefined,
    },
  });
  const arrive = (tag: string, now: number, hand: readonly number[] = [0], work: Work = ONE) => {
    const ticket = new Ticket(tag, work);
    return { ticket, refusal: set.arrive(ticket, hand, now) };
  };
  return { set, running, held, arrive };
}

test('exempt: everybody runs, whatever the limit', () => {
  const { set, arrive } = started({ kind: 'exempt' }, 0);
  const tickets = Array.from({ length: 100 }, (_, n) => arrive(`r${n}`, n).ticket);
  assert.deepEqual([set.executing, set.queueless.size], [100, 100]);
  for (const ticket of tickets) set.finish(ticket, 200);
  assert.ok(set.idle && set.seatsInUse === 0);
});

test('reject: who finds no seat is sent away', () => {
  const { set, arrive } = started({ kind: 'reject' }, 2);
  const { ticket } = arrive('a', 0);
  arrive('b', 0);
  assert.equal(arrive('c', 0).refusal, 'concurrency-limit');
  set.finish(ticket, 1);
  assert.equal(arrive('d', 1).refusal, undefined);
  assert.deepEqual(set.totals, { dispatched: 3, rejected: 1, timedOut: 0, cancelled: 0 });
});

test('a queue that is full sends away, others do not', () => {
  const { arrive } = started({ kind: 'queue', queues: 2, handSize: 1, lengthLimit: 2 }, 1);
  for (const tag of ['a', 'b', 'c']) assert.equal(arrive(tag, 0).refusal, undefined);
  assert.equal(arrive('d', 0).refusal, 'queue-full');
  assert.equal(arrive('e', 0, [1]).refusal, undefined);
});

test('queues take turns', () => {
  const { set, running, arrive } = started({ kind: 'queue', queues: 2, handSize: 1, lengthLimit: 50 }, 1);
  const tickets = new Map<string, Ticket<string>>();
  for (const n of [1, 2, 3, 4]) tickets.set(`noisy${n}`, arrive(`noisy${n}`, 0, [0]).ticket);
  tickets.set('quiet', arrive('quiet', 0, [1]).ticket);
  for (let now = 1; now <= 4; now++) {
    const ticket = tickets.get(running.at(-1) ?? '');
    assert.ok(ticket !== undefined);
    set.finish(ticket, now);
  }
  assert.deepEqual(running, ['noisy1', 'quiet', 'noisy2', 'noisy3', 'noisy4']);
});

test('a wide request waits until there are seats enough, and nobody overtakes it', () => {
  const { set, running, held, arrive } = started({ kind: 'queue', queues: 1, handSize: 1, lengthLimit: 50 }, 4);
  const narrow = [1, 2, 3].map((n) => arrive(`narrow${n}`, 0).ticket);
  arrive('wide', 0, [0], { initialSeats: 3, finalSeats: 0, lingerSeconds: 0 });
  arrive('after', 0);
  assert.ok(held.includes('wide'));
  for (const [n, ticket] of narrow.entries()) set.finish(ticket, n + 1);
  assert.deepEqual(running, ['narrow1', 'narrow2', 'narrow3', 'wide', 'after']);
});

test('one that is wider than the limit runs alone', () => {
  const { set, running, arrive } = started({ kind: 'queue', queues: 1, handSize: 1, lengthLimit: 50 }, 2);
  const { ticket } = arrive('narrow', 0);
  arrive('wide', 0, [0], { initialSeats: 9, finalSeats: 0, lingerSeconds: 0 });
  assert.deepEqual(running, ['narrow']);
  set.finish(ticket, 1);
  assert.deepEqual([running, set.seatsInUse], [['narrow', 'wide'], 9]);
});

test('seats that linger are free only when they are released; too many become fewer for longer', () => {
  const { set, running, arrive } = started({ kind: 'queue', queues: 1, handSize: 1, lengthLimit: 50 }, 2);
  const { ticket } = arrive('write', 0, [0], { initialSeats: 1, finalSeats: 4, lingerSeconds: 0.005 });
  assert.deepEqual([ticket.work.finalSeats, ticket.work.lingerSeconds, set.seatsInUse], [2, 0.01, 2]);
  arrive('next', 0);
  set.finish(ticket, 1);
  assert.deepEqual([running, set.seatsInUse], [['write'], 2]);
  set.release(ticket, 1.01);
  assert.deepEqual([running, set.seatsInUse], [['write', 'next'], 1]);
});

test('who gives up leaves; one that runs or is over cannot', () => {
  const { set, running, arrive } = started({ kind: 'queue', queues: 1, handSize: 1, lengthLimit: 50 }, 1);
  const first = arrive('a', 0).ticket;
  const second = arrive('b', 0).ticket;
  arrive('c', 0);
  assert.equal(set.giveUp(first, 'timedOut', 1), false);
  assert.equal(set.giveUp(second, 'timedOut', 1), true);
  assert.equal(set.giveUp(second, 'timedOut', 1), false);
  set.finish(first, 2);
  assert.deepEqual([running, set.totals.timedOut, set.waiting], [['a', 'c'], 1, 0]);
});

test('fewer queues: those beyond are left to empty themselves', () => {
  const { set, arrive } = started({ kind: 'queue', queues: 4, handSize: 1, lengthLimit: 50 }, 1);
  const first = arrive('a', 0, [3]).ticket;
  const second = arrive('b', 0, [3]).ticket;
  set.configure({ kind: 'queue', queues: 2, handSize: 1, lengthLimit: 50 }, 1);
  assert.equal(set.queues.length, 4);
  set.finish(first, 2);
  set.finish(second, 3);
  assert.equal(set.queues.length, 2);
  set.configure({ kind: 'reject' }, 4);
  assert.equal(set.queues.length, 0);
});

test('of queues whose turn is the same, the one after that which was served last comes first', () => {
  const { set, arrive, running } = started({ kind: 'queue', queues: 4, handSize: 1, lengthLimit: 50 }, 1);
  const first = arrive('in2', 0, [2]).ticket;
  const waiting = new Map([0, 3, 1].map((queue) => [`in${queue}`, arrive(`in${queue}`, 0, [queue]).ticket]));
  set.finish(first, 1);
  for (const name of ['in3', 'in0']) {
    const ticket = waiting.get(name);
    assert.ok(ticket !== undefined);
    set.finish(ticket, 1);
  }
  assert.deepEqual(running, ['in2', 'in3', 'in0', 'in1']);
});

test('who waits in a queue that was left and joined again is found', () => {
  const { set, arrive, running } = started({ kind: 'queue', queues: 8, handSize: 1, lengthLimit: 50 }, 1);
  let last = arrive('first', 0, [0]).ticket;
  const all = new Map([['first', last]]);
  const join = (name: string, queue: number, now: number): void =>
    void all.set(name, arrive(name, now, [queue]).ticket);
  for (const queue of [1, 2, 3]) join(`a${queue}`, queue, 0);
  const gone = all.get('a2');
  assert.ok(gone !== undefined && set.giveUp(gone, 'cancelled', 0));
  for (const queue of [2, 5]) join(`b${queue}`, queue, 0);
  for (let now = 1; set.waiting > 0; now++) {
    set.finish(last, now);
    const next = all.get(running.at(-1) ?? '');
    assert.ok(next !== undefined && next !== last, 'somebody else runs');
    last = next;
  }
  assert.deepEqual(running.toSorted(), ['a1', 'a3', 'b2', 'b5', 'first']);
});

test('more seats let those in who wait', () => {
  const { set, running, arrive } = started(SHAPE, 1);
  for (const tag of ['a', 'b', 'c']) arrive(tag, 0);
  set.setLimit(3, 1);
  assert.equal(running.length, 3);
});

interface Simulated {
  readonly flow: string;
  readonly waited: number;
}

/**
 * Noisy users each keep `depth` requests open, a quiet one asks now and then; each request takes 2 to 20 ms. Answers
 * how long each waited, in seconds of simulated time.
 */
function simulate(seed: number, { noisy, depth, seconds }: { noisy: number; depth: number; seconds: number }) {
  const random = createSeededRandom(seed);
  const events: { at: number; run: () => void }[] = [];
  const later = (at: number, run: () => void): void => {
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, { at, run });
  };
  let now = 0;
  const seen: Simulated[] = [];
  let refused = 0;
  const set: QueueSet<() => void> = new QueueSet<() => void>(SHAPE, {
    limit: 20,
    now: 0,
    observer: {
      queued: () => undefined,
      heldBack: () => undefined,
      changed: () => undefined,
      dispatched: (ticket) => {
        later(now, ticket.tag);
        later(now + 0.002 + 0.018 * randomFloat(random), () => set.finish(ticket, now));
      },
    },
  });
  const ask = (flow: string, then: () => void): void => {
    const asked = now;
    const ticket = new Ticket(() => {
      seen.push({ flow, waited: now - asked });
      then();
    }, ONE);
    const hand = dealHand(hashFlow('global-default', flow), SHAPE.queues, SHAPE.handSize);
    if (set.arrive(ticket, hand, now) === undefined) return;
    refused++;
    // Who is sent away comes again after a second.
    later(now + 1, () => ask(flow, then));
  };
  for (let user = 0; user < noisy; user++) {
    const again = (): void => later(now + 0.0001 * randomBelow(random, 10), () => ask(`noisy-${user}`, again));
    for (let n = 0; n < depth; n++) later(0.001 * randomFloat(random), () => ask(`noisy-${user}`, again));
  }
  for (let at = 1; at < seconds; at += 0.05) later(at, () => ask('quiet', () => undefined));
  for (let next = events.shift(); next !== undefined && next.at < seconds; next = events.shift()) {
    now = next.at;
    next.run();
  }
  return { seen, refused };
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

for (const seed of [1, 2, 3, 4, 5]) {
  test(`a quiet user waits less than 50 ms at p99 while ten flood (seed ${seed})`, () => {
    const { seen, refused } = simulate(seed, { noisy: 10, depth: 200, seconds: 20 });
    const waits = (is: (flow: string) => boolean): number[] =>
      seen.filter(({ flow }) => is(flow)).map(({ waited }) => waited);
    const quiet = waits((flow) => flow === 'quiet');
    const noisy = waits((flow) => flow !== 'quiet');
    assert.ok(quiet.length > 370, `all of the quiet user's requests were served: ${quiet.length}`);
    assert.ok(percentile(quiet, 0.99) < 0.05, `p99 ${percentile(quiet, 0.99)} s, ${refused} refused`);
    assert.ok(percentile(noisy, 0.5) > 0.5, `those who flood wait behind themselves: ${percentile(noisy, 0.5)} s`);
    // 20 seats of 11 ms each: what flows through does not suffer.
    assert.ok(seen.length > (20 * 20) / 0.011 / 1.1, `${seen.length} served`);
  });
}

test('users who ask alike are served alike', () => {
  const { seen } = simulate(7, { noisy: 4, depth: 100, seconds: 20 });
  const counts = [0, 1, 2, 3].map((user) => seen.filter(({ flow }) => flow === `noisy-${user}`).length);
  assert.ok(Math.max(...counts) < 1.5 * Math.min(...counts), counts.join(' '));
});

test('whatever happens, nothing is lost and nothing is counted twice', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = createSeededRandom(seed);
    const { set, arrive } = started({ kind: 'queue', queues: 4, handSize: 2, lengthLimit: 5 }, 6);
    const open: Ticket<string>[] = [];
    let now = 0;
    for (let step = 0; step < 2000; step++) {
      now += 0.01 * randomFloat(random);
      const dice = randomBelow(random, 10);
      const at = randomBelow(random, Math.max(1, open.length));
      const ticket = open[at];
      if (dice < 5) {
        const seats = 1 + randomBelow(random, 8);
        const linger = randomBelow(random, 2) === 0 ? 0 : 0.01;
        const work = { initialSeats: seats, finalSeats: linger === 0 ? 0 : seats, lingerSeconds: linger };
        const made = arrive('x', now, [randomBelow(random, 4), randomBelow(random, 4)], work);
        if (made.refusal === undefined) open.push(made.ticket);
      } else if (dice === 5) set.setLimit(randomBelow(random, 12), now);
      else if (ticket?.state === 'executing') {
        open.splice(at, 1);
        set.finish(ticket, now);
        if (ticket.work.lingerSeconds > 0) set.release(ticket, now);
      } else if (ticket !== undefined) {
        open.splice(at, 1);
        set.giveUp(ticket, 'cancelled', now);
      }
      const executing = open.filter(({ state }) => state === 'executing');
      const seatsInUse = executing.reduce((sum, { seats }) => sum + seats, 0);
      const where = `seed ${seed} step ${step}`;
      assert.deepEqual(
        [set.executing, set.waiting, set.seatsInUse],
        [executing.length, open.length - executing.length, seatsInUse],
        where,
      );
    }
    set.setLimit(1000, now);
    for (const ticket of open) {
      assert.equal(ticket.state, 'executing', 'nobody is forgotten');
      set.finish(ticket, now);
      if (ticket.work.lingerSeconds > 0) set.release(ticket, now);
    }
    assert.ok(set.idle && set.seatsInUse === 0 && set.demand === 0);
  }
});
