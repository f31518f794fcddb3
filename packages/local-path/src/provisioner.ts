import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  resourceAmount,
  storageClassNameOf,
  wellknown,
} from '@binnacle/api';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { messageOf } from '@binnacle/base';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { Client, EventRecorder, Informer } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { deleteIfThere } from '@binnacle/reconcile';
import type { SyncContext } from '@binnacle/reconcile';
import { askedSize, decideClaim } from './decide-claim.ts';
import type { ClaimView } from './decide-claim.ts';
import { decideVolume } from './decide-volume.ts';
import {
  directoryOf,
  FINALIZER,
  isVolumeName,
  PROVISIONED_BY,
  PROVISIONER,
  SELECTED_NODE,
  volumeNameOf,
} from './names.ts';
import { volumeFor } from './volume.ts';

/** A node's directories for volumes; all paths are below the root, and no link on the way is followed. */
export interface Directories {
  /** With parents; `mode` is set exactly, whatever the umask. One that is there is left as it is. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** With everything in it; absent is fine. */
  remove(path: string): Promise<void>;
  /** Names; empty when absent. */
  list(path: string): Promise<readonly string[]>;
}

/** What a provisioner works with. */
export interface ProvisionerParts {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
  readonly classes: Informer<StorageClass>;
  readonly nodes: Informer<Node>;
  readonly root: string;
  readonly isOurNode: (name: string) => boolean;
  readonly directories: Directories | undefined;
}

/** Pods write under any user: what keeps others out is the root above. */
const DIRECTORY_MODE = 0o777;

/** Makes and removes volumes, one claim or volume at a time. */
export class Provisioner {
  readonly #parts: ProvisionerParts;

  constructor(parts: ProvisionerParts) {
    this.#parts = parts;
  }

