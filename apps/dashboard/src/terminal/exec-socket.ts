import { currentSession } from '../api/session.ts';

/** Channels of `v5.channel.k8s.io`. */
const STDIN = 0;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** Keystrokes that wait for the shell. */
const EARLY_MAX = 1_000;

/** What a terminal is told. */
export interface ExecListener {
  output(bytes: Uint8Array): void;
  /** The command, or the connection, is over. */
  ended(why: string): void;
}

/** How much a terminal shows. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A command that runs in a container. */
export interface ExecSession {
  type(text: string): void;
  resize(size: TerminalSize): void;
  close(): void;
}

/**
 * Runs a command with a terminal in a container, over the API's WebSocket. `path`: of the subresource, with its query. The
 * terminal's size is the first that the command hears of: what draws on the whole of it looks at once.
 */
export function openExec(path: string, size: TerminalSize, listener: ExecListener): ExecSession {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const secret = `session.dashboard.binnacle.dev.${currentSession() ?? ''}`;
  const socket = new WebSocket(`${scheme}://${location.host}${path}`, [
    'v5.channel.k8s.io',
    'v4.channel.k8s.io',
    secret,
  ]);
  socket.binaryType = 'arraybuffer';
  let why = 'the connection is over';
  socket.addEventListener('message', ({ data }) => {
    const bytes = new Uint8Array(data as ArrayBuffer);
    const channel = bytes[0] ?? 0;
    if (channel === ERROR) why = reasonIn(new TextDecoder().decode(bytes.subarray(1)));
    else if (channel <= STDERR && bytes.length > 1) listener.output(bytes.subarray(1));
  });
  socket.addEventListener('close', () => listener.ended(why));
  // What is typed before the shell is there waits for it, as on any terminal.
  const early: Uint8Array<ArrayBuffer>[] = [];
  socket.addEventListener('open', () => {
    for (const framed of early.splice(0)) socket.send(framed);
  });
  const send = (channel: number, text: string): void => {
    const framed = frame(channel, text);
    if (socket.readyState === WebSocket.OPEN) socket.send(framed);
    else if (socket.readyState === WebSocket.CONNECTING && early.length < EARLY_MAX) early.push(framed);
  };
  const resize = ({ columns, rows }: TerminalSize): void =>
    send(RESIZE, JSON.stringify({ Width: columns, Height: rows }));
  resize(size);
  return {
    type: (text) => send(STDIN, text),
    resize,
    close: () => socket.close(),
  };
}

function frame(channel: number, text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  const framed = new Uint8Array(bytes.length + 1);
  framed[0] = channel;
  framed.set(bytes, 1);
  return framed;
}

/** What the Status on the error channel says. */
export function reasonIn(text: string): string {
  try {
    const { status, message } = JSON.parse(text) as { readonly status?: string; readonly message?: string };
    return status === 'Success' ? 'the command ended' : (message ?? text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
