/** No pod with claims is forgotten: where a change lets it fit, DynamicResources is woken by that change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES } from '@binnacle/api';
import type { ResourceRef } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Device, DeviceRequest, ResourceClaim, ResourceSlice } from '@binnacle/api/resource/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { ClusterEvent } from '../plan/framework.ts';
import { makeClaim, makeClass, makeSlice, request } from '../testing/devices.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Dice } from '../testing/random-objects.ts';
import { Scene } from '../testing/scene.ts';
import { eventMayHelp } from '../testing/waiting.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 40);
const DRIVER = 'd.example.org';
const NODES = ['a', 'b', 'c'];
const CLAIMS = ['c0', 'c1', 'c2', 'c3'];

const OF_KIND = (kind: string): string => `device.attributes["${DRIVER}"].kind == "${kind}"`;

function randomDevice(dice: Dice, name: string): Device {
  const taint = { key: 'broken', effect: 'NoSchedule' as const };
  return {
    name,
    attributes: { [`${DRIVER}/kind`]: { string: dice.one(['gpu', 'nic']) } },
    ...(dice.chance(20) ? { taints: [taint] } : {}),
  };
}

/** A pool of a node or of labelled nodes; now and then one that is not whole. */
function randomSlice(dice: Dice, pool: string): ResourceSlice {
  const devices = ['g0', 'g1'].slice(0, 1 + dice.below(2)).map((name) => randomDevice(dice, name));
  const count = dice.chance(85) ? 1 : 2;
  const made = makeSlice(pool, devices, {
    pool: { name: pool, generation: 1 + dice.below(2), resourceSliceCount: count },
  });
  if (dice.chance(70)) return { ...made, metadata: { name: `slice-${pool}` } };
  const { nodeName: _, ...spec } = made.spec;
  const matchExpressions = [{ key: 'disk', operator: 'In' as const, values: ['ssd'] }];
  return {
    metadata: { name: `slice-${pool}` },
    spec: { ...spec, nodeSelector: { nodeSelectorTerms: [{ matchExpressions }] } },
  };
}

function randomRequest(dice: Dice): DeviceRequest {
  const tolerations = dice.chance(30) ? [{ key: 'broken', operator: 'Exists' as const }] : [];
  return request('r', { deviceClassName: dice.one(['gpu', 'nic', 'late']), tolerations });
}

/** Without devices, or with one that the dice name. */
function randomClaim(dice: Dice, name: string): ResourceClaim {
  const node = dice.one(NODES);
  const device = { request: 'r', driver: DRIVER, pool: node, device: dice.one(['g0', 'g1']) };
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [node] }];
  // Some devices are made ready first; now and then one is not.
  const isSlow = dice.chance(50);
  const conditions = { bindingConditions: ['Ready'], bindingFailureConditions: ['Failed'] };
  const results = [{ ...device, ...(isSlow ? conditions : {}) }];
  const allocation = { devices: { results }, nodeSelector: { nodeSelectorTerms: [{ matchFields }] } };
  const told = { type: dice.one(['Ready', 'Failed']), status: 'True' as const, reason: 'R', message: '' };
  const devices = [{ ...device, conditions: [{ ...told, lastTransitionTime: '2026-01-01T00:00:00Z' }] }];
  const status = { allocation, ...(dice.chance(50) ? { devices } : {}) };
  return makeClaim(name, [randomRequest(dice)], dice.chance(50) ? { status } : {});
}

/** Something of a kind comes, changes or goes. */
function change<T extends KubeObject>(
  scene: Scene,
  { ref, there }: { readonly ref: ResourceRef<T>; readonly there: Map<string, T> },
  { key, made }: { readonly key: string; readonly made: T | undefined },
): ClusterEvent | undefined {
  const before = there.get(key);
  if (made === undefined) {
    if (before === undefined) return undefined;
    there.delete(key);
    scene.remove(ref, before);
    return { resource: ref.resource, action: 'delete', before };
  }
  there.set(key, made);
  scene.object(ref, made);
  const action = before === undefined ? 'add' : 'update';
  return { resource: ref.resource, action, ...(before === undefined ? {} : { before }), after: made };
}

