import { DEPLOYMENTS } from '@binnacle/api';
import type { ApiCall, RawReply, Wire } from '@binnacle/machinery';
import type { FakeWire } from '@binnacle/client/testing';

/** A stand-in for the metrics APIs: what is answered under a path (without its query), as JSON text. */
export interface StandIn {
  readonly answers: Map<string, string>;
  /** Paths with their queries, as they were asked for. */
  readonly asked: string[];
  wrap(wire: Wire): Wire;
}

/** Answers for metrics and for the scale of deployments; everything else goes on to the fake API. */
export function createStandIn(fake: () => FakeWire): StandIn {
  const answers = new Map<string, string>();
  const asked: string[] = [];
  const raw = async (wire: Wire, call: Parameters<Wire['raw']>[0]): Promise<RawReply> => {
    const [path = ''] = call.path.split('?');
    if (!path.includes('metrics.k8s.io')) return wire.raw(call);
    asked.push(call.path);
    const answer = answers.get(path);
    const failure = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'nobody serves it',
      code: 404,
    };
    return { status: answer === undefined ? 404 : 200, headers: {}, body: once(answer ?? JSON.stringify(failure)) };
  };
  return {
    answers,
    asked,
    wrap: (wire) => ({
      ...wire,
      raw: (call) => raw(wire, call),
      call: (call) =>
        call.subresource === 'scale' ? Promise.resolve().then(() => scale(fake(), call)) : wire.call(call),
    }),
  };
}

/** A deployment's scale, as an API server makes it. */
function scale(wire: FakeWire, { verb, name = '', body }: ApiCall): unknown {
  const found = wire.objects(DEPLOYMENTS).find((one) => one.metadata.name === name);
  if (found === undefined) throw new Error(`deployments.apps "${name}" not found`);
  const { replicas } = (body as { readonly spec?: { readonly replicas?: number } } | undefined)?.spec ?? {};
  const now =
    verb === 'update' && replicas !== undefined
      ? wire.seed(DEPLOYMENTS, { ...found, spec: { ...found.spec, replicas } })
      : found;
  return {
    metadata: { name, namespace: now.metadata.namespace },
    spec: { replicas: now.spec.replicas },
    status: { replicas: now.spec.replicas, selector: now.spec.selector === undefined ? '' : 'app=web' },
  };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
