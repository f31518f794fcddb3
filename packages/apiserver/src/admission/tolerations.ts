import { isExtendedResource, podQosClass, schemas } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Pod, Toleration } from '@binnacle/api/core/v1';
import { DecodeError, parseDocument, status } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import { areCovered, mergeTolerations } from './merge-tolerations.ts';
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
    const keys = new Set(names);
    if (keys.size === 0) return;
    const others = (spec.tolerations ?? []).filter((one) => !isWanted(one, keys));
    spec.tolerations = [...others, ...[...keys].sort().map(toleranceOf)];
  },
};

function toleranceOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoSchedule' };
}

function isWanted({ key = '', operator, effect }: Toleration, keys: ReadonlySet<string>): boolean {
  return operator === 'Exists' && effect === 'NoSchedule' && keys.has(key);
}

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
    if (areCovered(tolerations, whitelist)) return;
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
      if (more.length > 0) pod.spec.tolerations = mergeTolerations([...(pod.spec.tolerations ?? []), ...more]);
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
  const found = readTolerations(text);
  if (found !== undefined) return found;
  throw status.badRequest(`annotation ${key} of namespace ${namespaceObject?.metadata.name} is no list of tolerations`);
}

/** By the schema, as nobody looks at the form of a pod again: what is unknown goes. Undefined for what is none. */
function readTolerations(text: string): readonly Toleration[] | undefined {
  try {
    const value = parseDocument(text);
    if (!Array.isArray(value)) return undefined;
    return value.map((one) => schemas.decode<Toleration>('core.v1.Toleration', one).value);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
