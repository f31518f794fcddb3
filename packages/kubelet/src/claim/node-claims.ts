/**
 * Claims of pods on this node: their devices are made ready by their drivers before the pod's sandbox, handed to its
 * containers, and taken back when the last pod that uses them has ended. What is done is written down before it is done.
 */
import { type Logger, messageOf, SerialQueue } from '@binnacle/base';
import { isControlledBy } from '@binnacle/machinery';
import type { Container, Pod } from '@binnacle/api/core/v1';
import type { ResourceClaim } from '@binnacle/api/resource/v1';
import { PluginRefusal } from '../plugin/plugin-error.ts';
import type { HostFiles, ObjectReader } from '../ports.ts';
import { type DeviceEdits, editsFor } from './cdi.ts';
import { readDeviceCatalogue } from './cdi-files.ts';
import type { ClaimDrivers, ClaimName } from './claim-drivers.ts';
import { type ClaimRecord, type ClaimRecords, type PreparedDevice, readClaims, writeClaims } from './claim-records.ts';

export interface NodeClaimsOptions {
  /** The file of what is prepared. */
  readonly path: string;
  readonly files: HostFiles;
  readonly drivers: Pick<ClaimDrivers, 'prepare' | 'unprepare'>;
  readonly objects: Pick<ObjectReader, 'resourceClaim'> | undefined;
  /** Where files tell of devices. */
  readonly cdiDirectories: readonly string[];
  readonly log: Logger;
}

/** Devices that a container has by one claim. */
export interface ContainerClaim {
  readonly claim: ClaimName;
  readonly devices: readonly PreparedDevice[];
}

export class NodeClaims {
  readonly #of: NodeClaimsOptions;
  #records: ClaimRecords = new Map();
  /** What is done to a claim is done one after the other; empty when nothing is. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #writes = new SerialQueue();

  constructor(options: NodeClaimsOptions) {
    this.#of = options;
  }

  /** Learns what an earlier kubelet prepared. */
  async recall(): Promise<void> {
    this.#records = await readClaims(this.#of.files, this.#of.path);
  }

