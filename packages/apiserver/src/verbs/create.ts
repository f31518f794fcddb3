import { status } from '@binnacle/machinery';
import type { KubeObject, ObjectMeta } from '@binnacle/machinery';
import type { Call, Reply } from '../catalogue/definition.ts';
import { AT_ONCE } from '../request/turns.ts';
import type { Turning, Turns } from '../request/turns.ts';
import { asDraft } from '../storage/draft.ts';
import { keyOf } from '../storage/keys.ts';
import { checkBodyNamespace } from '../request/body-namespace.ts';
import type { AdmissionChain } from './admission.ts';
import { readObject } from './body.ts';
import type { FieldOwnership } from './field-ownership.ts';
import { putSystemFields } from './metadata.ts';
import type { Identity, ObjectStamp } from './metadata.ts';
import { keepOwnersOnce } from './owner-references.ts';
import { applyKindDefaults, judge, makeReady, validateNew } from './validation.ts';
import { warnOf } from './warnings.ts';
import type { ObjectWriter } from './write.ts';

/** A generated name that is taken is tried again with another suffix this often, as upstream does. */
const NAME_ATTEMPTS = 8;
/** A body of so many bytes is made into an object in a fraction of what a request may take of a turn. */
const SMALL_BYTES = 16 * 1024;

export interface CreatorOptions {
  /** Work begins that lets others have their turn. */
  readonly startTurns: () => Turns;
  readonly writer: ObjectWriter;
  readonly admission: AdmissionChain;
  readonly stamp: ObjectStamp;
  readonly ownership: FieldOwnership;
}

/** The entries of `managedFields` that a new object came with, and whether they are the verb's own. */
interface SentEntries {
  readonly sent: ObjectMeta['managedFields'];
  readonly keepsEntries: boolean;
  readonly turns: Turning;
}

/** How a decoded object is made. */
export interface CreateOptions {
  /** The entries of `managedFields` are the verb's own. */
  readonly keepsEntries?: boolean;
  /** Since when the request is worked on: a large one does not hold up all others. */
  readonly turns?: Turning;
}

/** Makes new objects: what POST does, and PUT on a name that is free. */
export class Creator {
  readonly #options: CreatorOptions;

  constructor(options: CreatorOptions) {
    this.#options = options;
  }

  /** POST on a collection, or behind it, where only admission hears of the name in the URL. */
  create(call: Call): Promise<Reply> {
    const { schemas, info } = call.served;
    const turns = isSmall(call) ? AT_ONCE : this.#options.startTurns();
    const make = (object: KubeObject): Promise<Reply> => {
      keepOwnersOnce(object, 'as sent', call);
      return this.createObject(call, object, { turns });
    };
    const read = readObject(schemas, call, info);
    return read instanceof Promise ? read.then(make) : make(read);
  }

