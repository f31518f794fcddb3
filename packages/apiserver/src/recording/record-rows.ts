import type { Cause, Hop, HopDetail, TraceObject } from '@binnacle/base';
import type { Verdict, Verdicts } from './verdicts.ts';
import type {
  CommitRecord,
  ComponentRecord,
  DeliveryRecord,
  RequestRecord,
  TraceRecord,
  Unnumbered,
  WatchRecord,
} from './record.ts';
import type { Row } from './ring.ts';

/** The lowest two bits of a row's sort: what kind of record it is. */
const REQUEST = 0;
const COMMIT = 1;
const COMPONENT = 2;
const DELIVERY = 3;
/** The next two: what was done. */
const OPERATIONS = ['create', 'update', 'delete'] as const;
const DELIVERED = ['ADDED', 'MODIFIED', 'DELETED'] as const;
/** A bit behind these: of a request that it is about a resource, of a commit that it is in a namespace. */
const FLAG = 16;

/** Of a step that was in nobody's queue. */
const NOT_WAITED = -1;
/** A cause and what caused it: more of them are cut. */
const CAUSES_MAX = 8;
/** More characters of a detail are not kept. */
const DETAIL_MAX = 32_768;
const TOO_LARGE = JSON.stringify({ tooLarge: true });

type Texts = (string | undefined)[];

/** A request as a ring keeps it. Written out: spreading lists and objects costs more than all else that is done here. */
export function rowOfRequest(seq: number, record: Unnumbered<RequestRecord>, verdicts: Verdicts): Row {
  const texts: Texts = [
    record.method,
    record.path,
    record.query,
    record.verb,
    record.group,
    record.resource,
    record.subresource,
    record.namespace,
    record.name,
    record.user,
    record.agent,
    record.id,
    record.error,
    record.impersonated,
  ];
  if (record.cause !== undefined) addCauses(texts, record.cause);
  const sort = record.isResource ? REQUEST | FLAG : REQUEST;
  return { seq, at: record.at, ms: record.ms, sort, number: record.code, texts, held: verdicts.of(record) };
}

/** A commit as a ring keeps it. */
export function rowOfCommit(seq: number, record: Unnumbered<CommitRecord>): Row {
  const texts: Texts = [record.group, record.resource, record.key, record.uid];
  addCauses(texts, record.cause);
  const sort = COMMIT | (OPERATIONS.indexOf(record.operation) << 2) | (record.namespaced ? FLAG : 0);
  return { seq, at: record.at, ms: record.ms, sort, number: record.revision, texts, held: undefined };
}

/** What a component did as a ring keeps it: of a detail that is made when somebody asks, who makes it. */
export function rowOfHop(seq: number, hop: Hop, reporter: string | undefined): Row {
  const { object, detail } = hop;
  const texts: Texts = [
    hop.kind,
    hop.component,
    hop.name,
    hop.id,
    hop.revision,
    hop.error,
    reporter,
    object?.group,
    object?.resource,
    object?.namespace,
    object?.name,
    object?.uid,
    detail === undefined || typeof detail === 'function' ? undefined : textOfDetail(detail),
  ];
  if (hop.cause !== undefined) addCauses(texts, hop.cause);
  const held = typeof detail === 'function' ? detail : undefined;
  const number = hop.waitedMs ?? NOT_WAITED;
  return { seq, at: hop.startedAt, ms: hop.durationMs, sort: COMPONENT, number, texts, held };
}

/** An event as it is handed to a watch. */
export interface Delivered {
  readonly type: DeliveryRecord['type'];
  readonly revision: number;
  readonly entry: { readonly key: string };
}

/** A delivery as a ring keeps it. */
export function rowOfDelivery(
  seq: number,
  { at, item, watch }: { readonly at: number; readonly item: Delivered; readonly watch: WatchRecord },
): Row {
  const sort = DELIVERY | (DELIVERED.indexOf(item.type) << 2);
  return { seq, at, ms: 0, sort, number: item.revision, texts: [item.entry.key], held: watch };
}

