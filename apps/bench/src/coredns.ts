import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NAMESPACES, SERVICES } from '@binnacle/api';
import { freePort, makeFolder } from '@binnacle/testkit';
import { endChild, startProgram } from './program.ts';

const SOURCE = fileURLToPath(new URL('../coredns', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../.cache/bench/coredns', import.meta.url));

/** CoreDNS with the Services of an API server. */
export interface RunningCoreDns {
  readonly port: number;
  stop(): Promise<void>;
}

/** Builds it once, some minutes; undefined where the machine has no Go, or it cannot be built. */
function buildCoreDns(): string | undefined {
  if (existsSync(BUILT)) return BUILT;
  if (spawnSync('go', ['version']).status !== 0) return undefined;
  mkdirSync(dirname(BUILT), { recursive: true });
  return spawnSync('go', ['build', '-o', BUILT, '.'], { cwd: SOURCE, stdio: 'ignore' }).status === 0
    ? BUILT
    : undefined;
}

/** Starts it beside an API server with Services `s0`, `s1`, … in a namespace `ns`; everybody else's names come from `world`. */
export async function startCoreDns(services: number, world: number): Promise<RunningCoreDns | undefined> {
  const program = buildCoreDns();
  if (program === undefined) return undefined;
  const up = await startProgram(['--store', 'memory', '--runtime', 'simulated']);
  const folder = makeFolder();
  const port = await freePort();
  await up.client.resource(NAMESPACES).create({ metadata: { name: 'ns' }, spec: {} });
  for (let at = 0; at < services; at++) {
    await up.client.resource(SERVICES, 'ns').create({ metadata: { name: `s${at}` }, spec: { ports: [{ port: 80 }] } });
  }
  const file = join(folder.path, 'Corefile');
  const cluster = `kubernetes cluster.local {\n kubeconfig ${up.kubeconfig}\n ttl 30\n}`;
  writeFileSync(file, `.:${port} {\nbind 127.0.0.1\nerrors\ncache 30\n${cluster}\nforward . 127.0.0.1:${world}\n}\n`);
  const child = spawn(program, ['-conf', file, '-quiet'], { stdio: 'ignore' });
  return {
    port,
    stop: async () => {
      await endChild(child);
      folder.remove();
      await up.stop();
    },
  };
}
