import { names, readInt64 } from '@binnacle/machinery';
import type { PodDNSConfig, Taint, Toleration, TopologySpreadConstraint } from '../../../generated/core-v1.ts';
import { validateIp } from '../../../validation/address.ts';
import { validateLabelName, validateLabelSelector } from '../../../validation/labels.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import type { PodScope } from './scope.ts';

// Where a pod may stand: tolerations and topology spread; and the names that it resolves there.

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
/** `Lt` and `Gt` are known too, and by whom they are taken is the API server's to say: they have a feature gate. */
const OPERATORS = ['Equal', 'Exists'];
const NOT_POSITIVE = 'must be greater than zero';

export function validateTolerations(tolerations: readonly Toleration[], path: FieldPath, report: Report): void {
  for (const [at, toleration] of tolerations.entries()) validateToleration(toleration, path.index(at), report);
}

function validateToleration(toleration: Toleration, path: FieldPath, report: Report): void {
  const { key, effect, tolerationSeconds: seconds } = toleration;
  const operator = toleration.operator ?? '';
  if (key) validateLabelName(key, path.child('key'), report);
  else if (operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    report.invalid(path.child('operator'), operator, detail);
  }
  if (seconds !== undefined && seconds !== null && effect !== 'NoExecute') {
    report.invalid(path.child('effect'), effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  validateOperator(toleration, path, report);
  if (effect) validateTaintEffect(effect, path.child('effect'), report);
}

function validateOperator(toleration: Toleration, path: FieldPath, report: Report): void {
  const value = toleration.value ?? '';
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal': {
      const errors = names.labelValueErrors(value);
      if (errors.length > 0) report.invalid(path.child('operator'), value, errors.join(';'));
      break;
    }
    case 'Exists':
      if (value) report.invalid(path.child('operator'), value, "value must be empty when `operator` is 'Exists'");
      break;
    case 'Lt':
    case 'Gt':
      report.invalidEach(path.child('value'), value, integerErrors(value));
      break;
    default:
      report.unsupported(path.child('operator'), toleration.operator, OPERATORS);
  }
}

/** As people write integers, and no more than 64 bits of them. */
function integerErrors(value: string): string[] {
  const errors: string[] = [];
  if (value === '') errors.push('must be non-empty');
  else if (!/^(?:0|-?[1-9]\d*)$/.test(value)) errors.push('must be a valid decimal integer in canonical form');
  if (readInt64(value) === undefined) {
    const what = /^[+-]?\d+$/.test(value) ? 'value out of range' : 'invalid syntax';
    errors.push(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${what}`);
  }
  return errors;
}

export function validateTaintEffect(effect: Taint['effect'], path: FieldPath, report: Report): void {
  if (!EFFECTS.includes(effect)) report.unsupported(path, effect, EFFECTS);
}

const SPREAD_ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION = ['Honor', 'Ignore'];

export function validateSpread(
  constraints: readonly TopologySpreadConstraint[],
  path: FieldPath,
  report: Report,
): void {
  const lastOf = new Map(constraints.map((constraint, at) => [spreadId(constraint), at]));
  for (const [at, constraint] of constraints.entries()) {
    const here = path.index(at);
    validateSpreadConstraint(constraint, here, report);
    const { topologyKey, whenUnsatisfiable } = constraint;
    if (lastOf.get(spreadId(constraint)) !== at)
      report.duplicate(here.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`);
  }
}

/** What two constraints of one pod must not have in common. */
function spreadId({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string {
  return JSON.stringify([topologyKey, whenUnsatisfiable]);
}

function validateSpreadConstraint(constraint: TopologySpreadConstraint, path: FieldPath, report: Report): void {
  const { maxSkew, minDomains, whenUnsatisfiable: action } = constraint;
  if (maxSkew <= 0) report.invalid(path.child('maxSkew'), maxSkew, NOT_POSITIVE);
  if (!constraint.topologyKey) report.required(path.child('topologyKey'), 'can not be empty');
  if (!SPREAD_ACTIONS.includes(action)) report.unsupported(path.child('whenUnsatisfiable'), action, SPREAD_ACTIONS);
  if (minDomains !== undefined && minDomains !== null) {
    if (minDomains <= 0) report.invalid(path.child('minDomains'), minDomains, NOT_POSITIVE);
    if (action !== 'DoNotSchedule') {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
      report.invalid(path.child('minDomains'), minDomains, detail);
    }
  }
  for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
    const policy = constraint[field];
    if (policy && !INCLUSION.includes(policy)) report.unsupported(path.child(field), policy, INCLUSION);
  }
  validateSpreadKeys(constraint, path.child('matchLabelKeys'), report);
  validateLabelSelector(constraint.labelSelector, path.child('labelSelector'), report);
}

function validateSpreadKeys(constraint: TopologySpreadConstraint, path: FieldPath, report: Report): void {
  const keys = constraint.matchLabelKeys ?? [];
  const selector = constraint.labelSelector;
  if (keys.length === 0) return;
  if (!selector) report.forbidden(path, 'must not be specified when labelSelector is not set');
  const selected = new Set(Object.keys(selector?.matchLabels ?? {}));
  for (const expression of selector?.matchExpressions ?? []) selected.add(expression.key);
  for (const [at, key] of keys.entries()) {
    validateLabelName(key, path.index(at), report);
    if (selected.has(key)) report.invalid(path.index(at), key, 'exists in both matchLabelKeys and labelSelector');
  }
}

const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_LENGTH_MAX = 2048;

export function validateDns(path: FieldPath, scope: PodScope): void {
  const { report } = scope;
  const config = scope.spec.dnsConfig;
  if (scope.spec.dnsPolicy === 'None') {
    if (!config) return report.required(path, 'must provide `dnsConfig` when `dnsPolicy` is None');
    if (!config.nameservers?.length) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return report.required(path.child('nameservers'), detail);
    }
  }
  return config && validateDnsConfig(config, path, report);
}

function validateDnsConfig(config: PodDNSConfig, path: FieldPath, report: Report): void {
  const servers = config.nameservers ?? [];
  if (servers.length > NAMESERVERS_MAX) {
    report.invalid(path.child('nameservers'), servers, `must not have more than ${NAMESERVERS_MAX} nameservers`);
  }
  for (const [at, server] of servers.entries()) validateIp(server, path.child('nameservers').index(at), report);
  validateSearches(config.searches ?? [], path.child('searches'), report);
  for (const [at, option] of (config.options ?? []).entries()) {
    if (!option.name) report.required(path.child('options').index(at), 'must not be empty');
  }
}

function validateSearches(searches: readonly string[], path: FieldPath, report: Report): void {
  if (searches.length > SEARCHES_MAX) {
    report.invalid(path, searches, `must not have more than ${SEARCHES_MAX} search paths`);
  }
  if (searches.join(' ').length > SEARCH_LENGTH_MAX) {
    const detail = `must not have more than ${SEARCH_LENGTH_MAX} characters (including spaces) in the search list`;
    report.invalid(path, searches, detail);
  }
  for (const [at, search] of searches.entries()) {
    if (search === '.') continue;
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    report.invalidEach(path.index(at), name, names.searchDomainErrors(name));
  }
}
