import {
  attributesClassesOf,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  VOLUME_ATTRIBUTES_CLASSES,
} from '@binnacle/api';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import { triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { runProtection } from '../protection.ts';

/** Index of claims and volumes: by the attributes class they ask for, have, or are on the way to. */
const BY_ATTRIBUTES_CLASS = 'attributes-class';

const classesOfVolume = ({ spec }: PersistentVolume): readonly string[] => {
  const name = spec?.volumeAttributesClassName;
  return name === undefined || name === '' ? [] : [name];
};

/** Starts the controller that keeps attributes classes for as long as a claim or a volume names them. */
export function runAttributesClassProtection(kit: ControllerKit): Controller {
  const classes = kit.informers.need(VOLUME_ATTRIBUTES_CLASSES);
  const claims = kit.informers.need(PERSISTENT_VOLUME_CLAIMS, {
    indexes: { [BY_ATTRIBUTES_CLASS]: attributesClassesOf },
  });
  const volumes = kit.informers.need(PERSISTENT_VOLUMES, { indexes: { [BY_ATTRIBUTES_CLASS]: classesOfVolume } });
  const controller = runProtection(kit, {
    name: 'volumeattributesclass-protection-controller',
    ref: VOLUME_ATTRIBUTES_CLASSES,
    objects: classes,
    finalizer: 'kubernetes.io/vac-protection',
    caches: [claims, volumes],
    isUsed: async ({ metadata: { name = '' } }, context) => {
      if ([claims, volumes].some((cache) => cache.countByIndex(BY_ATTRIBUTES_CLASS, name) > 0)) return true;
      // What is let go is lost: the server has the last word.
      const asked = await kit.client.resource(PERSISTENT_VOLUME_CLAIMS).list({}, context);
      if (asked.items.some((claim) => attributesClassesOf(claim).includes(name))) return true;
      const there = await kit.client.resource(PERSISTENT_VOLUMES).list({}, context);
      return there.items.some((volume) => classesOfVolume(volume).includes(name));
    },
  });
  const wake = (event: string, names: readonly string[], object: PersistentVolume | PersistentVolumeClaim): void => {
    for (const name of names) {
      const goes = classes.get(name)?.metadata.deletionTimestamp !== undefined;
      if (goes) controller.enqueue(name, triggerOf(event, object));
    }
  };
  kit.scope.defer(
    claims.subscribe({
      update: (before, claim) => wake('MODIFIED', attributesClassesOf(before), claim),
      remove: (claim) => wake('DELETED', attributesClassesOf(claim), claim),
    }),
  );
  kit.scope.defer(
    volumes.subscribe({
      update: (before, volume) => wake('MODIFIED', classesOfVolume(before), volume),
      remove: (volume) => wake('DELETED', classesOfVolume(volume), volume),
    }),
  );
  return controller;
}
