/** What tests do with real containers beyond their objects: talk to them. */
import { dirname } from 'node:path';
import type { Container, PodSpec } from '@binnacle/api/core/v1';
import { findKubectl, kubectlOutput, lookUntil, TestkitError } from '@binnacle/testkit';
import { IMAGE, logOf, runPod, shell } from './objects.ts';
import type { World } from './world.ts';

/** A shell script that ends when it is asked to. */
export const FOREVER = 'trap "exit 0" TERM; while :; do sleep 1; done';

/** Reads a log until it is as wanted. */
export function untilLog(world: World, of: { pod: string; container?: string }, wanted: RegExp): Promise<string> {
  return lookUntil({
    what: `the log of ${of.pod} to have ${String(wanted)}`,
    look: () => logOf(world, of.pod, of.container),
    until: (text) => wanted.test(text),
    deadlineMs: 30_000,
  });
}

/** A web server that answers with its host's name, and logs what it is asked. Answers with its address. */
export async function serve(world: World, name: string): Promise<string> {
  const script = `mkdir /tmp/w && cd /tmp/w && for f in hostname poststart prestop write; do hostname >$f; done; exec httpd -f -vv -p 8080`;
  const tcpSocket = { port: 8080 };
  const container = shell(script, { readinessProbe: { tcpSocket, periodSeconds: 1 } });
  return (await runPod(world, name, { containers: [container] })).status?.podIP ?? '';
}

const found = await findKubectl();

/** Runs the machine's kubectl in the world's namespace, with what it is given to read; answers with its output. */
export function kubectl(world: World, args: readonly string[], input?: string): Promise<string> {
  if (found === undefined) throw new TestkitError('this machine has no kubectl');
  return kubectlOutput(found, world.kubeconfig, ['--namespace', world.namespace, ...args], input);
}

/** What a command in a container says: `pod`, or `pod -c container`. */
export function exec(world: World, at: string, command: readonly string[]): Promise<string> {
  return kubectl(world, ['exec', ...at.split(' '), '--', ...command]);
}

/** Where this machine's Node is in a container of `withNode`. */
export const NODE = '/node/node';
const LIBRARIES = ['/lib', '/lib64', '/usr/lib'];

/**
 * A pod of one container that has this machine's Node and its libraries, to serve what busybox cannot. It runs `script`,
 * and ends when it is asked to.
 */
export function withNode(script: string, more: Partial<Container> = {}): Pick<PodSpec, 'containers' | 'volumes'> {
  const folders = LIBRARIES.map((path, i) => ({ name: `library-${i}`, path, mountPath: path }));
  const all = [...folders, { name: 'node', path: dirname(process.execPath), mountPath: dirname(NODE) }];
  const command = [NODE, '-e', `process.on('SIGTERM', () => process.exit(0)); ${script}`];
  const volumeMounts = all.map(({ name, mountPath }) => ({ name, mountPath, readOnly: true }));
  return {
    containers: [{ name: 'c', image: IMAGE, command, volumeMounts, ...more }],
    volumes: all.map(({ name, path }) => ({ name, hostPath: { path, type: 'Directory' } })),
  };
}
