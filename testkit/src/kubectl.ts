import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestkitError } from './errors.ts';

/** A `kubectl` of this machine. */
export interface Kubectl {
  readonly path: string;
  /** `v1.33.1`. */
  readonly version: string;
}

/** How a kubectl command ended, and what it said. */
export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const FOLDERS = ['/usr/lib/google-cloud-sdk/bin', '/usr/local/bin', '/usr/bin'];
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

function execute(
  path: string,
  args: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number },
): Promise<KubectlResult> {
  return new Promise((resolve) => {
    const child = execFile(
      path,
      args,
      { env: { ...process.env, ...options.env }, maxBuffer: OUTPUT_BYTES_MAX, timeout: options.timeoutMs ?? 60_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.end(options.input ?? '');
  });
}

/** Finds `kubectl`s: one of the wanted minor version (`1.27`), or whatever is there. */
export async function findKubectl(minor?: string): Promise<Kubectl | undefined> {
  const names = minor === undefined ? ['kubectl.1.33', 'kubectl'] : [`kubectl.${minor}`, 'kubectl'];
  const paths = [...(process.env['PATH'] ?? '').split(':'), ...FOLDERS];
  for (const name of names) {
    for (const folder of paths) {
      const path = join(folder, name);
      if (!existsSync(path)) continue;
      const { stdout, code } = await execute(path, ['version', '--client', '-o', 'json'], {});
      if (code !== 0) continue;
      const version = (JSON.parse(stdout) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion;
      if (minor === undefined || version.startsWith(`v${minor}.`)) return { path, version };
    }
  }
  return undefined;
}

/** Runs kubectl against a cluster; never throws for a failing command. */
export function runKubectl(
  kubectl: Kubectl,
  kubeconfig: string,
  args: readonly string[],
  input?: string,
): Promise<KubectlResult> {
  // A home of its own keeps kubectl's discovery cache from carrying over between clusters.
  const env = { KUBECONFIG: kubeconfig, HOME: join(kubeconfig, '..') };
  return execute(kubectl.path, args, { env, ...(input === undefined ? {} : { input }) });
}

/** Runs kubectl and answers with its output; throws with both outputs when it fails. */
export async function kubectlOutput(
  kubectl: Kubectl,
  kubeconfig: string,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const done = await runKubectl(kubectl, kubeconfig, args, input);
  if (done.code !== 0) {
    throw new TestkitError(`kubectl ${args.join(' ')} ended with ${done.code}:\n${done.stdout}${done.stderr}`);
  }
  return done.stdout;
}
