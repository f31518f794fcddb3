import type { PodSpec, ResourceRequirements } from '../../../generated/core-v1.ts';
import { compareAmounts, isNegativeAmount } from '../../../validation/numbers.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import {
  containerResourceNameErrors,
  isHugePages,
  isIntegerResource,
  isOvercommitAllowed,
} from '../../resource-names.ts';
import { isWholeAmount, isWholePages } from './amounts.ts';
import type { PodScope } from './scope.ts';
import { memberOf, names } from '@binnacle/machinery';

type Amounts = { readonly [resource: string]: string };

/** Says what is wrong with a resource's name in this place. */
export type ResourceNameRule = (name: string) => string[];

/** Requests and limits of a container. */
export function validateContainerResources(
  resources: ResourceRequirements | undefined,
  path: FieldPath,
  scope: PodScope,
): void {
  if (!resources) return;
  const { limits, requests, claims } = resources;
  if (limits || requests)
    validateAmounts(resources, path, { report: scope.report, nameErrors: containerResourceNameErrors });
  if (claims) validateClaims(resources, path.child('claims'), scope);
}

export interface AmountScope {
  readonly report: Report;
  readonly nameErrors: ResourceNameRule;
}

/** Names and amounts of requests and limits, and that requests fit into limits. */
export function validateAmounts(resources: ResourceRequirements, path: FieldPath, scope: AmountScope): void {
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  validateList(limits, path.child('limits'), scope);
  for (const name in requests) {
    validateRequest({ name, requests, limits }, path, scope);
  }
  if (hasHugePages(limits) || hasHugePages(requests)) {
    const names = [...Object.keys(limits), ...Object.keys(requests)];
    if (names.includes('cpu') || names.includes('memory')) return;
    scope.report.forbidden(path, 'HugePages require cpu or memory');
  }
}

function hasHugePages(amounts: Amounts): boolean {
  for (const name in amounts) if (isHugePages(name)) return true;
  return false;
}

function validateList(amounts: Amounts, path: FieldPath, scope: AmountScope): void {
  for (const name in amounts) validateAmount({ name, amount: amounts[name] ?? '0' }, path, scope);
}

interface Request {
  readonly name: string;
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function validateRequest(request: Request, path: FieldPath, scope: AmountScope): void {
  const { name, requests, limits } = request;
  const amount = memberOf(requests, name) ?? '0';
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  const reqPath = path.child('requests');
  validateAmount({ name, amount }, reqPath, scope);
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) {
      scope.report.required(path.child('limits'), 'Limit must be set for non overcommitable resources');
    }
    return;
  }
  const order = compareAmounts(amount, limit);
  if (order !== 0 && !isOvercommitAllowed(name)) {
    scope.report.invalid(reqPath, amount, `must be equal to ${name} limit of ${limit}`);
  } else if (order > 0) {
    scope.report.invalid(reqPath, amount, `must be less than or equal to ${name} limit of ${limit}`);
  }
}

interface NamedAmount {
  readonly name: string;
  readonly amount: string;
}

function validateAmount(given: NamedAmount, listPath: FieldPath, scope: AmountScope): void {
  const { name, amount } = given;
  const nameErrors = scope.nameErrors(name);
  if (nameErrors.length > 0) scope.report.invalidEach(listPath.key(name), name, nameErrors);
  validateQuantity(given, listPath, scope.report);
  if (isHugePages(name) && !isWholePages(name, amount)) {
    scope.report.invalid(listPath.key(name), amount, `${amount} is not positive integer multiple of ${name}`);
  }
}

/** An amount of a resource: not negative, whole where the resource comes in whole units. */
export function validateQuantity(given: NamedAmount, listPath: FieldPath, report: Report): void {
  const { name, amount } = given;
  if (isNegativeAmount(amount)) {
    report.invalid(listPath.key(name), amount, 'must be greater than or equal to 0');
  }
  if (isIntegerResource(name) && !isWholeAmount(amount)) {
    report.invalid(listPath.key(name), amount, 'must be an integer');
  }
}

function validateClaims(resources: ResourceRequirements, path: FieldPath, scope: PodScope): void {
  const seen = new Set<string>();
  /** Claims of which a part was asked for: then they cannot be asked for as a whole. */
  const parted = new Set<string>();
  const known = new Set((scope.spec.resourceClaims ?? []).map((claim) => claim.name));
  let shown: string | undefined;
  for (const [at, claim] of (resources.claims ?? []).entries()) {
    const here = path.index(at);
    if (!claim.name) {
      scope.report.required(here);
      continue;
    }
    const key = claim.request ? `${claim.name}/${claim.request}` : claim.name;
    if (claim.request)
      scope.report.invalidEach(here.child('request'), claim.request, names.dnsLabelErrors(claim.request));
    const whole = !claim.request && parted.has(claim.name);
    if (seen.has(claim.name) || seen.has(key) || whole) scope.report.duplicate(here, seen.has(key) ? key : claim.name);
    seen.add(key);
    if (claim.request) parted.add(claim.name);
    if (!known.has(claim.name)) scope.report.notFound(here, claim.name, (shown ??= knownClaims(scope.spec)));
  }
}

function knownClaims(spec: PodSpec): string {
  const names = (spec.resourceClaims ?? []).map((claim) => claim.name).sort();
  const list = names.length === 0 ? ' which is empty' : `: ${names.join(', ')}`;
  return `must be one of the names in pod.spec.resourceClaims${list}`;
}
