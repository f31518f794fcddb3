import { schemaName, schemas } from '@binnacle/api';
import type { SubresourceInfo } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ConnectCall, Handler, SubresourceDefinition } from '../catalogue/definition.ts';
import type { Query } from '../request/query.ts';
import type { AdmissionChain } from './admission.ts';

/** Whether a subresource is a connection: what is asked of it stands in options, not in an object (`PodExecOptions`). */
export function isConnection({ kind }: SubresourceInfo): boolean {
  return kind.endsWith('Options');
}

/**
 * Has a connection admitted before it is made, as upstream does: plugins see its options, read from the query, under
 * the operation CONNECT. The object that it leads to need not be there.
 */
export function admittedConnection(
  admission: AdmissionChain,
  sub: SubresourceInfo,
  definition: SubresourceDefinition,
): SubresourceDefinition {
  const guarded =
    <C extends ConnectCall>(handler: Handler<C>): Handler<C> =>
    async (call) => {
      await admit(admission, sub, call);
      return handler(call);
    };
  const { handlers, connect } = definition;
  return {
    ...definition,
    handlers: Object.fromEntries(Object.entries(handlers).map(([verb, handler]) => [verb, guarded(handler)])),
    ...(connect === undefined ? {} : { connect: guarded(connect) }),
  };
}

async function admit(admission: AdmissionChain, sub: SubresourceInfo, call: ConnectCall): Promise<void> {
  const { group = '', version = 'v1', kind } = sub;
  const object = connectionOptions(schemaName(group, version, kind), call);
  const { name } = call.info;
  const change = { operation: 'CONNECT', object, before: undefined, name, kind: { group, version, kind } } as const;
  await admission.admit(call, change);
  await admission.validate(call, change);
}

/** The options of a connection in normal form. Throws 400 for a number that is none. */
export function connectionOptions(
  struct: string,
  { request, info }: Pick<ConnectCall, 'request' | 'info'>,
): KubeObject {
  const said: { [name: string]: unknown } = {};
  for (const [name, { type }] of Object.entries(schemas.struct(struct)?.fields ?? {})) {
    if (request.query.has(name)) said[name] = valueOf(request.query, name, type);
  }
  // Of a proxy: what follows it in the path, whatever the query says.
  if (info.subresource === 'proxy') said['path'] = info.rest === '' ? '' : `/${info.rest}`;
  delete said['kind'];
  delete said['apiVersion'];
  return schemas.decode<KubeObject>(struct, said).value;
}

function valueOf(query: Query, name: string, type: string): unknown {
  if (type === 'bool') return query.bool(name);
  if (type === '[]string') return query.all(name);
  if (type === '[]int32') return query.all(name).map(integerOf);
  return query.get(name);
}

const INT32 = /^[+-]?\d{1,10}$/;

function integerOf(text: string): number {
  const value = INT32.test(text) ? Number(text) : Number.NaN;
  if (value === Math.trunc(value) && Math.abs(value) < 2 ** 31) return value;
  throw status.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}
