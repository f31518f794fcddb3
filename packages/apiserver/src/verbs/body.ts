import { assert } from '@binnacle/base';
import {
  duplicateKeysError,
  field,
  groupVersion,
  limitValues,
  parsedJson,
  parseMediaType,
  status,
} from '@binnacle/machinery';
import type { FieldValidation, KubeObject, SchemaRegistry } from '@binnacle/machinery';
import type { YamlDocument } from '@binnacle/machinery/yaml';
import type { ApiRequest } from '../request/api-request.ts';
import { isDecodeError, malformed, unrecognised, wrongShape } from './body-errors.ts';
import type { AnyCall, ServedResource } from '../catalogue/definition.ts';
import { readYamlBody } from './yaml-body.ts';
import { identityOf, kindMistake } from './identity.ts';
import type { ExpectedKind } from '../request/expected-kind.ts';
import { fieldValidation } from './write-options.ts';

const NOTHING = new Uint8Array(0);
/** What is longer is no name. */
const NAME_MAX = 253;

const utf8 = new TextDecoder();
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const BODY_TYPES = ['application/json', 'application/yaml', PROTOBUF];

/** What is asked of a call, and of its request, to read a body. */
type BodyRequest = Pick<ApiRequest, 'body' | 'header' | 'yaml'>;
export type BodyCall = Pick<AnyCall, 'served' | 'query' | 'warn' | 'named' | 'received'> & {
  readonly request: BodyRequest;
};

/** Reads and rebuilds the body as an object of the expected kind, by the registry that has its struct; nobody else holds it. */
export function readObject(
  schemas: SchemaRegistry,
  call: BodyCall,
  expected: ExpectedKind,
): KubeObject | Promise<KubeObject> {
  const read = readBody(schemas, call, expected);
  if (read instanceof Promise) return read.then((object) => received(call, object));
  return received(call, read);
}

function received(call: BodyCall, object: KubeObject): KubeObject {
  const { name = '' } = object.metadata;
  if (name.length <= NAME_MAX) call.named?.(name);
  call.received?.(object);
  return object;
}

/** At once where the body is here already, as those of writes are. */
function readBody(schemas: SchemaRegistry, call: BodyCall, expected: ExpectedKind): KubeObject | Promise<KubeObject> {
  const { body } = call.request;
  const mode = fieldValidation(call.query);
  if (body.kind === 'value') return decode(call, expected, { schemas, mode, value: body.value });
  const arrived = body.kind === 'bytes' ? body.arrived?.() : NOTHING;
  if (arrived !== undefined) return decodeBytes(call, expected, { schemas, mode, bytes: arrived });
  return readBytes(call.request).then((bytes) => decodeBytes(call, expected, { schemas, mode, bytes }));
}

function decodeBytes(
  call: BodyCall,
  expected: ExpectedKind,
  { schemas, mode, bytes }: Pick<Input, 'schemas' | 'mode'> & { readonly bytes: Uint8Array },
): KubeObject | Promise<KubeObject> {
  const type = contentType(call.request, BODY_TYPES);
  if (type === PROTOBUF) return decodeProtobuf(call, expected, { schemas, bytes });
  if (type !== 'application/yaml') {
    limitValues(bytes);
    return decode(call, expected, { schemas, mode, bytes });
  }
  return parseYaml(call.request, bytes).then((document) => decode(call, expected, { schemas, mode, ...document }));
}

/** What kubectl's own verbs send since 1.32. Kinds without field numbers (CRDs and the like) get 415. */
function decodeProtobuf(
  call: BodyCall,
  expected: ExpectedKind,
  { schemas, bytes }: { readonly schemas: SchemaRegistry; readonly bytes: Uint8Array },
): KubeObject {
  try {
    const decoded = schemas.decodeProtobuf<KubeObject>(bytes, expected.schema);
    if (decoded === undefined) contentType(call.request, ['application/json', 'application/yaml']);
    assert(decoded !== undefined, 'a media type that is not served is refused');
    checkKind(decoded.value, expected);
    return decoded.value;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw wrongShape(expected, error.message, { bytes });
  }
}

