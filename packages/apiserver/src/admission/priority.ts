import { PRIORITY_CLASSES } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { PriorityClass } from '@binnacle/api/scheduling/v1';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { refuse } from './refusal.ts';

const NO_CLASS: Pick<PriorityClass, 'value' | 'preemptionPolicy'> = { value: 0 };

/** Turns the name of a PriorityClass into a number; sees to it that there is one default class at most. */
export function createPriority(cache: CacheReader): AdmissionPlugin {
  return {
    name: 'Priority',
    changes: ['spec.priorityClassName', 'spec.priority', 'spec.preemptionPolicy'],
    handles: (operation, info, subresource) =>
      subresource === '' &&
      ((operation === 'CREATE' && info.group === '' && info.resource === 'pods') ||
        ((operation === 'CREATE' || operation === 'UPDATE') && isPriorityClass(info))),
    admit(attributes) {
      if (isPriorityClass(attributes.info)) return undefined;
      const pod = attributes.object as Draft<Pod>;
      const name = pod.spec.priorityClassName ?? '';
      const known = name === '' ? findDefault(cache) : findClass(cache, name);
      if (name === '' || known !== undefined) return apply(attributes, pod, known);
      return applyLive(attributes, pod, cache);
    },
    validate(attributes) {
      if (isPriorityClass(attributes.info)) checkOneDefault(attributes, cache);
    },
  };
}

async function applyLive(attributes: AdmissionAttributes, pod: Draft<Pod>, cache: CacheReader): Promise<void> {
  const name = pod.spec.priorityClassName ?? '';
  const found = (await cache.getLive(PRIORITY_CLASSES, '', name)) as PriorityClass | undefined;
  if (found === undefined) throw refuse(attributes, `no PriorityClass with name ${name} was found`);
  apply(attributes, pod, found);
}

function apply(attributes: AdmissionAttributes, pod: Draft<Pod>, found: PriorityClass | undefined): void {
  const { value, preemptionPolicy = 'PreemptLowerPriority' } = found ?? NO_CLASS;
  const { spec } = pod;
  if (found?.metadata.name !== undefined) spec.priorityClassName = found.metadata.name;
  const computed = (what: string, given: unknown, result: unknown): Error =>
    refuse(
      attributes,
      `the ${what} (${String(given)}) must not be provided in pod spec; priority admission controller computed ${String(result)} from the given PriorityClass name`,
    );
  if (spec.priority !== undefined && spec.priority !== value) {
    throw computed('integer value of priority', spec.priority, value);
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw computed('string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy);
  }
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

function checkOneDefault(attributes: AdmissionAttributes, cache: CacheReader): void {
  const wanted = attributes.object as PriorityClass;
  const present = wanted.globalDefault === true ? findDefault(cache) : undefined;
  if (present === undefined || present.metadata.name === wanted.metadata.name) return;
  throw refuse(
    attributes,
    `PriorityClass ${present.metadata.name} is already marked as default. Only one default can exist`,
  );
}

function findClass(cache: CacheReader, name: string): PriorityClass | undefined {
  return cache.get(PRIORITY_CLASSES, '', name) as PriorityClass | undefined;
}

/** Where several got in as default, the lowest one counts. */
function findDefault(cache: CacheReader): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const one of cache.list(PRIORITY_CLASSES) as readonly PriorityClass[]) {
    if (one.globalDefault === true && (lowest === undefined || one.value < lowest.value)) lowest = one;
  }
  return lowest;
}

function isPriorityClass(info: AdmissionAttributes['info']): boolean {
  return info.group === 'scheduling.k8s.io' && info.resource === 'priorityclasses';
}
