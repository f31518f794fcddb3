import { readdirSync, readFileSync } from 'node:fs';
import { BenchError } from './errors.ts';
import { pass } from './program.ts';

/** CPU microseconds per operation, by thread. */
export interface CpuPerOperation {
  /** What one operation is: `create`, `second`. */
  readonly operation: string;
  /** Threads of one name together; the first is `main`. */
  readonly microseconds: Readonly<Record<string, number>>;
}

/** Nanoseconds on a CPU by thread, as the scheduler counted them. A thread that is gone between two looks is left out. */
function readThreads(pid: number): Map<string, { name: string; ns: number }> {
  const threads = new Map<string, { name: string; ns: number }>();
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    try {
      const comm = readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trim();
      const [ns = '0'] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ');
      threads.set(tid, { name: tid === String(pid) ? 'main' : comm, ns: Number(ns) });
    } catch {
      // It ended while it was looked at.
    }
  }
  return threads;
}

/** Sums up what a process uses while a piece of work is done, whichever other work is done in between. */
export class ThreadCpu {
  readonly #pid: number;
  readonly #ns = new Map<string, number>();

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** All that a process has used until now. */
  static sinceStart(pid: number): ThreadCpu {
    const cpu = new ThreadCpu(pid);
    cpu.#add(new Map());
    return cpu;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const before = readThreads(this.#pid);
    const done = await work();
    this.#add(before);
    return done;
  }

  #add(before: ReadonlyMap<string, { ns: number }>): void {
    for (const [tid, { name, ns }] of readThreads(this.#pid)) {
      this.#ns.set(name, (this.#ns.get(name) ?? 0) + ns - (before.get(tid)?.ns ?? 0));
    }
  }

  get totalUs(): number {
    return [...this.#ns.values()].reduce((sum, ns) => sum + ns, 0) / 1000;
  }

  /** Shared out over so many operations; threads that used next to nothing are left out. */
  per(operation: string, count: number): CpuPerOperation {
    const rows = [...this.#ns]
      .map(([name, ns]): [string, number] => [name, Math.round(ns / 100 / count) / 10])
      .filter(([, us]) => us >= 0.1)
      .sort((a, b) => b[1] - a[1]);
    return { operation, microseconds: Object.fromEntries(rows) };
  }
}

const LOOK_MS = 2_000;
/** A process rests when it uses less than this share of a core. */
const REST_SHARE = 0.01;
const REST_DEADLINE_MS = 120_000;

/** Waits until what a start leaves to do is done (caches, collections, memory given back): only then it is at rest. */
export async function untilAtRest(pid: number): Promise<void> {
  for (let waited = 0; waited < REST_DEADLINE_MS; waited += LOOK_MS) {
    const cpu = new ThreadCpu(pid);
    await cpu.during(() => pass(LOOK_MS));
    if (cpu.totalUs / (LOOK_MS * 1000) < REST_SHARE) return;
  }
  throw new BenchError(`process ${pid} did not come to rest in ${REST_DEADLINE_MS / 1000} s`);
}
