import { execFileSync } from 'node:child_process';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { NftSession, toolRunner } from '@binnacle/network/nftables';
import type { RunTool } from '@binnacle/network/nftables';
import { atMost, figure, median } from './row.ts';
import type { Row } from './row.ts';

/** Milliseconds that we take, and `nft` alone. */
export interface Turn {
  readonly ours: number[];
  readonly bare: number[];
}

/** What rules are given to, in a network namespace of its own. */
export interface HeardNft {
  readonly run: RunTool;
  readonly session: NftSession;
  /** The batches that were given since this was asked last. */
  readonly taken: () => readonly string[];
  /** `nft` alone takes the same, a process for each. */
  readonly raw: (batches: readonly string[]) => Promise<void>;
}

/** Gives `body` an `nft` that remembers what it was told; nothing is left of it. */
export async function withHeardNft<T>(body: (nft: HeardNft) => Promise<T>): Promise<T> {
  const namespace = `bench-${process.pid}`;
  execFileSync('ip', ['netns', 'add', namespace]);
  const prefix = ['nsenter', `--net=/run/netns/${namespace}`];
  const tool = toolRunner(prefix);
  let batches: string[] = [];
  class HeardSession extends NftSession {
    override apply(lines: readonly string[]): Promise<boolean> {
      batches.push(`${lines.join('\n')}\n`);
      return super.apply(lines);
    }
  }
  const session = new HeardSession({ clock: realClock, log: silentLogger, prefix });
  const run: RunTool = (command, input) => {
    if (input !== undefined) batches.push(input);
    return tool(command, input);
  };
  try {
    return await body({
      run,
      session,
      taken: () => {
        const all = batches;
        batches = [];
        return all;
      },
      raw: async (all) => {
        for (const bytes of all) await tool(['nft', '-f', '-'], bytes);
      },
    });
  } finally {
    await session.close();
    execFileSync('ip', ['netns', 'del', namespace]);
  }
}

/** How long it takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** A row of medians beside what `nft` took; `limit` absent: no budget is set. */
export function besideNft(name: string, { ours, bare }: Turn, limit?: number): Row {
  const [value, reference] = [ours, bare].map((taken) => Number(median(taken).toFixed(1)));
  const compared = { name: 'nft, the same bytes', value: reference ?? 0 };
  const row = { name, value: value ?? 0, unit: 'ms', reference: compared };
  return limit === undefined ? figure(row) : atMost(row, limit);
}

/** Kernel memory that `work` takes for good, in MB, as the machine tells: others on it count with it. */
export async function kernelMemory(work: () => Promise<unknown>): Promise<number> {
  const before = kernelBytes();
  await work();
  return (kernelBytes() - before) / 1e6;
}

function kernelBytes(): number {
  const text = execFileSync('cat', ['/proc/meminfo'], { encoding: 'utf8' });
  const of = (key: string): number => Number(new RegExp(`^${key}: +(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return of('Slab') + of('VmallocUsed') + of('Percpu');
}
