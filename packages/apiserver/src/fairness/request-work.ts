import type { RequestInfo } from '../request/info.ts';
import type { Query } from '../request/query.ts';
import type { Work } from './fair-queue.ts';
import { listWork, mutatingWork, plainWork } from './work-estimate.ts';
import type { Stock } from './work-estimate.ts';

/** What is known of the resources that are served. */
export interface ServedStock {
  /** Undefined: it is not stored here, or not known yet. */
  stockOf(info: RequestInfo): Stock | undefined;
  /** How many would hear of a change by this request. */
  watchersOf(info: RequestInfo): number;
}

/** How wide a request is. */
export interface Estimate {
  readonly work: Work;
  /** Of requests that change something. */
  readonly watchers: number | undefined;
}

const PLAIN: Estimate = { work: plainWork(), watchers: undefined };
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Estimates what a request will take of its level, by what it asks for. `seatsMax`: of the level. */
export function estimateWork(
  stock: ServedStock,
  { info, query }: { readonly info: RequestInfo; readonly query: Query },
  seatsMax: number | undefined,
): Estimate {
  if (!info.isResource) return PLAIN;
  const { verb } = info;
  if (verb === 'list' || (verb === 'watch' && beginsWithList(query))) {
    const found = stock.stockOf(info);
    if (found === undefined) return PLAIN;
    return { work: listWork(found, shapeOf(info, query), seatsMax), watchers: undefined };
  }
  // The token of an account is made, and nobody hears of it.
  if (!WRITES.has(verb) || (info.resource === 'serviceaccounts' && info.subresource === 'token')) return PLAIN;
  const watchers = stock.watchersOf(info);
  return { work: mutatingWork(watchers, seatsMax), watchers };
}

function beginsWithList(query: Query): boolean {
  const version = query.get('resourceVersion');
  return query.bool('sendInitialEvents') || version === '' || version === '0';
}

function shapeOf(info: RequestInfo, query: Query): Parameters<typeof listWork>[1] {
  return {
    single: info.name !== '',
    limit: Number(query.get('limit')) || 0,
    selective: query.get('fieldSelector') !== '' || query.get('labelSelector') !== '',
    // What is past is read from the store itself.
    cached: info.verb === 'watch' || (query.get('continue') === '' && query.get('resourceVersionMatch') !== 'Exact'),
  };
}
