import type { Draft } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { RuntimeClass } from '@binnacle/api/node/v1';
import { memberOf } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { refuse } from './refusal.ts';

const RUNTIME_CLASSES = { group: 'node.k8s.io', resource: 'runtimeclasses' };

/** A pod's RuntimeClass has to exist; it says what the pod costs beside its containers and where it may run. */
export function createRuntimeClass(cache: CacheReader): AdmissionPlugin {
  const find = (name: string): RuntimeClass | undefined =>
    cache.get(RUNTIME_CLASSES, '', name) as RuntimeClass | undefined;
  return {
    name: 'RuntimeClass',
    changes: ['spec.overhead', 'spec.nodeSelector', 'spec.tolerations'],
    handles: (operation, info, subresource) =>
      operation === 'CREATE' && info.group === '' && info.resource === 'pods' && subresource === '',
    admit(attributes) {
      const pod = attributes.object as Draft<Pod>;
      const name = pod.spec.runtimeClassName ?? '';
      const found = name === '' ? undefined : find(name);
      if (name !== '' && found === undefined)
        throw refuse(attributes, `pod rejected: RuntimeClass "${name}" not found`);
      setOverhead(attributes, pod, found);
      if (found !== undefined) setScheduling(attributes, pod, found);
    },
  };
}

function setOverhead(attributes: AdmissionAttributes, { spec }: Draft<Pod>, found: RuntimeClass | undefined): void {
  const fixed = found?.overhead?.podFixed;
  if (spec.overhead === undefined) {
    if (fixed !== undefined) spec.overhead = { ...fixed };
    return;
  }
  if (fixed === undefined) {
    throw refuse(attributes, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
  }
  if (!sameAmounts(spec.overhead, fixed)) {
    throw refuse(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
}

function setScheduling(attributes: AdmissionAttributes, { spec }: Draft<Pod>, { scheduling }: RuntimeClass): void {
  for (const [key, value] of Object.entries(scheduling?.nodeSelector ?? {})) {
    const own = memberOf(spec.nodeSelector ?? {}, key);
    if (own !== undefined && own !== value) {
      throw refuse(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    }
    spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
  }
  const known = new Set((spec.tolerations ?? []).map((one) => JSON.stringify(one)));
  const more = (scheduling?.tolerations ?? []).filter((one) => !known.has(JSON.stringify(one)));
  if (more.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...more.map((one) => ({ ...one }))];
}

function sameAmounts(a: { readonly [name: string]: string }, b: { readonly [name: string]: string }): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}
