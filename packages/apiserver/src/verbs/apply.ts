import type { Pieces } from '@binnacle/base';
import type { ResourceInfo } from '@binnacle/api';
import { duplicateKeysError, groupVersion, pathsOf, status, StatusError } from '@binnacle/machinery';
import type { FieldConflict, KubeObject } from '@binnacle/machinery';
import type { Call } from '../catalogue/definition.ts';
import { inTurns } from '../request/turns.ts';
import { isDecodeError } from './body-errors.ts';
import { readBytes } from './body.ts';
import { goKind } from './identity.ts';
import type { ObjectChange } from './change.ts';
import { withLastApplied } from './field-ownership.ts';
import type { FieldOwnership } from './field-ownership.ts';
import { changeOf, checkAgainstUrl, keepIdentity } from './update.ts';
import { fieldValidation } from './write-options.ts';
import { readYamlBody } from './yaml-body.ts';

type Named = Pick<ResourceInfo, 'group' | 'version' | 'kind'>;

/** The media type of server-side apply; JSON is YAML. */
export const APPLY_TYPE = 'application/apply-patch+yaml';

/** A PATCH with a configuration: what the caller wants to own, and how. Makes the object where there is none. */
export async function applyChange(ownership: FieldOwnership, call: Call): Promise<ObjectChange> {
  const configuration = await readConfiguration(call);
  checkConfiguration(call.served.info, configuration);
  return {
    ...changeOf(call),
    produce: (before, turns) => inTurns(applied(ownership, call, { before, configuration }), turns),
    keepsEntries: true,
    retries: true,
    createsMissing: call.info.subresource === '',
  };
}

/** A configuration, as far as an apply looks into it itself. */
export interface Configuration {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: {
    readonly managedFields?: unknown;
    readonly uid?: unknown;
    readonly namespace?: unknown;
    readonly name?: unknown;
  } | null;
}

/** The body of an apply. Throws 400 for what is no object. */
export async function readConfiguration(call: Call): Promise<Configuration> {
  const { request } = call;
  const value = request.body.kind === 'value' ? request.body.value : await configurationOf(call);
  call.received?.(value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Configuration;
  if (value === null || value === undefined) throw status.badRequest('invalid object type: /, Kind=');
  const what = `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`;
  throw status.badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${what}`);
}

async function configurationOf(call: Call): Promise<unknown> {
  const mode = fieldValidation(call.query);
  try {
    const { value, problems } = await readYamlBody(call.request, await readBytes(call.request));
    if (problems.length > 0 && mode === 'Strict') {
      const why = duplicateKeysError(problems);
      throw status.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${why}`);
    }
    if (mode === 'Warn') for (const problem of problems) call.warn(problem);
    return value;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw status.badRequest(`error decoding YAML: ${error.message}`);
  }
}

/** Throws 400 for a configuration of another kind. */
export function checkConfiguration(wanted: Named, configuration: Configuration): void {
  const { apiVersion, kind, metadata } = configuration;
  if (apiVersion !== groupVersion(wanted) || kind !== wanted.kind) {
    throw status.badRequest(`invalid object type: ${typeText(configuration)}`);
  }
  if ((metadata?.managedFields ?? undefined) !== undefined)
    throw status.badRequest('metadata.managedFields must be nil');
}

/** Who a configuration says that it is, as Go prints such a name; of a version that is none nothing counts. */
function typeText({ apiVersion, kind }: Configuration): string {
  const [version = '', group = '', ...more] = typeof apiVersion === 'string' ? apiVersion.split('/', 3).reverse() : [];
  if (more.length > 0) return '/, Kind=';
  return `${group}/${version}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

function* applied(
  ownership: FieldOwnership,
  call: Call,
  { before, configuration }: { readonly before: KubeObject | undefined; readonly configuration: Configuration },
): Pieces<KubeObject> {
  const { served } = call;
  try {
    if (before === undefined) refuseUid(call, configuration);
    const outcome = yield* ownership.applied(call, { live: before, configuration });
    yield;
    if ('conflicts' in outcome) throw applyConflict(outcome.conflicts);
    const wanted = withLastApplied(call, outcome.object, configuration);
    const { value } = served.schemas.decode<KubeObject>(served.info.schema, wanted);
    const object = value.metadata === undefined ? { ...value, metadata: {} } : value;
    checkAgainstUrl(call, object);
    if (before !== undefined) keepIdentity(call, object, before);
    return { ...object, metadata: { ...object.metadata, managedFields: outcome.entries } } as KubeObject;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw untyped(served.info, configuration, error.message);
  }
}

/** A configuration that is none of its kind's; it is called what it calls itself, whatever the URL says. */
export function untyped({ group, version, kind }: Named, { metadata }: Configuration, why: string): StatusError {
  const [namespace, name] = [metadata?.namespace, metadata?.name].map((text) => (typeof text === 'string' ? text : ''));
  const of = `${namespace}/${name}; ${group}/${version}, Kind=${kind}`;
  return status.internalFailure(`failed to create typed patch object (${of}): ${why}`);
}

/** Whoever knows the identity of an object does not mean to make another one. */
function refuseUid({ served, info }: Call, { metadata }: Configuration): void {
  const uid = metadata?.uid;
  if (typeof uid !== 'string' || uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw status.conflict(served.info, info.name, why);
}

/** A reply names so many fields, and so many characters of them; what is left is counted, as with mistakes. */
const TOLD_MAX = 1000;
const TOLD_CHARACTERS_MAX = 128 * 1024;

interface FieldInTheWay {
  readonly name: string;
  readonly path: string;
}

/** 409 that names each owner and each field in the way. */
export function applyConflict(conflicts: readonly FieldConflict[]): StatusError {
  const owners = conflicts.map(({ owner, fields }) => ({ name: ownerText(owner), paths: pathsOf(fields) }));
  owners.sort((a, b) => (a.name < b.name ? -1 : 1));
  const all = owners.flatMap(({ name, paths }) => paths.map((path) => ({ name, path })));
  const told = firstOf(all);
  const more = all.length === told.length ? [] : [`and ${all.length - told.length} more`];
  const causes = told.map(({ name, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${name}`,
    field: path,
  }));
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: conflictText(all.length, told, more),
    reason: 'Conflict',
    details: { causes: [...causes, ...more.map((message) => ({ message }))] },
    code: 409,
  });
}

function firstOf(all: readonly FieldInTheWay[]): readonly FieldInTheWay[] {
  let characters = 0;
  const end = all.findIndex(({ name, path }, i) => {
    characters += name.length + path.length;
    return i > 0 && (i === TOLD_MAX || characters > TOLD_CHARACTERS_MAX);
  });
  return end === -1 ? all : all.slice(0, end);
}

function conflictText(count: number, told: readonly FieldInTheWay[], more: readonly string[]): string {
  const [first] = told;
  if (count === 1 && first !== undefined)
    return `Apply failed with 1 conflict: conflict with ${first.name}: ${first.path}`;
  const lines = told.flatMap(({ name, path }, i) => [
    ...(told[i - 1]?.name === name ? [] : [`conflicts with ${name}:`]),
    `- ${path}`,
  ]);
  return `Apply failed with ${count} conflicts: ${[...lines, ...more].join('\n')}`;
}

function ownerText({ manager = '', operation, apiVersion = '', subresource = '' }: FieldConflict['owner']): string {
  const of = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${of}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
