import { spawn } from 'node:child_process';
import { NetworkError } from '../errors.ts';

/** Runs a tool of the machine with this input; answers what it said. */
export type RunTool = (command: readonly string[], input?: string) => Promise<string>;

const ERROR_LENGTH_MAX = 2000;
/** More than a table of a million connections; a tool that says more has lost its way. */
const OUTPUT_LENGTH_MAX = 256 << 20;
/** A tool of the machine that hangs must not hang us. */
const TOOL_MS_MAX = 60_000;

/** Lines for a tool that reads one command from each. Throws NetworkError where one is several: it would be another's command. */
export function linesText(lines: readonly string[]): string {
  for (const line of lines)
    if (line.includes('\n')) throw new NetworkError(`not one line: ${JSON.stringify(line.slice(0, ERROR_LENGTH_MAX))}`);
  return `${lines.join('\n')}\n`;
}

/**
 * Runs tools as they are; throws NetworkError with what a tool complained of. One that says more than `outputMax` letters is
 * ended, and has failed.
 */
export function toolRunner(prefix: readonly string[] = [], outputMax = OUTPUT_LENGTH_MAX): RunTool {
  return async (command, input = '') => {
    const [program = '', ...args] = [...prefix, ...command];
    // The timer of `timeout` would outlive a tool that is not there, and keep the process from its end.
    const signal = AbortSignal.timeout(TOOL_MS_MAX);
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], signal });
    let said = '';
    let complaint = '';
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (said.length + text.length <= outputMax) {
        said += text;
        return;
      }
      child.stdout.destroy();
      child.kill('SIGKILL');
      reject(new NetworkError(`${command[0]}: it said more than ${outputMax} letters`));
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < ERROR_LENGTH_MAX) complaint += text;
    });
    child.once('error', (error) => reject(new NetworkError(`cannot run ${command[0]}: ${error.message}`, error)));
    // A tool that ends before it has read all says why by its end.
    child.stdin.on('error', (error) => (complaint += error.message));
    child.once('close', (code) => {
      if (code === 0) resolve(said);
      else
        reject(
          new NetworkError(`${command[0]}: ${complaint.slice(0, ERROR_LENGTH_MAX).trim() || `ended with ${code}`}`),
        );
    });
    child.stdin.end(input);
    return promise;
  };
}
