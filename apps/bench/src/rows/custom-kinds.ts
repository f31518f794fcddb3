import { CUSTOM_RESOURCE_DEFINITIONS } from '@binnacle/api';
import { BenchError } from '../errors.ts';
import { pass, residentMegabytes, startProgram } from '../program.ts';
import type { RunningProgram } from '../program.ts';
import { atMost, figure, median } from '../row.ts';
import type { Measurement } from '../row.ts';
import { untilAtRest } from '../thread-cpu.ts';

const KINDS = 500;
/** The last kinds, whose times are told. */
const TIMED = 20;
const FIELDS = 30;
const DEADLINE_MS = 10_000;
const LOOK_MS = 5;
const GROUP = 'bench.example.com';

function definition(i: number): object {
  const fields = Object.fromEntries(
    Array.from({ length: FIELDS }, (_, at) => [
      `f${at}`,
      { type: 'string', description: 'one of many', maxLength: 64 },
    ]),
  );
  const part = { type: 'object', properties: { ...fields, replicas: { type: 'integer', default: 1 } } };
  const openAPIV3Schema = { type: 'object', properties: { spec: part, status: part } };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema },
  };
  const names = { plural: `things${i}`, kind: `Thing${i}`, listKind: `Thing${i}List`, singular: `thing${i}` };
  const spec = { group: GROUP, scope: 'Namespaced', names, versions: [version] };
  return { metadata: { name: `things${i}.${GROUP}` }, spec };
}

/** From before the definition is sent until its objects can be listed and discovery names it. */
async function served({ client, wire }: RunningProgram, i: number): Promise<number> {
  const began = performance.now();
  await client.resource(CUSTOM_RESOURCE_DEFINITIONS).create(definition(i) as never);
  const path = `/apis/${GROUP}/v1/namespaces/default/things${i}`;
  while (performance.now() - began < DEADLINE_MS) {
    const listed = await wire.raw({ path });
    for await (const _ of listed.body);
    if (listed.status === 200) return performance.now() - began;
    await pass(LOOK_MS);
  }
  throw new BenchError(`${path} was not served in ${DEADLINE_MS} ms`);
}

/** 500 definitions of 62 fields: how long the last of them take to be served, and what they weigh. */
export const customKinds: Measurement = {
  name: 'custom-kinds',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0']);
    try {
      await untilAtRest(program.pid);
      const before = residentMegabytes(program.pid);
      const times: number[] = [];
      for (let i = 0; i < KINDS; i++) times.push(await served(program, i));
      await untilAtRest(program.pid);
      const openapi = performance.now();
      const document = await program.wire.raw({ path: `/openapi/v3/apis/${GROUP}/v1` });
      let bytes = 0;
      for await (const piece of document.body) bytes += piece.length;
      const documentMs = performance.now() - openapi;
      return [
        atMost(
          {
            name: '500 definitions: the last 20, until served',
            value: Math.round(median(times.slice(-TIMED)) * 10) / 10,
            unit: 'ms',
            reference: { name: 'the first 20', value: Math.round(median(times.slice(0, TIMED)) * 10) / 10 },
          },
          1_000,
        ),
        figure({
          name: '500 definitions: memory',
          value: Math.round(residentMegabytes(program.pid) - before),
          unit: 'MB',
          reference: { name: 'before', value: Math.round(before) },
        }),
        figure({
          name: `500 definitions: their OpenAPI document (${(bytes / 1e6).toFixed(1)} MB)`,
          value: Math.round(documentMs),
          unit: 'ms',
          reference: null,
        }),
      ];
    } finally {
      await program.stop();
    }
  },
};
