import type { Logger } from '@binnacle/base';
import type { Reply } from '../catalogue/definition.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { Exchange } from '../request/exchange.ts';
import { toldPath, toldQuery } from '../request/told-request.ts';
import { queryTextOf, uriOf } from '../request/uri.ts';

/** Upstream logs each request at `-v=3`. */
const HTTP_LOG_LEVEL = 3;
/** What a Status says may be long: the trace keeps its beginning. */
const ERROR_LENGTH_MAX = 1024;

/** Tells the trace of a request and of what became of it. */
export function recordRequest(
  recorder: Recorder,
  exchange: Exchange,
  { reply, started, took }: { reply: Reply; started: number; took: number },
): void {
  const { request, info, user, impersonator, named = '', id, allowed, admitted } = exchange;
  const { verb, isResource, group, resource, subresource, namespace } = info;
  const code = codeOf(reply);
  // What was made is named by its commit, as the server may have chosen the name.
  const name = info.name === '' && code >= 400 ? named : info.name;
  recorder.request({
    kind: 'request',
    at: recorder.timeOf(started),
    ms: took,
    code,
    error: code < 400 ? undefined : messageIn(reply),
    method: request.method,
    path: toldPath(info),
    query: toldQuery(info, queryTextOf(request)),
    verb,
    isResource,
    group,
    resource,
    subresource,
    namespace,
    name,
    user: (impersonator ?? user).name,
    impersonated: impersonator === undefined ? undefined : user.name,
    agent: request.header('user-agent'),
    id,
    cause: request.cause,
    allowed,
    admitted,
  });
}

function messageIn(reply: Reply): string {
  const { message } = (reply.kind === 'object' ? reply.object : {}) as { readonly message?: string };
  return (message ?? `status ${codeOf(reply)}`).slice(0, ERROR_LENGTH_MAX);
}

/** The code of a reply; of a watch that of its beginning. */
export function codeOf(reply: Reply): number {
  return 'code' in reply ? reply.code : 200;
}

/** A line of the log for a request, at the level where upstream has it. */
export function logRequest(log: Logger, exchange: Exchange, { code, took }: { code: number; took: number }): void {
  if (!log.enabled(HTTP_LOG_LEVEL)) return;
  const { info, user, auditId } = exchange;
  const latency = `${took.toFixed(2)}ms`;
  log.info(HTTP_LOG_LEVEL, 'HTTP', {
    verb: info.verb,
    URI: uriOf(exchange.request),
    user: user.name,
    userAgent: exchange.request.header('user-agent') || undefined,
    code,
    latency,
    auditID: auditId,
  });
}
