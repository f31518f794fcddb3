import { estimateWork } from '../../fairness/request-work.ts';
import type { ServedStock } from '../../fairness/request-work.ts';
import { Flow } from '../../fairness/flow-control.ts';
import type { FlowControl, TurnRequest } from '../../fairness/flow-control.ts';
import type { ApiRequest } from '../../request/api-request.ts';
import type { Exchange } from '../../request/exchange.ts';
import { STREAMS, timeGiven } from '../time-given.ts';

/** A request may wait for a quarter of the time that it has, and a minute at the most. */
const WAIT_PART = 4;
const WAIT_MAX_MS = 60_000;
/** Upstream's default of `--request-timeout`. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface FlowControlWorld {
  readonly control: FlowControl;
  readonly stock: ServedStock;
}

/** Finds out of whose flow schema and level a request is: refusals say so too. */
export function classify({ control }: Pick<FlowControlWorld, 'control'>, exchange: Exchange): void {
  const { info, request, user } = exchange;
  if (request.user !== undefined || STREAMS.has(info.subresource)) return;
  exchange.flow = control.classify(user, info);
}

/**
 * Takes seats of the level that the request is of, or waits for them. Where there are queues its turn comes first: who waited
 * for one in its seats would keep them from others, for as long as it takes to serve all who came before. In-process
 * callers are few and bound themselves; what lasts as long as the client likes takes none, but a watch does until it stands.
 */
export function takeSeats(world: FlowControlWorld, exchange: Exchange): void | Promise<void> {
  const { control } = world;
  const { info, request, user } = exchange;
  if (request.user !== undefined || STREAMS.has(info.subresource)) return undefined;
  const flow = flowOf(control, exchange);
  const waitMs = waitLimit(timeGiven(info, request.query));
  const whenGone = (run: () => void): (() => void) => onGone(request, run);
  const asking = { flow, user, info, waitMs, whenGone };
  const turn = flow.level.hasQueues ? control.turnOf(asking) : undefined;
  if (turn === undefined) return enter(world, exchange, asking);
  return waited(control, exchange, turn).then(() => enter(world, exchange, asking));
}

function enter({ control, stock }: FlowControlWorld, exchange: Exchange, asking: TurnRequest): void | Promise<void> {
  const { info, request } = exchange;
  const { level } = asking.flow;
  const { work, watchers } = estimateWork(stock, { info, query: request.query }, level.limits.seatsMax);
  const seats = control.enter({ ...asking, work, watchers });
  if (!(seats instanceof Promise)) {
    exchange.releases.push(seats);
    const turn = level.hasQueues ? undefined : control.turnOf(asking);
    return turn === undefined ? undefined : waited(control, exchange, turn);
  }
  // Many may be let in at once: when a commit gives all its seats back, say.
  const holding = seats.then((release) => {
    exchange.releases.push(release);
    return control.turnOf(asking);
  });
  return waited(control, exchange, holding);
}

/** What passes until then, whatever comes of it, is no time of the request's own. */
function waited(control: FlowControl, exchange: Exchange, waiting: Promise<void>): Promise<void> {
  const since = control.now();
  return waiting.finally(() => (exchange.waited += control.now() - since));
}

/** What was found out before the body came, unless the objects have changed since. */
function flowOf(control: FlowControl, { flow, user, info }: Exchange): Flow {
  return flow instanceof Flow && control.has(flow) ? flow : control.classify(user, info);
}

function onGone(request: ApiRequest, run: () => void): () => void {
  if (request.signal === undefined && request.onGone !== undefined) return request.onGone(run);
  const gone = request.signal ?? request.gone?.();
  gone?.addEventListener('abort', run, { once: true });
  return () => gone?.removeEventListener('abort', run);
}

/** By the time that the caller gives the request, where it says so and it is less than the server's. */
function waitLimit(wanted: number): number {
  const total = wanted > 0 ? Math.min(wanted, REQUEST_TIMEOUT_MS) : REQUEST_TIMEOUT_MS;
  return Math.min(total / WAIT_PART, WAIT_MAX_MS);
}
