import type { Draft } from '@binnacle/api';
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { addQuantities, compareQuantities, formatQuantity, memberOf, putMember } from '@binnacle/machinery';
import type { AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';
import { findLimitProblems } from './limit-check.ts';
import type { Amounts } from './limit-check.ts';
import { refuse } from './refusal.ts';

const LIMIT_RANGES = { group: '', resource: 'limitranges' };
const NO_ITEMS: readonly LimitRangeItem[] = [];
const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Fills requests and limits from the namespace's LimitRanges, and holds pods and claims to their bounds. */
export function createLimitRanger(cache: CacheReader): AdmissionPlugin {
  const itemsOf = (namespace: string): readonly LimitRangeItem[] => {
    const ranges = cache.list(LIMIT_RANGES, namespace) as readonly LimitRange[];
    return ranges.length === 0 ? NO_ITEMS : ranges.flatMap((range) => range.spec?.limits ?? []);
  };
  return {
    name: 'LimitRanger',
    changes: ['metadata.annotations'],
    handles: (operation, info, subresource) =>
      subresource === '' &&
      info.group === '' &&
      // The resources of a pod change by its resize subresource only.
      ((operation === 'CREATE' && info.resource === 'pods') ||
        ((operation === 'CREATE' || operation === 'UPDATE') && info.resource === 'persistentvolumeclaims')),
    admit({ info, namespace, object }) {
      const items = itemsOf(namespace);
      if (info.resource === 'pods' && items.length > 0) setDefaults(object as Draft<Pod>, items);
    },
    validate(attributes) {
      const items = itemsOf(attributes.namespace);
      if (items.length === 0) return;
      const problems =
        attributes.info.resource === 'pods'
          ? podProblems(attributes.object as Pod, items)
          : claimProblems(attributes.object as PersistentVolumeClaim, items);
      if (problems.length === 0) return;
      throw refuse(attributes, problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
    },
  };
}

function setDefaults(pod: Draft<Pod>, items: readonly LimitRangeItem[]): void {
  const said: string[] = [];
  for (const item of items) {
    if (item.type !== 'Container') continue;
    for (const container of pod.spec.containers ?? []) said.push(...fill(container, 'container', item));
    for (const container of pod.spec.initContainers ?? []) said.push(...fill(container, 'init container', item));
  }
  if (said.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [ANNOTATION]: `LimitRanger plugin set: ${said.join('; ')}`,
  };
}

function fill(container: Draft<Container>, what: string, item: LimitRangeItem): string[] {
  const resources = (container.resources ??= {});
  const said: string[] = [];
  for (const [field, defaults] of [
    ['requests', item.defaultRequest],
    ['limits', item.default],
  ] as const) {
    const missing = Object.keys(defaults ?? {}).filter((name) => memberOf(resources[field] ?? {}, name) === undefined);
    if (missing.length === 0) continue;
    resources[field] = { ...defaults, ...resources[field] };
    said.push(`${missing.toSorted().join(', ')} ${field.slice(0, -1)} for ${what} ${container.name}`);
  }
  return said;
}

function podProblems({ spec }: Pod, items: readonly LimitRangeItem[]): string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return items.flatMap((item) => {
    if (item.type === 'Container') return containers.flatMap((one) => findLimitProblems(item, one.resources ?? {}));
    return item.type === 'Pod' ? findLimitProblems(item, totalOf(spec)) : [];
  });
}

function claimProblems({ spec }: PersistentVolumeClaim, items: readonly LimitRangeItem[]): string[] {
  const requests = spec?.resources?.requests ?? {};
  return items.flatMap((item) => {
    // A claim has no limits: its request stands for both.
    return item.type === 'PersistentVolumeClaim' ? findLimitProblems(item, { requests, limits: requests }) : [];
  });
}

/** Main containers run together, init containers one after the other before them. */
function totalOf({ containers, initContainers = [] }: Pod['spec']): Amounts {
  const total = (field: 'requests' | 'limits'): { [name: string]: string } => {
    const sum: { [name: string]: string } = {};
    for (const { resources } of containers) {
      for (const [name, value] of Object.entries(resources?.[field] ?? {})) {
        putMember(sum, name, formatQuantity(addQuantities(memberOf(sum, name) ?? '0', value)));
      }
    }
    for (const { resources } of initContainers) {
      for (const [name, value] of Object.entries(resources?.[field] ?? {})) {
        if (compareQuantities(value, memberOf(sum, name) ?? '0') > 0) putMember(sum, name, value);
      }
    }
    return sum;
  };
  return { requests: total('requests'), limits: total('limits') };
}
