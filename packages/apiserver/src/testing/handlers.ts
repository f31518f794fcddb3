import { VirtualClock, createSeededRandom, silentLogger } from '@binnacle/base';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { Responder, ResponderRequest } from '../ports/responder.ts';
import type { ServerWorld } from '../ports/world.ts';
import { admissionOf } from './admission.ts';
import { MemoryCache } from './memory-cache.ts';
import { MemoryLoopback } from './memory-loopback.ts';

/** A world of maps for the tests of virtual resources. */
export function virtualWorld(): Omit<ServerWorld, 'store'> & {
  cache: MemoryCache;
  loopback: MemoryLoopback;
  clock: VirtualClock;
} {
  const cache = new MemoryCache();
  const loopback = new MemoryLoopback(cache);
  const clock = new VirtualClock();
  const findKind = (): undefined => undefined;
  return {
    cache,
    loopback,
    update: loopback.update,
    findKind,
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
  };
}

/** Posts a body to `pods/binding` and its like. */
export async function post(
  handler: Responder,
  resource: string,
  request: { body: object; namespace?: string; name?: string; user?: UserInfo; dryRun?: boolean },
): Promise<KubeObject> {
  const { info, subresource, user } = admissionOf({ operation: 'CREATE', resource });
  const full: ResponderRequest = {
    info,
    subresource,
    verb: 'create',
    namespace: request.namespace ?? '',
    name: request.name ?? '',
    user: request.user ?? user,
    body: request.body as KubeObject,
    dryRun: request.dryRun ?? false,
    context: {},
  };
  return handler.handle(full);
}
