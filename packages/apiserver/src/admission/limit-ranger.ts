import { podAmounts, quotaAmounts } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { memberOf } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
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
      info.group === '' &&
      // The resources of a pod change by its resize subresource only.
      (info.resource === 'pods'
        ? (operation === 'CREATE' && subresource === '') || (operation === 'UPDATE' && subresource === 'resize')
        : (operation === 'CREATE' || operation === 'UPDATE') &&
          info.resource === 'persistentvolumeclaims' &&
          subresource === ''),
    admit({ info, namespace, object, before }) {
      if (info.resource !== 'pods' || isBeingDeleted(before)) return;
      const items = itemsOf(namespace);
      if (items.length > 0) setDefaults(object as Draft<Pod>, items);
    },
    validate(attributes) {
      if (isBeingDeleted(attributes.before)) return;
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

/** What is there, and is to go, is held to nothing any more: it has to be able to. */
function isBeingDeleted(before: KubeObject | undefined): boolean {
  return before?.metadata.deletionTimestamp !== undefined;
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

function podProblems(pod: Pod, items: readonly LimitRangeItem[]): string[] {
  const { spec } = pod;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return items.flatMap((item) => {
    if (item.type === 'Container') return containers.flatMap((one) => findLimitProblems(item, one.resources ?? {}));
    return item.type === 'Pod' ? findLimitProblems(item, totalOf(pod)) : [];
  });
}

function claimProblems({ spec }: PersistentVolumeClaim, items: readonly LimitRangeItem[]): string[] {
  const requests = spec?.resources?.requests ?? {};
  return items.flatMap((item) => {
    // A claim has no limits: its request stands for both.
    return item.type === 'PersistentVolumeClaim' ? findLimitProblems(item, { requests, limits: requests }) : [];
  });
}

/** What it asks for as a whole, else its containers together; what running it costs is not its own. */
function totalOf({ metadata, spec }: Pod): Amounts {
  const { overhead: _overhead, ...own } = spec;
  const pod = { metadata, spec: own };
  return {
    requests: quotaAmounts.textsOf(podAmounts(pod, 'requests')),
    limits: quotaAmounts.textsOf(podAmounts(pod, 'limits')),
  };
}
