import { messageOf } from '@binnacle/base';
import type { CountFigure, FigureMeasures } from '@binnacle/base';
import { PERSISTENT_VOLUME_CLAIMS, PODS } from '@binnacle/api';
import type { Pod, Volume } from '@binnacle/api/core/v1';
import { cacheKey, referenceTo } from '@binnacle/client';
import { controllerReference, runController, triggerOf } from '@binnacle/reconcile';
import type { Controller, SyncContext } from '@binnacle/reconcile';
import { BY_CLAIM, ephemeralClaimName, isMadeFor, PODS_BY_CLAIM } from '../claims-of-pods.ts';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit } from '../controller-kit.ts';
import { ForeignClaimError } from '../errors.ts';

/** Starts the controller that makes the claims of pods' generic ephemeral volumes. */
export function runEphemeralVolumeController(kit: ControllerKit): Controller {
  const pods = kit.informers.need(PODS, { indexes: PODS_BY_CLAIM });
  const claims = kit.informers.need(PERSISTENT_VOLUME_CLAIMS);
  const events = recorderFor(kit, 'ephemeral_volume');
  const { made, failed } = creationFigures(kit.figures);
  const claim = async (pod: Pod, volume: Volume, context: SyncContext): Promise<void> => {
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (template === undefined) return;
    const { namespace = '', name: podName = '' } = pod.metadata;
    const name = ephemeralClaimName(pod, volume);
    const there = claims.get(`${namespace}/${name}`);
    if (there !== undefined) {
      if (isMadeFor(there, pod)) return;
      throw new ForeignClaimError(`${namespace}/${name}`, `${namespace}/${podName}`);
    }
    const { labels, annotations } = template.metadata ?? {};
    const metadata = {
      name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(PODS, pod)],
    };
    made.add();
    try {
      await kit.client
        .resource(PERSISTENT_VOLUME_CLAIMS, namespace)
        .create({ metadata, spec: template.spec }, undefined, context);
    } catch (error) {
      failed.add();
      throw error;
    }
  };
  const sync = async (key: string, context: SyncContext): Promise<void> => {
    const pod = pods.get(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    for (const volume of pod.spec.volumes ?? []) {
      try {
        await claim(pod, volume, context);
      } catch (error) {
        const why = `ephemeral volume ${volume.name}: ${messageOf(error)}`;
        if (!context.signal.aborted) events.event(referenceTo(PODS, pod), 'Warning', 'FailedBinding', why, context);
        throw error;
      }
    }
  };
  const controller = runController({
    name: 'ephemeral-volume-controller',
    about: { group: '', resource: 'pods' },
    world: kit.world,
    scope: kit.scope,
    caches: [pods, claims],
    sync,
  });
  const follow = (event: string, pod: Pod): void => {
    const needs = pod.spec.volumes?.some((volume) => volume.ephemeral !== undefined) === true;
    if (needs && pod.metadata.deletionTimestamp === undefined) controller.enqueue(cacheKey(pod), triggerOf(event, pod));
  };
  kit.scope.defer(pods.subscribe({ add: (pod) => follow('ADDED', pod) }));
  kit.scope.defer(
    claims.subscribe({
      remove: (gone) => {
        for (const pod of pods.byIndex(BY_CLAIM, cacheKey(gone))) follow('DELETED', pod);
      },
    }),
  );
  return controller;
}

function creationFigures(figures: FigureMeasures): { readonly made: CountFigure; readonly failed: CountFigure } {
  const of = (name: string, help: string): CountFigure =>
    figures.counter({ name: `ephemeral_volume_controller_${name}`, help });
  return {
    made: of('create_total', 'Claims that were to be made.'),
    failed: of('create_failures_total', 'Claims that could not be made.'),
  };
}
