import { KubeletConfigError } from '../errors.ts';

const CPUS_MAX = 8192;

/** Numbers of CPUs from the kernel's list format: `0-3,8`. Throws KubeletConfigError, about `field`. */
export function parseCpuSet(text: string, field = 'cpus'): number[] {
  const found = new Set<number>();
  for (const part of text.trim().split(',')) {
    if (part === '') continue;
    const match = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part.trim());
    const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (match === null || last < first || last >= CPUS_MAX) {
      throw new KubeletConfigError(field, `${JSON.stringify(text)} is no list of CPUs, such as 0-3,8`);
    }
    for (let cpu = first; cpu <= last; cpu++) found.add(cpu);
  }
  return [...found].toSorted((a, b) => a - b);
}

/** The same back: `0-3,8`. */
export function formatCpuSet(cpus: Iterable<number>): string {
  const parts: { first: number; last: number }[] = [];
  for (const cpu of [...cpus].toSorted((a, b) => a - b)) {
    const part = parts.at(-1);
    if (part !== undefined && part.last === cpu - 1) part.last = cpu;
    else parts.push({ first: cpu, last: cpu });
  }
  return parts.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}
