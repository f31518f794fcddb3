import { messageOf } from '@binnacle/base';
import type { Clock, Logger, Random } from '@binnacle/base';
import { DecodeError, status, StatusError } from '@binnacle/machinery';
import { Auditor } from '../audit/auditor.ts';
import type { AuditOptions } from '../audit/auditor.ts';
import { watchEnd } from '../audit/lasting-reply.ts';
import type { Reply, StreamReply, UpgradeReply, WholeReply } from '../catalogue/definition.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { AccessControl } from '../ports/policy.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { NOBODY, requestId } from '../request/exchange.ts';
import type { Exchange } from '../request/exchange.ts';
import { requestInfo } from '../request/info.ts';
import { authenticate } from './authenticate.ts';
import { authorise } from './authorise.ts';
import { classify, takeSeats } from './flow-control/flow-control.ts';
import type { FlowAssembly } from './flow-control/assemble-flow.ts';
import { NoSeatError } from '../fairness/errors.ts';
import { impersonate } from './impersonate.ts';
import { codeOf, logRequest, recordRequest } from './record-request.ts';
import { receiveBody } from './receive-body.ts';
import type { Serve } from './serve.ts';
import { isOfClosedStore, storeFailure } from './store-failure.ts';
import { STREAMS, timeGiven } from './time-given.ts';

/** One thing that every request goes through. Throws StatusError to refuse it. */
type Step = (exchange: Exchange) => void | Promise<void>;

export interface Answer {
  readonly exchange: Exchange;
  readonly reply: Reply;
  /** Gives back what the request took. Done already, but for a watch over HTTP: that has its seats until it stands. */
  readonly settle: () => void;
}

/** One request on its way, and since when by the clock that never goes back. */
interface Turn {
  readonly exchange: Exchange;
  readonly started: number;
}

/** The same with its reply. */
interface Made extends Turn {
  readonly reply: Reply;
  /** A fault of the server itself. */
  readonly failed: 'panic' | undefined;
}

export interface PipelineOptions {
  readonly access: Pick<AccessControl, 'authenticate' | 'authorizer'>;
  /** What other API servers answer. */
  readonly aggregation: { covers(exchange: Exchange): boolean };
  readonly flow: Omit<FlowAssembly, 'follow'>;
  /** Absent: nothing is recorded. */
  readonly audit: AuditOptions | undefined;
  /** The last step. */
  readonly serve: Serve;
  readonly metrics: Metrics;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Takes requests from the way in to their reply, whoever asks. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly auditor: Auditor | undefined;
  /**
   * In this order, before a request is served. Nothing of a body is read for those who may not send it, and only
   * whole requests take a place in flight.
   */
  readonly #steps: readonly Step[];