/** The record that a row was made of. */
export function recordOf(row: Row): TraceRecord {
  switch (row.sort & 3) {
    case REQUEST:
      return requestOf(row);
    case COMMIT:
      return commitOf(row);
    case COMPONENT:
      return componentOf(row);
    default:
      return deliveryOf(row);
  }
}

function requestOf({ seq, at, ms, sort, number: code, texts, held }: Row): RequestRecord {
  const [method = '', path = '', query = '', verb = '', group = '', resource = '', subresource = ''] = texts;
  const [namespace = '', name = '', user = '', agent = '', id = '', error, impersonated] = texts.slice(7, 14);
  const { allowed, admitted } = held as Verdict;
  return {
    kind: 'request',
    ...{ seq, at, ms, code, error, method, path, query, verb, isResource: (sort & FLAG) !== 0 },
    ...{ group, resource, subresource, namespace, name, user, impersonated, agent, id, allowed },
    cause: causeFrom(texts, 14),
    admitted,
  };
}

function commitOf({ seq, at, ms, sort, number: revision, texts }: Row): CommitRecord {
  const [group = '', resource = '', key = '', uid] = texts;
  const operation = OPERATIONS[(sort >> 2) & 3] ?? 'update';
  const cause = causeFrom(texts, 4) ?? { id: '', component: '', request: '' };
  const namespaced = (sort & FLAG) !== 0;
  return { kind: 'commit', seq, at, ms, operation, revision, group, resource, key, namespaced, uid, cause };
}

function componentOf({ seq, at, ms, number: waitedMs, texts, held }: Row): ComponentRecord {
  const [kind, component = '', name = '', id, revision, error, reporter] = texts;
  const object = objectFrom(texts);
  const detail = held === undefined ? parsed(texts[12]) : (held as () => HopDetail | undefined);
  const cause = causeFrom(texts, 13);
  const hop: Hop = {
    kind: kind as Hop['kind'],
    ...{ component, name, startedAt: at, durationMs: ms },
    ...(waitedMs === NOT_WAITED ? {} : { waitedMs }),
    ...(id === undefined ? {} : { id }),
    ...(revision === undefined ? {} : { revision }),
    ...(error === undefined ? {} : { error }),
    ...(object === undefined ? {} : { object }),
    ...(cause === undefined ? {} : { cause }),
    ...(detail === undefined ? {} : { detail }),
  };
  return { kind: 'component', seq, at, hop, reporter };
}

function deliveryOf({ seq, at, sort, number: revision, texts, held }: Row): DeliveryRecord {
  const [key = ''] = texts;
  const type = DELIVERED[(sort >> 2) & 3] ?? 'MODIFIED';
  return { kind: 'delivery', seq, at, revision, type, key, namespaced: key.includes('/'), watch: held as WatchRecord };
}

function objectFrom(texts: Row['texts']): TraceObject | undefined {
  const [group, resource, namespace, name, uid] = texts.slice(7, 12);
  if (group === undefined || resource === undefined || name === undefined) return undefined;
  return {
    ...{ group, resource, name },
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
  };
}

/** Four texts for each. */
function addCauses(texts: Texts, first: Cause): void {
  let cause: Cause | undefined = first;
  for (let left = CAUSES_MAX; cause !== undefined && left > 0; left--) {
    texts.push(cause.id, cause.component, cause.request, cause.revision);
    cause = cause.parent;
  }
}

function causeFrom(texts: Row['texts'], from: number): Cause | undefined {
  let cause: Cause | undefined;
  for (let at = texts.length - 4; at >= from; at -= 4) {
    const [id = '', component = '', request = '', revision] = texts.slice(at, at + 4);
    cause = {
      ...{ id, component, request },
      ...(revision === undefined ? {} : { revision }),
      ...(cause === undefined ? {} : { parent: cause }),
    };
  }
  return cause;
}

function textOfDetail(detail: HopDetail): string {
  const text = JSON.stringify(detail);
  return text.length > DETAIL_MAX ? TOO_LARGE : text;
}

function parsed(text: string | undefined): HopDetail | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as HopDetail);
}
