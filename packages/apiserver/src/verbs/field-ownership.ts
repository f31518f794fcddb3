import { createTimeFormatter } from '@binnacle/base';
import type { Clock, Pieces } from '@binnacle/base';
import {
  applyInSteps,
  canonicalText,
  DecodeError,
  entriesAfterUpdate,
  field,
  fieldsUnchanged,
  fitsAnnotations,
  groupVersion,
  isReset,
  names,
  NO_FIELDS,
  parseDocument,
  readOwners,
  safeInHtml,
  shapeOfStruct,
  status,
} from '@binnacle/machinery';
import type {
  Applied,
  FieldSet,
  FieldWriter,
  KubeObject,
  ObjectMeta,
  OwnershipRules,
  Shape,
  UserInfo,
} from '@binnacle/machinery';
import type { Call } from '../catalogue/definition.ts';
import { comparable } from './metadata.ts';
import { resetFields } from './reset-fields.ts';

type Entries = ObjectMeta['managedFields'];

/** The manager whose client-side configurations it takes over itself. */
const KUBECTL = 'kubectl';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MANAGER_BYTES = 128;
const SUBRESOURCE_BYTES = 256;
/** Whoever has no name, and whose program has none. */
const UNNAMED = 'unknown';

/** Keeps `metadata.managedFields`: who owns which fields of an object, from the write that makes it. */
export class FieldOwnership {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #formatTime = createTimeFormatter();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /**
   * The entries after a create, update or patch; `sent` are those that the caller's object carries. An object whose
   * entries were taken away stays without until it is applied.
   */
  updated(call: Call, { before, object, sent }: Written): Entries {
    if (call.info.subresource === '') {
      if (before !== undefined && isReset(sent)) return undefined;
      refuseLong(call, sent);
    }
    // A subresource is no way to write entries. Whoever sends entries that are none keeps those that are there.
    const owners =
      (call.info.subresource === '' ? readOwners(sent) : undefined) ?? readOwners(before?.metadata.managedFields);
    // Whoever makes an object owns it; what was made before owners were kept has none until it is applied.
    if (owners === undefined && before !== undefined) return undefined;
    // Changes by subresources are not all counted by the generation.
    const isWhole = before !== undefined && call.info.subresource === '';
    return entriesAfterUpdate(
      owners,
      { before: isWhole ? comparable(call.served, object, before) : before, after: object },
      { writer: this.#writerOf(call), rules: rulesOf(call) },
    );
  }

  /**
   * What an apply makes of an object (undefined: there is none), or who is in the way; with turns for the others after each
   * piece. Throws DecodeError.
   */
  applied(call: Call, { live, configuration, seenAs }: Applying): Pieces<Applied> {
    const writer = { ...this.#writerOf(call), ...(seenAs === undefined ? {} : { apiVersion: seenAs.apiVersion }) };
    const rules = seenAs === undefined ? rulesOf(call) : { shape: seenAs.shape, reset: NO_FIELDS };
    const entries = live?.metadata.managedFields;
    const isNobodys = live === undefined || entries?.length === 0;
    const owners = isNobodys ? new Map<string, never>() : readOwners(entries);
    const yielding = writer.manager === KUBECTL && live !== undefined ? clientSideFields(call, rules, live) : NO_FIELDS;
    const force = call.query.bool('force');
    return applyInSteps({ owners, live, configuration, force, yielding }, { writer, rules });
  }

  #writerOf(call: Call): FieldWriter {
    return {
      manager: managerOf(call) || UNNAMED,
      apiVersion: groupVersion(call.served.info),
      subresource: call.info.subresource,
      time: this.#formatTime(this.#clock.now()),
    };
  }
}

/** What is applied to what. */
export interface Applying {
  readonly live: KubeObject | undefined;
  readonly configuration: object;
  /** Both are seen as another kind (a Scale), whose shape this is; absent: as they are served. */
  readonly seenAs?: { readonly shape: Shape; readonly apiVersion: string };
}

/** A write, as the caller and the preparing of the verb left it. */
export interface Written {
  readonly before: KubeObject | undefined;
  readonly object: KubeObject;
  readonly sent: Entries;
}

/** What of a call says who writes. */
export type Caller = Pick<Call, 'query' | 'request' | 'user'>;

/** The name that the caller gives itself, else that of its program. */
export function managerOf({ query, request, user }: Caller): string {
  const named = query.get('fieldManager');
  if (named !== '') return named;
  const agent = request.header('user-agent');
  return agent === '' ? componentOf(user) : printable(programOf(agent));
}

function programOf(agent: string): string {
  const slash = agent.indexOf('/');
  return slash === -1 ? agent : agent.slice(0, slash);
}

/** As a manager may be called: what can be printed, and no more than there is room for. */
function printable(program: string): string {
  const shown = ASCII.test(program) ? program : program.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '');
  return ASCII.test(shown) ? shown.slice(0, MANAGER_BYTES) : withinBytes(shown);
}

