import {
  CSI_DRIVERS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTACHMENTS,
  isNodeReady,
  wellknown,
} from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { VolumeAttachment } from '@binnacle/api/storage/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { enqueueOn, gatherMs, runController, sameTrigger, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import type { KubeObject } from '@binnacle/machinery';
import { PODS_BY_CLAIM } from '../claims-of-pods.ts';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { PODS_BY_NODE } from '../pods-by-node.ts';
import { AttachDetach } from './attach-detach.ts';
import { showAttachable } from './figures.ts';
import {
  ATTACHMENT_INDEXES,
  AttachableVolumes,
  holdsVolumes,
  NODE_INDEXES,
  reportedVolumes,
  VOLUME_INDEXES,
} from './volumes.ts';
import type { VolumeCaches } from './volumes.ts';

/**
 * Starts the controller that has drivers attach volumes to the nodes whose pods need them, and detach them after. One
 * queue holds volumes, by the name that nodes know them under; another one nodes, whose status tells what they have.
 */
export function runAttachDetachController(kit: ControllerKit, options: StartOptions): readonly Controller[] {
  const caches: VolumeCaches = {
    pods: kit.informers.need(PODS, { indexes: { ...PODS_BY_CLAIM, ...PODS_BY_NODE } }),
    claims: kit.informers.need(PERSISTENT_VOLUME_CLAIMS),
    volumes: kit.informers.need(PERSISTENT_VOLUMES, { indexes: VOLUME_INDEXES }),
    nodes: kit.informers.need(NODES, { indexes: NODE_INDEXES }),
    drivers: kit.informers.need(CSI_DRIVERS),
    attachments: kit.informers.need(VOLUME_ATTACHMENTS, { indexes: ATTACHMENT_INDEXES }),
  };
  const volumes = new AttachableVolumes(caches);
  const acts = new AttachDetach({ kit, caches, volumes, ...options.attachDetach });
  const { world, scope } = kit;
  scope.defer(showAttachable(kit.figures, caches, volumes));
  const common = { world, scope, caches: Object.values({ ...caches }) };
  const byNode = runController({
    ...common,
    name: 'attach-detach-node-status',
    about: NODES,
    workers: 1,
    sync: (key, context) => acts.reportNode(key, context),
  });
  const byVolume = runController({
    ...common,
    name: 'persistentvolume-attach-detach-controller',
    sync: async (key, context) => {
      for (const node of await acts.syncVolume(key, context)) byNode.enqueue(node, sameTrigger(context));
    },
  });
  follow(kit, caches, { volumes, byVolume, byNode, acts });
  return [byVolume, byNode];
}

interface Queues {
  readonly volumes: AttachableVolumes;
  readonly byVolume: Controller;
  readonly byNode: Controller;
  readonly acts: AttachDetach;
}

function follow({ scope }: ControllerKit, caches: VolumeCaches, { volumes, byVolume, byNode, acts }: Queues): void {
  const tell = (event: string, object: KubeObject, names: readonly string[]): void => {
    for (const name of names) byVolume.enqueue(name, triggerOf(event, object));
  };
  scope.defer(
    caches.pods.subscribe({
      add: (pod) => tell('ADDED', pod, volumes.ofPod(pod)),
      update: (before, pod) => {
        if (placeOf(before) !== placeOf(pod)) tell('MODIFIED', pod, volumes.ofPod(pod));
      },
      remove: (pod) => tell('DELETED', pod, volumes.ofPod(pod)),
    }),
  );
  scope.defer(enqueueOn(caches.claims, byVolume, (claim) => volumes.ofClaim(cacheKey(claim))));
  scope.defer(enqueueOn(caches.drivers, byVolume, ({ metadata }) => volumes.ofDriver(metadata.name ?? '')));
  scope.defer(
    caches.volumes.subscribe({
      add: (volume) => tell('ADDED', volume, volumes.ofVolume(volume)),
      update: (before, volume) => {
        tell('MODIFIED', volume, [...volumes.ofVolume(before), ...volumes.ofVolume(volume)]);
      },
      remove: (volume) => tell('DELETED', volume, volumes.ofVolume(volume)),
    }),
  );
  scope.defer(caches.nodes.subscribe(nodeSink(volumes, tell, byNode)));
  const attachment = (event: string, one: VolumeAttachment): void => {
    const name = volumes.ofAttachment(one);
    tell(event, one, name === undefined ? [] : [name]);
    const { nodeName } = one.spec;
    byNode.enqueueAfter(nodeName, gatherMs(volumes.countOn(nodeName)), triggerOf(event, one));
  };
  scope.defer(
    caches.attachments.subscribe({
      add: (one) => attachment('ADDED', one),
      update: (before, one) => {
        acts.tellPods(before, one);
        attachment('MODIFIED', one);
      },
      remove: (one) => {
        acts.forget(one);
        attachment('DELETED', one);
      },
    }),
  );
}

/** What of a pod decides where its volumes have to be. */
function placeOf(pod: Pod): string {
  return `${holdsVolumes(pod)} ${pod.spec.nodeName ?? ''}`;
}

type Tell = (event: string, object: KubeObject, names: readonly string[]) => void;

/** Whoever comes, goes, or is another state matters to all its volumes; of what it tells of volumes, the difference does. */
function nodeSink(
  volumes: AttachableVolumes,
  tell: Tell,
  byNode: Controller,
): Parameters<Informer<Node>['subscribe']>[0] {
  const all = (event: string, one: Node): void => {
    const name = one.metadata.name ?? '';
    tell(event, one, [...volumes.ofNode(name), ...(one.status?.volumesInUse ?? [])]);
    byNode.enqueue(name, triggerOf(event, one));
  };
  return {
    add: (one) => all('ADDED', one),
    update: (before, one) => {
      if (stateOf(before) !== stateOf(one)) {
        tell('MODIFIED', one, before.status?.volumesInUse ?? []);
        return all('MODIFIED', one);
      }
      const changed = [
        ...difference(before.status?.volumesInUse ?? [], one.status?.volumesInUse ?? []),
        ...difference(reportedVolumes(before), reportedVolumes(one)),
      ];
      if (changed.length === 0) return;
      tell('MODIFIED', one, changed);
      const { name = '' } = one.metadata;
      byNode.enqueueAfter(name, gatherMs(volumes.countOn(name)), triggerOf('MODIFIED', one));
    },
    remove: (one) => all('DELETED', one),
  };
}

/** What decides about all volumes of a node. */
function stateOf(node: Node): string {
  const outOfService = node.spec.taints?.some(({ key }) => key === wellknown.TAINT_OUT_OF_SERVICE) === true;
  return `${isNodeReady(node)} ${outOfService} ${node.metadata.annotations?.[wellknown.ANNOTATION_ATTACH_DETACH] ?? ''}`;
}

/** What one of the two has and the other has not. */
function difference(a: readonly string[], b: readonly string[]): readonly string[] {
  const [inA, inB] = [new Set(a), new Set(b)];
  return [...a.filter((name) => !inB.has(name)), ...b.filter((name) => !inA.has(name))];
}
