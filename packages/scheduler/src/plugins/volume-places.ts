import type { CSINode, VolumeAttachment } from '@binnacle/api/storage/v1';
import type { Handle, Lister } from '../handle.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { CSI_NODES, VOLUME_ATTACHMENTS } from '../refs.ts';
import { claimsOf, isBound, VolumeWorld } from './pod-volumes.ts';

/** Attachments by their node. */
const ON_NODE = 'node';
/** Of a node without a limit. */
const ENDLESS = 0x7fff_ffff;
/** Nodes with less room than this are counted by their room: most pods have fewer volumes. */
const SCARCE = 16;

/** What one node has of the drivers that it limits. */
interface NodeVolumes {
  readonly byDriver: ReadonlyMap<string, ReadonlySet<string>>;
  /** By whose change it has to be looked at again: `claim/<namespace>/<name>`, `volume/<name>`. */
  readonly sources: readonly string[];
}

/** One driver on all nodes. */
interface DriverRoom {
  /** By slot: how many more volumes the node takes. */
  room: Int32Array;
  /** By room below SCARCE: how many nodes have it. */
  readonly scarce: number[];
  /** How many nodes limit the driver. */
  limited: number;
}

/** Volumes of one driver, by their handles. */
export interface DriverVolumes {
  readonly driver: string;
  readonly handles: ReadonlySet<string>;
}

/**
 * How many more volumes of each CSI driver nodes take. Kept as pods, claims, volumes and attachments come and go: a pod that is
 * placed has one node counted again, and not the pods of all nodes for the next pod.
 */
export class VolumePlaces {
  readonly #world: VolumeWorld;
  readonly #snapshot: Snapshot;
  readonly #csiNodes: Lister<CSINode>;
  readonly #attachments: Lister<VolumeAttachment>;
  readonly #drivers = new Map<string, DriverRoom>();
  /** By slot. */
  readonly #nodes: (NodeVolumes | undefined)[] = [];
  /** Source → the slots that it was looked at for. */
  readonly #bySource = new Map<string, Set<number>>();
  readonly #stale = new Set<number>();
  #touches = -1;

