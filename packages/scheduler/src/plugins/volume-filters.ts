import { memberOf } from '@binnacle/machinery';
import { wellknown } from '@binnacle/api';
import type { PersistentVolume, Volume } from '@binnacle/api/core/v1';
import type { CSINode, VolumeAttachment } from '@binnacle/api/storage/v1';
import type { Lister, PluginFactory } from '../handle.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { NodeTest, QueueingHint, Refusal } from '../plan/framework.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { CLAIMS, CSI_NODES, VOLUME_ATTACHMENTS, VOLUMES } from '../refs.ts';
import { noArguments } from './arguments.ts';
import { claimsOf, isBound, VolumeWorld } from './pod-volumes.ts';
import { NODE_ADDED, NODE_GONE, NODE_LABELS, OWN_UPDATE } from './queueing-hints.ts';

const DISK_TAKEN: Refusal = {
  plugin: 'VolumeRestrictions',
  reasons: ['node(s) had no available disk'],
  unresolvable: false,
};
const CLAIM_TAKEN: Refusal = {
  plugin: 'VolumeRestrictions',
  reasons: ['node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'],
  unresolvable: false,
};
const WRONG_ZONE: Refusal = {
  plugin: 'VolumeZone',
  reasons: ['node(s) had no available volume zone'],
  unresolvable: true,
};
const TOO_MANY: Refusal = {
  plugin: 'NodeVolumeLimits',
  reasons: ['node(s) exceed max volume count'],
  unresolvable: false,
};

/** Attachments by their node. */
const ON_NODE = 'node';

const POD_GONE: QueueingHint = { resource: 'pods', actions: ['delete'] };
const CLAIM_CHANGED: QueueingHint = { resource: CLAIMS.resource, actions: ['add', 'update'] };
const VOLUME_CHANGED: QueueingHint = { resource: VOLUMES.resource, actions: ['add', 'update'] };

/** Disks that two pods on one node cannot both have, unless both only read. */
function clash(a: Volume, b: Volume): boolean {
  const both = <T extends { readonly readOnly?: boolean }>(
    x: T | undefined,
    y: T | undefined,
    isSame: (x: T, y: T) => boolean,
  ) => x !== undefined && y !== undefined && isSame(x, y) && !(x.readOnly === true && y.readOnly === true);
  if (both(a.gcePersistentDisk, b.gcePersistentDisk, (x, y) => x.pdName === y.pdName)) return true;
  if (both(a.iscsi, b.iscsi, (x, y) => x.iqn === y.iqn)) return true;
  const image = both(a.rbd, b.rbd, (x, y) => {
    const shared = x.monitors.some((monitor) => y.monitors.includes(monitor));
    return shared && (x.pool ?? 'rbd') === (y.pool ?? 'rbd') && x.image === y.image;
  });
  if (image) return true;
  const [x, y] = [a.awsElasticBlockStore, b.awsElasticBlockStore];
  return x !== undefined && y !== undefined && x.volumeID === y.volumeID;
}

