import { deepCopy, status } from '@binnacle/machinery';
import type { KubeObject, ObjectMeta, StatusError } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { Call, Reply } from '../catalogue/definition.ts';
import { AT_ONCE } from '../request/turns.ts';
import type { Turning, Turns } from '../request/turns.ts';
import { asDraft } from '../storage/draft.ts';
import { keyOf } from '../storage/keys.ts';
import { checkBodyNamespace } from '../request/body-namespace.ts';
import type { AdmissionChain, AdmittedChange } from './admission.ts';
import { readObject } from './body.ts';
import type { FieldOwnership } from './field-ownership.ts';
import { dropSystemFields, putSystemFields } from './metadata.ts';
import type { ObjectStamp } from './metadata.ts';
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
    settleNamespace(call, object);
    checkStillMade(call, object);
    await this.#admit(call, object, { sent, keepsEntries, turns });
    // Known to nobody who changes objects, as upstream has it: whoever comes behind them gives the name.
    const { name = '', generateName = '' } = object.metadata;
    return name === '' && generateName !== ''
      ? this.#createNamed(call, object, { base: generateName, turns })
      : this.#createOnce(call, object, turns);
  }

  /** Who changes objects on their way in sees what was sent, with its defaults, and nothing that the server says of it. */
  async #admit(call: Call, object: KubeObject, { sent, keepsEntries, turns }: SentEntries): Promise<void> {
    this.#read(call, object);
    const defaulted = turns.next();
    if (defaulted !== undefined) await defaulted;
    const entries = keepsEntries ? sent : this.#options.ownership.updated(call, { before: undefined, object, sent });
    if (entries !== undefined) asDraft(object).metadata.managedFields = entries;
    const read = turns.next();
    if (read !== undefined) await read;
    const admitting = this.#options.admission.admit(call, changeOf(call, object));
    if (admitting !== undefined) await admitting;
    // Who may change an object on its way in may not send it elsewhere.
    checkNamespace(call, object);
    keepOwnersOnce(object, 'admitted', call);
  }

  /** Under a name that is made up, and another one where that is taken. */
  async #createNamed(
    call: Call,
    object: KubeObject,
    { base, turns }: { readonly base: string; readonly turns: Turning },
  ): Promise<Reply> {
    const { native, stored } = call.served;
    // What a name leaves in the object, or what it was converted into, is not for the next one.
    const isMarked = !native || stored.strategy.completeNew !== undefined || stored.strategy.allocate !== undefined;
    for (let attempt = 1; ; attempt++) {
      const named = isMarked ? deepCopy(object) : object;
      asDraft(named).metadata.name = this.#options.stamp.nameFrom(base);
      try {
        return await this.#createOnce(call, named, turns);
      } catch (error) {
        if (attempt === NAME_ATTEMPTS || !status.isAlreadyExists(error)) throw error;
      }
    }
  }

  async #createOnce(call: Call, object: KubeObject, turns: Turning): Promise<Reply> {
    const { served } = call;
    const { strategy } = served.stored;
    const { admission } = this.#options;
    this.#prepare(call, object);
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
      const looking = admission.validate(call, changeOf(call, object));
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
      if (stored.cache.get(key) !== undefined) throw takenBy(call, object, stored.cache.get(key));
      return { kind: 'object', code: 201, object: served.kept(object), columns: served.columns };
    }
    refuseVersion(storable);
    return this.#options.writer
      .put({ stored, key, object: stored.kept(storable), replaces: 0, call })
      .then((outcome) => {
        if (!outcome.written) throw takenBy(call, object, stored.cache.get(key));
        const { entry } = outcome;
        const reply = { kind: 'entry', code: 201, served, entry } as const;
        const preparing = served.native ? undefined : served.prepare([entry]);
        return preparing === undefined ? reply : preparing.then(() => reply);
      });
  }

  /** Defaults, and what is not the caller's to say. */
  #read(call: Call, object: KubeObject): void {
    applyKindDefaults(call.served, object);
    const draft = asDraft(object);
    draft.metadata.namespace = call.served.info.namespaced ? call.info.namespace : undefined;
    // The verb's own entries are put there behind this.
    if (draft.metadata.managedFields !== undefined) draft.metadata.managedFields = undefined;
    dropSystemFields(draft);
    call.served.stored.strategy.readNew?.(object);
  }

  /**
   * What is not the caller's to say, nor that of who changes objects on their way in; and what follows from the rest (a
   * pod's class of service from requests that it was given by default).
   */
  #prepare(call: Call, object: KubeObject): void {
    const { stored, hasStatus } = call.served;
    const { strategy } = stored;
    const draft = asDraft(object);
    if (hasStatus && strategy.keepsStatusOnCreate !== true) draft.status = call.served.emptyStatus();
    putSystemFields(draft, this.#options.stamp.identity(), stored.traits.generation);
    strategy.prepareForCreate?.(object, call.user);
    strategy.completeNew?.(object);
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

/** As admission sees it: under the name in the URL, where there is one, else under the object's own. */
function changeOf({ info }: Call, object: KubeObject): AdmittedChange {
  return { operation: 'CREATE', object, before: undefined, name: info.name || (object.metadata.name ?? '') };
}

/** The 409 of a name that somebody has: whoever is there goes, or the name was made up. */
function takenBy({ served }: Call, { metadata }: KubeObject, there: Entry | undefined): StatusError {
  const isLeaving = (there?.object.metadata.deletionTimestamp ?? '') !== '';
  const isGenerated = (metadata.generateName ?? '') !== '';
  return status.alreadyExists(served.info, metadata.name ?? '', { isGenerated, isLeaving });
}

/** Settles the namespace between URL and body. */
function settleNamespace(call: Call, object: KubeObject): void {
  const { metadata } = asDraft(object);
  checkNamespace(call, object);
  // What is of the whole cluster has no namespace, whatever the body says.
  if (!call.served.info.namespaced && metadata.namespace !== undefined) metadata.namespace = undefined;
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
