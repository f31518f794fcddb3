import type { RawReply, Wire } from '@binnacle/machinery';

/** A stand-in for the metrics APIs: what is answered under a path (without its query), as JSON text. */
export interface StandIn {
  readonly answers: Map<string, string>;
  /** Paths with their queries, as they were asked for. */
  readonly asked: string[];
  wrap(wire: Wire): Wire;
}

/** Answers for metrics; everything else goes on to the API server. */
export function createStandIn(): StandIn {
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
    }),
  };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