  constructor(handle: Handle) {
    this.#world = new VolumeWorld(handle);
    this.#snapshot = handle.snapshot;
    this.#csiNodes = handle.lister(CSI_NODES);
    this.#attachments = handle.lister(VOLUME_ATTACHMENTS, { [ON_NODE]: ({ spec }) => [spec.nodeName] });
    const { claims, volumes, classes } = this.#world;
    claims.follow((before, after) => this.#changed('claim', after ?? before));
    volumes.follow((before, after) => this.#changed('volume', after ?? before));
    // Of claims that wait for their volume the class names the driver.
    classes.follow(() => (this.#touches = -1));
    this.#csiNodes.follow((before, after) => this.#nodeChanged((after ?? before)?.metadata.name));
    this.#attachments.follow((before, after) => {
      this.#nodeChanged(before?.spec.nodeName);
      this.#nodeChanged(after?.spec.nodeName);
    });
  }

  /** The volumes of CSI drivers that a pod uses, or will use. */
  of(demand: PodDemand): readonly DriverVolumes[] {
    const byDriver = new Map<string, Set<string>>();
    for (const { key } of claimsOf(demand)) this.#add(byDriver, key);
    return [...byDriver].map(([driver, handles]) => ({ driver, handles }));
  }

  /** Counts again what has changed. To be called before the questions below. */
  refresh(): void {
    const { nodes } = this.#snapshot;
    const isKnown = this.#touches >= 0 && nodes.touchedSince(this.#touches, (slot) => this.#stale.add(slot));
    if (!isKnown) for (let slot = 0; slot < nodes.end; slot++) this.#stale.add(slot);
    this.#touches = nodes.touches;
    for (const slot of this.#stale) this.#look(slot);
    this.#stale.clear();
  }

  /** Whether every node takes these, whatever it has of them already. */
  areWelcome({ driver, handles }: DriverVolumes): boolean {
    const found = this.#drivers.get(driver);
    if (found === undefined) return true;
    if (handles.size > SCARCE) return false;
    for (let room = 0; room < handles.size; room++) if ((found.scarce[room] ?? 0) > 0) return false;
    return true;
  }

  /** Whether the node at a slot takes these: what is there already needs no new place. */
  takes(slot: number, { driver, handles }: DriverVolumes): boolean {
    const room = this.#drivers.get(driver)?.room[slot] ?? ENDLESS;
    if (room >= handles.size) return true;
    const there = this.#nodes[slot]?.byDriver.get(driver);
    let added = 0;
    for (const handle of handles) if (there?.has(handle) !== true) added++;
    return added === 0 || added <= room;
  }

  #changed(kind: 'claim' | 'volume', object: { readonly metadata: ObjectName } | undefined): void {
    const { namespace, name = '' } = object?.metadata ?? {};
    const source = kind === 'claim' ? `claim/${namespace ?? ''}/${name}` : `volume/${name}`;
    for (const slot of this.#bySource.get(source) ?? []) this.#stale.add(slot);
  }

  #nodeChanged(name: string | undefined): void {
    const slot = name === undefined ? undefined : this.#snapshot.nodes.slotOf(name);
    if (slot !== undefined) this.#stale.add(slot);
  }

  #look(slot: number): void {
    const before = this.#nodes[slot];
    this.#forget(slot, before);
    this.#nodes[slot] = undefined;
    const name = this.#snapshot.nodes.nameOf(slot);
    const drivers = name === '' ? [] : (this.#csiNodes.get(name)?.spec.drivers ?? []);
    const limits = drivers.flatMap(({ name: driver, allocatable }) =>
      allocatable?.count === undefined ? [] : [{ driver, limit: allocatable.count }],
    );
    if (limits.length === 0) return;
    const byDriver = new Map<string, Set<string>>();
    const sources = new Set<string>();
    // Of pods that are gone, or that nobody sees: what is attached takes its place until it is let go of.
    for (const { spec } of this.#attachments.byIndex(ON_NODE, name)) {
      const volume = spec.source.persistentVolumeName ?? '';
      sources.add(`volume/${volume}`);
      const handle = this.#world.volumes.get(volume)?.spec?.csi?.volumeHandle;
      if (handle !== undefined) put(byDriver, spec.attacher, handle);
    }
    for (const pod of this.#snapshot.podsOn(slot)) {
      for (const { key } of claimsOf(pod)) this.#add(byDriver, key, sources);
    }
    this.#nodes[slot] = { byDriver, sources: [...sources] };
    for (const source of sources) {
      const slots = this.#bySource.get(source) ?? new Set();
      this.#bySource.set(source, slots.add(slot));
    }
    for (const { driver, limit } of limits) {
      this.#setRoom(slot, driver, Math.max(0, limit - (byDriver.get(driver)?.size ?? 0)));
    }
  }

  #forget(slot: number, before: NodeVolumes | undefined): void {
    if (before === undefined) return;
    for (const source of before.sources) {
      const slots = this.#bySource.get(source);
      slots?.delete(slot);
      if (slots?.size === 0) this.#bySource.delete(source);
    }
    for (const driver of this.#drivers.keys()) this.#setRoom(slot, driver, ENDLESS);
  }

  #setRoom(slot: number, driver: string, room: number): void {
    let found = this.#drivers.get(driver);
    if (found === undefined) {
      found = { room: new Int32Array(0), scarce: Array.from({ length: SCARCE }, () => 0), limited: 0 };
      this.#drivers.set(driver, found);
    }
    if (found.room.length <= slot) {
      const longer = new Int32Array(Math.max(64, slot * 2)).fill(ENDLESS);
      longer.set(found.room);
      found.room = longer;
    }
    const before = found.room[slot] ?? ENDLESS;
    if (before < SCARCE) found.scarce[before] = (found.scarce[before] ?? 0) - 1;
    if (room < SCARCE) found.scarce[room] = (found.scarce[room] ?? 0) + 1;
    found.limited += (room === ENDLESS ? 0 : 1) - (before === ENDLESS ? 0 : 1);
    found.room[slot] = room;
    if (found.limited === 0) this.#drivers.delete(driver);
  }

  /** Adds what is behind a claim, and on what it rests. */
  #add(byDriver: Map<string, Set<string>>, key: string, sources?: Set<string>): void {
    sources?.add(`claim/${key}`);
    const claim = this.#world.claims.get(key);
    if (claim === undefined) return;
    const volumeName = claim.spec?.volumeName ?? '';
    if (volumeName !== '') sources?.add(`volume/${volumeName}`);
    const csi = this.#world.volumes.get(volumeName)?.spec?.csi;
    if (csi !== undefined) return put(byDriver, csi.driver, csi.volumeHandle);
    const storage = this.#world.classOf(claim);
    if (isBound(claim) || storage === undefined) return;
    put(byDriver, storage.provisioner, `${storage.metadata.name ?? ''}-${key}`);
  }
}

interface ObjectName {
  readonly namespace?: string;
  readonly name?: string;
}

function put(byDriver: Map<string, Set<string>>, driver: string, handle: string): void {
  const handles = byDriver.get(driver);
  if (handles === undefined) byDriver.set(driver, new Set([handle]));
  else handles.add(handle);
}
