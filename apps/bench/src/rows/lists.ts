import type { Wire } from '@binnacle/machinery';
import { BenchError } from '../errors.ts';
import { benchPod, createPods } from '../pods.ts';
import { startProgram } from '../program.ts';
import { figure, median } from '../row.ts';
import type { Measurement, Row } from '../row.ts';
import { ThreadCpu } from '../thread-cpu.ts';

const PODS = 5_000;
const ROUNDS = 9;

interface Read {
  readonly ms: number;
  readonly bytes: number;
}

async function read(wire: Wire, accept: string): Promise<Read> {
  const began = performance.now();
  const reply = await wire.raw({ path: '/api/v1/namespaces/default/pods', headers: { accept } });
  if (reply.status !== 200) throw new BenchError(`list: ${reply.status}`);
  let bytes = 0;
  for await (const piece of reply.body) bytes += piece.length;
  return { ms: performance.now() - began, bytes };
}

/** A list of 5,000 pods in both encodings, in turn: until its last byte is there, nothing decoded. */
export const lists: Measurement = {
  name: 'lists',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0', '--store', 'memory']);
    try {
      await createPods(program.client, PODS, (i) => benchPod(`p-${i}`, 'nobody'));
      const sides = [
        { name: 'protobuf', accept: 'application/vnd.kubernetes.protobuf' },
        { name: 'JSON', accept: 'application/json' },
      ].map((side) => ({ ...side, reads: [] as Read[], cpu: new ThreadCpu(program.pid) }));
      // The first of each makes the bytes that the others share.
      const first: number[] = [];
      for (const { accept } of sides) first.push((await read(program.wire, accept)).ms);
      for (let i = 0; i < ROUNDS; i++) {
        for (const { accept, reads, cpu } of i % 2 === 0 ? sides : sides.toReversed()) {
          reads.push(await cpu.during(() => read(program.wire, accept)));
        }
      }
      const times = sides.map(({ reads }) => median(reads.map(({ ms }) => ms)));
      return sides.map(({ name, reads, cpu }, at): Row => {
        const megabytes = (reads[0]?.bytes ?? 0) / 1e6;
        const other = sides[1 - at]?.name ?? '';
        return figure({
          name: `list of 5,000 pods in ${name} (${megabytes.toFixed(1)} MB; the first one ${Math.round(first[at] ?? 0)} ms)`,
          value: Math.round((times[at] ?? 0) * 10) / 10,
          unit: 'ms',
          reference: { name: `in ${other}`, value: Math.round((times[1 - at] ?? 0) * 10) / 10 },
          cpu: cpu.per('list', ROUNDS),
        });
      });
    } finally {
      await program.stop();
    }
  },
};
