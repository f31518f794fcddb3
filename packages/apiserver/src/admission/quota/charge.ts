import { isInQuotaScopes, quotaAmounts, quotaScopes } from '@binnacle/api';
import type { QuotaAmounts, QuotaEvaluator } from '@binnacle/api';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../../ports/admission.ts';
import { refuse } from '../refusal.ts';
import type { LimitedResource } from './limited-resource.ts';

/** One request's share of one quota. */
export interface Charge {
  readonly quota: string;
  readonly amounts: QuotaAmounts;
}

/** A request against the quotas of its namespace. */
export interface QuotaRequest {
  readonly attributes: AdmissionAttributes;
  readonly evaluator: QuotaEvaluator;
  readonly limited: readonly LimitedResource[];
  readonly nowMs: number;
}

/**
 * What a request has to be charged to which quota; none where it uses nothing more than before. Throws 403 where a
 * quota asks for what the object does not say, where nobody has counted yet, and where nothing covers what is limited.
 */
export function chargesOf(request: QuotaRequest, quotas: readonly ResourceQuota[]): readonly Charge[] {
  const { attributes, evaluator, nowMs } = request;
  const object = attributes.object ?? { metadata: {} };
  const pertinent = quotas.filter((quota) => isPertinent(evaluator, quota, object));
  for (const quota of pertinent) checkQuota(request, quota, object);
  const usage = evaluator.usage(object, nowMs);
  const negative = [...usage].filter(([, { nano }]) => nano < 0n).map(([name]) => name);
  if (negative.length > 0) {
    throw refuse(attributes, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  }
  const growth = growthOf(request, usage);
  const charges = pertinent.map((quota) => ({ quota, amounts: amountsFor(request, quota, { usage, growth }) }));
  const uses = pertinent.length === 0 ? growth.size > 0 : charges.some(({ amounts }) => amounts.size > 0);
  if (!uses) return [];
  checkCovered(request, { quotas, pertinent, usage, object });
  return charges.flatMap(({ quota, amounts }) => {
    const charged = quotaAmounts.onlyNamed(amounts, countedBy(evaluator, quota));
    return charged.size === 0 ? [] : [{ quota: quota.metadata.name ?? '', amounts: charged }];
  });
}

/** The names of what the quota limits, of those that objects of this kind count towards. */
function countedBy(evaluator: QuotaEvaluator, { status }: ResourceQuota): Set<string> {
  return new Set(Object.keys(status?.hard ?? {}).filter((name) => evaluator.counts(name)));
}

function isPertinent(evaluator: QuotaEvaluator, quota: ResourceQuota, object: KubeObject): boolean {
  return countedBy(evaluator, quota).size > 0 && isInQuotaScopes(evaluator, quota, object);
}

function checkQuota({ attributes, evaluator }: QuotaRequest, quota: ResourceQuota, object: KubeObject): void {
  const names = countedBy(evaluator, quota);
  const unsaid = evaluator.unsaid?.(object, names);
  if (unsaid !== undefined) throw refuse(attributes, `failed quota: ${quota.metadata.name}: ${unsaid}`);
  const used = quotaAmounts.amountsFrom(quota.status?.used);
  if ([...names].every((name) => used.has(name))) return;
  const list = [...names].sort().join(',');
  throw refuse(attributes, `status unknown for quota: ${quota.metadata.name}, resources: ${list}`);
}

/** What an update uses more than before; all of it where the object is new. */
function growthOf({ attributes, evaluator, nowMs }: QuotaRequest, usage: QuotaAmounts): QuotaAmounts {
  const { before } = attributes;
  if (!isChange(before)) return quotaAmounts.positiveAmounts(usage);
  return quotaAmounts.growthOf(usage, evaluator.usage(before, nowMs));
}

/** An update of what is stored already. */
function isChange(before: KubeObject | undefined): before is KubeObject {
  return before !== undefined && (before.metadata.resourceVersion ?? '') !== '';
}

/** What comes into a quota's scopes by an update counts as a whole. */
function amountsFor(
  { attributes, evaluator }: QuotaRequest,
  quota: ResourceQuota,
  { usage, growth }: { readonly usage: QuotaAmounts; readonly growth: QuotaAmounts },
): QuotaAmounts {
  const { before } = attributes;
  const wasCounted = isChange(before) && isPertinent(evaluator, quota, before);
  return wasCounted ? growth : quotaAmounts.positiveAmounts(usage);
}

interface Covered {
  readonly quotas: readonly ResourceQuota[];
  readonly pertinent: readonly ResourceQuota[];
  readonly usage: QuotaAmounts;
  readonly object: KubeObject;
}

function checkCovered({ attributes, evaluator, limited }: QuotaRequest, covered: Covered): void {
  const { quotas, pertinent, usage, object } = covered;
  const { group, resource } = attributes.info;
  const own = limited.filter((one) => one.apiGroup === group && one.resource === resource);
  const counted = new Set(pertinent.flatMap((quota) => [...countedBy(evaluator, quota)]));
  const free = [...usage].filter(([name, { nano }]) => {
    const isLimited = own.some(({ matchContains }) => matchContains.some((part) => name.includes(part)));
    return nano > 0n && isLimited && !counted.has(name);
  });
  if (free.length > 0) {
    const names = free.map(([name]) => name).sort();
    throw refuse(attributes, `insufficient quota to consume: ${names.join(',')}`);
  }
  const inScope = (selector: ScopedResourceSelectorRequirement): boolean =>
    evaluator.inScope?.(object, selector) === true;
  const present = new Set(
    quotas.flatMap((quota) =>
      quotaScopes(quota)
        .filter(inScope)
        .map((one) => one.scopeName),
    ),
  );
  const open = limited
    .flatMap(({ matchScopes }) => matchScopes.filter(inScope))
    .filter((one) => !present.has(one.scopeName));
  if (open.length > 0) {
    throw refuse(attributes, `insufficient quota to match these scopes: [${open.map(shownScope).join(' ')}]`);
  }
}

function shownScope({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): string {
  return `{${scopeName} ${operator} [${values.join(' ')}]}`;
}

/** What is used with the charge on top. Throws 403 where that is more than the quota allows. */
export function usedAfter(attributes: AdmissionAttributes, quota: ResourceQuota, { amounts }: Charge): QuotaAmounts {
  const hard = quotaAmounts.amountsFrom(quota.status?.hard);
  const used = quotaAmounts.amountsFrom(quota.status?.used);
  const sum = quotaAmounts.sumOf(used, quotaAmounts.onlyNamed(amounts, hard));
  // A status tells what is so already: it is counted, and not refused.
  if (attributes.subresource === 'status') return sum;
  const over = quotaAmounts.exceeding(quotaAmounts.onlyNamed(sum, amounts), hard);
  if (over.size === 0) return sum;
  const shown = (all: QuotaAmounts): string => quotaAmounts.shownAmounts(quotaAmounts.onlyNamed(all, over));
  throw refuse(
    attributes,
    `exceeded quota: ${quota.metadata.name}, requested: ${shown(amounts)}, used: ${shown(used)}, limited: ${shown(hard)}`,
  );
}
