import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { messageOf } from '@binnacle/base';

/** What a shell sees of a program that wrote to nobody: killed by SIGPIPE, which Node keeps away. */
const NOBODY_READS = 141;
const STDERR = 2;

let outlives = false;

/**
 * Takes what is wrong with what this process prints; to be called once, before it prints. An answer that nobody reads any
 * more ends it without a word, one that cannot be written ends it with 1; what is said beside it (stderr) is worth no end.
 */
export function watchOutputs(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outlives) return;
    if (error.code === 'EPIPE') process.exit(NOBODY_READS);
    process.stderr.write(`binnacle: the answer cannot be written: ${error.message}\n`);
    process.exit(1);
  });
}

/** From now on the process does more than answer, and ends for none of its readers. */
export function outliveReaders(): void {
  outlives = true;
}

/** Writes lines of a log to stderr; what cannot be written ends nothing, see `patientWriter`. */
export function logWriter(): (line: string) => void {
  // Of terminals and pipes Node makes sockets. Its stream of a file is over for good after one write that failed.
  const { stderr }: { readonly stderr: object } = process;
  return stderr instanceof Socket
    ? (line) => void process.stderr.write(line)
    : patientWriter((text) => writeSync(STDERR, text));
}

/**
 * Lines of klog that a full disk does not take are counted, and told of before the next one that it takes. `write`: answers
 * with the bytes that were written, or throws.
 */
export function patientWriter(write: (text: string) => number): (line: string) => void {
  let lost = 0;
  let reason = '';
  let isTorn = false;
  return (line) => {
    const text = lost === 0 ? line : `${isTorn ? '\n' : ''}${lostLine(line, lost, reason)}${line}`;
    try {
      const written = write(text);
      isTorn = written < Buffer.byteLength(text);
      lost = isTorn ? lost + 1 : 0;
      if (isTorn) reason = 'a part was written';
    } catch (error) {
      lost++;
      reason = messageOf(error);
    }
  };
}

/** In klog's format, with the time, the process and the component of the line that it stands before. */
function lostLine(next: string, lost: number, reason: string): string {
  const head = next.slice(1, next.indexOf(']') + 1);
  return `W${head} "lines of this log could not be written" lines=${lost} reason=${JSON.stringify(reason)}\n`;
}
