import type { Container } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import type { HostFiles } from '../ports.ts';

/** Of what a container says of itself in a pod's status. */
export const MESSAGE_BYTES_MAX = 4096;

/** The last words of a container that ended: its termination file, cut at 4096 bytes. */
export async function readTerminationMessage(
  files: HostFiles,
  of: { readonly path: string; readonly spec: Container; readonly container: ContainerStatus },
): Promise<string> {
  if (!of.spec.terminationMessagePath) return '';
  const bytes = await files.readRange(of.path, 0, MESSAGE_BYTES_MAX);
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes);
  if (text !== '' || of.spec.terminationMessagePolicy !== 'FallbackToLogsOnError' || of.container.exitCode === 0)
    return text;
  return tailOfLog(files, of.container.logPath);
}

const SPACE = 0x20;
const PARTIAL = 0x50;
const NEWLINE = Uint8Array.of(0x0a);
const TAIL_LINES = 80;
const TAIL_BYTES = 2048;

/** As the container wrote it: the end of a line that it did not end is not made up. */
async function tailOfLog(files: HostFiles, path: string): Promise<string> {
  const size = await files.size(path);
  if (size <= 0) return '';
  const window = 64 * 1024;
  const bytes = (await files.readRange(path, Math.max(0, size - window), window)) ?? new Uint8Array();
  const parts = splitLines(bytes).slice(-TAIL_LINES).flatMap(written);
  return new TextDecoder().decode(joined(parts).slice(-TAIL_BYTES));
}

/** Of `<time> <stream> <tag> <text>` the text, and its newline where the tag does not say that it goes on. */
function written(line: Uint8Array): readonly Uint8Array[] {
  const stream = line.indexOf(SPACE) + 1;
  const tags = line.indexOf(SPACE, stream) + 1;
  const text = line.indexOf(SPACE, tags) + 1;
  if (stream === 0 || tags === 0 || text === 0) return [];
  return line[tags] === PARTIAL ? [line.subarray(text)] : [line.subarray(text), NEWLINE];
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(NEWLINE[0] ?? 0, from);
    if (end === -1) break;
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return lines;
}
