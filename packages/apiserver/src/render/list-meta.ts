import type { ListReply } from '../catalogue/definition.ts';

/** Metadata of a list reply. */
export function listMeta(reply: ListReply): object {
  return {
    resourceVersion: reply.resourceVersion,
    ...(reply.continue === undefined ? {} : { continue: reply.continue }),
    ...(reply.remainingItemCount === undefined ? {} : { remainingItemCount: reply.remainingItemCount }),
  };
}
