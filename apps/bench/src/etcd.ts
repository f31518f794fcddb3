import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePort, makeFolder } from '@binnacle/testkit';
import { BenchError } from './errors.ts';
import { endChild, pass } from './program.ts';

/** Debian's etcd on loopback with TLS. */
export interface RunningEtcd {
  readonly url: string;
  /** From the start of the process to its first healthy answer. */
  readonly startMs: number;
  stop(): Promise<void>;
}

function healthy(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request(`${url}/health`, { ca }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200);
    });
    asking.once('error', () => resolve(false));
    asking.end();
  });
}

/** Starts etcd with the certificates in `pki` (ca.crt, apiserver.crt, apiserver.key). */
export async function startEtcd(pki: string): Promise<RunningEtcd> {
  const folder = makeFolder();
  const url = `https://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const began = performance.now();
  const child = spawn(
    'etcd',
    [
      ...['--data-dir', join(folder.path, 'etcd'), '--logger', 'zap', '--log-level', 'error'],
      ...['--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
      ...['--cert-file', join(pki, 'apiserver.crt'), '--key-file', join(pki, 'apiserver.key')],
    ],
    { stdio: 'ignore' },
  );
  const ca = readFileSync(join(pki, 'ca.crt'), 'utf8');
  while (!(await healthy(url, ca))) {
    if (child.exitCode !== null || performance.now() - began > 20_000) throw new BenchError('etcd did not start');
    await pass(5);
  }
  const startMs = performance.now() - began;
  return {
    url,
    startMs,
    stop: async () => {
      await endChild(child);
      folder.remove();
    },
  };
}

function field(number: number, bytes: Buffer): Buffer {
  const length: number[] = [];
  for (let n = bytes.length; ; n >>>= 7) {
    length.push(n > 0x7f ? (n & 0x7f) | 0x80 : n);
    if (n <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

/** Writes the gRPC frame of one put to a file, for h2load to send. */
export function writePutFrame(path: string, valueBytes: number): void {
  const message = Buffer.concat([
    field(1, Buffer.from('/registry/pods/default/bench')),
    field(2, Buffer.alloc(valueBytes, 'x')),
  ]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  writeFileSync(path, Buffer.concat([head, message]));
}

/** The path and headers of etcd's put over gRPC. */
export const PUT_PATH = '/etcdserverpb.KV/Put';
export const GRPC_HEADERS: readonly string[] = ['content-type: application/grpc', 'te: trailers'];
