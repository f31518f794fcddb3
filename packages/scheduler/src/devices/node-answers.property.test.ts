/** What nodes said to one pod with claims is true of the next one too: as somebody says who has just looked at all. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { DeviceClass, DeviceTaint, ResourceClaim, ResourceSlice } from '@binnacle/api/resource/v1';
import { makeClaim, makeClass, makeSlice, request } from '../testing/devices.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Dice } from '../testing/random-objects.ts';
import { Scene } from '../testing/scene.ts';
import { allocatedDevicesOf } from './allocated-devices.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 12);
const FIRST = Number(process.env['SCHEDULER_SEED'] ?? 1);
const RESOURCE = 'x.io/gpu';

class World {
  readonly scene = new Scene();
  readonly dice: Dice;
  readonly nodes = new Map<string, Node>();
  readonly slices = new Map<string, ResourceSlice>();
  readonly classes = new Map<string, DeviceClass>();
  readonly claims = new Map<string, ResourceClaim>();
  /** Reserved and not written yet, by claim: the pod and its node. */
  readonly pending = new Map<string, { readonly pod: Pod; readonly node: string }>();

  constructor(seed: number) {
    this.dice = new Dice(seed);
    for (let i = 0; i < 4; i++) this.setNode(`n${i}`);
    for (let i = 0; i < 4; i++) this.setSlice(`n${i}`);
    this.setClass('any');
    this.setClass('big');
    for (let i = 0; i < 6; i++) this.setClaim(`c${i}`);
  }

  setNode(name: string): void {
    const labels = { rack: this.dice.one(['1', '2']) };
    const node = makeNode(name, { labels, ...(this.dice.chance(20) ? { resources: { [RESOURCE]: '2' } } : {}) });
    this.nodes.set(name, node);
    this.scene.nodes(node);
  }

  setSlice(node: string): void {
    const devices = Array.from({ length: this.dice.below(4) }, (_, i) => ({
      name: `d${i}`,
      attributes: { big: { bool: this.dice.chance(40) } },
      ...(this.dice.chance(20) ? { taints: [this.#taint()] } : {}),
    }));
    // Of a pool some slices may be missing, or be those of before.
    const pool = {
      name: node,
      generation: this.dice.one([1, 2]),
      resourceSliceCount: this.dice.chance(90) ? 1 : 2,
    };
    const reach = this.dice.one([{}, {}, {}, {}, {}, SOME_NODES, ALL_NODES]);
    const slice = makeSlice(node, devices, { pool, ...reach });
    this.slices.set(node, slice);
    this.scene.object(RESOURCE_SLICES, slice);
  }

  #taint(): DeviceTaint {
    return { key: this.dice.one(['hot', 'old']), effect: this.dice.one(['NoSchedule', 'NoExecute', 'None'] as const) };
  }

  setClass(name: string): void {
    const made = name === 'any' ? makeClass('any') : makeClass(name, this.dice.one([BIG, `!${BIG}`]));
    const found = this.dice.chance(50) ? made : { ...made, spec: { ...made.spec, extendedResourceName: RESOURCE } };
    this.classes.set(name, found);
    this.scene.object(DEVICE_CLASSES, found);
  }

  setClaim(name: string): void {
    const deviceClassName = this.dice.one(['any', 'any', 'big']);
    const wanted = this.dice.chance(90) ? { count: this.dice.chance(70) ? 1 : 2 } : { allocationMode: 'All' as const };
    const more = {
      ...(this.dice.chance(30) ? { tolerations: [{ key: 'hot', operator: 'Exists' as const }] } : {}),
      ...(this.dice.chance(10) ? { adminAccess: true } : {}),
    };
    this.showClaim(name, makeClaim(name, [request('r', { deviceClassName, ...wanted, ...more })]));
  }

  showClaim(name: string, claim: ResourceClaim): void {
    this.claims.set(name, claim);
    this.scene.object(RESOURCE_CLAIMS, claim);
  }

  dropClaim(name: string): void {
    const claim = this.claims.get(name);
    this.claims.delete(name);
    if (claim !== undefined) this.scene.remove(RESOURCE_CLAIMS, claim);
  }

  /** Somebody else gave the claim a device, or took them from it. */
  giveElsewhere(name: string): void {
    const claim = this.claims.get(name);
    if (claim === undefined) return;
    const { status: _, ...open } = claim;
    if (claim.status?.allocation !== undefined) return this.showClaim(name, open);
    const pool = `n${this.dice.below(5)}`;
    const result = { request: 'r', driver: 'd.example.org', pool, device: `d${this.dice.below(4)}` };
    this.showClaim(name, { ...open, status: { allocation: { devices: { results: [result] } } } });
  }

  /** One who has seen nothing before. */
  fresh(): Scene {
    const scene = new Scene().nodes(...this.nodes.values());
    for (const one of this.slices.values()) scene.object(RESOURCE_SLICES, one);
    for (const one of this.classes.values()) scene.object(DEVICE_CLASSES, one);
    for (const one of this.claims.values()) scene.object(RESOURCE_CLAIMS, one);
    for (const name of this.pending.keys()) {
      const promised = allocatedDevicesOf(this.scene.state).promised(`claim-${name}`);
      if (promised !== undefined) allocatedDevicesOf(scene.state).promise(`claim-${name}`, promised);
    }
    return scene;
  }

  change(): void {
    const { dice, scene } = this;
    const name = `n${dice.below(5)}`;
    switch (dice.below(8)) {
      case 0:
        return this.setNode(name);
      case 1:
        this.nodes.delete(name);
        return scene.state.removeNode(name);
      case 2:
        return this.setSlice(name);
      case 3: {
        const slice = this.slices.get(name);
        this.slices.delete(name);
        if (slice !== undefined) scene.remove(RESOURCE_SLICES, slice);
        return;
      }
      case 4:
        return this.setClass(dice.one(['any', 'big']));
      default: {
        const claim = `c${dice.below(6)}`;
        if (this.pending.has(claim)) return;
        // The claim is made anew, with or without devices before; it goes; or another scheduler has to do with it.
        return dice.one([
          () => this.setClaim(claim),
          () => this.setClaim(claim),
          () => this.dropClaim(claim),
          () => this.giveElsewhere(claim),
        ])();
      }
    }
  }

  /** What is on its way is written, or taken back: all claims of a pod. */
  settle(): void {
    const plugin = this.scene.plugins.byName.get('DynamicResources');
    const withdrawn = new Map<Pod, boolean>();
    for (const [name, { pod, node }] of this.pending) {
      const demand = this.scene.demand(pod);
      const isWithdrawn = withdrawn.get(pod) ?? this.dice.chance(30);
      withdrawn.set(pod, isWithdrawn);
      const allocation = allocatedDevicesOf(this.scene.state).promised(`claim-${name}`);
      const claim = this.claims.get(name);
      if (isWithdrawn) plugin?.unreserve?.(demand, node);
      else if (claim !== undefined && allocation !== undefined) {
        const reservedFor = [{ resource: 'pods', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' }];
        this.showClaim(name, { ...claim, status: { allocation, reservedFor } });
      }
    }
    for (const { pod, node } of this.pending.values()) {
      if (withdrawn.get(pod) === false) plugin?.postBind?.(this.scene.demand(pod), node);
    }
    this.pending.clear();
  }

  place(pod: Pod, claims: readonly string[], node: string): void {
    const demand = this.scene.demand(pod);
    const refusal = this.scene.plugins.byName.get('DynamicResources')?.reserve?.(demand, node);
    assert.equal(refusal, undefined);
    for (const claim of claims) {
      if (this.claims.get(claim)?.status?.allocation === undefined) this.pending.set(claim, { pod, node });
    }
  }
}

const RACK_1 = { matchExpressions: [{ key: 'rack', operator: 'In' as const, values: ['1'] }] };
const SOME_NODES = { nodeSelector: { nodeSelectorTerms: [RACK_1] }, nodeName: '' };
const ALL_NODES = { allNodes: true, nodeName: '' };
const BIG = 'device.attributes["d.example.org"].big';

test(`property: in ${SEEDS} histories nodes say what they would say if they were asked anew`, () => {
  let fits = 0;
  let failures = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const world = new World(seed);
    for (let step = 0; step < 40; step++) {
      if (world.dice.chance(50)) world.change();
      if (world.dice.chance(40)) world.settle();
      const first = world.dice.below(6);
      // Two claims of a pod are found devices together.
      const used = world.dice.chance(70) ? [`c${first}`] : [`c${first}`, `c${(first + 1) % 6}`];
      const asksForResource = world.dice.chance(25);
      const pod = asksForResource
        ? makePod(`p${step}`, {
            containers: [{ name: 'c', image: 'x', resources: { requests: { [RESOURCE]: '1' } } }],
          })
        : makePod(`p${step}`, {
            resourceClaims: used.map((name) => ({ name, resourceClaimName: name })),
          });
      const [kept, anew] = [world.scene.decide(pod), world.fresh().decide(pod)];
      const said = ({ explanation, message }: typeof kept): unknown => [
        message,
        explanation.refused
          .flatMap(({ names, reasons }) => names.map((name) => `${name} ${reasons.join()}`))
          .toSorted(),
      ];
      assert.deepEqual(said(kept), said(anew), `seed ${seed}, step ${step}`);
      if (kept.node === undefined) failures++;
      else fits++;
      if (!asksForResource && kept.node !== undefined) world.place(pod, used, kept.node);
    }
  }
  assert.ok(fits > SEEDS && failures > SEEDS, `${fits} found a node, ${failures} did not`);
});

test('a pod with a claim has one node looked at anew, however many there are and however many devices are given', () => {
  /** How often anybody read what a device is, for one pod. */
  const readsWith = (count: number): number => {
    const scene = new Scene().object(DEVICE_CLASSES, makeClass('any'));
    let reads = 0;
    for (let i = 0; i < count; i++) {
      scene.nodes(makeNode(`n${i}`));
      const devices = Array.from({ length: 4 }, (_, d) => {
        const device = { name: `d${d}` };
        return Object.defineProperty({ ...device }, 'allowMultipleAllocations', {
          get: () => {
            reads++;
            return undefined;
          },
        });
      });
      scene.object(RESOURCE_SLICES, makeSlice(`n${i}`, devices));
    }
    const give = (name: string): void => {
      const claim = makeClaim(name, [request('r')]);
      scene.object(RESOURCE_CLAIMS, claim);
      const pod = makePod(`p-${name}`, { resourceClaims: [{ name: 'gpu', resourceClaimName: name }] });
      const demand = scene.demand(pod);
      const { node } = scene.schedule(demand);
      assert.ok(node !== undefined);
      const plugin = scene.plugins.byName.get('DynamicResources');
      assert.equal(plugin?.reserve?.(demand, node), undefined);
      const allocation = allocatedDevicesOf(scene.state).promised(`claim-${name}`);
      if (allocation !== undefined) scene.object(RESOURCE_CLAIMS, { ...claim, status: { allocation } });
      plugin?.postBind?.(demand, node);
    };
    for (let i = 0; i < count * 2; i++) give(`first-${i}`);
    reads = 0;
    for (let i = 0; i < 4; i++) give(`then-${i}`);
    return reads / 4;
  };
  const once = readsWith(4);
  assert.ok(once > 0);
  for (const count of [16, 64])
    assert.ok(readsWith(count) <= once * 1.5, `${readsWith(count)} at ${count}, ${once} at 4`);
});
