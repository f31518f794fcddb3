import { messageOf } from '@binnacle/base';
import { DecodeError, status, StatusError } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import type { Reply } from '../catalogue/reply.ts';
import { requestInfo } from '../request/info.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { authenticate } from './authenticate.ts';
import { authorise } from './authorise.ts';
import { NOBODY } from '../request/exchange.ts';
import type { Exchange } from '../request/exchange.ts';
import { flowControl } from './flow-control/flow-control.ts';
import { impersonate } from './impersonate.ts';
import { receiveBody } from './receive-body.ts';
import { serve } from './serve.ts';

type Step = (core: Core, exchange: Exchange) => void | Promise<void>;

/**
 * What every request goes through, in this order, before it is served. Nothing of a body is read for those who may
 * not send it, and only whole requests take a place in flight.
 */
const STEPS: readonly Step[] = [authenticate, impersonate, authorise, receiveBody, flowControl];

/** Upstream logs each request at `-v=3`. */
const HTTP_LOG_LEVEL = 3;

export interface Answer {
  readonly exchange: Exchange;
  readonly reply: Reply;
}

/** Takes one request through the pipeline. Never throws: a failure is a reply with a Status. */
export async function answer(core: Core, request: ApiRequest): Promise<Answer> {
  const started = core.clock.monotonic();
  const exchange = openExchange(core, request);
  let reply: Reply;
  try {
    for (const step of STEPS) {
      const waiting = step(core, exchange);
      if (waiting !== undefined) await waiting;
    }
    const served = serve(core, exchange);
    reply = served instanceof Promise ? await served : served;
  } catch (error) {
    reply = failureReply(core, exchange, error);
  }
  for (const release of exchange.releases) release();
  const took = core.clock.monotonic() - started;
  core.metrics.observe(exchange.info, codeOf(reply), took);
  if (core.log.enabled(HTTP_LOG_LEVEL)) logRequest(core, exchange, { code: codeOf(reply), took });
  return { exchange, reply };
}

function openExchange(core: Core, request: ApiRequest): Exchange {
  const info = requestInfo(request);
  const given = request.header('audit-id');
  const auditId = given === '' ? core.random.uuid() : given;
  return { request, info, auditId, user: NOBODY, warnings: [], releases: [] };
}

function logRequest(core: Core, exchange: Exchange, { code, took }: { code: number; took: number }): void {
  const { info, user, auditId } = exchange;
  const latency = `${took.toFixed(2)}ms`;
  core.log.info(HTTP_LOG_LEVEL, 'HTTP', {
    verb: info.verb,
    URI: info.path,
    user: user.name,
    code,
    latency,
    auditID: auditId,
  });
}

export function codeOf(reply: Reply): number {
  return 'code' in reply ? reply.code : 200;
}

/** The one table from errors to replies. */
export function failureReply(core: Core, exchange: Exchange, error: unknown): Reply {
  const failure = statusOf(core, exchange, error);
  return { kind: 'object', code: failure.httpCode, object: failure.status };
}

function statusOf(core: Core, exchange: Exchange, error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof DecodeError) return status.badRequest(error.message);
  core.log.error(error, 'a request failed', { verb: exchange.info.verb, path: exchange.info.path });
  return status.internalError(messageOf(error));
}