class World {
  readonly scene = new Scene();
  readonly slices = { ref: RESOURCE_SLICES, there: new Map<string, ResourceSlice>() };
  readonly claims = { ref: RESOURCE_CLAIMS, there: new Map<string, ResourceClaim>() };
  readonly classes = { ref: DEVICE_CLASSES, there: new Map<string, ReturnType<typeof makeClass>>() };
  /** With who refused them last. */
  readonly waiting = new Map<string, { readonly pod: Pod; readonly refusedBy: ReadonlySet<string> }>();

  change(dice: Dice): ClusterEvent | undefined {
    const { scene } = this;
    const [claim, node] = [dice.one(CLAIMS), dice.one(NODES)];
    switch (dice.below(7)) {
      case 0:
      case 1:
        return change(scene, this.slices, { key: node, made: dice.chance(80) ? randomSlice(dice, node) : undefined });
      case 2: {
        const plain = makeClass('late', OF_KIND(dice.one(['gpu', 'nic'])));
        const extendedResourceName = dice.one(['example.com/late', 'example.com/other']);
        const made = dice.chance(50) ? plain : { ...plain, spec: { ...plain.spec, extendedResourceName } };
        return change(scene, this.classes, { key: 'late', made: dice.chance(70) ? made : undefined });
      }
      case 3: {
        const before = scene.state.nodes.nodes.find((one) => one?.metadata.name === node);
        const resources = { 'example.com/late': dice.one(['0', '2']) };
        const after = makeNode(node, { labels: { disk: dice.one(['ssd', 'hdd']) }, resources });
        scene.nodes(after);
        return { resource: 'nodes', action: 'update', ...(before === undefined ? {} : { before }), after };
      }
      default:
        return change(scene, this.claims, { key: claim, made: dice.chance(90) ? randomClaim(dice, claim) : undefined });
    }
  }

  /** Whoever fits by now was woken; how many did. */
  tell(event: ClusterEvent, about: string): number {
    const { scene, waiting } = this;
    let helped = 0;
    for (const [name, { pod, refusedBy }] of waiting) {
      const { node, refusedBy: now } = scene.decide(pod);
      const refused = { plugins: scene.plugins.byName, demand: scene.demand(pod), refusedBy };
      const mayHelp = eventMayHelp(refused, event);
      if (node === undefined) {
        // Who is woken in vain waits for others from then on.
        if (mayHelp) waiting.set(name, { pod, refusedBy: new Set(now) });
        continue;
      }
      assert.ok(mayHelp, `${about}: ${event.resource} ${event.action} lets ${name} fit`);
      waiting.delete(name);
      helped++;
    }
    return helped;
  }
}

test(`property: in ${SEEDS} histories no waiting pod with claims is forgotten`, () => {
  const helped = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const dice = new Dice(seed);
    const world = new World();
    for (const node of NODES) world.scene.nodes(makeNode(node));
    for (const kind of ['gpu', 'nic'])
      change(world.scene, world.classes, { key: kind, made: makeClass(kind, OF_KIND(kind)) });
    for (let step = 0; step < 60; step++) {
      const event = world.change(dice);
      const about = `seed ${seed}, step ${step}`;
      if (event !== undefined) helped.set(event.resource, (helped.get(event.resource) ?? 0) + world.tell(event, about));
      const resource = dice.one(['example.com/late', 'deviceclass.resource.kubernetes.io/late', 'example.com/other']);
      const pod = dice.chance(60)
        ? makePod(`p${step}`, { resourceClaims: [{ name: 'r', resourceClaimName: dice.one(CLAIMS) }] })
        : makePod(`p${step}`, { resources: { [resource]: '1' } });
      const { node, refusedBy } = world.scene.decide(pod);
      if (node === undefined) world.waiting.set(`p${step}`, { pod, refusedBy: new Set(refusedBy) });
    }
  }
  for (const resource of ['resourceclaims', 'resourceslices', 'deviceclasses', 'nodes']) {
    assert.ok((helped.get(resource) ?? 0) > 0, JSON.stringify([...helped]));
  }
});
