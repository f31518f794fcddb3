import { deepEqual, FieldError, memberOf, putMember, status, StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import { denied } from '../access/denial.ts';
import type { Feed } from '../cache/feed.ts';
import type { Call, Reply } from '../catalogue/definition.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { Strategy } from '../ports/strategy.ts';
import type { Turning, Turns } from '../request/turns.ts';
import { asDraft } from '../storage/draft.ts';
import { keyOf } from '../storage/keys.ts';
import type { AdmissionChain } from './admission.ts';
import type { Creator } from './create.ts';
import type { FieldOwnership } from './field-ownership.ts';
import { refuseUnreadable } from './get.ts';
import { keepSystemFields } from './metadata.ts';
import { keepOwnersOnce } from './owner-references.ts';
import { shareParts } from './share-parts.ts';
import { judge, makeReady } from './validation.ts';
import { warnOf } from './warnings.ts';
import type { ObjectWriter } from './write.ts';

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';
/** Give up after so many lost races; somebody writes the object all the time. */
const ATTEMPTS = 64;

/** How one verb changes an object. */
export interface ObjectChange {
  /**
   * The wanted object in the served version, built anew, from the one that is there (undefined: there is none).
   * Called again after every lost race. `turns`: where it takes long, others have theirs meanwhile.
   */
  produce(before: KubeObject | undefined, turns: Turning): KubeObject | Promise<KubeObject>;
  /** Takes over what this verb must not change, clears what it must not set. */
  prepare(object: KubeObject, before: KubeObject): void;
  /**
   * Both in the stored version, or as they are served where that version has rules of its own. Throws 422. Where that may
   * take long, others have their turn meanwhile.
   */
  validate(object: KubeObject, before: KubeObject, startTurns: () => Turning): Promise<void> | undefined;
  /** A lost race is tried again even if the wanted object carries the old resourceVersion (patches). */
  readonly retries: boolean;
  readonly createsMissing: boolean;
  /** The entries of `managedFields` are the verb's own; absent: they follow from the change. */
  readonly keepsEntries?: boolean;
  /** The server's own change: admission is not asked. */
  readonly unadmitted?: boolean;
}

const NO_STRATEGY: Strategy = {};

interface Attempt {
  readonly change: ObjectChange;
  readonly current: Entry;
  readonly before: KubeObject;
  readonly object: KubeObject;
  /** A large change does not hold up all others. */
  readonly turns: Turns;
}

type Swapped = { readonly reply: Reply } | { readonly asked: string; readonly found: Entry | undefined };

export interface ChangerOptions {
  /** Work begins that lets others have their turn. */
  readonly startTurns: () => Turns;
  readonly writer: ObjectWriter;
  readonly admission: AdmissionChain;
  readonly creator: Creator;
  readonly ownership: FieldOwnership;
  readonly feed: Pick<Feed, 'embedded'>;
  /** Asked again where an update turns out to be a create. */
  readonly authorizer: Authorizer;
}

/**
 * Read, change, prepare, admit, validate, compare-and-swap; again from the start, admission included, when somebody
 * else was faster and the verb allows it.
 */
export class Changer {
  readonly #options: ChangerOptions;

  constructor(options: ChangerOptions) {
    this.#options = options;
  }

  /** Throws 404, 409, 422, and what admission and `change` throw. */
  async change(call: Call, change: ObjectChange): Promise<Reply> {
    const { served, info } = call;
    const { writer, feed } = this.#options;
    const key = keyOf(served.info.namespaced, info.namespace, info.name);
    let current = served.stored.cache.get(key);
    if (current === undefined) refuseUnreadable(served.stored, key);
    if (!feed.embedded) current = await writer.readLive(served.stored, key);
    const turns = this.#options.startTurns();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (current !== undefined && !served.native) await served.prepare([current]);
      const before = current === undefined ? undefined : served.view(current);
      if (before === undefined && !change.createsMissing) throw status.notFound(served.info, info.name);
      const producing = change.produce(before, turns);
      const object = inItsNamespace(producing instanceof Promise ? await producing : producing, call);
      const turn = turns.next();
      if (turn !== undefined) await turn;
      if (current === undefined || before === undefined) {
        const made = await this.#create(call, change, object);
        if (made !== undefined) return made;
        current = await writer.readLive(served.stored, key);
        continue;
      }
      const swapped = await this.#changeOnce(call, { change, current, before, object, turns });
      if ('reply' in swapped) return swapped.reply;
      if (!change.retries && (swapped.asked !== '' || swapped.found === undefined)) {
        throw status.conflict(served.info, info.name, MODIFIED);
      }
      current = swapped.found;
    }
    throw status.conflict(served.info, info.name, MODIFIED);
  }

  /** Undefined: somebody else made it meanwhile, and the change goes on from that. */
  async #create(call: Call, change: ObjectChange, object: KubeObject): Promise<Reply | undefined> {
    await this.#authoriseCreate(call);
    try {
      const keepsEntries = change.keepsEntries === true;
      return await this.#options.creator.createObject(call, withoutVersion(object), { keepsEntries });
    } catch (error) {
      if (change.retries && error instanceof StatusError && error.status.reason === 'AlreadyExists') return undefined;
      throw error;
    }
  }

  /** Whoever may update what is there may not yet make what is not. Throws 403. */
  async #authoriseCreate({ info, user, request }: Call): Promise<void> {
    const { signal } = request;
    const asked = { ...info, user, verb: 'create', ...(signal === undefined ? {} : { signal }) };
    const { decision, reason } = await this.#options.authorizer.authorize(asked);
    if (decision !== 'allow') throw denied(asked, reason);
  }

  async #changeOnce(call: Call, attempt: Attempt): Promise<Swapped> {
    const { served } = call;
    const { admission } = this.#options;
    const { change, current, before, object, turns } = attempt;
    const name = call.info.name;
    const asked = checkPreconditions(call, object, current);
    const sent = object.metadata.managedFields;
    change.prepare(object, before);
    const given = turns.next();
    if (given !== undefined) await given;
    const entries =
      change.keepsEntries === true ? sent : this.#options.ownership.updated(call, { before, object, sent });
    if (entries !== undefined) asDraft(object).metadata.managedFields = entries;
    const prepared = turns.next();
    if (prepared !== undefined) await prepared;
    const admitted = { operation: 'UPDATE', object, before, name } as const;
    const admitting = change.unadmitted === true ? undefined : admission.admit(call, admitted);
    if (admitting !== undefined && (await admitting)) prepareAgain(change, object, before);
    keepOwnersOnce(object, 'admitted', call);
    // Whoever did not say which version it changes means the one that is there.
    asDraft(object).metadata.resourceVersion = before.metadata.resourceVersion;
    // What is allocated belongs to the object itself, not to its subresources.
    const strategy = call.info.subresource === '' ? served.stored.strategy : NO_STRATEGY;
    const allocating = strategy.allocate?.(object, before, call.dryRun);
    const allocation = allocating instanceof Promise ? await allocating : allocating;
    try {
      // What is forgotten at rest is no change of what rests already; who looks at what is sent sees it.
      const kept = served.kept(object);
      const storable = served.native ? kept : served.stored.kept(await served.toStored(kept));
      // From here on nobody writes into its parts.
      if (served.native) shareParts(storable, current.object);
      const shared = turns.next();
      if (shared !== undefined) await shared;
      const readying = makeReady(served, this.#options.startTurns);
      if (readying !== undefined) await readying;
      const { startTurns } = this.#options;
      const validating =
        served.ownRules === undefined
          ? change.validate(storable, current.object, startTurns)
          : change.validate(kept, before, startTurns);
      if (validating !== undefined) await validating;
      if (strategy.judge !== undefined) await judge(served, { object: storable, before: current.object, turns });
      const judged = turns.next();
      if (judged !== undefined) await judged;
      const looking = change.unadmitted === true ? undefined : admission.validate(call, admitted);
      if (looking !== undefined) await looking;
      if (served.ownRules === undefined) warnOf(call, storable, current.object);
      else warnOf(call, kept, before);
      const warned = turns.next();
      if (warned !== undefined) await warned;
      const swapped = await this.#swapIn(call, { ...attempt, object: kept, asked, storable });
      if (allocation === undefined) return swapped;
      if ('reply' in swapped && !call.dryRun) await allocation.done?.();
      else await allocation.undo();
      return swapped;
    } catch (error) {
      await allocation?.undo();
      throw error;
    }
  }

  async #swapIn(
    call: Call,
    attempt: Attempt & { readonly asked: string; readonly storable: KubeObject },
  ): Promise<Swapped> {
    const { served } = call;
    const { stored } = served;
    const { current, before, object, storable, asked } = attempt;
    if (call.dryRun) return { reply: dryRunReply(call, object, current) };
    if (isFinished(object)) return this.#removeFinished(call, { current, object, asked });
    // What rests in another form than it would be written in today is written, though nothing of it changed.
    const isStale = this.#options.writer.isStale(stored, current) || !stored.bytes.isOwn(current.value);
    if (sameObject(object, before) && !isStale) return { reply: { kind: 'entry', code: 200, served, entry: current } };
    const { key, revision: replaces } = current;
    const outcome = await this.#options.writer.put({ stored, key, object: storable, replaces, call });
    if (outcome.written) {
      if (!served.native) await served.prepare([outcome.entry]);
      return { reply: { kind: 'entry', code: 200, served, entry: outcome.entry } };
    }
    const { found } = outcome;
    return { asked, found: found === undefined ? undefined : stored.cache.entryOf(found) };
  }

  async #removeFinished(
    call: Call,
    at: { readonly current: Entry; readonly object: KubeObject; readonly asked: string },
  ): Promise<Swapped> {
    const { stored } = call.served;
    const outcome = await this.#options.writer.delete(stored, { entry: at.current, call });
    if (outcome.written) return { reply: dryRunReply(call, at.object, at.current) };
    return { asked: at.asked, found: outcome.found === undefined ? undefined : stored.cache.entryOf(outcome.found) };
  }
}

