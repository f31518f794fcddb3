import { memberOf } from '@binnacle/machinery';
import { wellknown } from '@binnacle/api';
import type { Volume } from '@binnacle/api/core/v1';
import type { PluginFactory } from '../handle.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { NodeTest, QueueingHint, Refusal } from '../plan/framework.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { CLAIMS, CSI_NODES, VOLUME_ATTACHMENTS, VOLUMES } from '../refs.ts';
import { noArguments } from './arguments.ts';
import { claimsOf, VolumeWorld } from './pod-volumes.ts';
import { NODE_ADDED, NODE_GONE, NODE_LABELS, OWN_UPDATE } from './queueing-hints.ts';
import { VolumePlaces } from './volume-places.ts';

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

/** No more volumes of a CSI driver on a node than its CSINode says. */
export const nodeVolumeLimits: PluginFactory = {
  name: 'NodeVolumeLimits',
  create(handle, args) {
    const places = new VolumePlaces(handle);
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
      filter(demand) {
        const own = places.of(demand);
        if (own.length === 0) return undefined;
        places.refresh();
        if (own.every((volumes) => places.areWelcome(volumes))) return undefined;
        return (slot) => (own.every((volumes) => places.takes(slot, volumes)) ? undefined : TOO_MANY);
      },
    };
  },
};
