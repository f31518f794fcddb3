/** Programs in other languages that `npm run interop` has built, and how tests run them. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Where the sources of a language lie. */
export const sourcesOf = (language: 'go' | 'python'): string => join(root, 'conformance/interop', language);

/** A program that was built: its path, or why a test has to do without it (what `skip` takes). */
export type Built = { readonly path: string; readonly skip: false } | { readonly path: ''; readonly skip: string };

/** A program of the folder that `tools/setup/interop.mjs` fills. */
export function builtProgram(path: string): Built {
  const whole = join(root, '.cache/interop', path);
  return existsSync(whole) ? { path: whole, skip: false } : { path: '', skip: `${path} is not built on this machine` };
}

/** How a program ended, and what it wrote on both outputs. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program against a cluster, with a home of its own beside the kubeconfig; never throws for one that fails. */
export function runProgram(
  path: string,
  args: readonly string[],
  options: { readonly kubeconfig: string; readonly cwd?: string; readonly input?: string; readonly seconds?: number },
): Promise<Ran> {
  const env = { ...process.env, KUBECONFIG: options.kubeconfig, HOME: dirname(options.kubeconfig) };
  return new Promise((resolve) => {
    const child = execFile(
      path,
      args,
      { env, cwd: options.cwd, maxBuffer: OUTPUT_BYTES_MAX, timeout: (options.seconds ?? 120) * 1000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.end(options.input ?? '');
  });
}

/** The names of the tests in a test program of Go. */
export function listGoTests(path: string): readonly string[] {
  const text = execFileSync(path, ['-test.list', '.*'], { encoding: 'utf8' });
  return text.split('\n').filter((line) => line.startsWith('Test'));
}
