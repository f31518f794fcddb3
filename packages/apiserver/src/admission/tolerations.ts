import { podQosClass } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import { isExtendedResource } from '@binnacle/api';
import type { Pod, Toleration } from '@binnacle/api/core/v1';
import { deepEqual, parseDocument, status } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import { createsOrUpdatesPods } from './pod-rules.ts';
import { refuse } from './refusal.ts';

/** Whoever asks for a vendor's resource may go to the nodes that are kept for it. */
export const tolerateExtendedResources: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  changes: ['spec.tolerations'],
  handles: createsOrUpdatesPods,
  admit({ object }) {
    const { spec } = object as Draft<Pod>;
    const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    const names = containers
      .flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))
      .filter(isExtendedResource);
    for (const key of [...new Set(names)].sort()) {
      const wanted: Toleration = { key, operator: 'Exists', effect: 'NoSchedule' };
      const others = (spec.tolerations ?? []).filter((one) => {
        return one.key !== key || one.effect !== wanted.effect || (one.operator ?? 'Equal') !== wanted.operator;
      });
      spec.tolerations = [...others, wanted];
    }
  },
};

/** Tolerations for namespaces that say nothing themselves. */
export interface TolerationRestriction {
  readonly default: readonly Toleration[];
  /** Empty: anything may be tolerated. */
  readonly whitelist: readonly Toleration[];
}

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const MEMORY_PRESSURE: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** A namespace's annotations say what its pods tolerate anyway and what they may tolerate at most. */
export function createTolerationRestriction(configuration: TolerationRestriction): AdmissionPlugin {
  const check = (attributes: AdmissionAttributes): void => {
    const { tolerations = [] } = (attributes.object as Pod).spec;
    const own = annotated(attributes, WHITELIST);
    const whitelist = own ?? configuration.whitelist;
    if (whitelist.length === 0) return;
    if (tolerations.every((one) => whitelist.some((allowed) => covers(allowed, one)))) return;
    const scope = own === undefined ? 'cluster' : 'namespace';
    throw refuse(
      attributes,
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
    );
  };
  return {
    name: 'PodTolerationRestriction',
    changes: ['spec.tolerations'],
    handles: createsOrUpdatesPods,
    admit(attributes) {
      const pod = attributes.object as Draft<Pod>;
      const { operation } = attributes;
      const more = operation === 'CREATE' ? [...(annotated(attributes, DEFAULTS) ?? configuration.default)] : [];
      if (podQosClass(pod as Pod) !== 'BestEffort') more.push(MEMORY_PRESSURE);
      if (more.length > 0) pod.spec.tolerations = merged([...(pod.spec.tolerations ?? []), ...more]);
      check(attributes);
    },
    validate: check,
  };
}

/** Throws 400 where the annotation is no list of tolerations. */
function annotated({ namespaceObject }: AdmissionAttributes, key: string): readonly Toleration[] | undefined {
  const text = namespaceObject?.metadata.annotations?.[key];
  if (text === undefined) return undefined;
  if (text === '') return [];
  const value = parsed(text);
  if (Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null))
    return value as Toleration[];
  throw status.badRequest(`annotation ${key} of namespace ${namespaceObject?.metadata.name} is no list of tolerations`);
}

function parsed(text: string): unknown {
  try {
    return parseDocument(text);
  } catch {
    // Told as what it is not.
    return undefined;
  }
}

/** Those that no other covers; of equal ones the first. */
function merged(all: readonly Toleration[]): Toleration[] {
  const kept: Toleration[] = [];
  for (const [i, one] of all.entries()) {
    const later = all.slice(i + 1);
    if (kept.some((other) => covers(other, one))) continue;
    if (later.some((other) => !deepEqual(other, one) && covers(other, one))) continue;
    kept.push(one);
  }
  return kept;
}

/** Whether whoever has the first needs the second no more. */
function covers(one: Toleration, other: Toleration): boolean {
  if (deepEqual(one, other)) return true;
  const exists = one.operator === 'Exists';
  const isForAllKeys = (one.key ?? '') === '' && exists;
  if ((one.key ?? '') !== (other.key ?? '') && !isForAllKeys) return false;
  if ((one.effect ?? '') !== '' && one.effect !== other.effect) return false;
  if (one.effect === 'NoExecute' && one.tolerationSeconds !== undefined) {
    if (other.tolerationSeconds === undefined || other.tolerationSeconds > one.tolerationSeconds) return false;
  }
  if (exists) return true;
  const isEqual = (one.operator ?? 'Equal') === 'Equal' && (other.operator ?? 'Equal') === 'Equal';
  return isEqual && (one.value ?? '') === (other.value ?? '');
}
