import { formatTime } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { checkPreconditions, deepEqual, status } from '@binnacle/machinery';
import type { DeleteOptions, FoundObject, KubeObject } from '@binnacle/machinery';
import type { Entry } from '../cache/entry.ts';
import type { Feed } from '../cache/feed.ts';
import type { Call, Reply, StoredResource } from '../catalogue/definition.ts';
import { asDraft } from '../storage/draft.ts';
import type { AdmissionChain } from './admission.ts';
import { readDeleteOptions } from './delete-options.ts';
import type { DeleteOptionsWorld } from './delete-options.ts';
import { entryOf } from './get.ts';
import type { ObjectWriter } from './write.ts';

export interface Removal {
  readonly options: DeleteOptions;
  readonly entry: Entry;
}

export interface RemoverOptions extends DeleteOptionsWorld {
  readonly writer: ObjectWriter;
  readonly admission: AdmissionChain;
  readonly feed: Pick<Feed, 'embedded' | 'waitUntilFresh'>;
  readonly clock: Clock;
}

/** Deletes, or marks as being deleted what still has grace or finalizers. */
export class Remover {
  readonly #options: RemoverOptions;

  constructor(options: RemoverOptions) {
    this.#options = options;
  }

  /** DELETE of one object. */
  async remove(call: Call): Promise<Reply> {
    const { feed } = this.#options;
    const options = await this.readOptions(call);
    const dryRun = call.dryRun || (options.dryRun?.length ?? 0) > 0;
    if (!feed.embedded) await feed.waitUntilFresh();
    return this.removeEntry(dryRun === call.dryRun ? call : { ...call, dryRun }, { options, entry: entryOf(call) });
  }

