import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, formatTime, randomBelow, VirtualClock } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';
import { readinessOf, silentAtMs } from './health.ts';
import { NodeBook, zoneOf } from './node-book.ts';

function node(clock: VirtualClock, as: { name: string; zone: string; ready: string | undefined }): Node {
  const creationTimestamp = formatTime(clock.now());
  const labels = { 'topology.kubernetes.io/zone': as.zone };
  const conditions = as.ready === undefined ? [] : [{ type: 'Ready', status: as.ready as 'True' }];
  return { metadata: { name: as.name, labels, creationTimestamp }, spec: {}, status: { conditions } };
}

test('the counts are those of going through all nodes, whatever happens', async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const clock = new VirtualClock();
    const random = createSeededRandom(seed);
    const book = new NodeBook(clock);
    const model = new Map<string, { node: Node; heardMs: number | undefined }>();
    for (let step = 0; step < 120; step++) {
      const name = `n${randomBelow(random, 8)}`;
      const known = model.get(name);
      switch (randomBelow(random, 4)) {
        case 0:
          book.forget(name);
          model.delete(name);
          break;
        case 1:
          book.hear(name);
          if (known !== undefined) known.heardMs = clock.now();
          break;
        default: {
          const ready = ['True', 'False', undefined][randomBelow(random, 3)];
          const one = node(clock, { name, zone: `z${randomBelow(random, 3)}`, ready });
          const heard = known === undefined || randomBelow(random, 2) === 0;
          book.observe(one, { heard });
          model.set(name, { node: one, heardMs: heard ? clock.now() : known?.heardMs });
        }
      }
      await clock.advance(randomBelow(random, 20_000));
      const lost = ({ node: one, heardMs }: { node: Node; heardMs: number | undefined }): boolean =>
        readinessOf(one) !== 'True' || silentAtMs(one, heardMs) <= clock.now();
      const all = [...model.values()];
      assert.equal(
        book.anyLeft,
        all.some((one) => !lost(one)),
        `seed ${seed}`,
      );
      for (const zone of [':z0', ':z1', ':z2']) {
        const members = all.filter((one) => zoneOf(one.node) === zone);
        const expected = { members: members.length, lost: members.filter(lost).length };
        assert.deepEqual(book.zone(zone), expected, `seed ${seed}, step ${step}`);
      }
    }
  }
});
