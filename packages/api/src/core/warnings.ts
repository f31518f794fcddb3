import { compareQuantities, formatQuantity, parseQuantity } from '@binnacle/machinery';
import type { Endpoints, Node, ResourceQuota, ServiceAccount } from '../generated/core-v1.ts';
import { warnOfCidr, warnOfIp } from '../validation/address-warnings.ts';
import { fieldPath } from '../validation/path.ts';
import { Warnings } from '../validation/warnings.ts';

/** Whose Endpoints are right without being looked at. */
const OWN_CONTROLLER = 'endpoint-controller';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';

/** Of Endpoints that somebody wrote by hand. */
export function endpointsWarnings({ metadata, subsets }: Endpoints): readonly string[] {
  const warnings = new Warnings();
  if (metadata.labels?.[MANAGED_BY] === OWN_CONTROLLER) return warnings.texts;
  for (const [at, subset] of (subsets ?? []).entries()) {
    for (const list of ['addresses', 'notReadyAddresses'] as const) {
      for (const [nth, { ip }] of (subset[list] ?? []).entries()) {
        warnOfIp(ip, fieldPath('subsets').index(at).child(list).index(nth).child('ip'), warnings);
      }
    }
  }
  return warnings.texts;
}

/** Of a Node. */
export function nodeWarnings({ spec }: Node): readonly string[] {
  const warnings = new Warnings();
  if (spec?.configSource) warnings.say('spec.configSource: the feature is removed');
  if (spec?.externalID) warnings.say('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  for (const [at, range] of (spec?.podCIDRs ?? []).entries()) {
    warnOfCidr(range, fieldPath('spec', 'podCIDRs').index(at), warnings);
  }
  return warnings.texts;
}

/** Of a ServiceAccount that gets an annotation which is on its way out. */
export function serviceAccountWarnings({ metadata }: ServiceAccount, before?: ServiceAccount): readonly string[] {
  const has = (annotations: object | undefined): boolean => Object.hasOwn(annotations ?? {}, MOUNTABLE);
  if (!has(metadata.annotations) || has(before?.metadata.annotations)) return [];
  const instead = 'prefer separate namespaces to isolate access to mounted secrets';
  return [`metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; ${instead}`];
}

/** Of a new quota that lets more be requested than it lets be the limit. */
export function quotaWarnings({ spec }: ResourceQuota, before?: ResourceQuota): readonly string[] {
  const hard = spec?.hard;
  if (before !== undefined || !hard) return [];
  return ['cpu', 'memory', 'ephemeral-storage'].flatMap((resource) => {
    const limitName = `limits.${resource}`;
    const names = [`requests.${resource}`, ...(resource === 'ephemeral-storage' ? [] : [resource])];
    const requestName = names.find((name) => Object.hasOwn(hard, name));
    if (requestName === undefined || !Object.hasOwn(hard, limitName)) return [];
    const request = parseQuantity(String(hard[requestName]));
    const limit = parseQuantity(String(hard[limitName]));
    if (compareQuantities(request, limit) <= 0) return [];
    const shown = `${requestName} (${formatQuantity(request)}) should be less than ${limitName} (${formatQuantity(limit)})`;
    return [`ResourceQuota ${shown}`];
  });
}
