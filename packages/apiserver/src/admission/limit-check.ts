import type { LimitRangeItem } from '@binnacle/api/core/v1';
import { compareQuantities, memberOf, quantityMilliValue } from '@binnacle/machinery';

/** What something asks for and what it is held to. */
export interface Amounts {
  readonly requests?: { readonly [resource: string]: string };
  readonly limits?: { readonly [resource: string]: string };
}

/** Where the amounts break the item's bounds, in upstream's words. */
export function findLimitProblems(item: LimitRangeItem, { requests = {}, limits = {} }: Amounts): string[] {
  const problems: string[] = [];
  const each = (bounds: { readonly [name: string]: string } | undefined, check: Check): void => {
    for (const [name, bound] of Object.entries(bounds ?? {})) {
      const problem = check({
        name,
        type: item.type,
        bound,
        request: memberOf(requests, name),
        limit: memberOf(limits, name),
      });
      if (problem !== undefined) problems.push(problem);
    }
  };
  each(item.min, belowMin);
  each(item.max, aboveMax);
  each(item.maxLimitRequestRatio, aboveRatio);
  return problems;
}

interface Case {
  readonly name: string;
  readonly type: string;
  readonly bound: string;
  readonly request: string | undefined;
  readonly limit: string | undefined;
}

type Check = (of: Case) => string | undefined;

function belowMin({ name, type, bound, request, limit }: Case): string | undefined {
  const said = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return `${said}.  No request is specified`;
  if (compareQuantities(request, bound) < 0) return `${said}, but request is ${request}`;
  if (limit !== undefined && compareQuantities(limit, bound) < 0) return `${said}, but limit is ${limit}`;
  return undefined;
}

function aboveMax({ name, type, bound, request, limit }: Case): string | undefined {
  const said = `maximum ${name} usage per ${type} is ${bound}`;
  if (type === 'PersistentVolumeClaim') {
    if (request === undefined) return `${said}.  No request is specified`;
    return compareQuantities(request, bound) > 0 ? `${said}, but request is ${request}` : undefined;
  }
  if (limit === undefined) return `${said}.  No limit is specified`;
  if (compareQuantities(limit, bound) > 0) return `${said}, but limit is ${limit}`;
  if (request !== undefined && compareQuantities(request, bound) > 0) return `${said}, but request is ${request}`;
  return undefined;
}

function aboveRatio({ name, type, bound, request, limit }: Case): string | undefined {
  const said = `${name} max limit to request ratio per ${type} is ${bound}`;
  const asked = request === undefined ? 0 : quantityMilliValue(request);
  const held = limit === undefined ? 0 : quantityMilliValue(limit);
  if (asked === 0) return `${said}, but no request is specified or request is 0`;
  if (held === 0) return `${said}, but no limit is specified or limit is 0`;
  const ratio = held / asked;
  return ratio > quantityMilliValue(bound) / 1000 ? `${said}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
