import { names } from '@binnacle/machinery';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement as ExitCodes,
  PodFailurePolicyOnPodConditionsPattern as Condition,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../generated/batch-v1.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';
import { countIndexes, parseIndexes } from './index-intervals.ts';

const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const CONDITIONS_MAX = 20;
const INDEXES_BYTES_MAX = 64 * 1024;

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** What happens to the job when a pod fails. */
export function validateFailurePolicy(spec: JobSpec, path: FieldPath, report: Report): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  if (rules.length > RULES_MAX) report.tooMany(rulesPath, rules.length, RULES_MAX);
  const pod = spec.template.spec;
  const containers = new Set([...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map(({ name }) => name));
  for (const [at, rule] of rules.entries()) {
    validateFailureRule({ spec, rule, containers }, rulesPath.index(at), report);
  }
}

function validateFailureRule(
  given: { readonly spec: JobSpec; readonly rule: PodFailurePolicyRule; readonly containers: ReadonlySet<string> },
  path: FieldPath,
  report: Report,
): void {
  const { spec, rule, containers } = given;
  const { action, onExitCodes, onPodConditions = [] } = rule;
  if (action !== 'FailIndex') requireOneOf({ value: action, of: ACTIONS }, path.child('action'), report);
  else if (spec.backoffLimitPerIndex === undefined) {
    report.invalid(path.child('action'), action, 'requires the backoffLimitPerIndex to be set');
  }
  if (onExitCodes) validateExitCodes({ containers, codes: onExitCodes }, path.child('onExitCodes'), report);
  if (onPodConditions.length > 0) validateConditions(onPodConditions, path.child('onPodConditions'), report);
  if (onExitCodes && onPodConditions.length > 0) {
    report.invalidWithoutValue(path, 'specifying both OnExitCodes and OnPodConditions is not supported');
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    report.invalidWithoutValue(path, 'specifying one of OnExitCodes and OnPodConditions is required');
  }
}

/** As Go shows a list of texts. */
function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

function requireOneOf(
  given: { readonly value: string | undefined; readonly of: readonly string[] },
  path: FieldPath,
  report: Report,
): void {
  if (!given.value) report.required(path, `valid values: ${quoted(given.of)}`);
  else if (!given.of.includes(given.value)) report.unsupported(path, given.value, given.of);
}

function validateConditions(conditions: readonly Condition[], path: FieldPath, report: Report): void {
  if (conditions.length > CONDITIONS_MAX) report.tooMany(path, conditions.length, CONDITIONS_MAX);
  for (const [at, { type, status }] of conditions.entries()) {
    report.invalidEach(path.index(at).child('type'), type, names.qualifiedNameErrors(type));
    requireOneOf({ value: status, of: STATUSES }, path.index(at).child('status'), report);
  }
}

function validateExitCodes(
  given: { readonly containers: ReadonlySet<string>; readonly codes: ExitCodes },
  path: FieldPath,
  report: Report,
): void {
  const { operator, containerName } = given.codes;
  // Go writes null for a list that was never set.
  const values = given.codes.values ?? [];
  requireOneOf({ value: operator, of: OPERATORS }, path.child('operator'), report);
  if (containerName !== undefined && !given.containers.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    report.invalid(path.child('containerName'), containerName, detail);
  }
  const valuesPath = path.child('values');
  if (values.length === 0) report.invalid(valuesPath, values, 'at least one value is required');
  else if (values.length > EXIT_CODES_MAX) report.tooMany(valuesPath, values.length, EXIT_CODES_MAX);
  const seen = new Set<number>();
  for (const [at, value] of values.entries()) {
    const here = valuesPath.index(at);
    if (operator === 'In' && value === 0) report.invalid(here, value, 'must not be 0 for the In operator');
    if (seen.has(value)) report.duplicate(here, value);
    seen.add(value);
  }
  const isOrdered = values.every((value, at) => at === 0 || (values[at - 1] ?? 0) <= value);
  if (!isOrdered) report.invalid(valuesPath, values, 'must be ordered');
}

/** When enough pods have succeeded. Only jobs with indexes have such a policy. */
export function validateSuccessPolicy(spec: JobSpec, path: FieldPath, report: Report): void {
  const rules = spec.successPolicy?.rules ?? [];
  const rulesPath = path.child('rules');
  if (rules.length === 0) {
    report.required(rulesPath, 'at least one rules must be specified when the successPolicy is specified');
  }
  if (rules.length > RULES_MAX) report.tooMany(rulesPath, rules.length, RULES_MAX);
  const completions = spec.completions ?? 0;
  for (const [at, rule] of rules.entries()) validateSuccessRule({ rule, completions }, rulesPath.index(at), report);
}

function validateSuccessRule(
  given: { readonly rule: SuccessPolicyRule; readonly completions: number },
  path: FieldPath,
  report: Report,
): void {
  const { rule, completions } = given;
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (count === undefined && indexes === undefined) {
    report.required(path, 'at least one of succeededCount or succeededIndexes must be specified');
  }
  const total = indexes === undefined ? undefined : validateIndexes({ indexes, completions }, path, report);
  if (count === undefined) return;
  const countPath = path.child('succeededCount');
  report.nonNegative(countPath, count);
  if (count > completions) {
    const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
    report.invalid(countPath, count, detail);
  }
  if (total !== undefined && count > total) {
    const detail = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    report.invalid(countPath, count, detail);
  }
}

function validateIndexes(
  given: { readonly indexes: string; readonly completions: number },
  rulePath: FieldPath,
  report: Report,
): number {
  const path = rulePath.child('succeededIndexes');
  if (given.indexes.length > INDEXES_BYTES_MAX) report.tooLong(path, INDEXES_BYTES_MAX);
  const parsed = parseIndexes(given.indexes, given.completions);
  if (!('error' in parsed)) return countIndexes(parsed.intervals);
  report.invalid(path, given.indexes, `error parsing succeededIndexes: ${parsed.error}`);
  return 0;
}
