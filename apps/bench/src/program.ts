import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import type { Wire } from '@binnacle/machinery';
import { makeFolder } from '@binnacle/testkit';
import { BenchError } from './errors.ts';

const PROGRAM = fileURLToPath(new URL('../../../dist/package/bin/binnacle.mjs', import.meta.url));

/** The first line that a child prints on stdout. */
export function firstLine(child: ChildProcess, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (complaint = (complaint + chunk).slice(-4000)));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end !== -1) resolve(text.slice(0, end));
    });
    child.once('exit', (code) => reject(new BenchError(`${what} ended with ${code}: ${complaint}`)));
  });
}

/** Ends a child and waits for it. */
export function endChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

/** The bundle, up. */
export interface RunningProgram {
  readonly server: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly timings: { readonly listening: number; readonly ready: number; readonly nodeReady: number };
  readonly client: Client;
  readonly wire: Wire;
  /** Path of a kubeconfig of the administrator. */
  readonly kubeconfig: string;
  /** CRI endpoint of its containerd. */
  runtimeEndpoint(): string;
  stop(): Promise<void>;
}

/** Starts `binnacle up` from the bundle on a fresh data directory and any port. */
export async function startProgram(args: readonly string[]): Promise<RunningProgram> {
  const folder = makeFolder();
  const dataDir = join(folder.path, 'data');
  const kubeconfig = join(folder.path, 'kubeconfig');
  const flags = [
    'up',
    '--data-dir',
    dataDir,
    '--kubeconfig',
    kubeconfig,
    '--listen',
    '127.0.0.1:0',
    '--output',
    'json',
  ];
  const child = spawn(process.execPath, [PROGRAM, ...flags, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const clean = (): void => {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    execFileSync(process.execPath, [PROGRAM, 'down', '--data-dir', dataDir, '--delete'], { stdio: 'ignore', env });
    folder.remove();
  };
  const first = await firstLine(child, 'binnacle up').catch(async (error: unknown) => {
    await endChild(child);
    clean();
    throw error;
  });
  const line = JSON.parse(first) as Record<string, number> & { server: string };
  const wire = createHttpWire((await loadKubeconfig(kubeconfig)).wire);
  return {
    server: line.server,
    pid: child.pid ?? 0,
    dataDir,
    timings: { listening: line['listening'] ?? 0, ready: line['ready'] ?? 0, nodeReady: line['nodeReady'] ?? 0 },
    client: createClient(wire),
    wire,
    kubeconfig,
    runtimeEndpoint: () =>
      (JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as { runtimeEndpoint: string }).runtimeEndpoint,
    stop: async () => {
      await wire.close();
      await endChild(child);
      clean();
    },
  };
}

/** Resident memory of a process, MB. */
export function residentMegabytes(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) / 1024;
}

/** CPU that a process has used, milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Lets `ms` pass: a measurement over time needs time. */
export function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