/** The raw body; empty when there is none. */
export async function readBytes(request: Pick<ApiRequest, 'body'>): Promise<Uint8Array> {
  return request.body.kind === 'bytes' ? await request.body.read() : NOTHING;
}

/** The media type of the body, one of `served`; 415 otherwise. Without a header it is the first. */
export function contentType(request: Pick<ApiRequest, 'header'>, served: readonly string[]): string {
  const header = request.header('content-type');
  if (header === '') return served[0] ?? '';
  if (served.includes(header)) return header;
  const { type } = parseMediaType(header);
  // What a plain `curl -d` and old clients send is taken for JSON, as upstream does.
  if (type === 'application/x-www-form-urlencoded' || type === '*/*') return served[0] ?? '';
  if (served.includes(type)) return type;
  throw status.unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${served.join(', ')}`,
  );
}

async function parseYaml(request: BodyRequest, bytes: Uint8Array): Promise<YamlDocument> {
  try {
    return await readYamlBody(request, bytes);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw malformed(`error converting YAML to JSON: ${error.message}`, bytes);
  }
}

interface Input {
  readonly schemas: SchemaRegistry;
  readonly mode: FieldValidation;
  readonly value?: unknown;
  readonly bytes?: Uint8Array;
  /** Repeated keys that the text had. */
  readonly problems?: readonly string[];
}

function decode(call: BodyCall, expected: ExpectedKind, input: Input): KubeObject {
  if (input.bytes?.length === 0) throw wrongShape(expected, 'unexpected end of JSON input', input);
  const { schemas } = input;
  try {
    const { value, problems } =
      input.bytes === undefined
        ? schemas.decode<KubeObject>(expected.schema, input.value, input.mode)
        : schemas.decodeJson<KubeObject>(input.bytes, expected.schema, input.mode);
    const mustSay = isCustom(call, expected);
    if (!isOfKind(value, expected, mustSay)) checkIdentity(call, expected, input);
    if (mustSay) checkNamed(value, expected);
    checkKind(value, expected);
    report(call, strictProblems(input, problems), input.mode);
    return value;
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    checkIdentity(call, expected, input);
    const found = kindOf(input);
    if (expected.isVersion !== undefined && found !== undefined) throw status.badRequest(error.message);
    throw wrongShape(expected, error.message, { ...input, found });
  }
}

function isOfKind({ kind, apiVersion }: KubeObject, expected: ExpectedKind, mustSay: boolean): boolean {
  const isSilent = (text: unknown): boolean => !mustSay && (text === undefined || text === '');
  const isVersion = apiVersion === groupVersion(expected) || isSilent(apiVersion);
  return isVersion && (kind === expected.kind || isSilent(kind));
}

/** What a body says that it is comes before what it holds: upstream reads that first. */
function checkIdentity(call: BodyCall, expected: ExpectedKind, input: Input): void {
  const document = documentOf(input);
  // A text that is no document at all is told where it breaks.
  if (document === undefined) return;
  const found = identityOf(document);
  const bytes = (): Uint8Array => input.bytes ?? new TextEncoder().encode(shownBody(input));
  const isOptions = expected.isVersion !== undefined;
  if ('why' in found) throw isOptions ? status.badRequest(found.why) : unrecognised(expected, found.why, bytes());
  if (isOptions) return;
  if (isCustom(call, expected)) {
    if (found.kind === '') throw unrecognised(expected, `Object 'Kind' is missing in '${shownBody(input)}'`, bytes());
    if (Reflect.get(document as object, 'apiVersion') === null) {
      throw status.badRequest(`${found.kind} in version "" cannot be handled as a ${expected.kind}: ${NULL_VERSION}`);
    }
    return;
  }
  const mistake = kindMistake(found, expected, () => shownBody(input));
  if (mistake !== undefined) throw wrongShape(expected, mistake, { ...input, found });
}

/** The head of a body, as a refusal shows it. */
function shownBody({ bytes, value }: Input): string {
  if (bytes !== undefined) return utf8.decode(bytes.subarray(0, SHOWN_LENGTH_MAX));
  return (JSON.stringify(value) ?? '').slice(0, SHOWN_LENGTH_MAX);
}

/** Whether a client sends an object of a definition: such have to say what they are. Callers of the process need not. */
function isCustom({ served, request }: BodyCall, expected: ExpectedKind): boolean {
  if (request.body.kind !== 'bytes' || served.info !== expected) return false;
  const { stored } = served as Partial<Pick<ServedResource, 'stored'>>;
  return stored?.definition.structs !== undefined;
}

/** Upstream's register of options. */
const OPTIONS = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';
const NULL_VERSION = '.apiVersion accessor error: <nil> is of the type <nil>, expected string';

/** What a refusal shows of a body. */
const SHOWN_LENGTH_MAX = 2048;

/** In upstream's words and order: the version has to be there, and it and the kind have to be the right ones. */
function checkNamed(object: KubeObject, expected: ExpectedKind): void {
  const { kind = '', apiVersion = '', metadata } = object;
  const wanted = groupVersion(expected);
  if (apiVersion === wanted && kind !== expected.kind) {
    const error = field.invalid('kind', kind, `must be ${expected.kind}`);
    throw status.invalid({ group: expected.group, kind }, metadata?.name ?? '', [error]);
  }
  if (apiVersion === '' || apiVersion === '/') {
    throw status.badRequest(`the API version in the data () does not match the expected API version (${wanted})`);
  }
}

/** Sets the kind where the body leaves it out; refuses another one. */
function checkKind(object: KubeObject, expected: ExpectedKind): void {
  const draft = object as { apiVersion?: string; kind?: string; metadata?: object };
  const wanted = groupVersion(expected);
  if (draft.kind === undefined || draft.kind === '') draft.kind = expected.kind;
  if (draft.apiVersion === undefined || draft.apiVersion === '' || draft.apiVersion === '/') draft.apiVersion = wanted;
  draft.metadata ??= {};
  if (draft.kind !== expected.kind) {
    const { kind, apiVersion } = draft;
    const none = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${OPTIONS}"`;
    if (expected.isVersion !== undefined) throw status.badRequest(none);
    throw wrongShape(expected, kindMistake({ kind, apiVersion }, expected, () => '') ?? none, {
      found: { kind, apiVersion },
    });
  }
  if (draft.apiVersion !== wanted && expected.isVersion?.(draft.apiVersion) !== true) {
    throw status.badRequest(
      `the API version in the data (${draft.apiVersion}) does not match the expected API version (${wanted})`,
    );
  }
}

