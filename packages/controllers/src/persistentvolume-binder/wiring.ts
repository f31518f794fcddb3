import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STORAGE_CLASSES,
  storageClassNameOf,
  volumesForClaim,
} from '@binnacle/api';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { cacheKey } from '@binnacle/client';
import type { Informer } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { BY_CLAIM, claimKeysOf, PODS_BY_CLAIM } from '../claims-of-pods.ts';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { BIND_COMPLETED } from './annotations.ts';
import { Binder, claimKeyOf } from './binder.ts';
import { defaultStorageClass } from './default-class.ts';
import type { ClaimView } from './decide-claim.ts';
import { showVolumes } from './figures.ts';
import { FreshObjects } from './fresh-objects.ts';

/** Index of volumes: `free/<class>` of those kept for nobody, `kept/<namespace>/<name>` of the others. */
const BY_OFFER = 'binder-offer';
/** Index of claims: `class/<name>` of those that wait, `volume/<name>` of those that name one. */
const BY_WANT = 'binder-want';
const WORKERS = 10;

const offerOf = (volume: PersistentVolume): readonly string[] => [
  volume.spec.claimRef === undefined ? `free/${storageClassNameOf(volume)}` : `kept/${claimKeyOf(volume)}`,
];

const wantOf = (claim: PersistentVolumeClaim): readonly string[] => {
  const { volumeName = '' } = claim.spec;
  return [
    ...(volumeName === '' ? [] : [`volume/${volumeName}`]),
    ...(claim.metadata.annotations?.[BIND_COMPLETED] === undefined ? [`class/${storageClassNameOf(claim)}`] : []),
  ];
};

interface Caches {
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
  readonly classes: Informer<StorageClass>;
}

/** Starts the controller that brings claims and volumes together. Keys: `claim/<namespace>/<name>`, `volume/<name>`. */
export function runVolumeBinder(kit: ControllerKit): Controller {
  const caches = {
    claims: kit.informers.need(PERSISTENT_VOLUME_CLAIMS, { indexes: { [BY_WANT]: wantOf } }),
    volumes: kit.informers.need(PERSISTENT_VOLUMES, { indexes: { [BY_OFFER]: offerOf } }),
    classes: kit.informers.need(STORAGE_CLASSES),
  };
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_CLAIM });
  const claims = new FreshObjects(caches.claims);
  const volumes = new FreshObjects(caches.volumes);
  const view: ClaimView = {
    volume: (name) => volumes.get(name),
    candidates: (claim) =>
      [`free/${storageClassNameOf(claim)}`, `kept/${cacheKey(claim)}`]
        .flatMap((offer) => caches.volumes.byIndex(BY_OFFER, offer))
        .map((volume) => volumes.get(volume.metadata.name ?? '') ?? volume),
    storageClass: (name) => (name === '' ? undefined : caches.classes.get(name)),
    defaultClass: () => defaultStorageClass(caches.classes.list()),
    waitingPods: (claim) =>
      pods
        .byIndex(BY_CLAIM, cacheKey(claim))
        .filter((pod) => (pod.spec.nodeName ?? '') === '')
        .map((pod) => pod.metadata.name ?? ''),
  };
  const binder = new Binder({
    client: kit.client,
    events: recorderFor(kit, 'persistentvolume-controller'),
    claims,
    volumes,
    view,
    wakeClaim: (key, trigger) => controller.enqueue(`claim/${key}`, trigger),
    wakeVolume: (name, trigger) => controller.enqueue(`volume/${name}`, trigger),
  });
  kit.scope.defer(
    showVolumes(kit.figures, { volumes: () => caches.volumes.list(), claims: () => caches.claims.list() }),
  );
  const controller = runController({
    name: 'persistentvolume-binder-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [caches.claims, caches.volumes, caches.classes, pods],
    workers: WORKERS,
    sync: (key, context) =>
      key.startsWith('claim/')
        ? binder.syncClaim(key.slice('claim/'.length), context)
        : binder.syncVolume(key.slice('volume/'.length), context),
  });
  followClaims({ kit, controller, caches, fresh: claims });
  followVolumes({ kit, controller, caches, fresh: volumes });
  followClasses({ kit, controller, caches });
  kit.scope.defer(
    pods.subscribe({
      add: (pod) => {
        if ((pod.spec.nodeName ?? '') !== '') return;
        for (const key of claimKeysOf(pod)) {
          const claim = caches.claims.get(key);
          const isBound = claim?.metadata.annotations?.[BIND_COMPLETED] !== undefined;
          if (claim !== undefined && !isBound) controller.enqueue(`claim/${key}`, triggerOf('ADDED', pod));
        }
      },
    }),
  );
  return controller;
}

