import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { Ring } from './ring.ts';
import type { RingBound, Row } from './ring.ts';

const row = (seq: number, text = ''): Row => ({
  ...{ seq, at: seq * 10, ms: seq / 4, sort: seq % 256, number: seq * 3, held: undefined },
  texts: [text, undefined, `#${seq}`],
});

function filled(count: number, bound: RingBound, text = ''): Ring {
  const ring = new Ring(bound);
  for (let seq = 1; seq <= count; seq++) ring.push(row(seq, text));
  return ring;
}

const seqs = (rows: Iterable<Row>): number[] => [...rows].map(({ seq }) => seq);

test('the last rows stay, the oldest go first, and it is said since when nothing is missing', () => {
  const ring = filled(1000, { entries: 100, bytes: 1e6 });
  assert.deepEqual([ring.size, ring.forgotten, ring.completeSince], [100, 900, 9000]);
  assert.deepEqual(seqs(ring.after(-1)).slice(0, 2), [901, 902]);
  assert.deepEqual(seqs(ring.after(998)), [999, 1000]);
  assert.deepEqual(seqs(ring.after(5)).length, 100);
  assert.deepEqual(seqs(ring.after(1000)), []);
  assert.deepEqual(seqs(ring.before(Infinity)).slice(0, 2), [1000, 999]);
  assert.deepEqual(seqs(ring.before(903)), [902, 901]);
  assert.deepEqual(seqs(ring.before(901)), []);
});

test('heavy rows push out more than one, and what is more than the ring holds is not kept', () => {
  const ring = filled(50, { entries: 100, bytes: 600 });
  const before = ring.size;
  ring.push(row(51, 'x'.repeat(500)));
  assert.ok(ring.size < before / 2 + 2, `${ring.size} of ${before} are left`);
  assert.deepEqual(seqs(ring.after(50)), [51]);
  ring.push(row(52, 'x'.repeat(2000)));
  assert.deepEqual(seqs(ring.after(50)), [51]);
  assert.deepEqual([ring.forgotten + ring.size, ring.completeSince], [52, 520]);
});

test('what is missing in the middle is not forgotten with what was before it', () => {
  const ring = filled(100, { entries: 100, bytes: 1e6 });
  ring.skip(1005);
  ring.push(row(101));
  assert.equal(ring.completeSince, 1005);
  for (let seq = 102; seq <= 202; seq++) ring.push(row(seq));
  assert.equal(ring.completeSince, 1020);
});

test('a ring that is not full forgets nothing', () => {
  const ring = filled(70, { entries: 100, bytes: 1e6 });
  assert.deepEqual([ring.size, ring.forgotten, ring.completeSince], [70, 0, undefined]);
  assert.deepEqual(seqs(ring.after(-1)).length, 70);
});

test('a ring that grows when it has gone round keeps its rows in their order, and what they hold', () => {
  const ring = new Ring({ entries: 1000, bytes: 20_000 });
  const rows: Row[] = [];
  for (let seq = 1; seq <= 300; seq++) {
    // Fifty heavy rows, of which the last few fit: the next ones come behind them until its first slots are used again.
    const one = { ...row(seq, seq <= 50 ? 'x'.repeat(1500) : ''), held: seq % 3 === 0 ? { seq } : undefined };
    rows.push(one);
    ring.push(one);
    const kept = [...ring.after(-1)];
    assert.deepEqual(kept, rows.slice(-kept.length), `after ${seq}`);
  }
  assert.ok(ring.size > 128, 'it has grown more than once since');
});

test('rows say what they said, whatever sizes came before and after them', () => {
  const random = createSeededRandom(12);
  const ring = new Ring({ entries: 300, bytes: 20_000 });
  const pushed: Row[] = [];
  for (let seq = 1; seq <= 5_000; seq++) {
    const text =
      randomBelow(random, 4) === 0 ? '각'.repeat(randomBelow(random, 300)) : 'a'.repeat(randomBelow(random, 200));
    const one: Row = { ...row(seq, text), held: randomBelow(random, 3) === 0 ? { seq } : undefined };
    ring.push(one);
    pushed.push(one);
    if (seq % 97 !== 0) continue;
    const kept = [...ring.after(-1)];
    assert.ok(kept.length > 5, 'there is something to compare');
    assert.deepEqual(kept, pushed.slice(-kept.length));
    assert.equal(ring.forgotten, seq - kept.length);
  }
});

test('who reads while others write misses what is forgotten meanwhile, and reads nothing wrong', () => {
  const ring = filled(100, { entries: 100, bytes: 1e6 });
  const up: number[] = [];
  for (const { seq, texts } of ring.after(-1)) {
    assert.equal(texts[2], `#${seq}`);
    up.push(seq);
    if (seq === 10) for (let more = 101; more <= 150; more++) ring.push(row(more));
  }
  assert.deepEqual([up.slice(8, 12), up.at(-1)], [[9, 10, 51, 52], 150]);
  const down: number[] = [];
  for (const { seq } of ring.before(140)) {
    down.push(seq);
    if (seq === 100) for (let more = 151; more <= 195; more++) ring.push(row(more));
  }
  assert.deepEqual([down[0], down.at(-1)], [139, 96]);
});
