import type { Core } from '../core.ts';
import type { Call } from '../catalogue/call.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { removeCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { methodNotAllowed, noSuchResource } from './refusals.ts';
import type { Reply } from '../catalogue/reply.ts';
import type { ServedResource } from '../catalogue/resource.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';
import type { Exchange } from '../request/exchange.ts';

export type Verb = (core: Core, call: Call) => Reply | Promise<Reply>;

const VERBS: { readonly [verb: string]: Verb } = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** The verb on the resource itself, where path and method fit it. */
export function mainVerb(served: ServedResource, { info }: Exchange): Verb {
  const verb = VERBS[info.verb];
  const { verbs, namespaced } = served.info;
  if (!namespaced && info.namespace !== '' && info.resource !== 'namespaces') throw noSuchResource();
  if (verb === undefined || !verbs.includes(info.verb)) throw methodNotAllowed();
  const everywhere = namespaced && info.namespace === '';
  // Only lists and watches are served across namespaces; a name without its namespace is no path at all.
  if (everywhere && info.verb === 'create') throw methodNotAllowed();
  if (everywhere && info.verb === 'deletecollection') throw methodNotAllowed();
  if (everywhere && info.verb !== 'list' && info.verb !== 'watch') throw noSuchResource();
  if (info.verb === 'create' && info.name !== '') throw methodNotAllowed();
  if (info.name === '' && (info.verb === 'update' || info.verb === 'patch')) throw methodNotAllowed();
  return verb;
}
