import { createTimeFormatter, nameSuffix } from '@binnacle/base';
import type { Clock, Random } from '@binnacle/base';
import type { KubeObject, ObjectMeta } from '@binnacle/machinery';
import type { Draft } from '../storage/draft.ts';
import { deepEqual } from '@binnacle/machinery';
import type { ServedResource } from '../catalogue/definition.ts';
import { isMembers } from './share-parts.ts';

const NAME_MAX = 63;
const SUFFIX_LENGTH = 5;

const NOT_FROM_CALLERS = ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink', 'generation'] as const;

/** Of a new object; the generation is overwritten later, as upstream does. */
const NOT_SENT = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const;

/** Who a new object is, and since when. */
export type Identity = Required<Pick<ObjectMeta, 'uid' | 'creationTimestamp'>>;

/** What the server sets on new objects by itself: identities, times and names. */
export class ObjectStamp {
  readonly #clock: Clock;
  readonly #random: Random;
  /** The clock's time as objects carry it. */
  readonly #formatTime = createTimeFormatter();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Of an object that is made now. */
  identity(): Identity {
    return { uid: this.#random.uuid(), creationTimestamp: this.#formatTime(this.#clock.now()) };
  }

  /** `base` cut so that the suffix fits into a DNS label, and five letters. */
  nameFrom(base: string): string {
    return base.slice(0, NAME_MAX - SUFFIX_LENGTH) + nameSuffix(this.#random, SUFFIX_LENGTH);
  }
}

/** What the server alone says of objects is gone from one that is sent. */
export function dropSystemFields({ metadata }: Draft): void {
  for (const field of NOT_SENT) if (metadata[field] !== undefined) metadata[field] = undefined;
}

/** What the server says of a new object, whatever is written there. */
export function putSystemFields({ metadata }: Draft, { uid, creationTimestamp }: Identity, generation: boolean): void {
  metadata.uid = uid;
  metadata.creationTimestamp = creationTimestamp;
  // What is absent stays absent: a field that is undefined would weigh on every object that is kept.
  for (const field of NOT_FROM_CALLERS) if (metadata[field] !== undefined) metadata[field] = undefined;
  if (generation) metadata.generation = 1;
}

/** What no update changes: taken over from the object as it is. */
export function keepSystemFields(draft: Draft, before: KubeObject): void {
  const { metadata } = draft;
  const old = before.metadata;
  metadata.uid = old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  metadata.deletionTimestamp = old.deletionTimestamp;
  metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
  metadata.generation = old.generation;
  metadata.generateName = old.generateName;
  metadata.selfLink = undefined;
  metadata.managedFields = undefined;
}

/**
 * The version before, to tell what an update changes: an empty list is no other than the null that came of one. With what
 * is sent in the place of all that comes to the same.
 */
export function withSentEmpties(served: ServedResource, draft: Draft, before: KubeObject): KubeObject {
  const kept = served.kept(draft);
  return kept === draft ? before : (withSent({ sent: draft, kept, was: before }) as KubeObject);
}

interface Sent {
  readonly sent: unknown;
  /** What rests of it: the very same where nothing is forgotten. */
  readonly kept: unknown;
  readonly was: unknown;
}

/** Member by member, as another may have changed: a template is the same whatever else of its spec is not. */
function withSent({ sent, kept, was }: Sent): unknown {
  if (kept === sent) return was;
  if (isMembers(sent) && isMembers(kept) && isMembers(was)) {
    const old = { ...was };
    for (const field in kept) {
      if (kept[field] === sent[field] || !Object.hasOwn(was, field)) continue;
      old[field] = withSent({ sent: sent[field], kept: kept[field], was: was[field] });
    }
    return old;
  }
  return deepEqual(kept, was) ? sent : was;
}

/** One more than before when anything but metadata and status changed. */
export function nextGeneration(served: ServedResource, draft: Draft, before: KubeObject): void {
  if (!served.stored.traits.generation) return;
  const old = before as unknown as Draft;
  if (sameApart(draft, old)) return;
  draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function sameApart(a: Draft, b: Draft): boolean {
  for (const field in a) if (isCounted(field) && !deepEqual(a[field], b[field])) return false;
  for (const field in b) if (isCounted(field) && b[field] !== undefined && !Object.hasOwn(a, field)) return false;
  return true;
}

/**
 * The version before, to be compared with a prepared one: where the generation says that nothing but metadata and status
 * changed, the rest is taken from the new one, so that it is seen at once to be the same.
 */
export function comparable(served: ServedResource, object: KubeObject, before: KubeObject): KubeObject {
  if (!served.stored.traits.generation || object.metadata.generation !== before.metadata.generation) return before;
  const [draft, base] = [object as unknown as Draft, { ...before } as unknown as Draft];
  const kept = served.kept(draft);
  for (const field in draft) {
    // An empty list in the place of none is somebody's, though nothing comes of it.
    if (isCounted(field) && Object.hasOwn(base, field) && kept[field] === draft[field]) base[field] = draft[field];
  }
  return base as unknown as KubeObject;
}

function isCounted(field: string): boolean {
  return field !== 'metadata' && field !== 'status' && field !== 'kind' && field !== 'apiVersion';
}
