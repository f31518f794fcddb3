import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, formatTime, randomBelow, VirtualClock } from '@binnacle/base';
import type { Node } from '@binnacle/api/core/v1';
import { readinessOf, silentInMs } from './health.ts';
import { NodeBook, zoneOf } from './node-book.ts';

function node(
  clock: VirtualClock,
  as: { name: string; zone: string; ready: string | undefined; apart?: boolean },
): Node {
  const creationTimestamp = formatTime(clock.now());
  const labels = {
    'topology.kubernetes.io/zone': as.zone,
    ...(as.apart === true ? { 'node.kubernetes.io/exclude-disruption': '' } : {}),
  };
  const conditions = as.ready === undefined ? [] : [{ type: 'Ready', status: as.ready as 'True' }];
  return { metadata: { name: as.name, labels, creationTimestamp }, spec: {}, status: { conditions } };
}

const isApart = ({ metadata }: Node): boolean =>
  metadata.labels?.['node.kubernetes.io/exclude-disruption'] !== undefined;

test('the counts are those of going through all nodes, whatever happens', async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const clock = new VirtualClock();
    const random = createSeededRandom(seed);
    const book = new NodeBook(clock);
    const model = new Map<string, { node: Node; heardAt: number | undefined }>();
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
          if (known !== undefined) known.heardAt = clock.monotonic();
          break;
        default: {
          const ready = ['True', 'False', undefined][randomBelow(random, 3)];
          const one = node(clock, {
            name,
            zone: `z${randomBelow(random, 3)}`,
            ready,
            apart: randomBelow(random, 4) === 0,
          });
          const heard = known === undefined || randomBelow(random, 2) === 0;
          book.observe(one, { heard });
          model.set(name, { node: one, heardAt: heard ? clock.monotonic() : known?.heardAt });
        }
      }
      await clock.advance(randomBelow(random, 20_000));
      const lost = ({ node: one, heardAt }: { node: Node; heardAt: number | undefined }): boolean =>
        readinessOf(one) !== 'True' || silentInMs(one, { at: heardAt, clock }) <= 0;
      const all = [...model.values()].filter((one) => !isApart(one.node));
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

test('a wall clock that jumps silences nobody', async () => {
  const clock = new VirtualClock();
  let jumpMs = 0;
  const jumping = Object.assign(Object.create(clock) as VirtualClock, {
    now: () => clock.now() + jumpMs,
    monotonic: () => clock.monotonic(),
  });
  const book = new NodeBook(jumping);
  const one = node(clock, { name: 'n', zone: 'z', ready: 'True' });
  book.observe(one, { heard: true });
  await clock.advance(10_000);
  for (jumpMs of [8 * 3_600_000, -8 * 3_600_000]) {
    assert.deepEqual([book.anyLeft, book.silentInMs(one)], [true, 40_000]);
    const mute = node(clock, { name: 'mute', zone: 'z', ready: undefined });
    assert.ok(book.silentInMs(mute) <= 60_000, 'nobody waits for hours for one that never says anything');
  }
});
