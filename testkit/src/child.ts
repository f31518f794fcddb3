import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { TestkitError } from './errors.ts';
import { LAUNCHER } from './launcher.ts';

const READY_MS_MAX = 30_000;
const STOP_MS_MAX = 20_000;
const OUTPUT_LENGTH_MAX = 1 << 22;

/** A `binnacle` process that a test started. */
export interface BinnacleProcess {
  readonly child: ChildProcess;
  /** The line of `--output json`. */
  readonly ready: ReadyLine;
  /** SIGTERM, and waits for its end. Resolves with the exit code; rejects where it had to be killed. */
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
  /** Of a component that runs alone: where its health and figures are told. */
  readonly securePort?: number;
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

/** How a start differs from the ordinary. */
export interface StartWish {
  /** Without it, it is ready once it runs. */
  readonly waitReady?: boolean;
  /** What Node.js runs; `binnacle` where absent. */
  readonly program?: string;
  /** Milliseconds until it must be ready, and until it must have ended when it is stopped. */
  readonly readyMsMax?: number;
  readonly stopMsMax?: number;
}

/** Starts `binnacle ARGS`. Rejects with what it said last where it ends, hangs or says something else before it is ready. */
export async function startBinnacle(args: readonly string[], wish: StartWish = {}): Promise<BinnacleProcess> {
  const { waitReady = true, program = LAUNCHER, readyMsMax = READY_MS_MAX, stopMsMax = STOP_MS_MAX } = wish;
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = keepLast(child.stderr);
  const started = async (): Promise<ReadyLine> => {
    const line = await untilLine(child, readyMsMax);
    if ('ready' in line) return line.ready;
    // Whoever is told that it did not start has nothing to stop.
    await killed(child);
    throw new TestkitError(`binnacle ${args[0]} ${line.failed}:\n${output()}`);
  };
  return {
    child,
    ready: waitReady ? await started() : { server: '', kubeconfig: '', pid: child.pid ?? 0 },
    output,
    stop: async () => {
      child.kill('SIGTERM');
      const code = await untilExit(child, stopMsMax);
      if (code !== undefined) return code;
      await killed(child);
      throw new TestkitError(`binnacle ${args[0]} did not end in ${stopMsMax} ms, and was killed:\n${output()}`);
    },
    kill: () => killed(child),
  };
}

/** Reads to the end: a full pipe would stop the writer. */
function keepLast(stream: Readable): () => string {
  const texts: string[] = [];
  let length = 0;
  stream.setEncoding('utf8').on('data', (text: string) => {
    texts.push(text);
    length += text.length;
    while (length > OUTPUT_LENGTH_MAX && texts.length > 1) length -= texts.shift()?.length ?? 0;
  });
  return () => texts.join('');
}

/** The first line that it writes; what comes behind it is read and thrown away. */
function untilLine(
  child: ChildProcessByStdio<null, Readable, Readable>,
  msMax: number,
): Promise<{ readonly ready: ReadyLine } | { readonly failed: string }> {
  return new Promise((resolve) => {
    const fail = (failed: string): void => {
      clearTimeout(timer);
      resolve({ failed });
    };
    const timer = setTimeout(() => fail('was not ready in time'), msMax);
    createInterface(child.stdout).once('line', (text) => {
      const ready = parse(text);
      if (ready === undefined) return fail(`said this when it was to be ready: ${text}`);
      clearTimeout(timer);
      resolve({ ready });
    });
    child.once('error', (error) => fail(`could not be run: ${error.message}`));
    // By then all that it said has been read.
    child.once('close', (code, signal) => fail(`ended with ${code ?? signal}`));
  });
}

function parse(text: string): ReadyLine | undefined {
  try {
    return JSON.parse(text) as ReadyLine;
  } catch {
    return undefined;
  }
}

/** Undefined: it has not ended in time. */
function untilExit(child: ChildProcess, msMax: number): Promise<number | null | undefined> {
  if (hasEnded(child)) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), msMax);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

async function killed(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** One that could not be run has no pid. */
function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
