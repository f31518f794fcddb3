import type { CustomResourceSubresourceScale } from '@binnacle/api/apiextensions/v1';
import type { Scale } from '@binnacle/api/autoscaling/v1';
import { memberOf, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ScaleView } from '../../verbs/scale.ts';

interface Fields {
  readonly [name: string]: unknown;
}

/** A custom kind as a Scale, by the paths that its definition names. Throws 500 and 400 as upstream does. */
export function scaleByPaths({
  specReplicasPath,
  statusReplicasPath,
  labelSelectorPath = '',
}: CustomResourceSubresourceScale): ScaleView {
  const wanted = namesOf(specReplicasPath);
  const real = namesOf(statusReplicasPath);
  const selected = labelSelectorPath === '' ? undefined : namesOf(labelSelectorPath);
  return {
    read(object) {
      const replicas = lookUp(object, wanted);
      if (replicas === undefined) {
        throw status.internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
      }
      const selector = selected === undefined ? '' : lookUp(object, selected);
      const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
        spec: { replicas: countOf(replicas) },
        status: {
          replicas: countOf(lookUp(object, real)),
          ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
        },
      } as unknown as Scale;
    },
    write(before, scale) {
      const { resourceVersion, uid } = scale.metadata;
      const metadata = { ...before.metadata, resourceVersion, ...(uid === undefined ? {} : { uid }) };
      const changed = withValue(before as unknown as Fields, wanted, scale.spec?.replicas ?? 0);
      return { ...changed, metadata } as unknown as KubeObject;
    },
  };
}

function namesOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

function lookUp(object: unknown, names: readonly string[]): unknown {
  let value = object;
  for (const name of names) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = memberOf(value as Fields, name);
  }
  return value ?? undefined;
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** A copy down to the value; everything beside the way is shared. */
function withValue(object: Fields, names: readonly string[], value: number): Fields {
  const [name = '', ...rest] = names;
  const inner = memberOf(object, name);
  const below = typeof inner === 'object' && inner !== null ? (inner as Fields) : {};
  return { ...object, [name]: rest.length === 0 ? value : withValue(below, rest, value) };
}
