import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '@binnacle/api';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimPhase,
  PersistentVolumePhase,
} from '@binnacle/api/core/v1';
import { deepEqual } from '@binnacle/machinery';
import { cacheKey, referenceTo } from '@binnacle/client';
import type { Client, EventRecorder } from '@binnacle/client';
import { getOrUndefined, sameTrigger } from '@binnacle/reconcile';
import type { SyncContext, Trigger } from '@binnacle/reconcile';
import { PROVISIONER, PROVISIONER_BETA } from './annotations.ts';
import { claimBoundTo, claimInPhase, volumeBoundTo, volumeInPhase, volumeUnbound, withAnnotations } from './binding.ts';
import { decideClaim } from './decide-claim.ts';
import type { ClaimNotice, ClaimView } from './decide-claim.ts';
import { decideReclaim, decideVolume, isLetGo } from './decide-volume.ts';
import type { FreshObjects } from './fresh-objects.ts';

/** What a binder works with. */
export interface BinderParts {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly claims: FreshObjects<PersistentVolumeClaim>;
  readonly volumes: FreshObjects<PersistentVolume>;
  readonly view: ClaimView;
  /** Has a claim synced soon. */
  readonly wakeClaim: (key: string, trigger: Trigger) => void;
  /** Has a volume synced soon. */
  readonly wakeVolume: (name: string, trigger: Trigger) => void;
}

/** A volume that is being bound right now. Two claims must not choose one volume. */
interface Promised {
  /** The claim's. */
  readonly uid: string;
  /** Claims that passed it over for that one's sake, by key. */
  readonly passedOver: Set<string>;
  /** It changed meanwhile, by whoever's hand. */
  hasChanged: boolean;
}

interface Phase {
  readonly phase: PersistentVolumePhase;
  readonly message?: string;
}

/** Brings claims and volumes together, one claim or volume at a time. Any number of them side by side. */
export class Binder {
  readonly #parts: BinderParts;
  /** By name. */
  readonly #promised = new Map<string, Promised>();
  /** Volumes that are synced right now, by name. */
  readonly #synced = new Map<string, Promise<void>>();

  constructor(parts: BinderParts) {
    this.#parts = parts;
  }

  async syncClaim(key: string, context: SyncContext): Promise<void> {
    const { claims, view } = this.#parts;
    const claim = claims.get(key);
    if (claim === undefined) return;
    const decision = decideClaim(claim, this.#withoutPromised(claim));
    switch (decision.do) {
      case 'bind': {
        const before = this.#synced.get(decision.volume.metadata.name ?? '');
        if (before === undefined) return this.#bind(claim, decision.volume, context);
        // Who writes beside another has to begin anew.
        await before;
        return this.syncClaim(key, context);
      }
      case 'wait':
        this.#tell(claim, decision.notice, context);
        return this.#claimPhase(claim, { phase: 'Pending' }, context);
      case 'assign-class': {
        const spec = { ...claim.spec, storageClassName: decision.className };
        return void (await this.#updateClaim({ ...claim, spec }, context));
      }
      case 'provision':
        return this.#askProvisioner(claim, decision.provisioner, context);
      case 'lose': {
        // What looks lost may only be late in the cache.
        const { volumeName = '' } = claim.spec;
        const live = volumeName === '' ? undefined : await getOrUndefined(this.#volumes(), volumeName, context);
        if (live !== undefined) this.#parts.volumes.wrote(live);
        const now = decideClaim(claim, { ...view, volume: () => live });
        if (now.do !== 'lose') return this.syncClaim(key, context);
        if (claim.status?.phase !== 'Lost') this.#tell(claim, now.notice, context);
        return this.#claimPhase(claim, { phase: 'Lost' }, context);
      }
    }
  }

  async syncVolume(name: string, context: SyncContext): Promise<void> {
    const volume = this.#parts.volumes.get(name);
    if (volume === undefined) return;
    const promised = this.#promised.get(name);
    if (promised !== undefined) {
      promised.hasChanged = true;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#synced.set(name, promise);
    try {
      await this.#syncVolume(volume, context);
    } finally {
      this.#synced.delete(name);
      resolve();
    }
  }

  async #syncVolume(volume: PersistentVolume, context: SyncContext): Promise<void> {
    const claim = await this.#claimOf(volume, context);
    const decision = decideVolume(volume, claim);
    switch (decision.do) {
      case 'phase':
        return void (await this.#volumePhase(volume, { phase: decision.phase }, context));
      case 'wake-claim':
        return this.#parts.wakeClaim(claimKeyOf(volume), sameTrigger(context));
      case 'mismatch':
        return this.#tellMismatch(volume, decision.claim, context);
      case 'unbind': {
        const free = await this.#updateVolume(volumeUnbound(volume), context);
        return void (await this.#volumePhase(free, { phase: 'Available' }, context));
      }
      case 'reclaim':
        return this.#reclaim(volume, context);
    }
  }

  /** The claim of a volume's claimRef; the server has the last word before a volume is let go. */
  async #claimOf(volume: PersistentVolume, context: SyncContext): Promise<PersistentVolumeClaim | undefined> {
    const ref = volume.spec.claimRef;
    if (ref === undefined) return undefined;
    const { claims, client } = this.#parts;
    const known = claims.get(claimKeyOf(volume));
    if ((ref.uid ?? '') === '' || known?.metadata.uid === ref.uid || isLetGo(volume)) return known;
    const live = await getOrUndefined(
      client.resource(PERSISTENT_VOLUME_CLAIMS, ref.namespace),
      ref.name ?? '',
      context,
    );
    if (live !== undefined) claims.wrote(live);
    return live;
  }

  async #reclaim(volume: PersistentVolume, context: SyncContext): Promise<void> {
    const released = isLetGo(volume) ? volume : await this.#volumePhase(volume, { phase: 'Released' }, context);
    const fate = decideReclaim(released);
    if (fate.do === 'nothing') return;
    const { reason, message } = fate;
    const isNew = released.status?.phase !== 'Failed';
    await this.#volumePhase(released, { phase: 'Failed', message }, context);
    if (isNew) {
      this.#parts.events.event(referenceTo(PERSISTENT_VOLUMES, released), 'Warning', reason, message, context);
    }
  }

  /** In this order, so that a crash between any two of them leaves what the next sync goes on with. */
  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume, context: SyncContext): Promise<void> {
    const name = volume.metadata.name ?? '';
    const promised: Promised = { uid: claim.metadata.uid ?? '', passedOver: new Set(), hasChanged: false };
    this.#promised.set(name, promised);
    try {
      const owned = await this.#updateVolume(volumeBoundTo(volume, claim), context, volume);
      await this.#volumePhase(owned, { phase: 'Bound' }, context);
      const bound = await this.#updateClaim(claimBoundTo(claim, owned), context, claim);
      await this.#claimPhase(bound, { phase: 'Bound', volume: owned }, context);
    } catch (error) {
      for (const key of promised.passedOver) this.#parts.wakeClaim(key, sameTrigger(context));
      throw error;
    } finally {
      this.#promised.delete(name);
      if (promised.hasChanged) this.#parts.wakeVolume(name, sameTrigger(context));
    }
  }

  async #askProvisioner(claim: PersistentVolumeClaim, provisioner: string, context: SyncContext): Promise<void> {
    const asked = withAnnotations(claim, { [PROVISIONER_BETA]: provisioner, [PROVISIONER]: provisioner });
    const now = deepEqual(asked, claim) ? claim : await this.#updateClaim(asked, context);
    const message =
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
      'system administrator. If volume creation is delayed, please verify that the provisioner is running and ' +
      'correctly registered.';
    this.#tell(now, { type: 'Normal', reason: 'ExternalProvisioning', message }, context);
    await this.#claimPhase(now, { phase: 'Pending' }, context);
  }

  #withoutPromised(claim: PersistentVolumeClaim): ClaimView {
    const { view } = this.#parts;
    const isFree = (volume: PersistentVolume): boolean => {
      const promised = this.#promised.get(volume.metadata.name ?? '');
      if (promised === undefined || promised.uid === claim.metadata.uid) return true;
      promised.passedOver.add(cacheKey(claim));
      return false;
    };
    return { ...view, candidates: (one) => view.candidates(one).filter(isFree) };
  }

