import { base64ToBytes } from '@binnacle/base';
import type { ResourceInfo } from '@binnacle/api';
import { groupVersion, limitValues } from '@binnacle/machinery';
import type { KubeObject, Status } from '@binnacle/machinery';
import type { AdmissionAttributes } from '../../ports/admission.ts';
import { WebhookCallError, WebhookRefusal } from './webhook-errors.ts';

const VERSIONS = ['v1', 'v1beta1'];

/** What a webhook is asked, in `AdmissionReview`'s own fields. */
export interface ReviewRequest {
  readonly uid: string;
  readonly version: string;
  /** The version in which the webhook wants it. */
  readonly info: ResourceInfo;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
}

/** The newest version of AdmissionReview that both sides speak, by the webhook's preference. Throws WebhookCallError. */
export function reviewVersion({
  name,
  admissionReviewVersions,
}: {
  readonly name: string;
  readonly admissionReviewVersions: readonly string[];
}): string {
  const found = admissionReviewVersions.find((version) => VERSIONS.includes(version));
  if (found !== undefined) return found;
  throw new WebhookCallError(
    name,
    'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
  );
}

/** The body of the question. */
export function makeReview(
  attributes: AdmissionAttributes,
  { uid, version, info, object, before }: ReviewRequest,
): object {
  const { user, subresource, kind } = attributes;
  const own = attributes.info;
  const isOwnKind = kind.kind === own.kind;
  const asked = isOwnKind ? info : kind;
  const sub = subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: { group: asked.group, version: asked.version, kind: asked.kind },
      resource: { group: info.group, version: info.version, resource: info.resource },
      ...sub,
      requestKind: { group: kind.group, version: kind.version, kind: kind.kind },
      requestResource: { group: own.group, version: own.version, resource: own.resource },
      ...(attributes.name === '' ? {} : { name: attributes.name }),
      ...(attributes.namespace === '' ? {} : { namespace: attributes.namespace }),
      operation: attributes.operation,
      userInfo: {
        username: user.name,
        ...(user.uid === undefined ? {} : { uid: user.uid }),
        groups: user.groups,
        ...(user.extra === undefined ? {} : { extra: user.extra }),
      },
      object: shown(object, asked),
      oldObject: shown(before, asked),
      dryRun: attributes.dryRun,
      options: attributes.options ?? null,
    },
  };
}

/** An object as it is shown outside: with its kind and version. */
export function shown(
  object: KubeObject | undefined,
  asked: { readonly group: string; readonly version: string; readonly kind: string },
): object | null {
  return object === undefined ? null : { ...object, kind: asked.kind, apiVersion: groupVersion(asked) };
}

/** What a webhook answered. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly status: Partial<Status> | undefined;
  /** The JSON patch, as text. */
  readonly patch: string | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: { readonly [key: string]: string };
}

interface RawResponse {
  readonly uid?: unknown;
  readonly allowed?: unknown;
  readonly status?: unknown;
  readonly patch?: unknown;
  readonly patchType?: unknown;
  readonly warnings?: unknown;
  readonly auditAnnotations?: unknown;
}

/** Reads the answer to a question. Throws WebhookCallError where it is none. */
export function readReview(
  name: string,
  review: unknown,
  { uid, version, mutating }: { readonly uid: string; readonly version: string; readonly mutating: boolean },
): ReviewAnswer {
  const { apiVersion, kind, response } = fields<{ apiVersion?: unknown; kind?: unknown; response?: RawResponse }>(
    review,
  );
  if (typeof response !== 'object' || response === null) throw invalid(name, 'webhook response was absent');
  if (version === 'v1') checkHead(name, { apiVersion, kind, uid, answered: response.uid });
  return {
    allowed: response.allowed === true,
    status: statusOf(name, response.status),
    patch: patchOf(name, response, { version, mutating }),
    warnings: Array.isArray(response.warnings) ? response.warnings.map((text) => textOf(name, text)) : [],
    auditAnnotations: Object.fromEntries(
      Object.entries(fields<{ [key: string]: unknown }>(response.auditAnnotations)).map(([key, value]) => [
        key,
        textOf(name, value),
      ]),
    ),
  };
}

function fields<T extends object>(value: unknown): Partial<T> {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Never turned into one: what has a `toString` of its own, or is nested without end, cannot be. */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid(name, `expected a string, got ${value === null ? 'null' : typeof value}`);
}

function invalid(name: string, why: string): WebhookCallError {
  return new WebhookCallError(name, `received invalid webhook response: ${why}`);
}

