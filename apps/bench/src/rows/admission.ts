import type { IncomingMessage, ServerResponse } from 'node:http';
import { CONFIG_MAPS } from '@binnacle/api';
import { startTlsServer } from '@binnacle/testkit';
import { make } from '../make.ts';
import { pass, startProgram } from '../program.ts';
import type { RunningProgram } from '../program.ts';
import { figure, median } from '../row.ts';
import type { Measurement, Row } from '../row.ts';
import { ThreadCpu } from '../thread-cpu.ts';

const PER_ROUND = 200;
const ROUNDS = 7;
const WARM_UP = 50;
/** A new configuration counts within a second. */
const SETTLE_MS = 1_500;
const SELECTED = { matchLabels: { judged: 'yes' } };
const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

let made = 0;

/** Creates one after the other; the mean time of one. */
async function creates({ client }: RunningProgram, judged: string, count: number): Promise<number> {
  const maps = client.resource(CONFIG_MAPS, 'default');
  const began = performance.now();
  for (let i = 0; i < count; i++) {
    await maps.create({ metadata: { name: `c${made++}`, labels: { judged } }, data: { k: 'v' } });
  }
  return (performance.now() - began) / count;
}

interface Overhead {
  readonly ms: number;
  readonly plainMs: number;
  readonly us: number;
}

/** What being judged adds to a create: time, and CPU of the program; judged and unjudged ones in turn. */
async function overhead(program: RunningProgram): Promise<Overhead> {
  const sides = ['yes', 'no'].map((judged) => ({ judged, times: [] as number[], costs: [] as number[] }));
  for (const { judged } of sides) await creates(program, judged, WARM_UP);
  for (let i = 0; i < ROUNDS; i++) {
    for (const { judged, times, costs } of i % 2 === 0 ? sides : sides.toReversed()) {
      const cpu = new ThreadCpu(program.pid);
      times.push(await cpu.during(() => creates(program, judged, PER_ROUND)));
      costs.push(cpu.totalUs / PER_ROUND);
    }
  }
  const [yes, no] = sides.map(({ times, costs }) => ({ ms: median(times), us: median(costs) }));
  return { ms: (yes?.ms ?? 0) - (no?.ms ?? 0), plainMs: no?.ms ?? 0, us: (yes?.us ?? 0) - (no?.us ?? 0) };
}

function allow(request: IncomingMessage, response: ServerResponse): void {
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  request.on('end', () => {
    const { request: asked } = JSON.parse(text) as { readonly request: { readonly uid: string } };
    const answer = { uid: asked.uid, allowed: true };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
  });
}

function rowOf(name: string, { ms, plainMs, us }: Overhead): Row {
  return figure({
    name: `${name} (${Math.round(us)} µs CPU of the program)`,
    value: Math.round(ms * 1000) / 1000,
    unit: 'ms per create',
    reference: { name: 'a create without, ms', value: Math.round(plainMs * 1000) / 1000 },
  });
}

/** A webhook that allows everything, in this process: what its round trip adds to a create. */
export const webhooks: Measurement = {
  name: 'webhooks',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0', '--store', 'memory']);
    const server = await startTlsServer('localhost', allow);
    try {
      const hook = {
        ...{ name: 'h.example.com', rules: [RULE], objectSelector: SELECTED },
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' },
        clientConfig: { url: `https://localhost:${server.port}/`, caBundle: server.caBundle },
      };
      const configuration = { metadata: { name: 'bench' }, webhooks: [hook] };
      await make(program.wire, ['admission', 'validatingwebhookconfigurations'], configuration);
      await pass(SETTLE_MS);
      return [rowOf('webhook round trip', await overhead(program))];
    } finally {
      await server.stop();
      await program.stop();
    }
  },
};

/** A ValidatingAdmissionPolicy of three expressions: what it adds to a create. */
export const policies: Measurement = {
  name: 'policies',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0', '--store', 'memory']);
    try {
      const validations = [
        { expression: "object.metadata.name.startsWith('c')" },
        { expression: 'has(object.data) && object.data.all(k, k.size() < 20)' },
        { expression: "request.userInfo.username != 'nobody'" },
      ];
      const matchConstraints = { resourceRules: [RULE], objectSelector: SELECTED };
      const policy = { metadata: { name: 'bench' }, spec: { matchConstraints, validations } };
      await make(program.wire, ['admission', 'validatingadmissionpolicies'], policy);
      const binding = { metadata: { name: 'bench' }, spec: { policyName: 'bench', validationActions: ['Deny'] } };
      await make(program.wire, ['admission', 'validatingadmissionpolicybindings'], binding);
      await pass(SETTLE_MS);
      return [rowOf('a policy of three expressions', await overhead(program))];
    } finally {
      await program.stop();
    }
  },
};
