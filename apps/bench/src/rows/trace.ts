import { join } from 'node:path';
import { h2load } from '../h2load.ts';
import { startProgram } from '../program.ts';
import type { RunningProgram } from '../program.ts';
import { atMost, median } from '../row.ts';
import type { Measurement } from '../row.ts';
import { ThreadCpu } from '../thread-cpu.ts';
import { adminToken, writeCreateBody } from './creates.ts';

/** Rounds until its rings are full, as those of a server at work are. */
const WARM_UP_ROUNDS = 7;
/** Short rounds in turn: machines have slow seconds, which then fall on both sides. */
const REQUESTS = 2_000;
const ROUNDS = 10;
/** Two processes of the same code differ by up to a tenth, by what their compiler and their heap happen to do. */
const PAIRS = 6;
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

/**
 * CPU of two fresh programs, with the trace and without, in rounds in turn: all of it, collections of garbage too.
 * The ratio is the middle of the rounds' own: a slow second of the machine hits two neighbours, or one round of ten.
 */
async function pair(isOnFirst: boolean): Promise<{ readonly ratio: number; readonly off: number }> {
  const sides: Side[] = [];
  try {
    for (const trace of isOnFirst ? (['on', 'off'] as const) : (['off', 'on'] as const)) sides.push(await side(trace));
    // In turn as well: who rests while the other is warmed collects its garbage and gives its heap back, and works more for it later.
    for (let at = 0; at < WARM_UP_ROUNDS; at++) {
      for (const { load } of sides) await h2load({ ...load, requests: REQUESTS, connections: CONNECTIONS });
    }
    for (let at = 0; at < ROUNDS; at++) {
      for (const one of at % 2 === 0 ? sides : sides.toReversed()) await round(one);
    }
    const [on = [], off = []] = (isOnFirst ? sides : sides.toReversed()).map(({ costs }) => costs);
    return { ratio: median(on.map((cost, at) => cost / (off[at] ?? cost))), off: median(off) };
  } finally {
    for (const { program } of sides) await program.stop();
  }
}

/** What the trace costs on the row of durable creates: CPU of the whole program with it over that without it. */
export const traceOverhead: Measurement = {
  name: 'trace',
  async run() {
    const pairs: Awaited<ReturnType<typeof pair>>[] = [];
    for (let at = 0; at < PAIRS; at++) pairs.push(await pair(at % 2 === 0));
    const percents = pairs.map(({ ratio }) => Math.round((ratio - 1) * 1000) / 10);
    const told = percents.toSorted((a, b) => a - b).join(', ');
    return [
      atMost(
        {
          name: `trace overhead on durable creates, middle of pairs of programs (${told})`,
          value: Math.round(median(percents) * 10) / 10,
          unit: '% CPU',
          reference: {
            name: 'CPU µs of a create without trace',
            value: Math.round(median(pairs.map(({ off }) => off))),
          },
        },
        3,
      ),
    ];
  },
};
