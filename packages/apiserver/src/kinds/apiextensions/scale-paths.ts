import type { CustomResourceSubresourceScale } from '@binnacle/api/apiextensions/v1';
import type { Scale } from '@binnacle/api/autoscaling/v1';
import { field, memberOf, status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { describedBy } from '../../verbs/scale.ts';
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
    path: wanted.map((name) => `f:${name}`),
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
      const replicas = scale.spec?.replicas ?? 0;
      if (replicas < 0) throw negative(before, specReplicasPath, replicas);
      const changed = withValue(before as unknown as Fields, wanted, replicas);
      return { ...changed, metadata: describedBy(before, scale) } as unknown as KubeObject;
    },
  };
}

function negative({ apiVersion = '', kind = '', metadata }: KubeObject, path: string, replicas: number): Error {
  const slash = apiVersion.indexOf('/');
  const error = field.invalid(path, replicas, 'should be a non-negative integer');
  return status.invalid({ group: apiVersion.slice(0, Math.max(slash, 0)), kind }, metadata.name ?? '', [error]);
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
