import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestkitError } from './errors.ts';
import { freePort, makeFolder } from './folder.ts';

/** A real etcd on loopback, with a folder of its own. */
export interface TestEtcd {
  readonly endpoint: string;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

const PROGRAM = 'etcd';
const READY_MS_MAX = 20_000;
const SERVES = 'serving client traffic';

/** Why a test that needs etcd is skipped here; `false` where it runs, and in CI, where nothing is skipped. */
export function skipWithoutEtcd(): string | false {
  const isThere = (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, PROGRAM)));
  return process.env['CI'] === 'true' || isThere ? false : 'no etcd on this machine';
}

/** Starts Debian's etcd; resolves when it serves. */
export async function startTestEtcd(): Promise<TestEtcd> {
  const folder = makeFolder();
  const client = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const flags = [
    ...['--logger', 'zap', '--data-dir', join(folder.path, 'etcd')],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ];
  const child = spawn(PROGRAM, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
    folder.remove();
  };
  let said = '';
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string): void => reject(new TestkitError(`etcd ${why}:\n${said.slice(-2000)}`));
      const timer = setTimeout(() => fail('was not ready in time'), READY_MS_MAX);
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code) => fail(`ended with ${code}`));
      // Read to the end: a full pipe would stop it.
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-8000);
        if (!said.includes(SERVES)) return;
        clearTimeout(timer);
        resolve();
      });
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint: client, stop };
}
