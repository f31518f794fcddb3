import { readFile, readdir } from 'node:fs/promises';
import type { HugePages } from '../huge-pages.ts';
import type { NumaNode } from '../ports.ts';

/** The machine's memory as the kernel tells of it. `root`: `/sys/devices/system/node`; a kernel without NUMA has none. */
export async function readNumaNodes(root = '/sys/devices/system/node'): Promise<readonly NumaNode[]> {
  // A kernel without NUMA has no such folder.
  const names = await readdir(root).catch(() => []);
  const ids = names.flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return Promise.all(ids.toSorted((a, b) => a - b).map((id) => readNumaNode(`${root}/node${id}`, id)));
}

async function readNumaNode(path: string, id: number): Promise<NumaNode> {
  const [meminfo, distance, hugePages] = await Promise.all([
    readFile(`${path}/meminfo`, 'utf8'),
    // Told by all that know of nodes, and wanted only where there are several.
    readFile(`${path}/distance`, 'utf8').catch(() => ''),
    readHugePages(`${path}/hugepages`),
  ]);
  const kilobytes = /MemTotal:\s+(\d+) kB/.exec(meminfo)?.[1] ?? '0';
  const distances = distance.split(/\s+/).filter(Boolean).map(Number);
  return { id, memoryBytes: Number(kilobytes) * 1024, distances, hugePages };
}

/** By rising size. `path`: of a memory node, or (by default) of the whole machine. */
export async function readHugePages(path = '/sys/kernel/mm/hugepages'): Promise<readonly HugePages[]> {
  // Nor one without huge pages.
  const names = await readdir(path).catch(() => []);
  const sizes = names.flatMap((name) => /^hugepages-(\d+)kB$/.exec(name)?.[1] ?? []).map(Number);
  return Promise.all(
    sizes
      .toSorted((a, b) => a - b)
      .map(async (kilobytes) => ({
        sizeBytes: kilobytes * 1024,
        // A sandbox may name the sizes and tell no more: then there are none for us.
        count: Number(await readFile(`${path}/hugepages-${kilobytes}kB/nr_hugepages`, 'utf8').catch(() => '0')),
      })),
  );
}
