import type { Asked, Told } from '@binnacle/dashboard';
import { currentSession } from './session.ts';

/** Who follows a stream. `ended` comes exactly once, with why when it broke off. */
export interface StreamListener {
  status(code: number): void;
  data(text: string): void;
  ended(error?: string): void;
}

const SECRET = 'session.dashboard.binnacle.dev.';
const STREAMS = 'streams.dashboard.binnacle.dev';

/** All watches and logs of the page, over one WebSocket that is opened with the first of them. */
class Streams {
  #socket: WebSocket | undefined;
  /** Whose socket it is: who logs in after somebody else gets one of his own. */
  #session: string | undefined;
  readonly #listeners = new Map<number, StreamListener>();
  readonly #waiting: Asked[] = [];
  #id = 0;

  /** Follows a path of the API; what comes back ends it. */
  open(path: string, accept: string, listener: StreamListener): () => void {
    this.#leaveOthers();
    const id = ++this.#id;
    this.#listeners.set(id, listener);
    this.#send(this.#socket ?? this.#connect(), { id, open: path, accept });
    return () => {
      // Without a socket there is nobody who would have to be told.
      if (this.#listeners.delete(id) && this.#socket !== undefined) this.#send(this.#socket, { id, close: true });
    };
  }

  #send(socket: WebSocket, asked: Asked): void {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(asked));
    else this.#waiting.push(asked);
  }

  #leaveOthers(): void {
    const socket = this.#socket;
    if (socket === undefined || this.#session === currentSession()) return;
    this.#lose();
    socket.close();
  }

  #connect(): WebSocket {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const session = currentSession();
    const socket = new WebSocket(`${scheme}://${location.host}/streams`, [STREAMS, SECRET + (session ?? '')]);
    this.#socket = socket;
    this.#session = session;
    const isCurrent = (): boolean => this.#socket === socket;
    socket.addEventListener('open', () => {
      if (isCurrent()) for (const asked of this.#waiting.splice(0)) socket.send(JSON.stringify(asked));
    });
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as Told));
    socket.addEventListener('close', () => {
      if (isCurrent()) this.#lose();
    });
    return socket;
  }

  #take(told: Told): void {
    const listener = this.#listeners.get(told.id);
    if (listener === undefined) return;
    if ('status' in told) listener.status(told.status);
    else if ('data' in told) listener.data(told.data);
    else {
      this.#listeners.delete(told.id);
      listener.ended(told.error);
    }
  }

  #lose(): void {
    this.#socket = undefined;
    this.#waiting.length = 0;
    const lost = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of lost) listener.ended('the connection to the dashboard was lost');
  }
}

/** Of this tab. */
export const streams = new Streams();
