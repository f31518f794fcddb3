import type { CronJob } from '@binnacle/api/batch/v1';
import type { PodSpec, PodTemplate, Volume } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import { asDraft } from '../storage/draft.ts';
import type { KindBehaviours } from './behaviour.ts';

/** Where an object has the definition of a pod, and how it gets another one. */
interface PodPlace {
  read(object: KubeObject): PodSpec | undefined;
  write(object: KubeObject, spec: PodSpec): void;
}

interface Templated extends KubeObject {
  readonly spec?: { readonly template?: PodTemplate['template'] };
}

const ITSELF: PodPlace = {
  read: (object) => (object as KubeObject & { readonly spec?: PodSpec }).spec,
  write: (object, spec) => void (asDraft(object).spec = spec),
};
const TEMPLATE: PodPlace = {
  read: (object) => (object as Templated).spec?.template?.spec,
  write(object, spec) {
    const { spec: around } = object as Templated;
    asDraft(object).spec = { ...around, template: { ...around?.template, spec } };
  },
};
const TEMPLATE_ALONE: PodPlace = {
  read: (object) => (object as PodTemplate).template?.spec,
  write: (object, spec) => void (asDraft(object).template = { ...(object as PodTemplate).template, spec }),
};
const OF_JOB: PodPlace = {
  read: (object) => (object as CronJob).spec?.jobTemplate?.spec?.template?.spec,
  write(object, spec) {
    const { spec: around } = object as CronJob;
    const { jobTemplate } = around;
    const template = { ...jobTemplate.spec?.template, spec };
    asDraft(object).spec = { ...around, jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template } } };
  },
};

const PLACES: { readonly [resource: string]: PodPlace } = {
  pods: ITSELF,
  podtemplates: TEMPLATE_ALONE,
  replicationcontrollers: TEMPLATE,
  'daemonsets.apps': TEMPLATE,
  'deployments.apps': TEMPLATE,
  'replicasets.apps': TEMPLATE,
  'statefulsets.apps': TEMPLATE,
  'jobs.batch': TEMPLATE,
  'cronjobs.batch': OF_JOB,
};

/**
 * Kinds as they are without the feature gate ClusterTrustBundleProjection: what asks for certificates of a trust bundle is
 * left out of whatever is written, as upstream does, unless it was there before.
 */
export function withoutTrustBundleProjection(behaviours: KindBehaviours): KindBehaviours {
  const changed = Object.entries(PLACES).map(([resource, place]) => {
    const { strategy = {}, ...behaviour } = behaviours[resource] ?? {};
    const dropping: typeof strategy = {
      ...strategy,
      prepareForCreate(object, caller) {
        drop(place, object);
        strategy.prepareForCreate?.(object, caller);
      },
      prepareForUpdate(object, before) {
        if (!(place.read(before)?.volumes ?? []).some(projectsBundle)) drop(place, object);
        strategy.prepareForUpdate?.(object, before);
      },
    };
    return [resource, { ...behaviour, strategy: dropping }] as const;
  });
  return { ...behaviours, ...Object.fromEntries(changed) };
}

function projectsBundle({ projected }: Volume): boolean {
  return (projected?.sources ?? []).some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined);
}

/** A source that asks for nothing else stays, and gives nothing. */
function drop(place: PodPlace, object: KubeObject): void {
  const spec = place.read(object);
  if (spec?.volumes?.some(projectsBundle) !== true) return;
  const volumes = spec.volumes.map((volume) => {
    if (!projectsBundle(volume)) return volume;
    const sources = volume.projected?.sources?.map(({ clusterTrustBundle: _dropped, ...rest }) => rest) ?? [];
    return { ...volume, projected: { ...volume.projected, sources } };
  });
  place.write(object, { ...spec, volumes });
}
