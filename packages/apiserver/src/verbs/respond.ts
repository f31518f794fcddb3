import { schemaName } from '@binnacle/api';
import type { ResourceInfo, SubresourceInfo } from '@binnacle/api';
import type { CallContext } from '@binnacle/base';
import { StatusError } from '@binnacle/machinery';
import type { SchemaRegistry } from '@binnacle/machinery';
import type { AnyCall, Handler, Reply } from '../catalogue/definition.ts';
import type { Responder, ResponderRequest } from '../ports/responder.ts';
import type { ExpectedKind } from '../request/expected-kind.ts';
import type { AdmissionChain } from './admission.ts';
import { checkBodyNamespace } from '../request/body-namespace.ts';
import { readObject } from './body.ts';
import { methodNotAllowed } from './refusals.ts';

export interface RespondWorld {
  readonly admission: AdmissionChain;
  /** Has the structs of what is asked. */
  readonly schemas: SchemaRegistry;
}

/** Puts responders to work: reads and admits what they are asked, and answers with what they say. */
export class Responding {
  readonly #world: RespondWorld;

  constructor(world: RespondWorld) {
    this.#world = world;
  }

  /** A resource that is answered and forgotten: a review, a binding. */
  resource(info: ResourceInfo, responder: Responder): Handler<AnyCall> {
    return (call) => {
      if (call.info.subresource !== '' || info.namespaced !== (call.info.namespace !== '')) throw methodNotAllowed();
      return this.#respond(call, responder, info);
    };
  }

  /** A subresource that is no view of the stored object: `pods/eviction`, `serviceaccounts/token`. */
  subresource(info: SubresourceInfo, responder: Responder): Handler<AnyCall> {
    const { group = '', version = 'v1', kind } = info;
    const expected = { group, version, kind, schema: schemaName(group, version, kind) };
    return (call) => this.#respond(call, responder, expected);
  }

  async #respond(call: AnyCall, responder: Responder, expected: ExpectedKind): Promise<Reply> {
    const { info } = call;
    const verb = info.verb as ResponderRequest['verb'];
    const body = verb === 'get' ? undefined : await readObject(this.#world.schemas, call, expected);
    if (body !== undefined) {
      if (info.namespace !== '') checkBodyNamespace(body.metadata, info.namespace);
      const name = info.name === '' ? (body.metadata.name ?? '') : info.name;
      const change = { operation: 'CREATE', object: body, before: undefined, name, kind: expected } as const;
      await this.#world.admission.admit(call, change);
      await this.#world.admission.validate(call, change);
    }
    const object = await responder.handle({
      info: call.served.info,
      subresource: info.subresource,
      verb,
      namespace: info.namespace,
      name: info.name,
      user: call.user,
      body,
      dryRun: call.dryRun,
      context: contextOf(call),
    });
    return { kind: 'object', code: verb === 'create' ? 201 : 200, object };
  }
}

function contextOf({ cause, fence, request: { signal } }: AnyCall): CallContext {
  return { cause, ...(fence === undefined ? {} : { fence }), ...(signal === undefined ? {} : { signal }) };
}

/** Not served yet; said plainly (README lists what). */
export function notImplemented(what: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${what} is not served yet`,
    reason: 'NotImplemented',
    code: 501,
  });
}