/** Whole letters, as many as there is room for. */
function withinBytes(text: string): string {
  let fitting = '';
  let room = MANAGER_BYTES;
  for (const letter of text) {
    room -= names.byteLength(letter);
    if (room < 0) break;
    fitting += letter;
  }
  return fitting;
}

/** Letters, digits, punctuation and symbols all, and the space: what nearly all programs are called. */
const ASCII = /^[ -~]*$/;

const COMPONENTS: readonly [prefix: string, component: string][] = [
  ['system:serviceaccount:kube-system:', 'kube-controller-manager'],
  ['system:node:', 'kubelet'],
  ['system:apiserver', 'kube-apiserver'],
  ['system:', ''],
];

const components = new WeakMap<UserInfo, string>();

/** The program behind a caller in the same process, who sends no agent: what it is called on its own. */
function componentOf(user: UserInfo): string {
  let component = components.get(user);
  if (component === undefined) components.set(user, (component = printable(programOf(componentNamed(user)))));
  return component;
}

function componentNamed({ name }: UserInfo): string {
  const known = COMPONENTS.find(([prefix]) => name.startsWith(prefix));
  if (known === undefined) return name;
  const [prefix, component] = known;
  return component === '' ? name.slice(prefix.length) : component;
}

function rulesOf({ served, info }: Call): OwnershipRules {
  const { schemas, hasStatus } = served;
  const isCustom = info.subresource === 'status' && schemas.struct(served.info.schema)?.structural !== undefined;
  const reset = resetFields({ info: served.info, subresource: info.subresource, hasStatus, isCustom });
  return { shape: shapeOfStruct(schemas, served.info.schema), reset };
}

/** Whoever sends entries gives them names that are stored with the object. Throws 422. */
function refuseLong({ served, info }: Call, sent: Entries): void {
  if (!Array.isArray(sent)) return;
  const errors = (sent as NonNullable<Entries>).flatMap((entry, at) =>
    LIMITS.flatMap(([part, max]) => {
      const text: unknown = entry?.[part];
      const isLong = typeof text === 'string' && names.byteLength(text) > max;
      return isLong ? [field.tooLong(`metadata.managedFields[${at}].${part}`, max)] : [];
    }),
  );
  const { group, kind } = served.info;
  if (errors.length > 0) throw status.invalid({ group, kind }, info.name, errors);
}

const LIMITS = [
  ['manager', MANAGER_BYTES],
  ['subresource', SUBRESOURCE_BYTES],
] as const;

/** What kubectl applied on the client's side and nobody changed since: server-side it takes it over without a conflict. */
function clientSideFields(call: Call, { shape }: OwnershipRules, live: KubeObject): FieldSet {
  const text = live.metadata.annotations?.[LAST_APPLIED] ?? '';
  if (text === '') return NO_FIELDS;
  try {
    const applied = parseDocument(text) as { apiVersion?: unknown } | null;
    if (applied?.apiVersion !== groupVersion(call.served.info)) return NO_FIELDS;
    return fieldsUnchanged(shape, applied, live);
  } catch (error) {
    if (error instanceof DecodeError) return NO_FIELDS;
    throw error;
  }
}

/** kubectl's record of what it applied follows what it applies on the server's side, where an object has one. */
export function withLastApplied(call: Caller, object: unknown, configuration: object): unknown {
  const { metadata } = object as Partial<KubeObject>;
  if (managerOf(call) !== KUBECTL || (metadata?.annotations?.[LAST_APPLIED] ?? '') === '') return object;
  const { metadata: own, ...rest } = configuration as Partial<KubeObject>;
  const { [LAST_APPLIED]: _record, ...said } = own?.annotations ?? {};
  const kept = own?.annotations === undefined ? own : { ...own, annotations: said };
  // As Go writes an object that it knows no type of.
  const record = `${safeInHtml(canonicalText({ ...rest, metadata: kept ?? {} }))}\n`;
  const { [LAST_APPLIED]: _before, ...others } = metadata?.annotations ?? {};
  const annotations = { ...others, [LAST_APPLIED]: record };
  // What is too large to be remembered is forgotten, and applied all the same.
  return {
    ...(object as object),
    metadata: { ...metadata, annotations: fitsAnnotations(annotations) ? annotations : others },
  };
}
