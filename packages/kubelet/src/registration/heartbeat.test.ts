import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scope, VirtualClock } from '@binnacle/base';
import { Heartbeat } from './heartbeat.ts';

async function beats(count: number, ms: number): Promise<{ perHeart: number[]; ticks: number }> {
  const clock = new VirtualClock();
  const scope = new Scope('t');
  const heartbeat = new Heartbeat({ clock, scope, periodMs: 10_000 });
  const perHeart: number[] = Array.from({ length: count }, () => 0);
  const times = new Set<number>();
  perHeart.forEach((_, i) =>
    heartbeat.add({
      beat: async () => {
        perHeart[i] = (perHeart[i] ?? 0) + 1;
        times.add(clock.monotonic());
      },
    }),
  );
  await clock.advance(ms);
  await scope.close();
  assert.equal(clock.pending, 0);
  return { perHeart, ticks: times.size };
}

test('a lone heart beats once per period', async () =>
  assert.deepEqual(await beats(1, 30_000), { perHeart: [3], ticks: 3 }));

test('many are spread over the period, and nobody is left out', async () => {
  const { perHeart, ticks } = await beats(250, 40_000);
  assert.ok(Math.min(...perHeart) >= 2, String(Math.min(...perHeart)));
  assert.ok(Math.max(...perHeart) <= 5, String(Math.max(...perHeart)));
  assert.ok(ticks > 100, String(ticks));
});