/**
 * Who may change an object on its way in may not change what the verb does not, and what they change counts. Who it is
 * stays as they left it: that is looked at, and refused.
 */
function prepareAgain(change: ObjectChange, object: KubeObject, before: KubeObject): void {
  const { uid, creationTimestamp, managedFields } = object.metadata;
  change.prepare(object, before);
  const { metadata } = asDraft(object);
  metadata.uid = uid;
  metadata.creationTimestamp = creationTimestamp;
  metadata.managedFields = managedFields;
}

/** The URL says where an object is: an empty namespace means that one, and what is of the whole cluster has none. */
function inItsNamespace(object: KubeObject, { served, info }: Call): KubeObject {
  const { metadata } = asDraft(object);
  const namespace = served.info.namespaced ? info.namespace : undefined;
  if (metadata.namespace !== namespace) metadata.namespace = namespace;
  return object;
}

/** Compares uid and resourceVersion with what the caller believes; answers with the resourceVersion asked for. */
function checkPreconditions(call: Call, object: KubeObject, current: Entry): string {
  const { served, info } = call;
  const { uid = '', resourceVersion = '' } = object.metadata;
  const old = current.object.metadata;
  if (uid !== '' && uid !== old.uid) {
    throw status.conflict(
      served.info,
      info.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.uid ?? ''}`,
    );
  }
  if (resourceVersion !== '' && resourceVersion !== '0' && resourceVersion !== String(current.revision)) {
    throw status.conflict(served.info, info.name, MODIFIED);
  }
  if (resourceVersion === '' && !served.stored.traits.unconditionalUpdate) {
    // Upstream's store says the resource where others say the kind.
    throw status.invalid({ group: served.info.group, kind: served.info.resource }, info.name, [
      new FieldError('FieldValueInvalid', 'metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  return resourceVersion === '0' ? '' : resourceVersion;
}

/** Being deleted, its grace over and its last finalizer gone: this update is the deletion. */
function isFinished(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if ((deletionTimestamp ?? '') === '' || (deletionGracePeriodSeconds ?? 0) !== 0) return false;
  if ((finalizers?.length ?? 0) > 0) return false;
  const { spec } = asDraft(object) as { spec?: { finalizers?: readonly string[] } };
  return object.kind !== 'Namespace' || (spec?.finalizers?.length ?? 0) === 0;
}

function dryRunReply(call: Call, object: KubeObject, current: Entry): Reply {
  asDraft(object).metadata.resourceVersion = String(current.revision);
  return { kind: 'object', code: 200, object, columns: call.served.columns };
}

/** Whether nothing would change: nothing is written then, and no watcher hears of it. */
function sameObject(object: KubeObject, before: KubeObject): boolean {
  const { metadata } = asDraft(object);
  metadata.resourceVersion = before.metadata.resourceVersion;
  const entries = metadata.managedFields;
  const others = before.metadata.managedFields;
  // Who owns what is looked at where all else is the same, which is seldom.
  metadata.managedFields = others;
  const isSame = deepEqual(object, before);
  metadata.managedFields = entries;
  return isSame && (deepEqual(entries, others) || sameApartFromTimes(entries, others));
}

type Entries = KubeObject['metadata']['managedFields'];

/** An apply that lists what the object cannot hold (an empty map) moves its time, and nothing else. */
function sameApartFromTimes(entries: Entries, others: Entries): boolean {
  if (entries === undefined || others === undefined || entries.length !== others.length) return false;
  const timeless = (of: NonNullable<Entries>) => of.map(({ time: _time, ...entry }) => entry);
  return deepEqual(timeless(entries), timeless(others));
}

function withoutVersion(object: KubeObject): KubeObject {
  const { metadata } = asDraft(object);
  metadata.resourceVersion = undefined;
  metadata.uid = undefined;
  return object;
}

/** A new object that is the old one with another status; metadata as the caller wants it, system fields kept. */
export function statusOnly(object: KubeObject, before: KubeObject): void {
  const draft = asDraft(object);
  const old = asDraft(before);
  for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (field !== 'metadata' && field !== 'status') putMember(draft, field, memberOf(old, field));
  }
  keepSystemFields(draft, before);
  draft.metadata.ownerReferences = before.metadata.ownerReferences;
}