interface Following {
  readonly kit: ControllerKit;
  readonly controller: Controller;
  readonly caches: Caches;
}

function followClaims(of: Following & { readonly fresh: FreshObjects<PersistentVolumeClaim> }): void {
  const { kit, controller, caches, fresh } = of;
  const tell = (event: string, claim: PersistentVolumeClaim): void => {
    const trigger = triggerOf(event, claim);
    fresh.see(claim);
    controller.enqueue(`claim/${cacheKey(claim)}`, trigger);
    const { volumeName = '' } = claim.spec;
    if (volumeName !== '') controller.enqueue(`volume/${volumeName}`, trigger);
    for (const volume of caches.volumes.byIndex(BY_OFFER, `kept/${cacheKey(claim)}`)) {
      controller.enqueue(`volume/${volume.metadata.name ?? ''}`, trigger);
    }
  };
  kit.scope.defer(
    caches.claims.subscribe({
      add: (claim) => tell('ADDED', claim),
      update: (_before, claim) => tell('MODIFIED', claim),
      remove: (claim) => {
        fresh.forget(cacheKey(claim));
        tell('DELETED', claim);
      },
    }),
  );
}

function followVolumes(of: Following & { readonly fresh: FreshObjects<PersistentVolume> }): void {
  const { kit, controller, caches, fresh } = of;
  const tell = (event: string, volume: PersistentVolume): void => {
    const trigger = triggerOf(event, volume);
    const { name = '' } = volume.metadata;
    fresh.see(volume);
    controller.enqueue(`volume/${name}`, trigger);
    const claimKey = claimKeyOf(volume);
    if (claimKey !== '') controller.enqueue(`claim/${claimKey}`, trigger);
    for (const claim of caches.claims.byIndex(BY_WANT, `volume/${name}`)) {
      controller.enqueue(`claim/${cacheKey(claim)}`, trigger);
    }
    if (claimKey !== '' || volume.status?.phase !== 'Available') return;
    wakeClaimsFor(volume, caches, (key) => controller.enqueue(key, trigger));
  };
  kit.scope.defer(
    caches.volumes.subscribe({
      add: (volume) => tell('ADDED', volume),
      update: (_before, volume) => tell('MODIFIED', volume),
      remove: (volume) => {
        fresh.forget(volume.metadata.name ?? '');
        tell('DELETED', volume);
      },
    }),
  );
}

/** A volume is to be had: by whom it fits. */
function wakeClaimsFor(volume: PersistentVolume, { claims }: Caches, enqueue: (key: string) => void): void {
  for (const claim of claims.byIndex(BY_WANT, `class/${storageClassNameOf(volume)}`)) {
    if (volumesForClaim(claim, [volume]).length > 0) enqueue(`claim/${cacheKey(claim)}`);
  }
}

/** A class that came or changed may be what claims wait for; one that became the default, what claims without a class do. */
function followClasses({ kit, controller, caches }: Following): void {
  const tell = (event: string, storage: StorageClass): void => {
    for (const name of [storage.metadata.name ?? '', '']) {
      for (const claim of caches.claims.byIndex(BY_WANT, `class/${name}`)) {
        controller.enqueue(`claim/${cacheKey(claim)}`, triggerOf(event, storage));
      }
    }
  };
  kit.scope.defer(
    caches.classes.subscribe({
      add: (storage) => tell('ADDED', storage),
      update: (_before, storage) => tell('MODIFIED', storage),
    }),
  );
}
