import { FieldError, memberOf, names, status } from '@binnacle/machinery';
import type { FieldValidation, KubeObject } from '@binnacle/machinery';
import type { Query } from '../request/query.ts';

const KINDS: { readonly [verb: string]: string } = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
};
const MANAGER_BYTES = 128;
const PLAIN = /^[ -~]*$/;
const VALIDATIONS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

/** Checks the query parameters that writes share: 422 in upstream's words. Answers whether nothing shall be stored. */
export function checkWriteOptions(verb: string, query: Query, contentType: string): boolean {
  if (query.isEmpty && !contentType.startsWith('application/apply-patch')) return false;
  const kind = memberOf(KINDS, verb);
  if (kind !== undefined) {
    const problems = [...forceProblems(verb, query, contentType), ...managerProblems(query), ...dryRunProblems(query)];
    const mode = query.get('fieldValidation');
    if (!VALIDATIONS.includes(mode)) problems.push(unsupported('fieldValidation', mode, VALIDATIONS));
    if (problems.length > 0) throw status.invalid({ group: 'meta.k8s.io', kind }, '', problems);
  }
  return query.get('dryRun') === 'All';
}

/** The options of a write that its query says, as an object of their kind. */
export function writeOptions(verb: string, query: Query): KubeObject {
  const options: { [name: string]: unknown } = {
    kind: memberOf(KINDS, verb) ?? 'CreateOptions',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
  };
  for (const name of ['fieldManager', 'fieldValidation']) if (query.has(name)) options[name] = query.get(name);
  if (query.has('dryRun')) options['dryRun'] = query.all('dryRun');
  if (query.has('force')) options['force'] = query.bool('force');
  return options as unknown as KubeObject;
}

/** What is wrong with a list of dry runs: only `All` is one. */
export function dryRunListProblems(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [unsupported('dryRun', values, ['All'])];
}

/** How unknown and duplicate fields are met; `Warn` unless asked otherwise. */
export function fieldValidation(query: Query): FieldValidation {
  const mode = query.get('fieldValidation');
  return mode === 'Strict' || mode === 'Ignore' ? mode : 'Warn';
}

function dryRunProblems(query: Query): FieldError[] {
  return query.has('dryRun') ? dryRunListProblems(query.all('dryRun')) : [];
}

/** Apply may force, and has to say who it is. */
function forceProblems(verb: string, query: Query, contentType: string): FieldError[] {
  if (verb !== 'patch') return [];
  if (contentType.startsWith('application/apply-patch')) {
    if (query.get('fieldManager') !== '') return [];
    return [new FieldError('FieldValueRequired', 'fieldManager', '', 'is required for apply patch')];
  }
  if (!query.has('force')) return [];
  return [new FieldError('FieldValueForbidden', 'force', '', 'may not be specified for non-apply patch')];
}

function managerProblems(query: Query): FieldError[] {
  const manager = query.get('fieldManager');
  const problems: FieldError[] = [];
  if (names.byteLength(manager) > MANAGER_BYTES) {
    const detail = `may not be more than ${MANAGER_BYTES} bytes`;
    problems.push(new FieldError('FieldValueTooLong', 'fieldManager', manager, detail));
  }
  if (PLAIN.test(manager)) return problems;
  // Made here, where it is seldom needed: letters of all scripts take a millisecond to read.
  for (const { 0: letter, index } of manager.matchAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu)) {
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const detail = `invalid character U+${code} (at position ${names.byteLength(manager.slice(0, index))})`;
    problems.push(new FieldError('FieldValueInvalid', 'fieldManager', manager, detail));
    if (problems.length > MANAGER_BYTES) break;
  }
  return problems;
}

function unsupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const names = supported.map((name) => JSON.stringify(name)).join(', ');
  return new FieldError('FieldValueNotSupported', field, value, `supported values: ${names}`);
}