  async syncClaim(key: string, context: SyncContext): Promise<void> {
    const claim = this.#parts.claims.get(key);
    if (claim === undefined) return;
    const decision = decideClaim(claim, this.#view());
    switch (decision.do) {
      case 'nothing':
        return this.#grow(claim, context);
      case 'give-back':
        return this.#giveBack(claim, context);
      case 'refuse':
        return this.#tellFailure(claim, decision.message, context);
      case 'provision':
        return this.#provision(claim, decision.node, context);
    }
  }

  async syncVolume(name: string, context: SyncContext): Promise<void> {
    const volume = this.#parts.volumes.get(name);
    if (volume === undefined) return;
    const decision = decideVolume(volume, this.#parts);
    if (decision.do === 'nothing') return;
    if (decision.do === 'let-go') return this.#withoutFinalizer(volume, context);
    const { directories, events, client } = this.#parts;
    const fail = (message: string): void => {
      if (context.signal.aborted) return;
      events.event(referenceTo(PERSISTENT_VOLUMES, volume), 'Warning', 'VolumeFailedDelete', message, context);
    };
    if (decision.do === 'refuse') return fail(decision.message);
    try {
      await directories?.remove(decision.directory);
    } catch (error) {
      fail(messageOf(error));
      throw error;
    }
    await this.#withoutFinalizer(volume, context);
    await deleteIfThere({ client: client.resource(PERSISTENT_VOLUMES), context }, name, {
      preconditions: { uid: volume.metadata.uid ?? '' },
    });
  }

  /** Directories that were made for claims which went before their volume was there. What has anything in it is left. */
  async sweep(): Promise<void> {
    const { directories, root, volumes, claims } = this.#parts;
    if (directories === undefined) return;
    // In this order: a directory that is there was made for a claim that the cache had.
    const names = (await directories.list(root)).filter(isVolumeName);
    const wanted = new Set(claims.list().map(({ metadata }) => volumeNameOf(metadata.uid ?? '')));
    for (const name of names) {
      if (wanted.has(name) || volumes.get(name) !== undefined) continue;
      const path = directoryOf(root, name);
      if ((await directories.list(path)).length === 0) await directories.remove(path);
    }
  }

  #view(): ClaimView {
    const { classes, nodes, isOurNode } = this.#parts;
    return {
      storageClass: (name) => classes.get(name),
      hasNode: (name) => nodes.get(name) !== undefined,
      isOurNode,
    };
  }

  async #provision(claim: PersistentVolumeClaim, node: string, context: SyncContext): Promise<void> {
    const { classes, nodes, volumes, directories, events, client, root } = this.#parts;
    const volumeName = volumeNameOf(claim.metadata.uid ?? '');
    const storage = classes.get(storageClassNameOf(claim));
    if (storage === undefined || volumes.get(volumeName) !== undefined) return;
    const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
    const start = `External provisioner is provisioning volume for claim "${cacheKey(claim)}"`;
    events.event(about, 'Normal', 'Provisioning', start, context);
    const hostname = nodes.get(node)?.metadata.labels?.[wellknown.LABEL_HOSTNAME] ?? node;
    try {
      // The directory first: a volume that is there can be used.
      await directories?.makeDirectory(directoryOf(root, volumeName), DIRECTORY_MODE);
      const volume = volumeFor(claim, storage, { root, node, hostname });
      await client.resource(PERSISTENT_VOLUMES).create(volume, undefined, context);
    } catch (error) {
      if (status.isAlreadyExists(error)) return;
      if (!context.signal.aborted) this.#tellFailure(claim, messageOf(error), context);
      throw error;
    }
    events.event(about, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volumeName}`, context);
  }

  #tellFailure(claim: PersistentVolumeClaim, why: string, context: SyncContext): void {
    const message = `failed to provision volume with StorageClass ${JSON.stringify(storageClassNameOf(claim))}: ${why}`;
    const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
    this.#parts.events.event(about, 'Warning', 'ProvisioningFailed', message, context);
  }

  async #giveBack(claim: PersistentVolumeClaim, context: SyncContext): Promise<void> {
    const { [SELECTED_NODE]: _gone, ...annotations } = claim.metadata.annotations ?? {};
    const claims = this.#parts.client.resource(PERSISTENT_VOLUME_CLAIMS, claim.metadata.namespace);
    await claims.update({ ...claim, metadata: { ...claim.metadata, annotations } }, undefined, context);
  }

  /** Directories have no size: a claim that may grow has grown as soon as both objects say so. */
  async #grow(claim: PersistentVolumeClaim, context: SyncContext): Promise<void> {
    const { volumes, client, events } = this.#parts;
    const size = askedSize(claim, (asked, has) => amount(asked) > amount(has));
    const volume = volumes.get(claim.spec.volumeName ?? '');
    if (size === undefined || volume?.metadata.annotations?.[PROVISIONED_BY] !== PROVISIONER) return;
    if (volume.spec.claimRef?.uid !== claim.metadata.uid) return;
    if (amount(size) > amount(volume.spec.capacity?.['storage'] ?? '0')) {
      const spec = { ...volume.spec, capacity: { ...volume.spec.capacity, storage: size } };
      await client.resource(PERSISTENT_VOLUMES).update({ ...volume, spec }, undefined, context);
    }
    const capacity = { ...claim.status?.capacity, storage: size };
    await client
      .resource(PERSISTENT_VOLUME_CLAIMS, claim.metadata.namespace)
      .updateStatus({ ...claim, status: { ...claim.status, capacity } }, undefined, context);
    const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
    events.event(about, 'Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded', context);
  }

  async #withoutFinalizer(volume: PersistentVolume, context: SyncContext): Promise<void> {
    const { finalizers = [] } = volume.metadata;
    if (!finalizers.includes(FINALIZER)) return;
    const metadata = { ...volume.metadata, finalizers: finalizers.filter((one) => one !== FINALIZER) };
    try {
      await this.#parts.client.resource(PERSISTENT_VOLUMES).update({ ...volume, metadata }, undefined, context);
    } catch (error) {
      if (!status.isNotFound(error)) throw error;
    }
  }
}

function amount(quantity: string): number {
  return resourceAmount('storage', quantity);
}
