import { status } from '@binnacle/machinery';
import type { Exchange } from '../../request/exchange.ts';
import type { InFlight } from './in-flight.ts';

const READING = new Set(['get', 'list']);
// What lasts as long as the client likes, and what belongs to the server itself, takes no place.
const UNBOUNDED = new Set(['watch']);
/** Subresources whose body is a stream of its own, without an end that could be waited for. */
export const STREAMS: ReadonlySet<string> = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);
/** Upstream's flow schema `exempt`: whoever mends an overloaded server is let in. */
const EXEMPT = 'system:masters';

/** Takes a place among the requests in flight, or waits for one. In-process callers are few and bound themselves. */
export function flowControl(inFlight: InFlight, exchange: Exchange): void | Promise<void> {
  const { info, request, user } = exchange;
  if (request.user !== undefined || UNBOUNDED.has(info.verb) || STREAMS.has(info.subresource)) return undefined;
  if (user.groups?.includes(EXEMPT) === true) return undefined;
  const kind = READING.has(info.verb) ? 'reading' : 'mutating';
  const settle = (placed: boolean): void => {
    if (!placed) throw status.tooManyRequests('Too many requests, please try again later.', 1);
    exchange.releases.push(() => inFlight.leave(kind));
  };
  const placed = inFlight.enter(kind, user.name);
  return placed instanceof Promise ? placed.then(settle) : settle(placed);
}