function isDisk({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: Volume): boolean {
  return (gcePersistentDisk ?? awsElasticBlockStore ?? iscsi ?? rbd) !== undefined;
}

function diskTest(demand: PodDemand, snapshot: Snapshot): NodeTest | undefined {
  const disks = (demand.pod.spec.volumes ?? []).filter(isDisk);
  if (disks.length === 0) return undefined;
  return (slot) => {
    const isTaken = snapshot
      .podsOn(slot)
      .some(({ pod }) => (pod.spec.volumes ?? []).some((theirs) => disks.some((own) => clash(own, theirs))));
    return isTaken ? DISK_TAKEN : undefined;
  };
}

/** A disk that only one node, or a claim that only one pod, may use is not used by another. */
export const volumeRestrictions: PluginFactory = {
  name: 'VolumeRestrictions',
  create(handle, args) {
    const claims = handle.lister(CLAIMS);
    return {
      name: noArguments('VolumeRestrictions', args),
      wakesOn: [OWN_UPDATE, POD_GONE, NODE_ADDED, NODE_GONE, CLAIM_CHANGED],
      filter(demand, snapshot) {
        const disks = diskTest(demand, snapshot);
        const isTaken = claimsOf(demand).some(
          ({ key }) =>
            claims.get(key)?.spec?.accessModes?.includes('ReadWriteOncePod') === true && snapshot.claimUsers(key) > 0,
        );
        return isTaken ? () => CLAIM_TAKEN : disks;
      },
    };
  },
};

/** Labels of zones and regions, each with the one that says the same today. */
const ZONE_LABELS = new Map([
  [wellknown.LABEL_ZONE, wellknown.LABEL_ZONE],
  [wellknown.LABEL_REGION, wellknown.LABEL_REGION],
  ['failure-domain.beta.kubernetes.io/zone', wellknown.LABEL_ZONE],
  ['failure-domain.beta.kubernetes.io/region', wellknown.LABEL_REGION],
]);

const ZONE_LABEL_NAMES = [...ZONE_LABELS.keys()];

interface Zones {
  readonly key: string;
  /** Where a node lacks that one. */
  readonly today: string;
  readonly values: readonly string[];
}

/** The zones and regions that a pod's bound volumes are in. */
function zonesOf(demand: PodDemand, world: VolumeWorld): Zones[] {
  return claimsOf(demand).flatMap(({ key }) => {
    const volume = world.volumes.get(world.claims.get(key)?.spec?.volumeName ?? '');
    return [...ZONE_LABELS].flatMap(([label, today]) => {
      const value = volume?.metadata.labels?.[label];
      return value === undefined ? [] : [{ key: label, today, values: value.split('__') }];
    });
  });
}

function isIn(labels: { readonly [key: string]: string }, { key, today, values }: Zones): boolean {
  const zone = memberOf(labels, key) ?? memberOf(labels, today);
  return zone !== undefined && values.includes(zone);
}

/** Volumes labelled with a zone are used in it. */
export const volumeZone: PluginFactory = {
  name: 'VolumeZone',
  create(handle, args) {
    const world = new VolumeWorld(handle);
    return {
      name: noArguments('VolumeZone', args),
      wakesOn: [OWN_UPDATE, NODE_LABELS, CLAIM_CHANGED, VOLUME_CHANGED],
      filter(demand, { nodes }) {
        const zones = zonesOf(demand, world);
        if (zones.length === 0) return undefined;
        return (slot) => {
          const labels = nodes.nodes[slot]?.metadata.labels ?? {};
          // A cluster without zones has one.
          if (ZONE_LABEL_NAMES.every((label) => labels[label] === undefined)) return undefined;
          return zones.every((one) => isIn(labels, one)) ? undefined : WRONG_ZONE;
        };
      },
    };
  },
};

/** A volume of a CSI driver, or one that will be. */
interface AttachedVolume {
  readonly driver: string;
  readonly handle: string;
}

function attachedBy(demand: PodDemand, world: VolumeWorld): AttachedVolume[] {
  return claimsOf(demand).flatMap(({ key }) => {
    const claim = world.claims.get(key);
    if (claim === undefined) return [];
    const volume: PersistentVolume | undefined = world.volumes.get(claim.spec?.volumeName ?? '');
    const csi = volume?.spec?.csi;
    if (csi !== undefined) return [{ driver: csi.driver, handle: csi.volumeHandle }];
    const storage = world.classOf(claim);
    if (isBound(claim) || storage === undefined) return [];
    return [{ driver: storage.provisioner, handle: `${storage.metadata.name ?? ''}-${key}` }];
  });
}

function limitOf(node: CSINode | undefined, driver: string): number | undefined {
  return (node?.spec.drivers ?? []).find((d) => d.name === driver)?.allocatable?.count;
}

function limitsTest(
  demand: PodDemand,
  snapshot: Snapshot,
  { world, csiNodes, attachments }: LimitsInput,
): NodeTest | undefined {
  const own = attachedBy(demand, world);
  if (own.length === 0) return undefined;
  const drivers = [...new Set(own.map((v) => v.driver))];
  return (slot) => {
    const csiNode = csiNodes.get(snapshot.nodes.nameOf(slot));
    if (drivers.every((driver) => limitOf(csiNode, driver) === undefined)) return undefined;
    const attached = new Map<string, Set<string>>(drivers.map((driver) => [driver, new Set()]));
    // Of pods that are gone, or that nobody sees: what is attached takes its place until it is let go of.
    for (const { spec } of attachments.byIndex(ON_NODE, snapshot.nodes.nameOf(slot))) {
      const handle = world.volumes.get(spec.source.persistentVolumeName ?? '')?.spec?.csi?.volumeHandle;
      if (handle !== undefined) attached.get(spec.attacher)?.add(handle);
    }
    for (const pod of snapshot.podsOn(slot)) {
      for (const { driver, handle } of attachedBy(pod, world)) attached.get(driver)?.add(handle);
    }
    for (const driver of drivers) {
      const limit = limitOf(csiNode, driver);
      const there = attached.get(driver) ?? new Set();
      const wanted = own.flatMap((v) => (v.driver === driver && !there.has(v.handle) ? [v.handle] : []));
      const added = new Set(wanted).size;
      // What is there already needs no new place.
      if (limit !== undefined && added > 0 && there.size + added > limit) return TOO_MANY;
    }
    return undefined;
  };
}

interface LimitsInput {
  readonly world: VolumeWorld;
  readonly csiNodes: Lister<CSINode>;
  readonly attachments: Lister<VolumeAttachment>;
}

/** No more volumes of a CSI driver on a node than its CSINode says. */
export const nodeVolumeLimits: PluginFactory = {
  name: 'NodeVolumeLimits',
  create(handle, args) {
    const input = {
      world: new VolumeWorld(handle),
      csiNodes: handle.lister(CSI_NODES),
      attachments: handle.lister(VOLUME_ATTACHMENTS, { [ON_NODE]: ({ spec }) => [spec.nodeName] }),
    };
    return {
      name: noArguments('NodeVolumeLimits', args),
      wakesOn: [
        OWN_UPDATE,
        POD_GONE,
        NODE_ADDED,
        CLAIM_CHANGED,
        // Without its CSINode a node has no limit; a volume tells the driver and who shares a place with whom.
        { resource: CSI_NODES.resource, actions: ['add', 'update', 'delete'] },
        { resource: VOLUMES.resource, actions: ['add', 'update', 'delete'] },
        { resource: VOLUME_ATTACHMENTS.resource, actions: ['delete'] },
      ],
      filter: (demand, snapshot) => limitsTest(demand, snapshot, input),
    };
  },
};
