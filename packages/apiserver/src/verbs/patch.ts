import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  field,
  FieldError,
  goText,
  groupVersion,
  limitValues,
  parseDocument,
  parseMediaType,
  patchMistake,
  repeatedMembers,
  status,
  unknownMembers,
} from '@binnacle/machinery';
import type { Decoded, FieldValidation, KubeObject, SchemaRegistry } from '@binnacle/machinery';
import { applyChange, APPLY_TYPE } from './apply.ts';
import { identityOf, kindMistake } from './identity.ts';
import { contentType, readBytes } from './body.ts';
import { isDecodeError, malformed } from './body-errors.ts';
import type { AnyCall, Call, Handler } from '../catalogue/definition.ts';
import type { Changer } from './change.ts';
import type { FieldOwnership } from './field-ownership.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { changeOf, checkAgainstUrl, keepIdentity } from './update.ts';
import { restoreMistake } from './patch-text.ts';
import { fieldValidation } from './write-options.ts';

const TYPES: { readonly [type: string]: 'json' | 'merge' | 'strategic' } = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};
const PATCH_TYPES = Object.keys(TYPES);
const STRUCTURAL_TYPES = PATCH_TYPES.filter((type) => TYPES[type] !== 'strategic');
const utf8 = new TextDecoder();

/** PATCH on an object or on a part of it. A lost race applies the patch again to the new state. */
export function createPatch(changer: Changer, ownership: FieldOwnership): Handler<Call> {
  return async (call) => {
    if (isApply(call.request)) return changer.change(call, await applyChange(ownership, call));
    const document = await readPatch(call);
    call.received?.(document.document);
    return changer.change(call, {
      ...changeOf(call),
      produce: (before) => patched(call, document, before),
      retries: true,
      createsMissing: false,
    });
  };
}

export interface PatchDocument {
  readonly kind: 'json' | 'merge' | 'strategic';
  readonly document: unknown;
  /** What a strict reader says of its text. */
  readonly problems?: readonly string[];
}

/** Whether the body is a configuration to be applied. */
export function isApply(request: ApiRequest): boolean {
  const header = request.header('content-type');
  return header === APPLY_TYPE || parseMediaType(header).type === APPLY_TYPE;
}

/** Reads the body; 415 for a form that is not served. */
export function readPatch(call: Call): Promise<PatchDocument> {
  return readPlainPatch(call, [...(isStructural(call) ? STRUCTURAL_TYPES : PATCH_TYPES), APPLY_TYPE]);
}

/** The same where nobody owns fields, so that nothing is applied: for what is not stored. */
export async function readPlainPatch(
  call: Pick<AnyCall, 'request' | 'query'>,
  served: readonly string[] = PATCH_TYPES,
): Promise<PatchDocument> {
  const { request } = call;
  const type = contentType(request, served);
  const kind = TYPES[type] ?? 'json';
  if (request.body.kind === 'value') {
    if (kind === 'json') refuseMistake(request.body.value);
    return { kind, document: request.body.value };
  }
  const bytes = await readBytes(request);
  limitValues(bytes);
  try {
    const text = utf8.decode(bytes);
    // A strategic patch is read into values before it meets a type, the others are text until then.
    const document = parseDocument(text, kind === 'strategic' ? 'exact' : 'written');
    if (fieldValidation(call.query) === 'Ignore') return { kind, document };
    if (kind === 'json') refuseMistake(document);
    return { kind, document, problems: problemsOf(kind, text, document) };
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw malformed(`error decoding patch: ${error.message}`, bytes);
  }
}

/** Who wants to hear of what says nothing has operations read into a type of their own. */
function refuseMistake(document: unknown): void {
  const mistake = patchMistake(document);
  if (mistake !== undefined) throw status.badRequest(`error decoding patch: ${mistake}`);
}

function problemsOf(kind: PatchDocument['kind'], text: string, document: unknown): readonly string[] {
  const repeated = repeatedMembers(text, document);
  if (kind !== 'json') return repeated;
  return [...repeated, ...unknownMembers(document)].map((problem) => `json patch ${problem}`);
}

/** A custom kind's schema says nothing about how its lists are merged by strategy; a Scale of one is no custom kind. */
function isStructural({ info, served }: Call): boolean {
  return info.subresource !== 'scale' && served.schemas.struct(served.info.schema)?.structural !== undefined;
}

/** The patched object, decoded anew. */
export function patched(call: Call, patching: PatchDocument, before: KubeObject | undefined): KubeObject {
  const { info, schemas } = call.served;
  const value = patchedAs<KubeObject>(call, patching, { target: before ?? {}, schemas, schema: info.schema });
  keepKind(call, patching, value);
  checkAgainstUrl(call, value);
  if (before !== undefined) keepIdentity(call, value, before);
  return value;
}

/** What a patch makes of a document of that struct, decoded; 422 where it is none. Strictly, or with warnings, as asked. */
export function patchedAs<T>(call: Pick<AnyCall, 'query' | 'warn'>, patching: PatchDocument, of: Target): T {
  const mode = fieldValidation(call.query);
  const wanted = applyPatch(patching, of);
  const decoded = decodePatched<T>(patching, of, { wanted, mode });
  const problems = [...(patching.problems ?? []), ...decoded.problems];
  if (problems.length > 0 && mode === 'Strict') {
    throw unpatched(patching, wanted, `strict decoding error: ${problems.join(', ')}`);
  }
  for (const problem of problems) call.warn(problem);
  return decoded.value;
}

