import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { ChildFailedError } from '../errors.ts';
import { downCommand } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';
import { withFewHeaps } from './few-heaps.ts';

/** Starts the same command in the background and waits until it is ready. */
export async function startDetached(dataDir: DataDir, output: 'json' | undefined): Promise<void> {
  const args = process.argv.slice(1).filter((a) => a !== '--detach');
  if (output !== 'json') args.push('--output', 'json');
  const log = openSync(dataDir.logFile, 'a', 0o600);
  const before = fstatSync(log).size;
  const env = withFewHeaps(process.env);
  const child = spawn(process.execPath, args, { detached: true, env, stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', (code) => {
      const said = readFileSync(dataDir.logFile).subarray(before).toString();
      reject(new ChildFailedError('the cluster', `${lastWords(said) ?? `exit code ${code}`} (see ${dataDir.logFile})`));
    });
  });
  child.stdout?.destroy();
  child.unref();
  if (output === 'json') process.stdout.write(`${line}\n`);
  else {
    const { server, pid, dashboard } = JSON.parse(line) as { server: string; pid: number; dashboard?: string };
    if (dashboard !== undefined) process.stderr.write(`binnacle: dashboard ${dashboard}\n`);
    process.stderr.write(`binnacle: ready at ${server} (pid ${pid}); stop it with: ${downCommand(dataDir.root)}\n`);
  }
}

/** Why a program ended, of what it wrote: its last line of its own; undefined where it wrote none. */
export function lastWords(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => /^(binnacle|error): ./.test(line));
  return lines.at(-1)?.replace(/^(binnacle|error): /, '');
}
