import { readFile, readdir } from 'node:fs/promises';
import { parseCpuSet } from '../cpu/cpu-set.ts';
import type { Cpu } from '../ports.ts';

/** The machine's processors that are online, as the kernel tells of them. `root`: `/sys/devices/system`. */
export async function readCpuTopology(root = '/sys/devices/system'): Promise<readonly Cpu[]> {
  const online = parseCpuSet(await readFile(`${root}/cpu/online`, 'utf8'));
  const nodes = await readNodes(root);
  return Promise.all(
    online.map(async (id) => {
      const of = (name: string): Promise<number> => readNumber(`${root}/cpu/cpu${id}/topology/${name}`);
      const [core, socket] = await Promise.all([of('core_id'), of('physical_package_id')]);
      return { id, core, socket, node: nodes.get(id) ?? 0 };
    }),
  );
}

/** The NUMA node of each CPU; a kernel without NUMA tells of none. */
async function readNodes(root: string): Promise<ReadonlyMap<number, number>> {
  const names = await readdir(`${root}/node`).catch(() => []);
  const found = new Map<number, number>();
  for (const name of names) {
    const node = /^node(\d+)$/.exec(name)?.[1];
    if (node === undefined) continue;
    for (const cpu of parseCpuSet(await readFile(`${root}/node/${name}/cpulist`, 'utf8'))) found.set(cpu, Number(node));
  }
  return found;
}

/** A kernel tells -1 where it does not know: all are in one then. */
async function readNumber(path: string): Promise<number> {
  return Math.max(0, Number(await readFile(path, 'utf8')));
}
