import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestkitError } from './errors.ts';

/** A `kubectl` of this machine. */
export interface Kubectl {
  readonly path: string;
  /** `v1.33.1`. */
  readonly version: string;
  /** Milliseconds that one command may take; a minute where absent: none of a test takes as long, what does hangs. */
  readonly deadlineMs?: number;
}

/** How a kubectl command ended, and what it said. */
export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const FOLDERS = ['/usr/lib/google-cloud-sdk/bin', '/usr/local/bin', '/usr/bin'];
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const DEADLINE_MS = 60_000;

interface Run {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly deadlineMs?: number | undefined;
}

/** Rejects where there is no exit code to tell: a command that hung is not one that said no. */
function execute(path: string, args: readonly string[], run: Run = {}): Promise<KubectlResult> {
  const { input = '', env, deadlineMs = DEADLINE_MS } = run;
  return new Promise((resolve, reject) => {
    const options = {
      env: { ...process.env, ...env },
      maxBuffer: OUTPUT_BYTES_MAX,
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
    } as const;
    const child = execFile(path, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr });
      else {
        const how = error.killed === true ? `did not end in ${deadlineMs} ms` : `could not be run: ${error.message}`;
        reject(new TestkitError(`kubectl ${args.join(' ')} ${how}:\n${stdout}${stderr}`, error));
      }
    });
    // One that ends before it has read its input tells by its exit code what it thought of it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

function usualFolders(): readonly string[] {
  return [...(process.env['PATH'] ?? '').split(':'), ...FOLDERS];
}

/** Finds a `kubectl`: one of the wanted minor version (`1.27`), or whatever is there and runs. */
export async function findKubectl(minor?: string, folders = usualFolders()): Promise<Kubectl | undefined> {
  const names = minor === undefined ? ['kubectl.1.33', 'kubectl'] : [`kubectl.${minor}`, 'kubectl'];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const path of paths.filter((candidate) => existsSync(candidate))) {
    const version = await versionOf(path);
    if (version === undefined) continue;
    if (minor === undefined || version.startsWith(`v${minor}.`)) return { path, version };
  }
  return undefined;
}

async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { stdout, code } = await execute(path, ['version', '--client', '-o', 'json']);
    if (code !== 0) return undefined;
    return (JSON.parse(stdout) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion;
  } catch {
    // Whatever has that name and does not run is no kubectl.
    return undefined;
  }
}

/** Runs kubectl against a cluster. A command that fails is an answer; one that does not end in its time rejects. */
export function runKubectl(
  kubectl: Kubectl,
  kubeconfig: string,
  args: readonly string[],
  input?: string,
): Promise<KubectlResult> {
  // A home of its own keeps kubectl's discovery cache from carrying over between clusters.
  const env = { KUBECONFIG: kubeconfig, HOME: join(kubeconfig, '..') };
  return execute(kubectl.path, args, {
    env,
    deadlineMs: kubectl.deadlineMs,
    ...(input === undefined ? {} : { input }),
  });
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
