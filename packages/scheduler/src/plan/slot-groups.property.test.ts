/**
 * Whoever asks one node of each group says what whoever asks every node says, of more nodes than a chunk has, through any
 * history. More seeds: `SCHEDULER_SEEDS=5000 node --test packages/scheduler/src/plan/slot-groups.property.test.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import {
  Dice,
  randomLabels,
  randomNode,
  randomNodeLabels,
  randomPod,
  randomTaints,
} from '../testing/random-objects.ts';
import { Scene } from '../testing/scene.ts';
import type { Outcome } from '../testing/scene.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 12);
const FIRST = Number(process.env['SCHEDULER_SEED'] ?? 1);
const NODES = 150;
const DECISIONS = 30;

/** What was said of each node, and what the best of them are. */
function said({ explanation }: Outcome): readonly string[] {
  const refused = explanation.refused.flatMap(({ names, plugin, reasons }) =>
    names.map((name) => `${name}: ${plugin}, ${reasons.join('; ')}`),
  );
  return [...refused, ...explanation.scored.map(({ node, total }) => `${node}: ${total}`)].toSorted();
}

class Twins {
  readonly kept: Scene;
  readonly anew: Scene;
  readonly #dice: Dice;
  readonly #nodes = new Map<string, Node>();
  readonly #placed: { pod: Pod; readonly node: string }[] = [];

  constructor(seed: number) {
    this.#dice = new Dice(seed);
    this.kept = new Scene({ seed });
    this.anew = new Scene({ seed });
    for (let i = 0; i < NODES; i++) this.#set(randomNode(this.#dice, `n${i}`));
    for (const scene of [this.kept, this.anew])
      scene.object(NAMESPACES, { metadata: { name: 'default', labels: { team: 'red' } }, spec: {} });
  }

  #set(node: Node): void {
    this.#nodes.set(node.metadata.name ?? '', node);
    for (const scene of [this.kept, this.anew]) scene.nodes(node);
  }

  change(): void {
    const dice = this.#dice;
    const name = `n${dice.below(NODES)}`;
    const node = this.#nodes.get(name);
    const at = dice.below(Math.max(1, this.#placed.length));
    const there = this.#placed[at];
    switch (dice.below(6)) {
      case 0:
        return this.#set(randomNode(dice, name));
      case 1:
        this.#nodes.delete(name);
        for (const scene of [this.kept, this.anew]) scene.state.removeNode(name);
        return;
      case 2:
        if (node !== undefined)
          this.#set({ ...node, metadata: { ...node.metadata, labels: randomNodeLabels(dice, name) } });
        return;
      case 3:
        if (node !== undefined) this.#set({ ...node, spec: { ...node.spec, taints: randomTaints(dice) } });
        return;
      case 4:
        if (there === undefined) return;
        this.#placed.splice(at, 1);
        for (const scene of [this.kept, this.anew]) scene.state.release(there.pod.metadata.uid ?? '');
        return;
      default:
        if (there === undefined) return;
        there.pod = { ...there.pod, metadata: { ...there.pod.metadata, labels: randomLabels(dice) } };
        for (const scene of [this.kept, this.anew]) scene.placed(there.pod, there.node);
    }
  }

  /** Answers whether a node was found. */
  decide(pod: Pod, about: string): boolean {
    this.anew.forget();
    const [one, other] = [this.kept.decide(pod), this.anew.decide(pod)];
    assert.deepEqual(said(one), said(other), about);
    assert.equal(one.message, other.message, about);
    if (one.node === undefined || other.node === undefined) return false;
    // Of those that are equal each takes one by chance.
    const totals = new Map(other.explanation.scored.map(({ node, total }) => [node, total]));
    assert.equal(totals.get(one.node), totals.get(other.node), `${about}: the best`);
    for (const scene of [this.kept, this.anew]) scene.placed(pod, one.node);
    this.#placed.push({ pod, node: one.node });
    return true;
  }

  live(seed: number): number {
    const dice = this.#dice;
    // A few kinds, as controllers make them: what is kept of each is used again and again.
    const kinds = Array.from({ length: 3 }, (_, i) => {
      const { metadata, spec } = randomPod(dice, `k${i}`);
      const { deletionTimestamp: _going, ...stays } = metadata;
      return { metadata: stays, spec };
    });
    let found = 0;
    for (let i = 0; i < DECISIONS; i++) {
      if (dice.chance(30)) this.change();
      const { metadata, spec } = dice.one(kinds);
      const pod = { metadata: { ...metadata, name: `p${i}`, uid: `u${i}` }, spec };
      if (this.decide(pod, `seed ${seed}, decision ${i}`)) found++;
    }
    return found;
  }
}

test(`property: ${SEEDS} histories of ${NODES} nodes in groups decide as if each were asked`, () => {
  let found = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) found += new Twins(seed).live(seed);
  assert.ok(found > SEEDS, `${found} pods found a node`);
});