  /** What body or query say about a deletion. */
  readOptions(call: Call): Promise<DeleteOptions> {
    return readDeleteOptions(this.#options, call);
  }

  /** One object, whichever way it was found. */
  async removeEntry(call: Call, removal: Removal): Promise<Reply> {
    const { served } = call;
    const { writer, admission, clock } = this.#options;
    let { entry } = removal;
    const { name } = entry;
    if (!served.native) await served.prepare([entry]);
    const before = served.view(entry);
    const options = {
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/v1',
      ...removal.options,
    } as unknown as KubeObject;
    const change = { operation: 'DELETE', object: undefined, before, name, options } as const;
    await admission.admit(call, change);
    await admission.validate(call, change);
    for (;;) {
      checkPreconditions(removal.options.preconditions, foundObject(call, entry));
      const step = decide(clock.now(), served.stored, { entry, options: removal.options });
      if (step.marked === undefined) {
        if (call.dryRun) return await deleted(call, entry, entry.revision);
        const outcome = await writer.delete(served.stored, { entry, call });
        if (outcome.written) return await deleted(call, entry, outcome.revision);
        entry = again(call, name, outcome.found === undefined ? undefined : served.stored.cache.entryOf(outcome.found));
        continue;
      }
      const code = step.accepted ? 202 : 200;
      if (call.dryRun) return { kind: 'object', code, object: step.marked, columns: served.columns };
      if (deepEqual(step.marked, entry.object)) return { kind: 'entry', code, served, entry };
      const outcome = await writer.put({
        stored: served.stored,
        key: entry.key,
        object: step.marked,
        replaces: entry.revision,
        call,
      });
      if (outcome.written) {
        if (!served.native) await served.prepare([outcome.entry]);
        return { kind: 'entry', code, served, entry: outcome.entry };
      }
      entry = again(call, name, outcome.found === undefined ? undefined : served.stored.cache.entryOf(outcome.found));
    }
  }
}

interface Step {
  /** The object as being deleted, when it stays for now. */
  readonly marked: KubeObject | undefined;
  /** Whether upstream answers 202: dependents are waited for. */
  readonly accepted: boolean;
}

/** Pure: what a delete does to an object as it is. */
function decide(now: number, stored: StoredResource, at: { entry: Entry; options: DeleteOptions }): Step {
  const { object } = at.entry;
  const old = object.metadata;
  const deleting = (old.deletionTimestamp ?? '') !== '';
  const onDeletion = deleting ? undefined : stored.strategy.onDeletion;
  const finalizers = withFinalizer(finalizersFor(stored, object, at.options), onDeletion?.finalizer);
  const grace = graceFor(stored, object, at.options);
  const spec = asDraft(object).spec as { finalizers?: readonly string[] } | undefined;
  const held = finalizers.length > 0 || (object.kind === 'Namespace' && (spec?.finalizers?.length ?? 0) > 0);
  if (!held && grace === 0) return { marked: undefined, accepted: false };
  const accepted = finalizers.includes('foregroundDeletion') && at.options.orphanDependents === false;
  const period = deleting ? Math.min(grace, old.deletionGracePeriodSeconds ?? 0) : grace;
  if (!held && deleting && period === 0) return { marked: undefined, accepted };
  // A repeated delete may only shorten the grace.
  const shortened = !deleting || period < (old.deletionGracePeriodSeconds ?? 0);
  const marked: KubeObject = { ...object, metadata: { ...old } };
  const { metadata } = asDraft(marked);
  if (finalizers.length > 0 || old.finalizers !== undefined) {
    metadata.finalizers = finalizers.length > 0 ? finalizers : undefined;
  }
  if (shortened) {
    metadata.deletionTimestamp = deletionTime(now, old, period);
    metadata.deletionGracePeriodSeconds = period;
    if (!deleting && stored.traits.generation && (metadata.generation ?? 0) > 0) {
      metadata.generation = (metadata.generation ?? 0) + 1;
    }
  }
  onDeletion?.mark(marked, now);
  if (object.kind === 'Namespace')
    asDraft(marked).status = { ...(asDraft(object).status as object), phase: 'Terminating' };
  return { marked, accepted };
}

function withFinalizer(finalizers: readonly string[], added: string | undefined): readonly string[] {
  return added === undefined || finalizers.includes(added) ? finalizers : [...finalizers, added];
}

/** When the grace ends, counted from the first request. */
function deletionTime(now: number, old: KubeObject['metadata'], period: number): string {
  if ((old.deletionTimestamp ?? '') === '') return formatTime(now + period * 1000);
  const asked = Date.parse(old.deletionTimestamp ?? '') - (old.deletionGracePeriodSeconds ?? 0) * 1000;
  return formatTime(asked + period * 1000);
}

/** `gracePeriodSeconds` holds for kinds that die gracefully; for the others it is 0. */
function graceFor(stored: StoredResource, object: KubeObject, options: DeleteOptions): number {
  const asked = options.gracePeriodSeconds;
  return Math.max(0, stored.strategy.gracePeriod?.(object, asked) ?? 0);
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** The object's finalizers with the garbage collector's two put in or taken out as the propagation asks. */
function finalizersFor(stored: StoredResource, object: KubeObject, options: DeleteOptions): readonly string[] {
  const old = object.metadata.finalizers ?? [];
  const wanted = propagation(stored, old, options);
  const kept = old.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (wanted === 'Orphan') return [...kept, ORPHAN];
  if (wanted === 'Foreground') return [...kept, FOREGROUND];
  return kept;
}

/** Asked for, else what earlier requests left in the finalizers, else the kind's own default. */
function propagation(stored: StoredResource, old: readonly string[], options: DeleteOptions): string {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  if (old.includes(ORPHAN)) return 'Orphan';
  if (old.includes(FOREGROUND)) return 'Foreground';
  return stored.traits.orphansByDefault ? 'Orphan' : (stored.strategy.defaultPropagation ?? 'Background');
}

function foundObject(call: Call, entry: Entry): FoundObject {
  // By its kind, as upstream's check before the store does.
  const { group, kind } = call.served.info;
  const { uid = '' } = entry.object.metadata;
  return { resource: { group, resource: kind }, name: entry.name, uid, resourceVersion: String(entry.revision) };
}

function again(call: Call, name: string, found: Entry | undefined): Entry {
  if (found === undefined) throw status.notFound(call.served.info, name);
  return found;
}

/** The object for kinds that answer so, else a Status with its name and uid. */
async function deleted(call: Call, entry: Entry, revision: number): Promise<Reply> {
  const { info, stored } = call.served;
  if (stored.traits.returnsDeleted) {
    if (!call.served.native) await call.served.prepare([entry]);
    const object = call.served.view(entry);
    return {
      kind: 'object',
      code: 200,
      object: { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } },
      columns: call.served.columns,
    };
  }
  const details = {
    name: entry.name,
    ...(info.group === '' ? {} : { group: info.group }),
    kind: info.resource,
    uid: entry.object.metadata.uid,
  };
  return {
    kind: 'object',
    code: 200,
    object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details },
  };
}
