import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demandOf } from '../plan/demand.ts';
import type { NodeTest, Plugin, PreFilterResult, Refusal } from '../plan/framework.ts';
import { ProfileMeter } from '../plan/profile-meter.ts';
import { ClusterState } from '../plan/cluster-state.ts';
import { NotedFigures } from '../testing/figures.ts';
import { makePod } from '../testing/objects.ts';
import { measuredPlugin } from './measured-plugin.ts';

const REFUSAL: Refusal = { plugin: 'odd', reasons: ['odd'], unresolvable: true };

/** Refuses odd slots; says nothing of silent pods. */
class Odd implements Plugin {
  readonly name = 'odd';
  readonly isLocal = true;
  #asked = 0;
  readonly #spend: (ms: number) => void;

  constructor(spend: (ms: number) => void) {
    this.#spend = spend;
  }

  preFilter(): Promise<PreFilterResult> {
    this.#spend(4);
    return Promise.resolve({ refusal: REFUSAL });
  }

  filter(demand: { readonly key: string }): NodeTest | undefined {
    this.#asked++;
    this.#spend(1);
    if (demand.key.endsWith('silent')) return undefined;
    return (slot) => {
      this.#spend(2);
      return slot % 2 === 1 ? REFUSAL : undefined;
    };
  }

  postBind(): void {
    this.#asked += 100;
  }

  localKey(): string {
    return `asked ${this.#asked}`;
  }
}

test('a measured plugin is the same plugin: counted for each pod of which it has something to say, timed for every tenth', async () => {
  let now = 0;
  const figures = new NotedFigures();
  const meter = new ProfileMeter(figures, { profile: 'p', now: () => now });
  const plugin = measuredPlugin(
    new Odd((ms) => {
      now += ms;
    }),
    meter,
  );
  const snapshot = new ClusterState();
  const ask = (name: string, slots: readonly number[]): readonly boolean[] => {
    meter.begin(now);
    const nodeTest = plugin.filter?.(demandOf(makePod(name)), snapshot);
    return slots.map((slot) => nodeTest?.(slot) === undefined);
  };
  const many = Array.from({ length: 20 }, (_, i) => i);
  assert.deepEqual(ask('a', [0, 1]), [true, false]);
  for (let i = 0; i < 8; i++) assert.deepEqual(ask('b', [2, 3]), [true, false]);
  ask('silent', []);
  assert.deepEqual(figures.counted, { 'plugin_evaluation_total odd Filter p': 9 });
  const said = 'plugin_execution_duration_seconds odd Filter';
  assert.deepEqual(figures.measured, {
    [`${said} Success`]: [0.003],
    [`${said} UnschedulableAndUnresolvable`]: [0.002],
  });
  // Of many nodes the first are timed.
  assert.equal(ask('c', many).filter(Boolean).length, 10);
  assert.equal(Object.values(figures.measured).flat().length, 2 + 8);
  assert.deepEqual(await plugin.preFilter?.(demandOf(makePod('c')), snapshot), { refusal: REFUSAL });
  const preFilters = figures.observed.get(
    'plugin_execution_duration_seconds odd PreFilter UnschedulableAndUnresolvable',
  );
  assert.deepEqual(preFilters, [0.004]);
  // What is not measured is there, and knows what it knew; what is not there is not.
  plugin.postBind?.(demandOf(makePod('c')), 'n');
  assert.equal(plugin.localKey?.(demandOf(makePod('c'))), 'asked 111');
  assert.deepEqual([plugin.name, plugin.isLocal], ['odd', true]);
  assert.ok(!('score' in plugin) && !('normalizeScore' in plugin));
});
