import type { ApiObject } from '../live/rows.ts';
import type { ListRoute } from '../route/route.ts';

/** Which pods an object is about, as lists select them. */
export type PodSelection = Pick<ListRoute, 'labels' | 'fields'>;

/**
 * The pods that an object selects by its labels (Services, sets, policies, budgets: whatever has such a selector), or that run
 * on it; undefined: it selects none, or all. Takes objects of any shape.
 */
export function selectedPods({ apiVersion, kind, metadata, spec }: ApiObject): PodSelection | undefined {
  if (kind === 'Node' && apiVersion === 'v1') return { labels: '', fields: `spec.nodeName=${metadata.name}` };
  // A claim's selector is about volumes.
  if (kind === 'PersistentVolumeClaim' && apiVersion === 'v1') return undefined;
  const selector = memberOf(spec, 'selector') ?? memberOf(spec, 'podSelector');
  const labels = isWithParts(selector) ? partsOf(selector) : pairsOf(selector);
  return labels.length === 0 ? undefined : { labels: labels.join(','), fields: '' };
}

type Members = { readonly [name: string]: unknown };

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberOf(owner: unknown, name: string): unknown {
  return isMembers(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined;
}

function isWithParts(selector: unknown): boolean {
  return isMembers(memberOf(selector, 'matchLabels')) || Array.isArray(memberOf(selector, 'matchExpressions'));
}

/** `a=b`, of a plain map. */
function pairsOf(map: unknown): readonly string[] {
  if (!isMembers(map)) return [];
  return Object.entries(map).flatMap(([key, value]) => (typeof value === 'string' ? [`${key}=${value}`] : []));
}

function partsOf(selector: unknown): readonly string[] {
  const expressions = memberOf(selector, 'matchExpressions');
  const told = Array.isArray(expressions) ? expressions.flatMap(expressionText) : [];
  return [...pairsOf(memberOf(selector, 'matchLabels')), ...told];
}

function expressionText(expression: unknown): readonly string[] {
  const key = memberOf(expression, 'key');
  const values = memberOf(expression, 'values');
  if (typeof key !== 'string') return [];
  const list = `(${(Array.isArray(values) ? values : []).filter((one) => typeof one === 'string').join(',')})`;
  switch (memberOf(expression, 'operator')) {
    case 'In':
      return [`${key} in ${list}`];
    case 'NotIn':
      return [`${key} notin ${list}`];
    case 'Exists':
      return [key];
    case 'DoesNotExist':
      return [`!${key}`];
    default:
      return [];
  }
}