  /** Those that have claims here. */
  get pods(): readonly string[] {
    return [...new Set([...this.#records.values()].flatMap(({ pods }) => pods))];
  }

  /** Has the devices of all of a pod's claims made ready; done already is fine. Throws PluginError, PluginRefusal. */
  async prepare(pod: Pod): Promise<void> {
    for (const name of claimNames(pod)) {
      const claim = await this.#claimOf(pod, name);
      await this.#inTurn(claim.uid, () => this.#prepareOne(pod, claim));
    }
  }

  /** The pod has ended: claims that nobody else on this node uses are taken back. Throws as `prepare`. */
  async release(podUid: string): Promise<void> {
    for (const { uid, pods } of [...this.#records.values()]) {
      if (pods.includes(podUid)) await this.#inTurn(uid, () => this.#releaseOne(podUid, uid));
    }
  }

  /** What a container gets by its claims, as they were prepared. Throws PluginRefusal where they are not. */
  devicesOf(pod: Pod, container: Pick<Container, 'name' | 'resources'>): readonly ContainerClaim[] {
    const names = new Map(claimNames(pod).map((one) => [one.inPod, one.name]));
    const named = (container.resources?.claims ?? []).flatMap(({ name, request }) => {
      const claimName = names.get(name);
      // Nobody made one for it: there was no need.
      return claimName === undefined ? [] : [this.#prepared(pod, claimName, [request ?? ''])];
    });
    const { resourceClaimName = '', requestMappings = [] } = pod.status?.extendedResourceClaimStatus ?? {};
    const requests = requestMappings
      .filter(({ containerName }) => containerName === container.name)
      .map(({ requestName }) => requestName);
    return requests.length === 0 ? named : [...named, this.#prepared(pod, resourceClaimName, requests)];
  }

  /** What was prepared for some requests of a claim; the empty name: for all. */
  #prepared(pod: Pod, claimName: string, requests: readonly string[]): ContainerClaim {
    const record = this.#find(pod, claimName);
    if (record?.devices === undefined)
      throw new PluginRefusal(`ResourceClaim ${claimName} is not prepared for pod ${pod.metadata.name ?? ''}`);
    const devices = record.devices.filter((one) => requests.some((request) => isFor(one.requests, request)));
    return { claim: { namespace: record.namespace, name: record.name, uid: record.uid }, devices };
  }

  /** What comes with devices of CDI, by their full names. Throws PluginRefusal. */
  async edits(ids: readonly string[]): Promise<DeviceEdits> {
    const { files, cdiDirectories, log } = this.#of;
    return editsFor(await readDeviceCatalogue(files, cdiDirectories, log), ids);
  }

  async #claimOf(pod: Pod, of: ClaimOfPod): Promise<ClaimRecord> {
    const { namespace = '' } = pod.metadata;
    const known = this.#find(pod, of.name);
    if (known !== undefined) return known;
    const claim = await this.#of.objects?.resourceClaim(namespace, of.name);
    const uid = claim?.metadata.uid ?? '';
    if (claim === undefined || uid === '') throw new PluginRefusal(`ResourceClaim ${namespace}/${of.name} not found`);
    refuseForeign(pod, claim, of);
    const drivers = [...new Set((claim.status?.allocation?.devices?.results ?? []).map(({ driver }) => driver))];
    return { namespace, name: of.name, uid, drivers, pods: [] };
  }

  async #prepareOne(pod: Pod, asked: ClaimRecord): Promise<void> {
    const podUid = pod.metadata.uid ?? '';
    const record = this.#records.get(asked.uid) ?? asked;
    const mine = record.pods.includes(podUid) ? record : { ...record, pods: [...record.pods, podUid] };
    if (mine !== record || !this.#records.has(mine.uid)) await this.#keep(mine);
    if (mine.devices !== undefined) return;
    const { namespace, name, uid } = mine;
    const devices: PreparedDevice[] = [];
    for (const driver of mine.drivers) {
      devices.push(...(await this.#of.drivers.prepare(driver, { namespace, name, uid })));
    }
    await this.#keep({ ...mine, devices });
    this.#of.log.info(3, 'Claim is prepared', { claim: `${namespace}/${name}`, uid });
  }

  async #releaseOne(podUid: string, uid: string): Promise<void> {
    const record = this.#records.get(uid);
    if (record === undefined) return;
    const pods = record.pods.filter((one) => one !== podUid);
    if (pods.length === 0) {
      const { namespace, name } = record;
      for (const driver of record.drivers) await this.#of.drivers.unprepare(driver, { namespace, name, uid });
      this.#records.delete(uid);
      await this.#save();
      this.#of.log.info(3, 'Claim is taken back', { claim: `${namespace}/${name}`, uid });
      return;
    }
    await this.#keep({ ...record, pods });
  }

  #find(pod: Pod, name: string): ClaimRecord | undefined {
    const { namespace = '', uid = '' } = pod.metadata;
    return [...this.#records.values()].find(
      (one) => one.namespace === namespace && one.name === name && one.pods.includes(uid),
    );
  }

  async #inTurn(uid: string, act: () => Promise<void>): Promise<void> {
    const before = this.#turns.get(uid) ?? Promise.resolve();
    // What failed before was told to who asked then.
    const turn = before.then(act, act);
    this.#turns.set(uid, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(uid) === turn) this.#turns.delete(uid);
    }
  }

  async #keep(record: ClaimRecord): Promise<void> {
    this.#records.set(record.uid, record);
    await this.#save();
  }

  /** Resolves when it is on disk; one write at a time. */
  async #save(): Promise<void> {
    const { files, path, log } = this.#of;
    try {
      await this.#writes.run(() => writeClaims(files, path, this.#records));
    } catch (error) {
      log.warn('Could not write down which claims are prepared', { path, reason: messageOf(error) });
      throw error;
    }
  }
}

interface ClaimOfPod {
  /** In the pod's definition. */
  readonly inPod: string;
  readonly name: string;
  /** It was made for this pod alone. */
  readonly isMade: boolean;
}

/** Throws PluginRefusal where one is not made yet. */
function claimNames(pod: Pod): readonly ClaimOfPod[] {
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  const declared = (pod.spec.resourceClaims ?? []).flatMap(({ name: inPod, resourceClaimName: name }): ClaimOfPod[] => {
    if (name !== undefined) return [{ inPod, name, isMade: false }];
    const made = pod.status?.resourceClaimStatuses?.find((one) => one.name === inPod);
    if (made === undefined) throw new PluginRefusal(`pod ${pod.metadata.name ?? ''}: ResourceClaim not created yet`);
    return made.resourceClaimName === undefined ? [] : [{ inPod, name: made.resourceClaimName, isMade: true }];
  });
  // No container names it.
  return extended === undefined ? declared : [...declared, { inPod: '', name: extended, isMade: true }];
}

/** Throws PluginRefusal for a claim that is another's, or is not kept for the pod. */
function refuseForeign(pod: Pod, claim: ResourceClaim, of: ClaimOfPod): void {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  if (of.isMade && !isControlledBy(claim, pod)) {
    const whose = `was not created for pod ${namespace}/${name} (pod is not owner)`;
    throw new PluginRefusal(`ResourceClaim ${namespace}/${of.name} ${whose}`);
  }
  if (!(claim.status?.reservedFor ?? []).some((one) => one.uid === uid)) {
    throw new PluginRefusal(
      `pod ${name} (${uid}) is not allowed to use ResourceClaim ${of.name} (${claim.metadata.uid ?? ''})`,
    );
  }
}

/** A request may have been met by one of its alternatives: `request/alternative`. */
function isFor(requests: readonly string[], wanted: string): boolean {
  if (wanted === '' || requests.length === 0) return true;
  return requests.some((one) => one === wanted || one.startsWith(`${wanted}/`));
}
