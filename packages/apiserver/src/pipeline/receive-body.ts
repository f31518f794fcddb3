import type { Exchange } from '../request/exchange.ts';
import type { BodyLedger } from './flow-control/body-ledger.ts';
import { STREAMS } from './time-given.ts';

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/**
 * Waits until the body of a write is here, before the request takes a place among those in flight: who sends slowly
 * keeps nobody waiting. Throws what reading throws: 413, 400 for a broken body, 504 for one that does not come.
 */
export function receiveBody(bodies: BodyLedger, exchange: Exchange): void | Promise<void> {
  const { request, info, user } = exchange;
  const { body } = request;
  if (
    exchange.isPassedOn ||
    body.kind !== 'bytes' ||
    !info.isResource ||
    !WRITES.has(info.verb) ||
    STREAMS.has(info.subresource)
  )
    return;
  const account = bodies.open(user.name);
  exchange.releases.push(() => account.close());
  return body.read(account) as Promise<unknown> as Promise<void>;
}
