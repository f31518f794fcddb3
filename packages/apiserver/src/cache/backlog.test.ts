import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backlog } from './backlog.ts';
import { Entry } from './entry.ts';
import { cacheEvent } from './event.ts';
import type { CacheEvent } from './event.ts';

const CODEC = {
  decode: () => ({ metadata: {} }),
  adopt: <T>(object: T): T => object,
};

function eventOf(bytes: number): CacheEvent {
  return cacheEvent(1, undefined, new Entry({ key: 'a/b', revision: 1, value: new Uint8Array(bytes) }, CODEC));
}

/** A watcher that keeps what it is given until it is cut off. */
class Sleeper {
  readonly held: CacheEvent[] = [];
  cut = false;
  readonly #backlog: Backlog;

  constructor(backlog: Backlog) {
    this.#backlog = backlog;
  }

  get waitingBytes(): number {
    return this.held.reduce((sum, { after }) => sum + (after?.value.length ?? 0), 0);
  }

  take(event: CacheEvent): void {
    this.held.push(event);
    this.#backlog.hold(event, this);
  }

  cutOff(): void {
    this.cut = true;
    for (const event of this.held.splice(0)) this.#backlog.release(event);
    this.#backlog.caughtUp(this);
  }
}

test('an event that many wait for counts once', () => {
  const backlog = new Backlog(100);
  const event = eventOf(60);
  const sleepers = [1, 2, 3].map(() => new Sleeper(backlog));
  for (const sleeper of sleepers) sleeper.take(event);
  assert.equal(backlog.bytes, 60);
  for (const sleeper of sleepers) sleeper.cutOff();
  assert.equal(backlog.bytes, 0);
});

test('above the bound the longest is cut off, and nobody else', () => {
  const backlog = new Backlog(100);
  const [short, long, late] = [new Sleeper(backlog), new Sleeper(backlog), new Sleeper(backlog)];
  short.take(eventOf(30));
  long.take(eventOf(60));
  late.take(eventOf(20));
  assert.deepEqual([short.cut, long.cut, late.cut], [false, true, false]);
  assert.equal(backlog.bytes, 50);
});

test('one event above the bound cuts off whoever waits for it', () => {
  const backlog = new Backlog(100);
  const only = new Sleeper(backlog);
  only.take(eventOf(101));
  assert.deepEqual([only.cut, backlog.bytes], [true, 0]);
});