  #tell(claim: PersistentVolumeClaim, notice: ClaimNotice | undefined, context: SyncContext): void {
    if (notice === undefined) return;
    const { type, reason, message } = notice;
    this.#parts.events.event(referenceTo(PERSISTENT_VOLUME_CLAIMS, claim), type, reason, message, context);
  }

  #tellMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim, context: SyncContext): void {
    const { events } = this.#parts;
    const [volumeName, claimName] = [volume, claim].map((one) => JSON.stringify(one.metadata.name ?? ''));
    const toVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimName} due to incompatible volumeMode.`;
    events.event(referenceTo(PERSISTENT_VOLUMES, volume), 'Warning', 'VolumeMismatch', toVolume, context);
    const message = `Cannot bind PersistentVolume ${volumeName} to requested PersistentVolumeClaim due to incompatible volumeMode.`;
    this.#tell(claim, { type: 'Warning', reason: 'VolumeMismatch', message }, context);
  }

  #volumes(): ReturnType<typeof volumesOf> {
    return volumesOf(this.#parts.client);
  }

  async #updateVolume(
    volume: PersistentVolume,
    context: SyncContext,
    before?: PersistentVolume,
  ): Promise<PersistentVolume> {
    if (volume === before) return volume;
    return this.#noteVolume(await this.#volumes().update(volume, undefined, context));
  }

  async #volumePhase(volume: PersistentVolume, phase: Phase, context: SyncContext): Promise<PersistentVolume> {
    const after = volumeInPhase(volume, phase);
    if (after === volume) return volume;
    return this.#noteVolume(await this.#volumes().updateStatus(after, undefined, context));
  }

  #noteVolume(volume: PersistentVolume): PersistentVolume {
    this.#parts.volumes.wrote(volume);
    return volume;
  }

  async #updateClaim(
    claim: PersistentVolumeClaim,
    context: SyncContext,
    before?: PersistentVolumeClaim,
  ): Promise<PersistentVolumeClaim> {
    if (claim === before) return claim;
    const { client, claims } = this.#parts;
    const written = await client
      .resource(PERSISTENT_VOLUME_CLAIMS, claim.metadata.namespace)
      .update(claim, undefined, context);
    claims.wrote(written);
    return written;
  }

  async #claimPhase(
    claim: PersistentVolumeClaim,
    { phase, volume }: { readonly phase: PersistentVolumeClaimPhase; readonly volume?: PersistentVolume },
    context: SyncContext,
  ): Promise<void> {
    const after = claimInPhase(claim, phase, volume);
    if (deepEqual(after.status, claim.status)) return;
    const { client, claims } = this.#parts;
    const resource = client.resource(PERSISTENT_VOLUME_CLAIMS, claim.metadata.namespace);
    claims.wrote(await resource.updateStatus(after, undefined, context));
  }
}

function volumesOf(client: Client) {
  return client.resource(PERSISTENT_VOLUMES);
}

/** `namespace/name` of the claim that a volume is kept for; empty: of none. */
export function claimKeyOf({ spec: { claimRef } }: PersistentVolume): string {
  return claimRef === undefined ? '' : cacheKey({ metadata: claimRef });
}
