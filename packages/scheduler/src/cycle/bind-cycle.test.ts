import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scope, silentLogger } from '@binnacle/base';
import { HeldBackError } from '../errors.ts';
import { demandOf } from '../plan/demand.ts';
import type { Plugin, Refusal } from '../plan/framework.ts';
import { ProfileMeter } from '../plan/profile-meter.ts';
import { NotedFigures } from '../testing/figures.ts';
import { makePod } from '../testing/objects.ts';
import { BindCycle } from './bind-cycle.ts';
import { PermitRoom } from './permit-room.ts';

const NO: Refusal = { plugin: 'holds', reasons: ['no'], unresolvable: false };

/** A cycle of one plugin under a clock that the plugin moves. */
function cycleOf(make: (spend: (ms: number) => void) => Plugin): {
  readonly cycle: BindCycle;
  readonly told: () => object;
} {
  let now = 0;
  const figures = new NotedFigures();
  const meter = new ProfileMeter(figures, { profile: 'p', now: () => now });
  const plugin = make((ms) => {
    now += ms;
  });
  const at = (point: keyof Plugin): Plugin[] => (point in plugin ? [plugin] : []);
  const plugins = {
    ...{ schedulerName: 'p', byName: new Map([[plugin.name, plugin]]), meter },
    ...{ preEnqueue: [], queueSort: [], preFilter: [], filter: [], postFilter: [], score: [] },
    ...{
      reserve: at('reserve'),
      permit: at('permit'),
      preBind: at('preBind'),
      bind: at('bind'),
      postBind: at('postBind'),
    },
  };
  const cycle = new BindCycle({
    ...{ plugins, demand: demandOf(makePod('a')), node: 'n', context: { signal: new Scope('test').signal } },
    ...{ extenders: [], room: new PermitRoom(), log: silentLogger, aside: (waiting) => waiting },
  });
  const told = (): object =>
    Object.fromEntries(
      Object.entries(figures.measured).map(([name, values]) => [
        name.replace('framework_extension_point_duration_seconds ', '').replace(' p', ''),
        values.map((seconds) => Math.round(seconds * 1_000)),
      ]),
    );
  return { cycle, told };
}

test('each point on the way to the node has its own time; without plugins it takes none', async () => {
  const { cycle, told } = cycleOf((spend) => ({
    name: 'binds',
    reserve: () => {
      spend(3);
      return undefined;
    },
    preBind: () => spend(5),
    bind: () => {
      spend(7);
      return true;
    },
  }));
  assert.equal(cycle.prepare(), undefined);
  await cycle.bind();
  assert.equal(cycle.bound(), 15);
  const points = { 'Reserve Success': [3], 'Permit Success': [0], 'PreBind Success': [5] };
  assert.deepEqual(told(), { ...points, 'Bind Success': [7], 'PostBind Success': [0] });
});

for (const [refusal, code] of [
  [undefined, 'Success'],
  [NO, 'Unschedulable'],
] as const) {
  test(`how long a plugin held a pod back is told apart from what it took to ask it: ${code}`, async () => {
    const { cycle, told } = cycleOf((spend) => ({
      name: 'holds',
      permit: async () => {
        spend(2);
        await Promise.resolve();
        spend(40);
        return refusal;
      },
    }));
    let error: unknown;
    await cycle.prepare()?.catch((thrown: unknown) => {
      error = thrown;
    });
    const reserved = { 'Reserve Success': [0], 'Permit Wait': [2] };
    const held = { [`permit_wait_duration_seconds ${code}`]: [40] };
    if (refusal === undefined) assert.deepEqual(told(), { ...reserved, ...held, 'PreBind Success': [0] });
    else {
      assert.ok(error instanceof HeldBackError);
      cycle.undo(error);
      assert.deepEqual(told(), { ...reserved, ...held, 'Unreserve Success': [0] });
    }
  });
}

test('what fails is told at the point where it failed', () => {
  const { cycle, told } = cycleOf((spend) => ({
    name: 'fails',
    preBind: () => {
      spend(6);
      throw new Error('no disk');
    },
    unreserve: () => spend(1),
  }));
  const error = new Error('no disk');
  assert.throws(() => cycle.prepare(), error);
  cycle.undo(error);
  const before = { 'Reserve Success': [0], 'Permit Success': [0] };
  assert.deepEqual(told(), { ...before, 'PreBind Error': [6], 'Unreserve Success': [0] });
});