/** What is patched: a document, its struct, and the registry that has it. */
export interface Target {
  readonly target: unknown;
  readonly schemas: SchemaRegistry;
  readonly schema: string;
}

interface Patched {
  readonly wanted: unknown;
  readonly mode: FieldValidation;
}

function decodePatched<T>(
  patching: PatchDocument,
  { target, schemas, schema }: Target,
  { wanted, mode }: Patched,
): Decoded<T> {
  try {
    const entries = entriesOf(target);
    const sent = entriesOf(wanted);
    if (entries === undefined || sent !== entries) {
      const changed = schemas.decode<T>(schema, wanted, mode);
      // Whoever sends none asks for them to be forgotten, which a list that is left out does not.
      if (Array.isArray(sent) && sent.length === 0)
        Object.assign((changed.value as Described).metadata, { managedFields: [] });
      return changed;
    }
    // Untouched they are as they were decoded before, and the largest part of many an object.
    const decoded = schemas.decode<T>(schema, withoutEntries(wanted as Described), mode);
    Object.assign((decoded.value as Described).metadata, { managedFields: entries });
    return decoded;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const found = identityOf(wanted);
    throw unpatched(patching, wanted, 'why' in found ? found.why : error.message);
  }
}

/** An object as far as its owners are concerned. */
interface Described {
  readonly metadata: { readonly managedFields?: unknown };
}

function entriesOf(document: unknown): unknown {
  const { metadata } = (document ?? {}) as Partial<Described>;
  return (metadata ?? undefined)?.managedFields;
}

function withoutEntries(document: Described): Described {
  return { ...document, metadata: { ...document.metadata, managedFields: undefined } };
}

/** The same, but that a strategic patch is shown itself, not what it would have made. */
function unpatched({ kind, document }: PatchDocument, wanted: unknown, why: string): Error {
  if (kind !== 'strategic') return undecodable(wanted, why);
  return status.invalid({ group: '', kind: '' }, '', [
    new FieldError('FieldValueInvalid', 'patch', goText(document), restoreMistake(why)),
  ]);
}

/** 422 in upstream's words: the result of the patch is no object of the kind. */
function undecodable(wanted: unknown, why: string): Error {
  return status.invalid({ group: '', kind: '' }, '', [
    new FieldError('FieldValueInvalid', 'patch', JSON.stringify(inOrder(wanted)), why),
  ]);
}

/** The members of what was patched, in the order of their names, as Go writes what it does not know the type of. */
function inOrder(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  return Object.fromEntries(Object.entries(document).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function applyPatch(patching: PatchDocument, { target, schemas, schema }: Target): unknown {
  if (patching.kind === 'json') return applyJsonPatch(target, patching.document);
  if (patching.kind === 'merge') return applyMergePatch(target, patching.document);
  return applyStrategicPatch(schemas, schema, { document: target, patch: patching.document });
}

/** What a refusal shows of an object, a second time. */
const SHOWN_LENGTH_MAX = 2048;

/**
 * An object of a custom kind has to say what it is after the patch as before. Another type is refused in its own words
 * (a status keeps that of its object), behind its name. Upstream answers 500 where the version is gone; a mistake of
 * the caller is told as one here.
 */
function keepCustomKind(call: Call, object: KubeObject): void {
  const { info } = call.served;
  const { kind = '', apiVersion = '' } = object;
  const found = identityOf(object);
  if ('why' in found) throw undecodable(object, found.why);
  const missing = (kind ?? '') === '' ? 'Kind' : 'apiVersion';
  if (found.kind === '' || found.apiVersion === '') {
    const shown = JSON.stringify(inOrder(object)).slice(0, SHOWN_LENGTH_MAX);
    throw undecodable(object, `Object '${missing}' is missing in '${shown}'`);
  }
  checkAgainstUrl(call, object);
  const wanted = { kind: info.kind, apiVersion: groupVersion(info) };
  if (call.info.subresource === 'status') Object.assign(object, wanted);
  const errors = (['kind', 'apiVersion'] as const).flatMap((name) =>
    object[name] === wanted[name] ? [] : [field.invalid(name, object[name], `must be ${wanted[name]}`)],
  );
  if (errors.length === 0) return;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  throw status.invalid({ group, kind }, object.metadata.name ?? '', errors);
}

/** No patch makes another kind of an object: a strategic one is typed and cannot say so, the others are refused. */
function keepKind(call: Call, patching: PatchDocument, object: KubeObject): void {
  if (isStructural(call)) return keepCustomKind(call, object);
  const { info } = call.served;
  const draft = object as { apiVersion?: string | undefined; kind?: string | undefined };
  const apiVersion = groupVersion(info);
  const kind = patching.kind === 'strategic' || draft.kind === undefined || draft.kind === '' ? info.kind : draft.kind;
  const version = patching.kind === 'strategic' || (draft.apiVersion ?? '') === '' ? apiVersion : draft.apiVersion;
  if (kind !== info.kind || version !== apiVersion) {
    const found = identityOf(object);
    if ('why' in found) throw undecodable(object, found.why);
    const shown = (): string => JSON.stringify(inOrder(object)).slice(0, SHOWN_LENGTH_MAX);
    const mistake = kindMistake(found, info, shown);
    const isOther = found.apiVersion !== '' && found.apiVersion !== apiVersion;
    const why = `the API version in the data (${found.apiVersion}) does not match the expected API version (${apiVersion})`;
    if (mistake !== undefined || isOther) throw undecodable(object, mistake ?? why);
  }
  Object.assign(draft, { kind: info.kind, apiVersion });
  return undefined;
}
