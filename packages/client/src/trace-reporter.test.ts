import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import type { Hop } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ApiCall } from '@binnacle/machinery';
import { createTraceReporter } from './trace-reporter.ts';
import type { Client } from './ports.ts';

const HOP: Hop = { kind: 'runtime', component: 'kubelet n', name: 'start', startedAt: 1, durationMs: 2 };

interface Body {
  readonly hops: readonly { readonly title: string; readonly detail?: object }[];
  readonly dropped: number;
}

function scene(answer: () => Promise<unknown> = () => Promise.resolve({})) {
  const clock = new VirtualClock();
  const scope = new Scope('test');
  const calls: ApiCall[] = [];
  const wire = {
    call(call: ApiCall) {
      calls.push(call);
      return answer();
    },
  };
  const world = { clock, random: createSeededRandom(1), log: silentLogger };
  const trace = createTraceReporter({ client: { wire } as unknown as Client, world, scope });
  return { clock, scope, trace, bodies: () => calls.map(({ body }) => body as Body) };
}

test('hops go in batches, with what they say made when they go', async () => {
  const { clock, trace, bodies } = scene();
  for (let i = 0; i < 300; i++) trace.record({ ...HOP, detail: () => ({ i }) });
  assert.equal(bodies().length, 0, 'nobody waits for them');
  await clock.advance(300);
  assert.deepEqual(
    bodies().map(({ hops }) => hops.length),
    [256, 44],
  );
  assert.deepEqual(bodies()[0]?.hops[0], {
    ...{ component: 'kubelet n', type: 'runtime', title: 'start', atMs: 1, durationMs: 2, detail: { i: 0 } },
  });
  await clock.advance(10_000);
  assert.equal(bodies().length, 2, 'nothing new, nothing sent');
});

test('what is too much is dropped and counted', async () => {
  const { clock, trace, bodies } = scene();
  for (let i = 0; i < 5_000; i++) trace.record(HOP);
  await clock.advance(300);
  assert.equal(bodies()[0]?.dropped, 5_000 - 4_096);
  assert.equal(
    bodies().reduce((sum, { hops }) => sum + hops.length, 0),
    4_096,
  );
});

test('a server without an ear is left alone for a while; a busy one is asked again', async () => {
  const deaf = scene(() => Promise.reject(status.notFound({ group: 'x', resource: 'y' }, 'z')));
  deaf.trace.record(HOP);
  await deaf.clock.advance(300);
  assert.equal(deaf.trace.on, false);
  deaf.trace.record(HOP);
  await deaf.clock.advance(100_000);
  assert.equal(deaf.bodies().length, 1);
  await deaf.clock.advance(300_000);
  assert.equal(deaf.trace.on, true);
  const busy = scene(() => Promise.reject(status.tooManyRequests('busy', 1)));
  busy.trace.record(HOP);
  await busy.clock.advance(300);
  assert.equal(busy.trace.on, true);
});

test('nothing is left when its scope closes', async () => {
  const { clock, scope, trace, bodies } = scene();
  trace.record(HOP);
  await scope.close();
  assert.equal(trace.on, false);
  await clock.advance(1_000);
  assert.deepEqual([bodies().length, clock.pending], [0, 0]);
});
