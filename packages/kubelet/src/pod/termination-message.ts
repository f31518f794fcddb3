import type { Container } from '@binnacle/api/core/v1';
import type { ContainerStatus } from '@binnacle/runtime';
import type { HostFiles } from '../ports.ts';

const MESSAGE_MAX = 4096;

/** The last words of a container that ended: its termination file, cut at 4096 bytes. */
export async function readTerminationMessage(
  files: HostFiles,
  of: { readonly path: string; readonly spec: Container; readonly container: ContainerStatus },
): Promise<string> {
  if (!of.spec.terminationMessagePath) return '';
  const bytes = await files.readRange(of.path, 0, MESSAGE_MAX);
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes);
  if (text !== '' || of.spec.terminationMessagePolicy !== 'FallbackToLogsOnError' || of.container.exitCode === 0)
    return text;
  return tailOfLog(files, of.container.logPath);
}

const TAIL_LINES = 80;
const TAIL_BYTES = 2048;

async function tailOfLog(files: HostFiles, path: string): Promise<string> {
  const size = await files.size(path);
  if (size <= 0) return '';
  const window = 64 * 1024;
  const bytes = await files.readRange(path, Math.max(0, size - window), window);
  const lines = new TextDecoder()
    .decode(bytes ?? new Uint8Array())
    .split('\n')
    .filter((l) => l !== '')
    .slice(-TAIL_LINES);
  // `<time> <stream> <tag> <text>`: only the text is the container's, and a part of a line (tag P) has no end.
  const text = lines.map((line) => {
    const [, , tags = '', ...words] = line.split(' ');
    return `${words.join(' ')}${tags.split(':').includes('P') ? '' : '\n'}`;
  });
  return text.join('').slice(-TAIL_BYTES);
}
