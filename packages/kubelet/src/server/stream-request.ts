import { StreamRefusal } from '../errors.ts';

/** Streams by upstream's names in the query. */
export interface StreamFlags {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Which container of which pod. */
export interface ContainerPlace {
  readonly namespace: string;
  readonly pod: string;
  /** Empty: whichever pod has the name now. */
  readonly uid: string;
  readonly container: string;
}

/** What a client wants streamed. */
export type StreamRequest =
  | {
      readonly kind: 'exec';
      readonly place: ContainerPlace;
      readonly command: readonly string[];
      readonly flags: StreamFlags;
    }
  | { readonly kind: 'attach'; readonly place: ContainerPlace; readonly flags: StreamFlags }
  | {
      readonly kind: 'portForward';
      readonly place: Omit<ContainerPlace, 'container'>;
      readonly ports: readonly string[];
    };

/** Reads `/exec/<namespace>/<pod>[/<uid>]/<container>` and its like; undefined: no stream. Throws StreamRefusal. */
export function parseStreamRequest(path: string, query: URLSearchParams): StreamRequest | undefined {
  const [head = '', ...rest] = path
    .split('/')
    .slice(1)
    .filter((part) => part !== '');
  if (head === 'portForward') return parseForward(rest, query);
  if (head !== 'exec' && head !== 'attach') return undefined;
  const [namespace, pod, third, fourth] = rest;
  if (namespace === undefined || pod === undefined || third === undefined || rest.length > 4) return undefined;
  const place = { namespace, pod, uid: fourth === undefined ? '' : third, container: fourth ?? third };
  const flags = readFlags(query);
  if (!flags.stdin && !flags.stdout && !flags.stderr) {
    throw new StreamRefusal(400, 'you must specify at least 1 of stdin, stdout, stderr');
  }
  if (head === 'attach') return { kind: 'attach', place, flags };
  const command = query.getAll('command');
  if (command.length === 0) throw new StreamRefusal(400, 'you must specify at least 1 command');
  return { kind: 'exec', place, command, flags };
}

function parseForward(rest: readonly string[], query: URLSearchParams): StreamRequest | undefined {
  const [namespace, pod, uid = ''] = rest;
  if (namespace === undefined || pod === undefined || rest.length > 3) return undefined;
  const ports = [...query.getAll('port'), ...query.getAll('ports')].flatMap((text) => text.split(','));
  return { kind: 'portForward', place: { namespace, pod, uid }, ports };
}

function readFlags(query: URLSearchParams): StreamFlags {
  const on = (name: string): boolean => query.get(name) === '1' || query.get(name) === 'true';
  const tty = on('tty');
  // A terminal has one output.
  return { stdin: on('input'), stdout: on('output'), stderr: on('error') && !tty, tty };
}
