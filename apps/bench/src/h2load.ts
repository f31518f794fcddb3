import { execFile } from 'node:child_process';
import { BenchError } from './errors.ts';

/** One run of h2load. */
export interface Load {
  readonly url: string;
  readonly requests: number;
  readonly connections: number;
  /** Streams at once per connection. */
  readonly streams?: number;
  readonly headers?: readonly string[];
  /** File whose content every request sends. */
  readonly body?: string;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Mean time of a request, milliseconds. */
  readonly meanMs: number;
}

function toMs(text: string): number {
  const match = /^([\d.]+)(us|ms|s)$/.exec(text);
  const factor = match?.[2] === 'us' ? 0.001 : match?.[2] === 's' ? 1000 : 1;
  return Number(match?.[1] ?? Number.NaN) * factor;
}

/** Runs h2load over TLS and HTTP/2; throws when any request failed. */
export async function h2load(load: Load): Promise<LoadResult> {
  const args = ['-n', `${load.requests}`, '-c', `${load.connections}`, '-m', `${load.streams ?? 1}`, '-t', '1'];
  for (const header of load.headers ?? []) args.push('-H', header);
  if (load.body !== undefined) args.push('-d', load.body);
  const output = await new Promise<string>((resolve, reject) => {
    execFile('h2load', [...args, load.url], { maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new BenchError(`h2load: ${stderr || error.message}`));
    });
  });
  const rate = /finished in [^,]+, ([\d.]+) req\/s/.exec(output)?.[1];
  const good = /status codes: (\d+) 2xx/.exec(output)?.[1];
  const mean = /time for request:\s+\S+\s+\S+\s+(\S+)/.exec(output)?.[1];
  if (rate === undefined || Number(good) !== load.requests)
    throw new BenchError(`h2load: not all requests succeeded:\n${output}`);
  return { requestsPerSecond: Number(rate), meanMs: toMs(mean ?? '') };
}
