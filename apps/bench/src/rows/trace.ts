import { join } from 'node:path';
import { h2load } from '../h2load.ts';
import { startProgram } from '../program.ts';
import type { RunningProgram } from '../program.ts';
import { atMost, median } from '../row.ts';
import type { Measurement } from '../row.ts';
import { ThreadCpu } from '../thread-cpu.ts';
import { adminToken, writeCreateBody } from './creates.ts';

/** Until its rings are full, as those of a server at work are. */
const WARM_UP = 13_000;
/** Short rounds in turn: machines have slow seconds, which then fall on both sides. */
const REQUESTS = 2_000;
const ROUNDS = 20;
const CONNECTIONS = 64;

interface Side {
  readonly program: RunningProgram;
  readonly load: { readonly url: string; readonly headers: readonly string[]; readonly body: string };
  /** CPU microseconds of a create, round by round. */
  readonly costs: number[];
}

async function side(trace: 'on' | 'off'): Promise<Side> {
  const program = await startProgram(['--runtime', 'simulated', '--trace', trace]);
  const body = join(program.dataDir, 'pod.json');
  writeCreateBody(body);
  const headers = ['content-type: application/json', `authorization: Bearer ${await adminToken(program.client)}`];
  return { program, load: { url: `${program.server}/api/v1/namespaces/default/pods`, headers, body }, costs: [] };
}

async function round({ program, load, costs }: Side): Promise<void> {
  const cpu = new ThreadCpu(program.pid);
  await cpu.during(() => h2load({ ...load, requests: REQUESTS, connections: CONNECTIONS }));
  costs.push(Object.values(cpu.per('create', REQUESTS).microseconds).reduce((sum, us) => sum + us, 0));
}

/** What the trace costs on the row of durable creates: CPU of the whole program with it over that without it. */
export const traceOverhead: Measurement = {
  name: 'trace',
  async run() {
    const sides: Side[] = [];
    try {
      for (const trace of ['on', 'off'] as const) sides.push(await side(trace));
      for (const { load } of sides) await h2load({ ...load, requests: WARM_UP, connections: CONNECTIONS });
      for (let at = 0; at < ROUNDS; at++) {
        for (const one of at % 2 === 0 ? sides : sides.toReversed()) await round(one);
      }
      const [on = [], off = []] = sides.map(({ costs }) => costs);
      // Of neighbouring rounds: what slows the machine slows both.
      const ratios = on.map((cost, at) => cost / (off[at] ?? Number.NaN));
      return [
        atMost(
          {
            name: 'trace overhead on durable creates',
            value: Math.round((median(ratios) - 1) * 1000) / 10,
            unit: '% CPU',
            reference: { name: 'CPU µs of a create without trace', value: Math.round(median(off)) },
          },
          3,
        ),
      ];
    } finally {
      for (const { program } of sides) await program.stop();
    }
  },
};