function checkHead(
  name: string,
  head: { readonly apiVersion: unknown; readonly kind: unknown; readonly uid: string; readonly answered: unknown },
): void {
  const { apiVersion = '', kind = '', uid, answered = '' } = head;
  if (answered !== uid)
    throw invalid(name, `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`);
  if (apiVersion === 'admission.k8s.io/v1' && kind === 'AdmissionReview') return;
  throw invalid(
    name,
    `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${textOf(name, apiVersion)}, Kind=${textOf(name, kind)}`,
  );
}

function patchOf(
  name: string,
  { patch = '', patchType }: RawResponse,
  { version, mutating }: { readonly version: string; readonly mutating: boolean },
): string | undefined {
  const has = patch !== '' && patch !== null;
  const hasType = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (has && version === 'v1') throw invalid(name, 'validating webhook may not return response.patch');
    if (hasType && version === 'v1') throw invalid(name, 'validating webhook may not return response.patchType');
    return undefined;
  }
  if (version === 'v1') {
    if (has && !hasType) throw invalid(name, 'webhook returned response.patch but not response.patchType');
    if (!has && hasType) throw invalid(name, 'webhook returned response.patchType but not response.patch');
    if (hasType && patchType !== 'JSONPatch')
      throw new WebhookCallError(name, `unsupported patch type ${JSON.stringify(patchType)}`);
  }
  return has ? decodeBase64(name, patch) : undefined;
}

function decodeBase64(name: string, patch: unknown): string {
  const undecodable = (why: string) => (error: unknown) =>
    new WebhookCallError(name, `received undecodable patch in webhook response: ${why}`, error);
  const bytes = orThrow(() => base64ToBytes(textOf(name, patch)), undecodable('illegal base64 data'));
  // To the answer around it, it was one text.
  orThrow(() => limitValues(bytes), undecodable('it has too many values'));
  return new TextDecoder().decode(bytes);
}

function orThrow<T>(make: () => T, wrapped: (error: unknown) => Error): T {
  try {
    return make();
  } catch (error) {
    throw wrapped(error);
  }
}

/** As many as are read by anybody; a Status is copied and encoded whole. */
const CAUSES_MAX = 1000;
const INT32_MAX = 2 ** 31 - 1;

/** Of a webhook's Status what it may say, each of its type: it goes into headers and messages of the answer. */
function statusOf(name: string, given: unknown): Partial<Status> | undefined {
  if (given === undefined || given === null) return undefined;
  const { details } = fields<{ details: unknown }>(given);
  return {
    ...textsOf(name, given, ['message', 'reason']),
    ...integerOf(name, given, 'code'),
    ...(details === undefined || details === null ? {} : { details: detailsOf(name, details) }),
  };
}

function detailsOf(name: string, given: unknown): NonNullable<Status['details']> {
  const { causes } = fields<{ causes: unknown }>(given);
  return {
    ...textsOf(name, given, ['name', 'group', 'kind', 'uid']),
    ...integerOf(name, given, 'retryAfterSeconds'),
    ...(Array.isArray(causes)
      ? { causes: causes.slice(0, CAUSES_MAX).map((cause) => textsOf(name, cause, ['reason', 'message', 'field'])) }
      : {}),
  };
}

function textsOf<K extends string>(name: string, given: unknown, keys: readonly K[]): { readonly [key in K]?: string } {
  const found = fields<{ readonly [key in K]: unknown }>(given);
  const out: { [key in K]?: string } = {};
  for (const key of keys) {
    const value = found[key];
    if (value !== undefined && value !== null) out[key] = textOf(name, value);
  }
  return out;
}

function integerOf<K extends string>(name: string, given: unknown, key: K): { readonly [key in K]?: number } {
  const value = fields<{ readonly [key in K]: unknown }>(given)[key];
  const out: { [key in K]?: number } = {};
  if (value === undefined || value === null) return out;
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > INT32_MAX) {
    throw invalid(name, `${key} is not a whole number of 32 bits`);
  }
  out[key] = value;
  return out;
}

/** What HTTP has room for. */
const CODE_MAX = 999;

/** The refusal of a webhook, as the client sees it. */
export function refusalOf(name: string, given: Partial<Status> = {}): WebhookRefusal {
  const isRefusal = typeof given.code === 'number' && given.code >= 400 && given.code <= CODE_MAX;
  const code = isRefusal ? given.code : 400;
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`;
  const said = given.message || given.reason;
  const message = said === undefined || said === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${said}`;
  return new WebhookRefusal({
    ...given,
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code,
  });
}
