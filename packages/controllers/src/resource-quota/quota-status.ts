import { addQuantities, compareQuantities, deepEqual } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import { isInQuotaScopes, quotaAmounts, quotaScopes } from '@binnacle/api';
import type { QuotaAmounts, QuotaEvaluators } from '@binnacle/api';
import type { ResourceQuota, ResourceQuotaStatus } from '@binnacle/api/core/v1';
import type { CountedKind } from './counted-kinds.ts';

/** How it is counted, and when: milliseconds since the epoch. */
export interface Counting {
  readonly evaluatorOf: QuotaEvaluators;
  readonly nowMs: number;
}

/** What there is of a kind in the namespace: the objects, or only how many, where that is all that counts. */
export interface Counted {
  readonly kind: CountedKind;
  readonly objects: readonly KubeObject[] | number;
}

const ZERO = { nano: 0n, format: 'DecimalSI' } as const;

/** What is used of each amount that objects of these kinds count towards. */
export function usedBy(
  quota: ResourceQuota,
  counted: readonly Counted[],
  { evaluatorOf, nowMs }: Counting,
): QuotaAmounts {
  const names = Object.keys(quota.spec?.hard ?? {});
  const used = quotaAmounts.amountsFrom({});
  for (const { kind, objects } of counted) {
    const evaluator = evaluatorOf(kind);
    if (evaluator === undefined) continue;
    for (const name of names) if (evaluator.counts(name) && !used.has(name)) used.set(name, ZERO);
    if (typeof objects === 'number') {
      // Those that only their number counts of are in no scope.
      if (quotaScopes(quota).length > 0) continue;
      for (const [name, { nano, format }] of evaluator.usage({ metadata: {} }, nowMs)) {
        quotaAmounts.addTo(used, new Map([[name, { nano: nano * BigInt(objects), format }]]));
      }
      continue;
    }
    for (const object of objects) {
      if (isInQuotaScopes(evaluator, quota, object)) quotaAmounts.addTo(used, evaluator.usage(object, nowMs));
    }
  }
  return quotaAmounts.onlyNamed(used, new Set(names));
}

/**
 * The status as it should be; the one there is when that is right. What nobody could count stays as it was, and what
 * was `charged` a moment ago is not taken back: its objects may be still to come.
 */
export function quotaStatus(
  quota: ResourceQuota,
  used: QuotaAmounts,
  charged: QuotaAmounts = new Map(),
): ResourceQuotaStatus {
  const { spec, status } = quota;
  const hard = spec?.hard ?? {};
  const before = quotaAmounts.onlyNamed(quotaAmounts.amountsFrom(status?.used), new Set(Object.keys(hard)));
  const now = new Map([...before, ...used]);
  for (const [name, amount] of charged) {
    const counted = used.get(name);
    const told = before.get(name);
    if (counted === undefined || told === undefined) continue;
    const most = addQuantities(counted, amount);
    quotaAmounts.raiseTo(now, new Map([[name, compareQuantities(told, most) < 0 ? told : most]]));
  }
  const after = { hard, used: quotaAmounts.textsOf(now) };
  const same = isSame(status?.hard, after.hard) && isSame(status?.used, after.used);
  return same && status !== undefined ? status : after;
}

/** Whether the status tells other limits than the quota has, or nothing of one of them. */
export function isUncounted({ spec, status }: ResourceQuota): boolean {
  const { hard = {} } = spec ?? {};
  return !isSame(status?.hard, hard) || Object.keys(hard).some((name) => !Object.hasOwn(status?.used ?? {}, name));
}

/** Whether a change of an object may change what quotas of its namespace count. */
export function countsOtherwise(
  kind: CountedKind,
  change: Counting & { readonly before: KubeObject; readonly after: KubeObject },
  quotas: readonly ResourceQuota[],
): boolean {
  const { before, after, nowMs } = change;
  const evaluator = change.evaluatorOf(kind);
  if (evaluator === undefined || quotas.length === 0) return false;
  const shown = (object: KubeObject): string => quotaAmounts.shownAmounts(evaluator.usage(object, nowMs));
  const places = (object: KubeObject): readonly boolean[] =>
    quotas.map((quota) => isInQuotaScopes(evaluator, quota, object));
  return shown(before) !== shown(after) || !deepEqual(places(before), places(after));
}

interface Texts {
  readonly [name: string]: string;
}

function isSame(a: Texts | undefined, b: Texts): boolean {
  if (a === undefined || Object.keys(a).length !== Object.keys(b).length) return false;
  return Object.entries(b).every(([name, text]) => {
    const other = Object.hasOwn(a, name) ? a[name] : undefined;
    return other !== undefined && compareQuantities(other, text) === 0;
  });
}
