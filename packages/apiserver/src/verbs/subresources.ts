import type { Core } from '../core.ts';
import type { Call } from '../catalogue/call.ts';
import { get } from './get.ts';
import { patch } from './patch.ts';
import { podLog } from '../kinds/core/pods/log.ts';
import { finalizeNamespace } from '../kinds/core/namespaces/finalize.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import { updateStatus, updatePart } from './update.ts';
import { methodNotAllowed, noSuchResource } from './refusals.ts';
import type { Reply } from '../catalogue/reply.ts';
import { serveVirtualSubresource } from './answer-by-hand.ts';

type Verb = (core: Core, call: Call) => Reply | Promise<Reply>;
type Verbs = { readonly [verb: string]: Verb };

/** Subresources that are views of the stored object, or of what belongs to it. All others are answered by hand (policy's virtual handlers). */
const STORED: { readonly [subresource: string]: Verbs } = {
  status: { get, update: updateStatus, patch },
  log: { get: podLog },
  scale: { get: getScale, update: updateScale, patch: patchScale },
  finalize: { update: finalizeNamespace },
  approval: { get, update: updatePart, patch },
  ephemeralcontainers: { get, update: updatePart, patch },
  resize: { get, update: updatePart, patch },
};

/** What answers a call on a subresource. 404 for one that the resource does not have, 405 for a wrong method. */
export function findSubresource(core: Core, call: Call): Verb {
  const { info, served } = call;
  const known = served.info.subresources.find(({ name }) => name === info.subresource);
  if (known === undefined) throw noSuchResource();
  if (!known.verbs.includes(info.verb)) throw methodNotAllowed();
  const verb = STORED[info.subresource]?.[info.verb];
  return verb ?? serveVirtualSubresource(core, call, known);
}
