import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ring } from './ring.ts';
import type { RingStock } from './ring.ts';

interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly bytes: number;
}

const STOCK: RingStock<Entry> = {
  weigh: ({ bytes }) => bytes,
  taken: (entry) => entry,
  give: () => undefined,
  shown: (entry) => entry,
};

function filled(count: number, bound: { entries: number; bytes: number }, bytes = 1): Ring<Entry> {
  const ring = new Ring<Entry>(bound, STOCK);
  for (let seq = 1; seq <= count; seq++) ring.push({ seq, at: seq * 10, bytes });
  return ring;
}

const seqs = (entries: Iterable<Entry>): number[] => [...entries].map(({ seq }) => seq);

test('the last entries stay, the oldest go first, and it is said since when nothing is missing', () => {
  const ring = filled(1000, { entries: 100, bytes: 1e9 });
  assert.deepEqual([ring.size, ring.forgotten, ring.completeSince], [100, 900, 9000]);
  assert.deepEqual(seqs(ring.entries()).slice(0, 2), [901, 902]);
  assert.deepEqual(seqs(ring.after(998)), [999, 1000]);
  assert.deepEqual(seqs(ring.after(5)).length, 100);
  assert.deepEqual(seqs(ring.after(1000)), []);
});

test('heavy entries push out more than one', () => {
  const ring = filled(50, { entries: 100, bytes: 50 });
  ring.push({ seq: 51, at: 510, bytes: 30 });
  assert.deepEqual([ring.size, ring.bytes, ring.forgotten], [21, 50, 30]);
  ring.push({ seq: 52, at: 520, bytes: 1_000 });
  assert.deepEqual(seqs(ring.entries()), [52], 'one that is heavier than the ring is kept alone');
});

test('a ring that is not full forgets nothing', () => {
  const ring = filled(70, { entries: 100, bytes: 1e9 });
  assert.deepEqual([ring.size, ring.forgotten, ring.completeSince], [70, 0, undefined]);
  assert.deepEqual(seqs(ring.entries()).length, 70);
});

test('an entry that is let go of is given back before the next is taken, and readers are shown what they may hold', () => {
  const told: string[] = [];
  const ring = new Ring<Entry>(
    { entries: 2, bytes: 1e9 },
    {
      weigh: () => 1,
      taken: (entry) => {
        told.push(`take ${entry.seq}`);
        return entry;
      },
      give: ({ seq }) => void told.push(`give ${seq}`),
      shown: (entry) => ({ ...entry, bytes: -1 }),
    },
  );
  for (let seq = 1; seq <= 3; seq++) ring.push({ seq, at: 0, bytes: 0 });
  assert.deepEqual(told, ['take 1', 'take 2', 'give 1', 'take 3']);
  assert.deepEqual(
    [...ring.entries()].map(({ bytes }) => bytes),
    [-1, -1],
  );
});