  constructor(options: PipelineOptions) {
    this.#options = options;
    const { access, aggregation, audit, flow, metrics } = options;
    const auditor = audit === undefined ? undefined : new Auditor(audit, options);
    this.auditor = auditor;
    const asking = { access, authorizer: access.authorizer, figures: metrics.access, now: () => metrics.now() };
    this.#steps = [
      ({ info, request }) => {
        timeGiven(info, request.query);
      },
      (exchange) => authenticate(asking, exchange),
      ...(auditor === undefined ? [] : [(exchange: Exchange) => auditor.begin(exchange)]),
      (exchange) => impersonate(access.authorizer, exchange),
      (exchange) => classify(flow, exchange),
      (exchange) => authorise(asking, exchange),
      (exchange) => {
        exchange.isPassedOn = aggregation.covers(exchange);
      },
      (exchange) => receiveBody(flow.bodies, exchange),
      (exchange) => takeSeats(flow, exchange),
    ];
  }

  /** Where ages in a reply count from, in milliseconds since the epoch. */
  now(): number {
    return this.#options.clock.now();
  }

  /**
   * Takes one request through; a failure is a reply with a Status. A promise only where something has to be waited for:
   * most reads wait for nothing, and are answered in the turn in which they come.
   */
  answer(request: ApiRequest): Answer | Promise<Answer> {
    const steps = this.#steps;
    const started = this.#options.clock.monotonic();
    const exchange = this.#open(request);
    let reply: Reply;
    try {
      // By hand: the turn of an iterator is an object.
      for (let at = 0; at < steps.length; at++) {
        const waiting = steps[at]?.(exchange);
        if (waiting !== undefined) return this.#goOn({ exchange, started }, waiting, at + 1);
      }
      const served = this.#options.serve(exchange);
      if (served instanceof Promise) return this.#whenServed({ exchange, started }, served);
      reply = served;
    } catch (error) {
      return this.#failed({ exchange, started }, error);
    }
    return this.#replied({ exchange, started, reply, failed: undefined });
  }

  /** The steps from `next` on, behind one that has to wait. */
  async #goOn(turn: Turn, waiting: Promise<void>, next: number): Promise<Answer> {
    const { exchange } = turn;
    const steps = this.#steps;
    let reply: Reply;
    try {
      await waiting;
      for (let at = next; at < steps.length; at++) {
        const more = steps[at]?.(exchange);
        if (more !== undefined) await more;
      }
      const served = this.#options.serve(exchange);
      reply = served instanceof Promise ? await served : served;
    } catch (error) {
      return this.#failed(turn, error);
    }
    return this.#replied({ ...turn, reply, failed: undefined });
  }

  async #whenServed(turn: Turn, served: Promise<Reply>): Promise<Answer> {
    let reply: Reply;
    try {
      reply = await served;
    } catch (error) {
      return this.#failed(turn, error);
    }
    return this.#replied({ ...turn, reply, failed: undefined });
  }

  #failed(turn: Turn, error: unknown): Answer | Promise<Answer> {
    const reply = failureReply(this.#options.log, turn.exchange, error);
    const terminated = terminationOf(error, reply);
    if (terminated !== undefined) this.#options.metrics.requests.terminated(turn.exchange.info, terminated);
    return this.#replied({ ...turn, reply, failed: isOurs(error) ? 'panic' : undefined });
  }

  /** There is a reply: it is recorded as the policy of audit says. */
  #replied(made: Made): Answer | Promise<Answer> {
    const { auditor } = this;
    if (auditor === undefined) return this.#settled(made, made.reply);
    const recorded = auditor.finish(made.exchange, made.reply, made.failed);
    if (recorded instanceof Promise) return recorded.then((reply) => this.#settled(made, reply));
    return this.#settled(made, recorded);
  }

  /** Gives back what the request took, and counts and records it. */
  #settled({ exchange, started }: Turn, given: Reply): Answer {
    const { clock, metrics, recorder, log } = this.#options;
    const { request } = exchange;
    let reply = given;
    const settle = (nowMs = clock.monotonic()): void => {
      const { releases } = exchange;
      for (let release = releases.pop(); release !== undefined; release = releases.pop()) release(nowMs);
    };
    const ended = clock.monotonic();
    if (reply.kind !== 'watch' || request.user !== undefined) settle(ended);
    const took = ended - started;
    const { requests } = metrics;
    const lasts = isLasting(exchange, reply);
    exchange.sizes = requests.observe(exchange.info, {
      code: codeOf(reply),
      seconds: took / 1000,
      waited: exchange.waited,
      dryRun: request.query.has('dryRun'),
      bodyBytes: bytesIn(request),
      lasts,
    });
    // Watches are counted from when they are open.
    if (lasts && reply.kind !== 'watch') {
      reply = watchEnd(reply as StreamReply | UpgradeReply, metrics.lasting(exchange.info, started / 1000));
    }
    if (exchange.isDeprecated) requests.deprecated(exchange.info);
    if (recorder.on) recordRequest(recorder, exchange, { reply, started, took });
    logRequest(log, exchange, { code: codeOf(reply), took });
    return { exchange, reply, settle };
  }

  #open(request: ApiRequest): Exchange {
    const info = requestInfo(request);
    const given = request.header('audit-id');
    const own = this.#options.random.uuid();
    const auditId = given === '' ? own : given;
    return {
      request,
      info,
      auditId,
      id: requestId(auditId, own),
      user: NOBODY,
      impersonation: undefined,
      impersonator: undefined,
      named: undefined,
      allowed: undefined,
      admitted: undefined,
      isPassedOn: false,
      hasMessages: false,
      hasTables: true,
      isDeprecated: false,
      warnings: [],
      annotations: undefined,
      audit: undefined,
      flow: undefined,
      waited: 0,
      sizes: undefined,
      releases: [],
    };
  }
}

/** Whether the answer lasts as long as the client likes. */
function isLasting({ info }: Exchange, { kind }: Reply): boolean {
  return kind === 'watch' || ((kind === 'stream' || kind === 'upgrade') && STREAMS.has(info.subresource));
}

/** Of a body that came as bytes and has been read. */
function bytesIn({ body }: ApiRequest): number | undefined {
  return body.kind === 'bytes' ? body.arrived?.()?.length : undefined;
}

/** The one table from errors to replies. */
export function failureReply(log: Logger, exchange: Exchange, error: unknown): WholeReply {
  if (error instanceof NoSeatError) return noSeat(error);
  const failure = statusOf(log, exchange, error);
  return { kind: 'object', code: failure.httpCode, object: failure.status };
}

/** As upstream says it: in plain words, without a Status. */
function noSeat({ message, retryAfterSeconds }: NoSeatError): WholeReply {
  const headers = { 'retry-after': String(retryAfterSeconds), 'x-content-type-options': 'nosniff' };
  return { kind: 'text', code: 429, contentType: 'text/plain; charset=utf-8', body: `${message}\n`, headers };
}

/** Whether the server gave it up for its own sake, and as which code. Refusals of others that look alike have another reason. */
function terminationOf(error: unknown, reply: WholeReply): 429 | 504 | undefined {
  if (error instanceof NoSeatError) return 429;
  if (reply.kind !== 'object' || reply.code !== 504) return undefined;
  return (reply.object as { readonly reason?: unknown }).reason === 'Timeout' ? 504 : undefined;
}

/** A fault of the server itself: neither the caller's nor the store's. */
function isOurs(error: unknown): boolean {
  const expected = error instanceof StatusError || error instanceof DecodeError || error instanceof NoSeatError;
  return !expected && storeFailure(error) === undefined;
}

function statusOf(log: Logger, exchange: Exchange, error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof DecodeError) return status.badRequest(error.message);
  const { verb, path } = exchange.info;
  // Who still asks when the server ends, or when its start is given up, is told; it is no news to anybody else.
  if (isOfClosedStore(error)) log.info(2, 'a request came when the store was closed', { verb, path });
  else log.error(error, 'a request failed', { verb, path });
  return storeFailure(error) ?? status.internalError(messageOf(error));
}
