import { CONFIG_MAPS } from '@binnacle/api';
import { startProgram } from '../program.ts';
import { figure, median } from '../row.ts';
import type { Measurement } from '../row.ts';
import { ThreadCpu } from '../thread-cpu.ts';

const OBJECTS = 64;
const PER_ROUND = 2_000;
const ROUNDS = 5;
const KEYS = 20;

/** Changes of one kind, 64 at once, each of another object than its neighbours, each with something new. */
async function round(change: (i: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < PER_ROUND; i = next++) await change(i);
  };
  await Promise.all(Array.from({ length: OBJECTS }, worker));
  return PER_ROUND / ((performance.now() - began) / 1000);
}

/** Server-side applies beside merge patches that change as much, in turn, of ConfigMaps of 20 keys. */
export const apply: Measurement = {
  name: 'apply',
  async run() {
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0']);
    try {
      const maps = program.client.resource(CONFIG_MAPS, 'default');
      let turn = 0;
      const filler = Object.fromEntries(Array.from({ length: KEYS }, (_, i) => [`k${i}`, 'x'.repeat(40)]));
      const data = (): { [key: string]: string } => ({ ...filler, k0: String(turn++) });
      const whole = (name: string): object => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: data(),
      });
      const applied = (i: number): Promise<unknown> => {
        const name = `m${i % OBJECTS}`;
        return maps.patch(name, 'apply', whole(name), { fieldManager: 'bench' });
      };
      const patched = (i: number): Promise<unknown> => maps.patch(`n${i % OBJECTS}`, 'merge', { data: data() });
      for (let i = 0; i < OBJECTS; i++) await maps.create({ metadata: { name: `n${i}` }, data: data() });
      const sides = [
        { name: 'apply', change: applied, rates: [] as number[], cpu: new ThreadCpu(program.pid) },
        { name: 'patch', change: patched, rates: [] as number[], cpu: new ThreadCpu(program.pid) },
      ] as const;
      for (const { change } of sides) await round(change);
      for (let i = 0; i < ROUNDS; i++) {
        for (const { change, rates, cpu } of i % 2 === 0 ? sides : sides.toReversed()) {
          rates.push(await cpu.during(() => round(change)));
        }
      }
      const [ours, theirs] = sides;
      return [
        figure({
          name: 'server-side applies, one client process',
          value: Math.round(median(ours.rates)),
          unit: 'per s',
          reference: { name: 'merge patches', value: Math.round(median(theirs.rates)) },
          cpu: ours.cpu.per('apply', PER_ROUND * ROUNDS),
        }),
        figure({
          name: 'merge patches, the same',
          value: Math.round(median(theirs.rates)),
          unit: 'per s',
          reference: null,
          cpu: theirs.cpu.per('patch', PER_ROUND * ROUNDS),
        }),
      ];
    } finally {
      await program.stop();
    }
  },
};
