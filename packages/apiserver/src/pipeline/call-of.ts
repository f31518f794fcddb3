import type { ResourceInfo } from '@binnacle/api';
import type { AnyCall, Call, ServedResource } from '../catalogue/definition.ts';
import { checkWriteOptions } from '../verbs/write-options.ts';
import { negotiate, PLAIN, wantsPretty } from '../request/media.ts';
import type { Rendering } from '../request/media.ts';
import type { Exchange } from '../request/exchange.ts';

/** The call that a request makes on a stored resource. */
export function callOf(exchange: Exchange, served: ServedResource): Call {
  return { ...anyCall(exchange, served.info), served };
}

/** The call that a request makes on any resource. Throws 422 for options of a write that are none. */
export function anyCall(
  { request, info, user, warnings, annotations, auditId }: Exchange,
  resource: ResourceInfo,
): AnyCall {
  const agent = request.header('user-agent');
  return {
    served: { info: resource },
    info,
    query: request.query,
    request,
    user,
    dryRun: checkWriteOptions(info.verb, request.query, request.header('content-type')),
    cause: {
      id: auditId,
      component: agent === '' ? user.name : agent,
      request: `${request.method} ${info.path}`,
      ...(request.cause === undefined ? {} : { parent: request.cause }),
    },
    warn: (message) => {
      if (!warnings.includes(message)) warnings.push(message);
    },
    annotate: (key, value) => {
      if (!annotations.has(key)) annotations.set(key, value);
    },
  };
}

/** The form of the answer; 406 before anything is done. */
export function renderingOf({ request }: Exchange): Rendering {
  if (request.user !== undefined) return PLAIN;
  return negotiate(request.header('accept'), wantsPretty(request.query.get('pretty'), request.header('user-agent')));
}
