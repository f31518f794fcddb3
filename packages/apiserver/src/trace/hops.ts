import { HOP_KINDS } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { inOrder } from '@binnacle/trace';
import type { RingState, TraceHop, TraceHopList } from '@binnacle/trace';
import type { Store } from '@binnacle/store';
import type { AnyCall, Reply } from '../catalogue/definition.ts';
import type { Feed } from '../cache/feed.ts';
import type { Authorizer } from '../ports/authorization.ts';
import type { TraceRecord } from '../recording/record.ts';
import type { Recorder } from '../recording/recorder.ts';
import { parseAbout } from './about.ts';
import { hopsOfRecord, TRACE_API_VERSION } from './hops-of-record.ts';
import type { Reading } from './hops-of-record.ts';
import { HOP_COLUMNS } from './columns.ts';
import { RECORDS_MAX, storyOf } from './story.ts';
import type { TraceIndex } from './trace-index.ts';
import { Turns } from '../request/turns.ts';
import { Viewer } from './viewer.ts';

/** What the readers of the trace share. */
export interface TraceWorld {
  readonly recorder: Recorder;
  readonly index: TraceIndex;
  readonly authorizer: Authorizer;
  readonly store: Pick<Store, 'status'>;
  readonly feed: Pick<Feed, 'revision'>;
  readonly clock: Clock;
}

const LIMIT = 500;
const KINDS: ReadonlySet<string> = new Set(HOP_KINDS);
const LIMIT_MAX = 5_000;

/** How many are wanted, `most` at the most; who says nothing, nought or less gets what is usual. */
export function limitOf(query: AnyCall['query'], most: number): number {
  const wanted = query.integer('limit') ?? 0;
  return Math.min(wanted > 0 ? wanted : LIMIT, most);
}

/** GET on `hops`: the latest, page by page backwards; within a page in the order of time. */
export async function listHops(world: TraceWorld, call: AnyCall): Promise<Reply> {
  demandReadable(call);
  const reading = await readingFor(world, call);
  const limit = limitOf(call.query, LIMIT_MAX);
  const before = continuedFrom(call.query.get('continue'));
  const items: TraceHop[] = [];
  let next: number | undefined;
  let last = before;
  const turns = new Turns(world.clock);
  const records = recordsBefore(reading, world, { call, number: before });
  for (const record of records.told) {
    if (items.length >= limit) {
      next = last;
      break;
    }
    last = record.seq;
    items.push(...(await hopsSeen(reading, call, record)));
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  const list: TraceHopList = {
    apiVersion: TRACE_API_VERSION,
    kind: 'HopList',
    metadata: {
      resourceVersion: String(reading.upTo),
      ...(next === undefined ? {} : { continue: String(next) }),
    },
    ring: await ringState(world),
    ...(records.isCut ? { isCut: true as const } : {}),
    items: inOrder(items),
  };
  return { kind: 'object', code: 200, object: list, items: list.items, columns: HOP_COLUMNS };
}

/** Throws 400 for selectors, as `about` and `type` select hops, and for types that are none. */
export function demandReadable({ query }: AnyCall): void {
  for (const type of typesOf(query) ?? []) {
    if (KINDS.has(type)) continue;
    throw status.badRequest(`type: ${JSON.stringify(type)} is none of ${HOP_KINDS.join(', ')}`);
  }
  for (const name of ['labelSelector', 'fieldSelector']) {
    if (query.get(name) !== '') throw status.badRequest(`${name} is not supported: about and type select hops`);
  }
}

/** Whoever asks, with an index that knows all there is. */
export async function readingFor({ index, authorizer }: TraceWorld, { user }: AnyCall): Promise<Reading> {
  await index.update();
  return { index, viewer: new Viewer(user, authorizer, index), upTo: index.seq };
}

/** What is asked for, and from which number on. */
interface AskedRecords {
  readonly call: AnyCall;
  readonly number: number;
}

/** Those that are asked for: all records with a smaller number, or those of one object's story; the newest first. */
function recordsBefore(
  { index, upTo }: Reading,
  { recorder }: TraceWorld,
  { call: { query, info }, number: before }: AskedRecords,
): { readonly told: Iterable<TraceRecord>; readonly isCut: boolean } {
  const about = parseAbout(query.get('about'), info.namespace);
  if (about === undefined) return { told: recorder.before(Math.min(before, upTo + 1)), isCut: false };
  const story = [...storyOf(index, about)];
  const told = story.filter(({ seq }) => seq < before && seq <= upTo).sort((a, b) => b.seq - a.seq);
  return { told, isCut: story.length >= RECORDS_MAX };
}

/** All records with a greater number that the index knows, or those of one object's story, whatever their numbers. */
export function recordsAfter(
  { index, upTo }: Reading,
  { recorder }: TraceWorld,
  { call: { query, info }, number: after }: AskedRecords,
): Iterable<TraceRecord> {
  const about = parseAbout(query.get('about'), info.namespace);
  return about === undefined ? recorder.after(after, upTo) : storyOf(index, about);
}

/** A record in words; nothing of one that the viewer may not see, or that is of another namespace than was asked for. */
export async function hopsSeen(reading: Reading, { info, query }: AnyCall, record: TraceRecord): Promise<TraceHop[]> {
  const { namespace } = info;
  const types = typesOf(query);
  if (types !== undefined && WHOLE.has(record.kind) && !types.has(record.kind)) return [];
  if (namespace !== '' && query.get('about') === '' && namespaceOf(reading, record) !== namespace) return [];
  const seen = reading.viewer.maySee(record);
  if (!(seen instanceof Promise ? await seen : seen)) return [];
  const hops = await hopsOfRecord(reading, record);
  return types === undefined ? hops : hops.filter(({ type }) => types.has(type));
}

/** Of which types hops are wanted (`type=commit,event`); undefined: of all. */
function typesOf(query: AnyCall['query']): ReadonlySet<string> | undefined {
  const wanted = query.get('type');
  return wanted === '' ? undefined : new Set(wanted.split(','));
}

/** Records that are one hop of their own type: of those that are not wanted nothing need be known. */
const WHOLE: ReadonlySet<string> = new Set(['commit', 'delivery']);

function namespaceOf({ viewer }: Reading, record: TraceRecord): string {
  return viewer.objectOf(record)?.namespace ?? (record.kind === 'request' ? record.namespace : '');
}

/** What the rings have let go of, and how far back the store goes. */
export async function ringState({ recorder, store, feed }: TraceWorld): Promise<RingState> {
  const { changes, others, deliveries } = recorder;
  const since = {
    ...(changes.completeSince === undefined ? {} : { changes: changes.completeSince }),
    ...(others.completeSince === undefined ? {} : { others: others.completeSince }),
    ...(deliveries.completeSince === undefined ? {} : { deliveries: deliveries.completeSince }),
  };
  const { compactRevision } = await store.status();
  return {
    on: recorder.on,
    ...(Object.keys(since).length === 0 ? {} : { completeSinceMs: since }),
    forgotten: { changes: changes.forgotten, others: others.forgotten, deliveries: deliveries.forgotten },
    oldestRevision: String(Math.max(1, compactRevision)),
    currentRevision: String(feed.revision),
  };
}

/** Where the page before ended; without a token nowhere. Throws 400 for what is no token. */
export function continuedFrom(token: string): number {
  if (token === '') return Infinity;
  if (!/^\d{1,15}$/.test(token)) throw status.badRequest('continue key is not valid: it is none of this list');
  return Number(token);
}