/** Repeated keys of YAML come first: one error to the strict, a warning each to the others. */
function strictProblems({ mode, problems: repeated = [] }: Input, problems: readonly string[]): readonly string[] {
  if (repeated.length === 0 || mode === 'Ignore') return problems;
  return [...(mode === 'Strict' ? [duplicateKeysError(repeated)] : repeated), ...problems];
}

/** Strict: 400 for what the walker found; Warn: a Warning header for each. */
export function report(
  call: Pick<AnyCall, 'served' | 'warn'>,
  problems: readonly string[],
  mode: FieldValidation,
): void {
  if (problems.length === 0) return;
  if (mode === 'Strict') throw status.badRequest(`${strictPrefix(call)}${problems.join(', ')}`);
  for (const problem of problems) call.warn(problem);
}

function strictPrefix(call: Pick<AnyCall, 'served'>): string {
  const { info } = call.served;
  return `${info.kind} in version ${JSON.stringify(info.version)} cannot be handled as a ${info.kind}: strict decoding error: `;
}

/** What a body that cannot be decoded says that it is; undefined: it is no document either. */
function kindOf(input: Input): { kind: string; apiVersion: string } | undefined {
  const value = documentOf(input);
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  return {
    kind: typeof kind === 'string' ? kind : '',
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
  };
}

/** The body as it was sent; undefined for what is no document. */
function documentOf({ bytes, value }: Input): unknown {
  return bytes === undefined ? value : parsedJson(utf8.decode(bytes));
}
