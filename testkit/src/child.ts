import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TestkitError } from './errors.ts';

const LAUNCHER = fileURLToPath(new URL('../../apps/binnacle/launch.mjs', import.meta.url));
const READY_MS_MAX = 30_000;
const STOP_MS_MAX = 20_000;
const OUTPUT_KEPT = 200;

/** A `binnacle` process that a test started. */
export interface BinnacleProcess {
  readonly child: ChildProcess;
  /** The line of `--output json`. */
  readonly ready: ReadyLine;
  /** SIGTERM, and waits for its end. Resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits for its end. */
  kill(): Promise<void>;
  /** What it said last, for a failure's message. */
  output(): string;
}

/** What `--output json` says when a process is ready. */
export interface ReadyLine {
  readonly server: string;
  readonly kubeconfig: string;
  readonly pid: number;
  /** Of a controller manager that stands for election: as its Lease calls it. */
  readonly identity?: string;
  /** Milliseconds since the process started. */
  readonly listening?: number;
  readonly ready?: number;
  readonly nodeReady?: number;
  /** A link that logs in to the dashboard, once; absent where its page is not built. */
  readonly dashboard?: string;
  /** Of `binnacle dashboard`: such a link. */
  readonly url?: string;
}

function untilExit(child: ChildProcess, deadlineMs: number): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TestkitError(`pid ${child.pid} did not end in ${deadlineMs} ms`)),
      deadlineMs,
    );
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

/** Starts `binnacle ARGS`; without `waitReady` it is ready once it runs. */
export async function startBinnacle(
  args: readonly string[],
  options: { waitReady?: boolean } = {},
): Promise<BinnacleProcess> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const keep = (text: string): void => {
    lines.push(text);
    if (lines.length > OUTPUT_KEPT) lines.shift();
  };
  const output = (): string => lines.join('');
  child.stderr.setEncoding('utf8').on('data', keep);
  const ready = new Promise<ReadyLine>((resolve, reject) => {
    if (options.waitReady === false) {
      child.stdout.resume();
      resolve({ server: '', kubeconfig: '', pid: child.pid ?? 0 });
      return;
    }
    const timer = setTimeout(
      () => reject(new TestkitError(`binnacle ${args[0]} was not ready in time:\n${output()}`)),
      READY_MS_MAX,
    );
    let buffered = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      buffered += text;
      const end = buffered.indexOf('\n');
      if (end === -1) return;
      clearTimeout(timer);
      resolve(JSON.parse(buffered.slice(0, end)) as ReadyLine);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new TestkitError(`binnacle ${args[0]} ended with ${code}:\n${output()}`));
    });
  });
  const line = await ready.catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    child,
    ready: line,
    output,
    stop: () => {
      child.kill('SIGTERM');
      return untilExit(child, STOP_MS_MAX);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await untilExit(child, STOP_MS_MAX);
    },
  };
}
