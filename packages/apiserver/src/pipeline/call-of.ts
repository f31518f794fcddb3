import type { ResourceInfo } from '@binnacle/api';
import type { Cause } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';
import { checkWriteOptions } from '../verbs/write-options.ts';
import { toldPath } from '../request/told-request.ts';
import { fenceOf } from '../request/fence-header.ts';
import { negotiate, PLAIN, wantsPretty } from '../request/media.ts';
import type { Rendering } from '../request/media.ts';
import type { Exchange } from '../request/exchange.ts';

/** A request that meets conflict after conflict is admitted anew each time: the first ones are told. */
const ADMITTED_MAX = 32;
/** More than is ever told of them: a webhook may send a hundred thousand, each compared with all before it. */
const WARNINGS_MAX = 1000;
/** What one request may have said of it in the audit record, and how many characters together: webhooks answer with megabytes. */
const ANNOTATIONS_MAX = 1000;
const ANNOTATION_CHARACTERS_MAX = 256 * 1024;
const TRUNCATED = 'audit.k8s.io/truncated';

/** The call that a request makes on a resource. Throws 422 for options of a write that are none, 400 for a fence that is none. */
export function callOf<S extends AnyCall['served']>(exchange: Exchange, served: S): AnyCall & { readonly served: S } {
  const { request, info, user, impersonator } = exchange;
  const { warn, annotate, waited, admittedBy, named, received } = notesOf(exchange);
  const call = {
    served,
    info,
    query: request.query,
    request,
    user,
    impersonator,
    dryRun: checkWriteOptions(info.verb, request.query, request.header('content-type')),
    cause: causeOf(exchange),
    fence: fenceOf(request),
    warn,
    annotate,
    waited,
    admittedBy,
    named,
  };
  return received === undefined ? call : { ...call, received };
}

function causeOf({ request, info, user, id }: Exchange): Cause {
  const agent = request.header('user-agent');
  const component = agent === '' ? user.name : agent;
  const cause: Cause = { id, component, request: `${request.method} ${toldPath(info)}` };
  return request.cause === undefined ? cause : { ...cause, parent: request.cause };
}

/** What is told of a request beside its answer, all of it. */
type Notes = Required<Pick<AnyCall, 'warn' | 'annotate' | 'waited' | 'admittedBy' | 'named'>> &
  Pick<AnyCall, 'received'>;

/** What is told of a request beside its answer. */
export function notesOf(exchange: Exchange): Notes {
  const { audit } = exchange;
  let room = ANNOTATION_CHARACTERS_MAX;
  const notes: Notes = {
    warn(message) {
      if (exchange.warnings.length < WARNINGS_MAX && !exchange.warnings.includes(message))
        exchange.warnings.push(message);
    },
    waited(seconds) {
      exchange.waited += seconds;
    },
    admittedBy(plugin, changed) {
      if ((exchange.admitted?.length ?? 0) < ADMITTED_MAX) (exchange.admitted ??= []).push({ plugin, changed });
    },
    named(name) {
      exchange.named = name;
    },
    annotate(key, value) {
      // Only the record of a request tells them.
      if (exchange.audit === undefined) return;
      const annotations = (exchange.annotations ??= new Map<string, string>());
      if (annotations.has(key)) return;
      const left = room - key.length - value.length;
      // The record says itself that it is not whole, as that of a request that is too large does.
      if (left < 0 || annotations.size >= ANNOTATIONS_MAX) {
        annotations.set(TRUNCATED, 'true');
        return;
      }
      room = left;
      annotations.set(key, value);
    },
  };
  return audit === undefined ? notes : { ...notes, received: (value) => audit.received(value) };
}

const INCLUDED = ['', 'None', 'Metadata', 'Object'];
/** Verbs that answer with a list, or with its items one by one. */
const MANY = ['list', 'watch', 'deletecollection'];

/** 406 for a projection that the answer does not have, 400 for rows that carry what nothing is called. */
export function checkProjection(
  { info, request }: Exchange,
  rendering: Rendering,
  { group, kind }: ResourceInfo,
): void {
  const { as } = rendering.parameters;
  if (as === undefined) return;
  const isList = info.verb === 'list';
  const typeName = `*${group === '' ? 'core' : (group.split('.')[0] ?? '')}.${kind}${isList ? 'List' : ''}`;
  if (as === 'PartialObjectMetadata' && isList) {
    throw status.notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${typeName})`);
  }
  if (as === 'PartialObjectMetadataList' && !MANY.includes(info.verb)) {
    throw status.notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${typeName})`,
    );
  }
  const included = request.query.get('includeObject');
  if (as === 'Table' && !INCLUDED.includes(included)) {
    throw status.badRequest(`unrecognized includeObject value: ${JSON.stringify(included)}`);
  }
}

/** The form of the answer; 406 before anything is done. */
export function renderingOf({ request, hasMessages, hasTables }: Exchange): Rendering {
  if (request.user !== undefined) return PLAIN;
  const pretty = wantsPretty(request.query.get('pretty'), request.header('user-agent'));
  return negotiate(request.header('accept'), pretty, { messages: hasMessages, tables: hasTables });
}
