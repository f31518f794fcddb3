import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailableError } from '../errors.ts';

/** A real etcd on free loopback ports with a directory of its own, for tests and measurements. */
export interface EtcdProcess {
  readonly endpoint: string;
  readonly pid: number;
  /** SIGKILL, then everything it left is removed. */
  stop(): Promise<void>;
  /** SIGKILL and a new start on the same directory and ports. */
  restart(): Promise<void>;
}

const READY_MS_MAX = 20_000;
const TRY_MS = 50;

/** Starts the machine's `etcd`; resolves when it answers its health check. */
export async function startEtcd(binary = 'etcd', more: readonly string[] = []): Promise<EtcdProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'store-etcd-'));
  const [client, peer] = [await freePort(), await freePort()];
  const endpoint = `http://127.0.0.1:${client}`;
  let running = await launch(directory, [client, peer], [binary, ...more]);
  const kill = async (): Promise<void> => {
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await gone;
  };
  return {
    endpoint,
    get pid() {
      return running.pid ?? 0;
    },
    stop: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
    restart: async () => {
      await kill();
      running = await launch(directory, [client, peer], [binary, ...more]);
    },
  };
}

type Child = ReturnType<typeof spawn>;

async function launch(
  directory: string,
  ports: readonly [number, number],
  [binary = '', ...more]: readonly string[],
): Promise<Child> {
  const [client, peer] = ports.map((port) => `http://127.0.0.1:${port}`);
  const flags = [
    ['--data-dir', join(directory, 'data')],
    ['--logger', 'zap'],
    ['--log-level', 'error'],
    ['--listen-client-urls', client],
    ['--advertise-client-urls', client],
    ['--listen-peer-urls', peer],
    ['--initial-advertise-peer-urls', peer],
    ['--initial-cluster', `default=${peer}`],
  ];
  const child = spawn(binary, [...flags.flat().map(String), ...more], { stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => reject(new StoreUnavailableError('etcd cannot be started', { cause })));
    child.once('spawn', resolve);
  });
  await untilHealthy(`${client}/health`, child);
  return child;
}

async function untilHealthy(url: string, child: Child): Promise<void> {
  const end = Date.now() + READY_MS_MAX;
  while (Date.now() < end && child.exitCode === null) {
    const body = await fetch(url).then(
      (response) => response.text(),
      // Not listening yet: asked again until the deadline.
      () => '',
    );
    if (body.includes('true')) return;
    await new Promise((resolve) => setTimeout(resolve, TRY_MS));
  }
  child.kill('SIGKILL');
  throw new StoreUnavailableError('etcd does not become healthy');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