  /** Takes a decoded object through preparing, admission and validation into the store. */
  async createObject(
    call: Call,
    object: KubeObject,
    { keepsEntries = false, turns = this.#options.startTurns() }: CreateOptions = {},
  ): Promise<Reply> {
    const turn = turns.next();
    if (turn !== undefined) await turn;
    const sent = object.metadata.managedFields;
    const base = checkNewName(call, object);
    checkStillMade(call, object);
    for (let attempt = 1; ; attempt++) {
      if (base !== '') asDraft(object).metadata.name = this.#options.stamp.nameFrom(base);
      try {
        return await this.#createOnce(call, object, { sent, keepsEntries, turns });
      } catch (error) {
        if (base === '' || attempt === NAME_ATTEMPTS || !status.isAlreadyExists(error)) throw error;
      }
    }
  }

  async #createOnce(call: Call, object: KubeObject, { sent, keepsEntries, turns }: SentEntries): Promise<Reply> {
    const { served } = call;
    const { strategy } = served.stored;
    const { admission } = this.#options;
    const identity = this.#options.stamp.identity();
    this.#prepare(call, object, identity);
    const defaulted = turns.next();
    if (defaulted !== undefined) await defaulted;
    const entries = keepsEntries ? sent : this.#options.ownership.updated(call, { before: undefined, object, sent });
    if (entries !== undefined) asDraft(object).metadata.managedFields = entries;
    strategy.completeNew?.(object);
    const prepared = turns.next();
    if (prepared !== undefined) await prepared;
    const name = call.info.name || (object.metadata.name ?? '');
    const change = { operation: 'CREATE', object, before: undefined, name } as const;
    const admitting = admission.admit(call, change);
    if (admitting !== undefined) await admitting;
    this.#set(call, object, identity);
    // Who may change an object on its way in may not send it elsewhere.
    checkNamespace(call, object);
    keepOwnersOnce(object, 'admitted', call);
    const allocating = strategy.allocate?.(object, undefined, call.dryRun);
    const allocation = allocating instanceof Promise ? await allocating : allocating;
    try {
      const storable = served.native ? object : await served.toStored(object);
      const validated = served.ownRules === undefined ? storable : object;
      const readying = makeReady(served, this.#options.startTurns);
      if (readying !== undefined) await readying;
      const validating = validateNew(served, validated, this.#options.startTurns);
      if (validating !== undefined) await validating;
      if (strategy.judge !== undefined) await judge(served, { object: validated, before: undefined, turns });
      const judged = turns.next();
      if (judged !== undefined) await judged;
      const looking = admission.validate(call, change);
      if (looking !== undefined) await looking;
      warnOf(call, validated);
      const warned = turns.next();
      if (warned !== undefined) await warned;
      const reply = await this.#store(call, { object, storable });
      if (allocation === undefined) return reply;
      if (call.dryRun) await allocation.undo();
      else await allocation.done?.();
      return reply;
    } catch (error) {
      await allocation?.undo();
      throw error;
    }
  }

  /** Not an async function: it is on the way of every create. */
  #store(
    call: Call,
    { object, storable }: { readonly object: KubeObject; readonly storable: KubeObject },
  ): Reply | Promise<Reply> {
    const { served, info } = call;
    const { stored } = served;
    const name = object.metadata.name ?? '';
    const key = keyOf(served.info.namespaced, info.namespace, name);
    if (call.dryRun) {
      if (stored.cache.get(key) !== undefined) throw status.alreadyExists(served.info, name);
      return { kind: 'object', code: 201, object, columns: served.columns };
    }
    refuseVersion(storable);
    return this.#options.writer.put({ stored, key, object: storable, replaces: 0, call }).then((outcome) => {
      if (!outcome.written) throw status.alreadyExists(served.info, name);
      const { entry } = outcome;
      const reply = { kind: 'entry', code: 201, served, entry } as const;
      const preparing = served.native ? undefined : served.prepare([entry]);
      return preparing === undefined ? reply : preparing.then(() => reply);
    });
  }

  /** Defaults, what the server sets by itself, and the strategy of the kind. */
  #prepare(call: Call, object: KubeObject, identity: Identity): void {
    applyKindDefaults(call.served, object);
    const { metadata } = asDraft(object);
    metadata.namespace = call.served.info.namespaced ? call.info.namespace : undefined;
    // The verb's own entries are put there behind this.
    if (metadata.managedFields !== undefined) metadata.managedFields = undefined;
    this.#set(call, object, identity);
  }

  /**
   * What is not the caller's to say, nor that of who changes objects on their way in; and what follows from the rest (a
   * pod's class of service from requests that it was given by default).
   */
  #set(call: Call, object: KubeObject, identity: Identity): void {
    const { stored, hasStatus } = call.served;
    const draft = asDraft(object);
    if (hasStatus && stored.strategy.keepsStatusOnCreate !== true) draft.status = call.served.emptyStatus();
    putSystemFields(draft, identity, stored.traits.generation);
    stored.strategy.prepareForCreate?.(object, call.user);
  }
}

function isSmall({ request: { body } }: Call): boolean {
  return body.kind === 'bytes' && (body.arrived?.()?.length ?? SMALL_BYTES) < SMALL_BYTES;
}

/**
 * Only what is stored already has a version; 500 is upstream's answer, after everything else was found right. What is
 * no number is nothing to it.
 */
function refuseVersion(object: KubeObject): void {
  const { metadata } = asDraft(object);
  const version = metadata.resourceVersion ?? '';
  if (version !== '' && /^\d+$/.test(version) && !/^0+$/.test(version)) {
    throw status.internalFailure('resourceVersion should not be set on objects to be created');
  }
  metadata.resourceVersion = undefined;
}

/** Throws 400 for an object of another namespace than the one that the URL names. */
function checkNamespace({ served, info }: Call, { metadata }: KubeObject): void {
  if (served.info.namespaced) checkBodyNamespace(metadata, info.namespace);
}

/** Settles namespace and name between URL and body; answers with the base of a name to generate, or ''. */
function checkNewName(call: Call, object: KubeObject): string {
  const { metadata } = asDraft(object);
  checkNamespace(call, object);
  // What is of the whole cluster has no namespace, whatever the body says.
  if (!call.served.info.namespaced && metadata.namespace !== undefined) metadata.namespace = undefined;
  return (metadata.name ?? '') === '' ? (metadata.generateName ?? '') : '';
}

/** Throws 403 where a definition is on its way out: its objects are, too. */
function checkStillMade({ served: { isCustom, answeredVerbs, info } }: Call, { metadata }: KubeObject): void {
  if (!isCustom || answeredVerbs.includes('create')) return;
  throw status.forbidden(
    info,
    metadata.name ?? '',
    'create not allowed while custom resource definition is terminating',
  );
}
