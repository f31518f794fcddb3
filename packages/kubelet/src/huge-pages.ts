/** Memory in large pieces: what it is called among resources, and among control groups. Pure. */

/** Pages of one size that a machine has set aside. */
export interface HugePages {
  readonly sizeBytes: number;
  readonly count: number;
}

/** What may be used of pages of one size. */
export interface HugePageLimit {
  /** As control groups name it: `2MB`. */
  readonly pageSize: string;
  readonly limitBytes: number;
}

const PREFIX = 'hugepages-';
const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti'];

/** `hugepages-2Mi`: the resource of pages of a size. */
export function hugePagesName(sizeBytes: number): string {
  return `${PREFIX}${inUnits(sizeBytes)}`;
}

/** `2MB`: control groups say it in other units, and mean the same. */
export function groupPageSize(sizeBytes: number): string {
  return inUnits(sizeBytes).replace(/i?$/, 'B');
}

function inUnits(sizeBytes: number): string {
  let [amount, unit] = [sizeBytes, 0];
  while (amount % 1024 === 0 && amount > 0 && unit < UNITS.length - 1) [amount, unit] = [amount / 1024, unit + 1];
  return `${amount}${UNITS[unit] ?? ''}`;
}

export function isHugePages(resource: string): boolean {
  return resource.startsWith(PREFIX);
}

/** `2Mi` of `hugepages-2Mi`. */
export function pageSizeOf(resource: string): string {
  return resource.slice(PREFIX.length);
}

/** What somebody may use of each size that the machine has, by what is said of each; where it has no pages there is nothing to limit. */
export function hugePageLimits(
  machine: readonly HugePages[],
  limitOf: (resource: string) => number,
): readonly HugePageLimit[] {
  if (machine.every(({ count }) => count === 0)) return [];
  return machine.map(({ sizeBytes }) => ({
    pageSize: groupPageSize(sizeBytes),
    limitBytes: limitOf(hugePagesName(sizeBytes)),
  }));
}

/** All pages of a machine together, in bytes. */
export function hugePagesBytes(machine: readonly HugePages[]): number {
  return machine.reduce((sum, { sizeBytes, count }) => sum + sizeBytes * count, 0);
}
